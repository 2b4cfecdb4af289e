"""Private content is replaced when it is written, not when it is shown: what never reached the disk cannot leak from it.

What stays: the author's ids, verbs, statuses, kinds, sections, times, numbers, and the harness's message ids. Every other text
becomes its length and a keyed hash, so that one can see where the same text turns up again. The key lives in memory for one run,
so that short texts cannot be guessed back from a stored folder.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from memgauge.checks import CHECKS
from memgauge.events import CaseFinished
from memgauge.protocol import STATUSES, VERBS
from memgauge.records import CasePlan, EntryType, Fact, Judgement, Step, StepKind, Verdict
from memgauge.surfaces import DEPTHS, KINDS

_SAFE_TEXT = re.compile(r"m\d+|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|-?P(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?")
"""Message ids of the harness, instants, durations. A bare day is not among them: it may be a birthday."""

_ERROR_HEAD = re.compile(r"(step [\w.@-]+: )?((?:[a-z_]+ raised )?[A-Za-z]+(?:Error|Fault|Exception)(?=:|$))?")
"""What an error says before its message: the author's id of a step, the verb, the type."""

_SECTIONS = ("application", "pinned", "longterm", "summary", "recent", "recall", "goals", "current")
_ITEM_KINDS = ("fact", "note", "document", "summary", "message", "goal", "decision", "pin", "review")
_ROLES = ("user", "assistant", "tool", "system")
_PARTS = (
    "id", "kind", "text", "source_ids", "score", "reason", "label", "status", "created_at", "confirmed_at", "scope", "section", "role", "revision",
    "expires_at", "tokens", "content", "ids", "notices", "conflict", "retryable", "data", "items", "messages", "left_out", "degraded", "saved",
    "outcome", "tenant", "user", "agent", "project", "thread", "task", "window", "reserve", "encoding", "tokens_total", "events", "needles",
    "surfaces", "depth", "examined", "named", "within", "blind",
    "facts", "by", "writers", "how", "times", "op", "step", "args", "scopes", "ops", "at", "type", "ms", "n", "injected", "recent_extra", "case",
    "write_to_visible", "correct_to_visible",
)  # fmt: skip
_WORDS = frozenset(
    [*STATUSES, *VERBS, *CHECKS, *_SECTIONS, *_ITEM_KINDS, *_ROLES, *_PARTS, *KINDS, *DEPTHS, *get_args(StepKind), *get_args(EntryType), "default"]
) | {arg for verb in VERBS.values() for arg in verb.args}
"""The protocol's own words: they say what happened, never what was said."""


class Seal:
    """Replaces the texts of private cases. One seal serves one run: the same text gets the same hash throughout."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str) -> str:
        """`private:LENGTH:HASH`; an empty text stays empty."""
        return f"private:{len(text)}:{hmac.new(self._key, text.encode('utf-8', 'surrogatepass'), hashlib.sha256).hexdigest()[:12]}" if text else ""

    def event(self, event: CaseFinished) -> CaseFinished:
        """The same event without a word of its content; an event of a synthetic case comes back as it is."""
        plan = event.plan
        if plan.content != "private":
            return event
        keep = _WORDS | {step.id for step in plan.steps} | set(plan.facts) | {wanted.id for wanted in plan.expectations}
        sealed = {"scope", "args", "receipt", "data"}
        history = tuple(replace(entry, **{part: self._any(getattr(entry, part), keep) for part in sealed}) for entry in event.history)
        verdicts = tuple(self._verdict(verdict) for verdict in event.judgement.verdicts)
        timings = tuple(self._any(timing, keep) for timing in event.timings)
        return replace(event, plan=self._plan(plan, keep), history=history, error=withheld_error(event.error), timings=timings,
                       judgement=Judgement(verdicts=verdicts, measures=event.judgement.measures))  # fmt: skip

    def _any(self, value: Any, keep: frozenset[str]) -> Any:
        if isinstance(value, str):
            return value if value in keep or _SAFE_TEXT.fullmatch(value) else self.text(value)
        if isinstance(value, Mapping):
            return {self._any(str(key), keep): self._any(held, keep) for key, held in value.items()}
        if isinstance(value, list | tuple):
            return [self._any(held, keep) for held in value]
        return value

    def _plan(self, plan: CasePlan, keep: frozenset[str]) -> CasePlan:
        def texts(values: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(self.text(value) for value in values)

        def fact(held: Fact) -> Fact:
            return replace(held, anchors=tuple(map(texts, held.anchors)), text=self.text(held.text), claim=texts(held.claim),
                           not_if=texts(held.not_if), like=texts(held.like), unlike=texts(held.unlike))  # fmt: skip

        def step(held: Step) -> Step:
            scope = replace(held.scope, **{part: self._any(value, keep) for part, value in held.scope.to_json().items()})
            return replace(held, scope=scope, args=self._any(held.args, keep), save_as=self.text(held.save_as))

        wanted = tuple(replace(one, params=self._any(one.params, keep)) for one in plan.expectations)
        return replace(plan, title="private scenario", source="private", path="", steps=tuple(map(step, plan.steps)),
                       facts={name: fact(held) for name, held in plan.facts.items()}, expectations=wanted)  # fmt: skip

    def _verdict(self, verdict: Verdict) -> Verdict:
        witness = f"not so in step {verdict.step}: {CHECKS[verdict.kind].doc} (private, text withheld)" if verdict.witness else ""
        return replace(verdict, witness=witness, reason=_withheld(verdict))


def _withheld(verdict: Verdict) -> str:
    if not verdict.reason:
        return ""
    return "the proof did not hold" if verdict.proof == "not held" else f"{verdict.outcome} (private, reason withheld)"


def withheld_error(error: str) -> str:
    """The step and the type of an error without its message, which may quote what was said."""
    if not error:
        return ""
    found = _ERROR_HEAD.match(error)
    step, kind = found.groups("") if found else ("", "")
    return f"{step}{kind or 'an error'} (private, message withheld)"
