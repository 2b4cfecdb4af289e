"""How long what was told stays unseen, on the clock of the wall, where the system says that its reads lag behind its writes.

The time runs from the request of the write to the return of the `settle` after it, and counts once the next read of that user shows
the fact: `settle` alone is only a promise. A fact that replaces another counts as visible when the other is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memgauge.anchors import Match, Matcher
from memgauge.records import CasePlan, Json, Scope, Step
from memgauge.runner.names import listing

WRITTEN, CORRECTED = "write_to_visible", "correct_to_visible"
"""Operations under which the times stand among the timings of a case."""

_NOT_MEMORY = ("recent", "current", "application")


@dataclass(slots=True)
class _Told:
    step: str
    scope: Scope
    asked_ms: float
    settled_ms: float | None = None


class Visibility:
    """Watches the calls of one case."""

    def __init__(self, plan: CasePlan) -> None:
        self._facts = plan.facts
        self._matcher = Matcher(plan.facts)
        self._unseen: dict[str, _Told] = {}

    def told(self, step: Step, answer: Json, asked_ms: float) -> None:
        """A write was answered that was asked for at `asked_ms`."""
        if answer.get("status") in ("ok", "pending"):
            self._unseen.update({fact: _Told(step.id, step.scope, asked_ms) for fact in step.tells if fact in self._facts})

    def settled(self, at_ms: float) -> None:
        """The system says that reads see all of it now."""
        for told in self._unseen.values():
            told.settled_ms = told.settled_ms or at_ms

    def read(self, step: Step, answer: Json) -> Iterator[Json]:
        """The timings of what this answer is the first to show. What a `list` after `settle` lacks has no time: settled was not true."""
        scope = step.scope
        texts = [str(item.get("text", "")) for item in listing(answer) if item.get("section") not in _NOT_MEMORY]
        for fact, told in list(self._unseen.items()):
            if (told.scope.tenant, told.scope.user) != (scope.tenant, scope.user) or told.settled_ms is None:
                continue
            old = self._facts[fact].replaces
            if self._shows(fact, texts) and not (old and self._shows(old, texts)):
                yield {"step": told.step, "op": CORRECTED if old else WRITTEN, "ms": round(told.settled_ms - told.asked_ms, 3)}
            elif step.op != "list":
                continue  # another read may be about something else
            del self._unseen[fact]

    def _shows(self, fact: str, texts: list[str]) -> bool:
        return any(self._matcher.match(fact, text) is Match.YES for text in texts)
