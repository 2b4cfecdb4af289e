"""Expectations: what an `ask`, a `scan` or an `expect` turns into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from memgauge.checks import CHECKS
from memgauge.records import Expectation, Proof
from memgauge.scenarios.expect import Check, ProvenCheck, Receipt, params_of
from memgauge.scenarios.steps import AskStep

SEEN_THROUGH = ("context", "recall", "list", "list-all", "list-messages", "list-notes", "list-documents", "list-goals", "list-summaries")
"""Read paths on which a needed fact must be seen; an export is judged only where the author asks for it."""


class Expectations:
    """Collects the expectations of a case under unique ids. `fill` puts drawn values and message ids into parameters."""

    def __init__(self, fill: Callable[[Any], Any]) -> None:
        self._fill = fill
        self.made: list[Expectation] = []
        self._ids: set[str] = set()

    def add(self, kind: str, step: str, *, at: str = "", facts: Sequence[str] = (), proof: Proof | None = None, id: str = "", **params: Any) -> None:
        """One expectation; `at` is `@path` of a step that has several read paths."""
        base = id or ".".join((step.removesuffix(at), kind, *(["+".join(facts)] if facts else []))) + at
        name, n = base, 1
        while name in self._ids:
            n += 1
            name = f"{base}-{n}"
        self._ids.add(name)
        self.made.append(Expectation(id=name, kind=kind, step=step, facts=tuple(facts), proof=proof, params=params))

    def ask(self, step: AskStep, calls: Iterable[tuple[str, str, str]]) -> None:
        """Everything an ask expects. `calls` are its read paths, each with the id of its call and the suffix of that id."""
        absent = list(dict.fromkeys(a.fact for a in step.absent))
        for path, call, at in calls:
            if path in SEEN_THROUGH:
                for fact in step.needs:
                    self.add("present", call, at=at, facts=(fact,))
            for entry in step.absent:
                if entry.via is None or path in entry.via:
                    self.add(entry.why, call, at=at, facts=(entry.fact,), proof=entry.proof)
            if path == "context":
                if step.needs or absent or step.decoys:
                    self.add("sufficient", call, at=at, facts=step.needs, id=f"{call.removesuffix(at)}.sufficient", **self._sufficient(step, absent))
                self.add("budget", call, at=at)
            if step.precision is not None and path == ("recall" if "recall" in step.via else "context"):
                self.add("precision", call, at=at, id=f"{call.removesuffix(at)}.precision", min=step.precision, fine=step.fine)

    @staticmethod
    def _sufficient(step: AskStep, absent: list[str]) -> dict[str, Any]:
        return {"misleading": [*absent, *step.decoys]} if step.needs else {"misleading": absent, "decoys": step.decoys or absent}

    def checks(self, step: str, expect: Receipt | Sequence[Any] | None) -> None:
        """The explicit checks of a step."""
        if isinstance(expect, Receipt):
            params: dict[str, Any] = expect.model_dump(exclude_none=True)
            self.add("receipt", step, **params)
            return
        for check in expect or ():
            assert isinstance(check, Check)
            proof = check.proof if isinstance(check, ProvenCheck) and CHECKS[check.check].proof else None
            self.add(check.check, step, facts=check.facts, proof=proof, id=check.id or "", **self._fill(params_of(check)))
