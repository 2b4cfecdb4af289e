"""What racing writers left behind. Verdicts state invariants and never who won, how often, or when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memgauge.anchors import fold
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, passed, unscored
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name
from memgauge.evaluators.writes import Write, copies, event_of, set_breaches, state_after, unread
from memgauge.records import Entry, Expectation


@EVALUATORS.register("no_lost_update")
def no_lost_update(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every acknowledged write is shown exactly once, none that failed is shown at all."""
    race = event_of(case, entry, "race")
    if race is None:
        return broken(f"no race stands before step {entry.step}")
    writes = [Write.of(event) for event in race.data.get("events", ())]
    if not any(write.fate == "ok" for write in writes):
        return unscored("no write of the race was acknowledged")
    if unread(race, entry):
        return Ruling("unsupported", "no verb shows the records that were written")
    wrong = set_breaches(writes, state_after(case, race, entry))
    return _ruling(wrong, race, entry)


@EVALUATORS.register("one_winner")
def one_winner(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Writers of one thing made one chain of revisions: from each at most one succeeded, and who lost saw a conflict."""
    race = event_of(case, entry, "race")
    if race is None:
        return broken(f"no race stands before step {entry.step}")
    writes = [Write.of(event) for event in race.data.get("events", ())]
    won = [write for write in writes if write.fate == "ok"]
    if not won:
        return unscored("no write of the race was acknowledged")
    if unread(race, entry):
        return Ruling("unsupported", "no verb shows the records that were written")
    units = state_after(case, race, entry)
    if any("expected" in write.args for write in writes):
        return _ruling(chain_breaches(writes, _revision(race, entry), units), race, entry)
    shown = sum(copies(text, set(), units) for text in {write.text for write in won})
    wrong = [] if shown == 1 else ["no acknowledged value is shown" if not shown else "racing values are shown beside each other"]
    return _ruling(wrong, race, entry)


def chain_breaches(writes: Sequence[Write], revision: int | None, units: Sequence[Unit]) -> list[str]:
    """What is wrong with the chain of revisions, one sentence each.

    As in Elle's register histories: a write names the revision it was made from, so two successes from one revision are a lost
    update. `revision` is the last one, where it is known.
    """
    won = [write for write in writes if write.fate == "ok"]
    undecided = any(write.fate == "open" for write in writes)
    bases = Counter(write.args.get("expected") for write in won)
    results = Counter(write.revision for write in won if write.revision is not None)
    wrong = ["two writers succeeded from one revision" for count in bases.values() if count > 1]
    wrong += ["two writers were given one revision" for count in results.values() if count > 1]
    wrong += ["a writer that lost saw no conflict" for write in writes if write.fate == "failed" and not write.conflict]
    first = min((base for base in bases if isinstance(base, int)), default=0)
    if revision is not None and not undecided and revision != first + len(won):
        wrong.append("the last revision does not count the acknowledged writes")
    last = max(won, key=lambda write: int(write.args.get("expected") or 0))
    if units and not undecided and not any(fold(last.text) in fold(unit.text) for unit in units):
        wrong.append("the last acknowledged write is not shown")
    return wrong


def _revision(race: Entry, judged: Entry) -> int | None:
    """The revision of the contested thing when the race was over, where the answer says it."""
    reads = [read for read in race.data.get("after", ()) if isinstance(read, Mapping)]
    receipts = [judged.receipt] if judged is not race else [read.get("receipt", {}) for read in reads]
    return next((r["revision"] for r in receipts if isinstance(r.get("revision"), int)), None)


def _ruling(wrong: Sequence[str], race: Entry, judged: Entry) -> Ruling:
    if not wrong:
        return passed(0.0)
    seen_in = "" if judged is race else f" in {answer_name(judged)}"
    return failed(f"after race {race.step} {wrong[0]}{seen_in}", float(len(wrong)))
