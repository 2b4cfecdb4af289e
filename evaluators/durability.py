"""What a kill in the middle of writes left behind."""

from __future__ import annotations

from collections.abc import Sequence

from memgauge.evaluators.case import Case
from memgauge.evaluators.reopening import not_opened
from memgauge.evaluators.ruling import EVALUATORS, Ruling, broken, failed, passed, unscored
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name
from memgauge.evaluators.writes import Write, event_of, set_breaches, state_after, torn, unread
from memgauge.protocol import VERBS
from memgauge.records import Entry, Expectation


@EVALUATORS.register("durable")
def durable(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """After the kill the store opens, every acknowledged write is there whole and once, every other whole or not at all."""
    kill = event_of(case, entry, "kill")
    if kill is None:
        return broken(f"no kill stands before step {entry.step}")
    if not kill.data.get("killed"):
        return unscored("the process was not killed")
    if kill.data.get("reopened") is False:
        return failed(not_opened(case, kill))
    acknowledged = [Write.of(event, "ok") for event in kill.data.get("acknowledged", ())]
    others = [*(Write.of(event, "open") for event in kill.data.get("unknown", ())), *(Write.of(event) for event in kill.data.get("declined", ()))]
    if not any(write.fate != "failed" for write in (*acknowledged, *others)):
        return unscored("nothing was written before the kill")
    if unread(kill, entry):
        return Ruling("unsupported", "no verb shows the records that were written")
    units = state_after(case, kill, entry)
    kept = [write for write in (*acknowledged, *others) if not _removes(write)]
    wrong = [*set_breaches(kept, units), *torn(kept, units), *_back(acknowledged, units)]
    if not wrong:
        return passed(0.0)
    seen_in = "" if entry is kill else f" in {answer_name(entry)}"
    return failed(f"after kill {kill.step} {wrong[0]}{seen_in}", float(len(wrong)))


def _removes(write: Write) -> bool:
    return write.op in VERBS and VERBS[write.op].effect == "destroy"


def _back(acknowledged: Sequence[Write], units: Sequence[Unit]) -> list[str]:
    """Records whose removal was acknowledged and that are shown all the same."""
    gone = {i for write in acknowledged if _removes(write) for i in (*write.ids, str(write.args.get("id", "")))} - {""}
    return ["a record whose removal was acknowledged is shown" for unit in units if unit.id in gone]
