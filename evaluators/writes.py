"""Writes whose fate is known, and what of them is shown afterwards: the set test of Jepsen.

Every acknowledged element is there, none that failed is, and none is there more often than it was written. Fates: `ok` was
acknowledged, `failed` is known not to have been made, `open` nobody can say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memgauge.anchors import fold, occurrences
from memgauge.evaluators.case import Case
from memgauge.evaluators.thread import Thread
from memgauge.evaluators.units import Unit, answer_of
from memgauge.records import Entry

Json = Mapping[str, Any]
Fate = Literal["ok", "failed", "open"]

_FAILED = ("refused", "conflict", "unsupported")
_SHOWN_AS = {
    "append": "message",
    "append_many": "message",
    "remember": "fact",
    "note_add": "note",
    "goal_add": "goal",
    "pin": "pin",
    "decide": "decision",
}
"""The kind of item that a write becomes. The same words may rightly stand in a message and in a fact made from it."""


@dataclass(frozen=True, slots=True)
class Write:
    """One write of a race or before a kill."""

    op: str
    args: Json
    ids: tuple[str, ...]
    fate: Fate
    conflict: bool = False
    revision: int | None = None

    @classmethod
    def of(cls, event: Json, fate: Fate | None = None) -> Write:
        status, args, revision = str(event.get("status", "")), event.get("args"), event.get("revision")
        known: Fate = "ok" if status == "ok" else "failed" if status in _FAILED else "open"
        return cls(
            op=str(event.get("op", "")),
            args=args if isinstance(args, Mapping) else {},
            ids=tuple(str(i) for i in event.get("ids") or ()),
            fate=fate or known,
            conflict=status == "conflict",
            revision=revision if isinstance(revision, int) else None,
        )

    @property
    def text(self) -> str:
        return str(self.args.get("new", self.args.get("text", "")))

    @property
    def target(self) -> str:
        """The one thing that a later write of the same target replaces, or empty."""
        return str(self.args.get("id", self.args.get("name", ""))) if self.op in ("correct", "doc_write", "goal_update") else ""


def event_of(case: Case, entry: Entry, type: str) -> Entry | None:
    """The race or kill that is judged: the entry itself, else the last one before it."""
    if entry.type == type:
        return entry
    return next((e for e in reversed(case.history) if e.type == type and e.n < entry.n), None)


def state_after(case: Case, event: Entry, judged: Entry) -> tuple[Unit, ...]:
    """Items that show what was kept: of the judged answer, or of the reads made when the race or kill was over."""
    if judged is not event:
        return case.answer(judged).items()
    reads = [read for read in event.data.get("after", ()) if isinstance(read, Mapping) and read.get("op") != "history"]
    answers = (replace(event, op=str(read.get("op", "")), args=read.get("args", {}), receipt=read.get("receipt", {})) for read in reads)
    shown = [unit for answer in answers for unit in answer_of(answer, Thread(())).items()]
    return tuple({unit.id or f"{n}": unit for n, unit in enumerate(shown)}.values())  # two reads may show one record


def unread(event: Entry, judged: Entry) -> bool:
    """Whether nothing could be read back after the race or kill: the system has no verb that shows its records, or not these."""
    shown = (r for r in event.data.get("after", ()) if r.get("receipt", {}).get("status") != "unsupported")
    return judged is event and not any(read.get("op") != "history" for read in shown)


def set_breaches(writes: Sequence[Write], units: Sequence[Unit]) -> list[str]:
    """What the set test finds wrong, one sentence each. Writes of one text are one element, there at most as often as written."""
    standing = _standing(writes)
    made = Counter(write.text for write in standing if write.fate == "ok")
    maybe = Counter(write.text for write in standing if write.fate == "open")
    wrong = []
    for text in dict.fromkeys(write.text for write in standing if write.text):
        same = [write for write in standing if write.text == text]
        kinds = {_SHOWN_AS.get(write.op, "") for write in same}
        shown = copies(text, {i for write in same if write.fate == "ok" for i in write.ids}, [u for u in units if u.kind in kinds] or units)
        if made[text] and not shown:
            wrong.append("an acknowledged write is not shown")
        elif shown > made[text] + maybe[text]:
            wrong.append("a write is shown more often than it was made" if made[text] + maybe[text] else "a write that failed is shown")
    return wrong


def _standing(writes: Sequence[Write]) -> list[Write]:
    """Without what a later write rightly replaced: the same target written again, or a passage edited away."""
    edited = {str(write.args["old"]) for write in writes if write.fate == "ok" and write.args.get("old")}
    standing = []
    for n, write in enumerate(writes):
        later = [other for other in writes[n + 1 :] if write.target and other.target == write.target and other.fate != "failed"]
        if write.fate == "ok" and (any(other.fate == "ok" for other in later) or write.text in edited):
            continue
        standing.append(replace(write, fate="open") if write.fate == "ok" and later else write)
    return standing


def copies(text: str, ids: set[str], units: Sequence[Unit]) -> int:
    """How often a text stands in the units; a record of one of the ids in other words counts once."""
    found = sum(occurrences(text, fold(unit.text)) for unit in units)
    return found or int(any(unit.id in ids for unit in units))


def torn(writes: Sequence[Write], units: Sequence[Unit]) -> list[str]:
    """Units that are the beginning of a written text and no text that was written."""
    texts = {fold(write.text) for write in writes if write.text}
    shown = [fold(unit.text) for unit in units]
    return ["half a write is shown" for text in shown if text and text not in texts and any(whole.startswith(text) for whole in texts)]
