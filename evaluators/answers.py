"""Whether a call was answered as it should be, and what the answer's data says."""

from __future__ import annotations

from memgauge.anchors import fold
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, passed
from memgauge.evaluators.witness import answer_name
from memgauge.records import Entry, Expectation


@EVALUATORS.register("receipt")
def receipt(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The step was answered with one of these statuses, and its reason has the text."""
    allowed = names(expectation.params["status"])
    if entry.status not in allowed:
        return failed(f"{answer_name(entry)} was answered {entry.status}, not {' or '.join(allowed)}")
    wanted = str(expectation.params.get("reason_has", ""))
    if fold(wanted) not in fold(str(entry.receipt.get("reason") or "")):
        return failed(f'the reason given by {answer_name(entry)} does not say "{wanted}"')
    return passed()
