"""Pure checkers of what racing and interrupted writers left behind.

In the manner of Jepsen's set test (every acknowledged element is there, none that failed is) and of Elle's register histories
(one chain of versions, so no two writers may both succeed from the same one). Verdicts state invariants and never who won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memgauge.anchors import fold, occurrences
from memgauge.evaluators.case import Case
from memgauge.evaluators.rendered import Thread
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, passed, unscored
from memgauge.evaluators.units import Unit, answer_of
from memgauge.evaluators.witness import answer_name
from memgauge.protocol import VERBS
from memgauge.records import Entry, Expectation

Json = Mapping[str, Any]
Fate = Literal["ok", "failed", "open"]
_FAILED = ("refused", "conflict", "unsupported")
"""Statuses that say a write was not made. Error, pending and no answer leave it open."""


@dataclass(frozen=True, slots=True)
class Write:
    """One write of a race or before a kill. ok: acknowledged; failed: known not to have been made; open: nobody can say."""

    op: str
    args: Json
    ids: tuple[str, ...]
    fate: Fate
    conflict: bool = False

    @property
    def text(self) -> str:
        return str(self.args.get("new", self.args.get("text", "")))

    @classmethod
    def of(cls, event: Json, fate: Fate | None = None) -> Write:
        status, args = str(event.get("status", "")), event.get("args")
        known: Fate = "ok" if status == "ok" else "failed" if status in _FAILED else "open"
        ids = tuple(str(i) for i in event.get("ids") or ())
        return cls(str(event.get("op", "")), args if isinstance(args, Mapping) else {}, ids, fate or known, status == "conflict")


def earlier_of(case: Case, entry: Entry, type: str, named: object) -> Entry | None:
    """The race or kill that is judged: the one named, else the last before the entry, else the entry itself."""
    if named:
        return case.entry(str(named))
    if entry.type == type:
        return entry
    return next((e for e in reversed(case.history) if e.type == type and e.n < entry.n), None)


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


def state_after(case: Case, event: Entry, judged: Entry) -> tuple[Unit, ...]:
    """Items that show what was kept: of the judged answer, or of the reads made when the race or kill was over."""
    if judged is not event:
        return case.answer(judged).items()
    reads = [read for read in event.data.get("after", ()) if isinstance(read, Mapping)]
    answers = (replace(event, op=str(read.get("op", "")), args=read.get("args", {}), receipt=read.get("receipt", {})) for read in reads)
    return tuple(unit for answer in answers for unit in answer_of(answer, Thread(())).items())


@EVALUATORS.register("no_lost_update")
def no_lost_update(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every acknowledged write is in the answer exactly once, none that failed is there at all."""
    race = earlier_of(case, entry, "race", expectation.params.get("race"))
    if race is None:
        return broken(f"no race stands before step {entry.step}")
    writes = [Write.of(event) for event in race.data.get("events", ())]
    wrong = set_breaches(writes, state_after(case, race, entry))
    if wrong:
        return failed(f"{wrong[0]} by {answer_name(entry)} after race {race.step}", float(len(wrong)))
    return passed(0.0) if any(write.fate == "ok" for write in writes) else unscored("no write of the race was acknowledged")


def set_breaches(writes: Sequence[Write], units: Sequence[Unit]) -> list[str]:
    """What the set test finds wrong, one sentence each. Writes of one text are one element that may be there as often as acknowledged."""
    replaced = {str(write.args.get("old")) for write in writes if write.fate == "ok" and write.args.get("old")}
    acknowledged = Counter(write.text for write in writes if write.fate == "ok")
    doubtful = Counter(write.text for write in writes if write.fate == "open")
    wrong = []
    for text in dict.fromkeys(write.text for write in writes if write.text and write.text not in replaced):
        ids = {i for write in writes if write.text == text and write.fate == "ok" for i in write.ids}
        kinds = {_SHOWN_AS.get(write.op, "") for write in writes if write.text == text}
        copies = _copies(text, ids, [unit for unit in units if unit.kind in kinds] or units)
        most = acknowledged[text] + doubtful[text]
        if acknowledged[text] and not copies:
            wrong.append("an acknowledged write is not shown")
        elif copies > most:
            wrong.append("a write that failed is shown" if not most else "a write is shown more often than it was made")
    return wrong


def _copies(text: str, ids: set[str], units: Sequence[Unit]) -> int:
    """How often a text stands in the units; a record of that id in other words counts once."""
    found = sum(occurrences(text, fold(unit.text)) for unit in units)
    return found or sum(1 for unit in units if unit.id in ids)


@EVALUATORS.register("one_winner")
def one_winner(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Writers of one thing made one chain of revisions: from each at most one succeeded, and who lost saw a conflict."""
    race = earlier_of(case, entry, "race", expectation.params.get("race"))
    if race is None:
        return broken(f"no race stands before step {entry.step}")
    writes = [Write.of(event) for event in race.data.get("events", ())]
    won = [write for write in writes if write.fate == "ok"]
    if not won:
        return unscored("no write of the race was acknowledged")
    if any("expected" in write.args for write in writes):
        wrong = chain_breaches(writes, _revision(race, entry), state_after(case, race, entry))
    else:
        shown = sum(_copies(text, set(), state_after(case, race, entry)) for text in {write.text for write in won})
        wrong = [] if shown == 1 else ["no acknowledged value is shown" if not shown else "racing values stand beside each other, as shown"]
    return failed(f"{wrong[0]} by {answer_name(entry)} after race {race.step}", float(len(wrong))) if wrong else passed(0.0)


def _revision(race: Entry, judged: Entry) -> int | None:
    """The revision of the contested thing when the race was over, where the answer says it."""
    receipts = [judged.receipt] if judged is not race else [read.get("receipt", {}) for read in race.data.get("after", ())]
    return next((r["revision"] for r in receipts if isinstance(r.get("revision"), int)), None)


def chain_breaches(writes: Sequence[Write], revision: int | None, units: Sequence[Unit]) -> list[str]:
    """What is wrong with the chain of revisions, one sentence each."""
    won = [write for write in writes if write.fate == "ok"]
    started = Counter(write.args.get("expected") for write in won)
    wrong = ["two writers succeeded from one revision, as shown" for count in started.values() if count > 1]
    wrong += ["a writer that lost saw no conflict, as shown" for write in writes if write.fate == "failed" and not write.conflict]
    undecided = any(write.fate == "open" for write in writes)
    first = min((int(number) for number in started if isinstance(number, int)), default=0)
    if revision is not None and not undecided and revision != first + len(won):
        wrong.append("the revision does not count every acknowledged write, as shown")
    last = max(won, key=lambda write: int(write.args.get("expected") or 0))
    if units and not undecided and not any(fold(last.text) in fold(unit.text) for unit in units):
        wrong.append("the last acknowledged write is not shown")
    return wrong


@EVALUATORS.register("durable")
def durable(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """After the kill every acknowledged write is there whole and once, every other whole or not at all."""
    kill = earlier_of(case, entry, "kill", expectation.params.get("kill"))
    if kill is None:
        return broken(f"no kill stands before step {entry.step}")
    if not kill.data.get("killed"):
        return unscored("the process was not killed")
    writes = [*(Write.of(e, "ok") for e in kill.data.get("acknowledged", ())), *(Write.of(e, "open") for e in kill.data.get("unknown", ()))]
    if not writes:
        return unscored("nothing was written before the kill")
    units = state_after(case, kill, entry)
    kept = [write for write in writes if not _removes(write)]
    wrong = [*set_breaches(kept, units), *torn(kept, units), *(_back(write, units) for write in writes if _removes(write) and write.fate == "ok")]
    wrong = [sentence for sentence in wrong if sentence]
    return failed(f"{wrong[0]} by {answer_name(entry)} after kill {kill.step}", float(len(wrong))) if wrong else passed(0.0)


def _removes(write: Write) -> bool:
    return write.op in VERBS and VERBS[write.op].effect == "destroy"


def _back(write: Write, units: Iterable[Unit]) -> str:
    gone = {*write.ids, str(write.args.get("id", ""))} - {""}
    return "a record whose removal was acknowledged is shown" if any(unit.id in gone for unit in units) else ""


def torn(writes: Sequence[Write], units: Sequence[Unit]) -> list[str]:
    """Units that are the beginning of a written text and no text that was written."""
    texts = {fold(write.text) for write in writes if write.text}
    shown = [fold(unit.text) for unit in units]
    return ["half a write is shown" for text in shown if text and text not in texts and any(whole.startswith(text) for whole in texts)]
