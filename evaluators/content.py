"""What lists, documents and summaries hold: unchanged, exact, faithful, and traceable to a message."""

from __future__ import annotations

from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, passed, unscored, unsure
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_name, fact_names, unit_name
from memgauge.records import Entry, Expectation


@EVALUATORS.register("unchanged")
def unchanged(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Id, text and status of every item, or the document's bytes, are those of the earlier answer."""
    earlier = case.since(expectation)
    if earlier.status != entry.status:
        return failed(f"{answer_name(entry)} was answered {entry.status}, step {earlier.step} {earlier.status}")
    before, now = case.answer(earlier).items(), case.answer(entry).items()
    for old, new in zip(before, now, strict=False):
        if _face(old) != _face(new):
            return failed(f"{unit_name(case, new)} in {answer_name(entry)} is not what {unit_name(case, old)} was at {earlier.step}")
    if len(before) != len(now):
        odd = (before if len(before) > len(now) else now)[min(len(before), len(now))]
        return failed(f"{unit_name(case, odd)} is {'gone from' if len(before) > len(now) else 'new in'} {answer_name(entry)}")
    return passed()


def _face(unit: Unit) -> tuple[str, str, str]:
    return unit.id, unit.text, unit.status


@EVALUATORS.register("document")
def document(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The text is exactly this, or contains these passages in order, byte for byte."""
    text = entry.receipt.get("data", {}).get("text")
    if not isinstance(text, str):
        return failed(f"{answer_name(entry)} holds no document: {entry.status}")
    whole = expectation.params.get("equals")
    if whole is not None and text != whole:
        return failed(f"the document of {answer_name(entry)} differs from character {_first_difference(text, str(whole))} on")
    at = 0
    for number, passage in enumerate(names(expectation.params.get("contains")), 1):
        found = text.find(passage, at)
        if found < 0:
            return failed(f"passage {number} is not in the document of {answer_name(entry)}, or not in its place")
        at = found + len(passage)
    return passed()


def _first_difference(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@EVALUATORS.register("summary")
def summary(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The summary keeps the covered facts and has none from outside its range. The value is the share kept."""
    units = summaries(case, entry)
    covers = names(expectation.params["covers"])
    if not units:
        return failed(f"{answer_name(entry)} holds no summary", 0.0) if covers else unscored("there is no summary")
    missing: list[str] = []
    doubtful: list[str] = []
    for fact in covers:
        sure, maybe = case.find(fact, units)
        if not sure:
            (doubtful if maybe else missing).append(fact)
    share = 1 - (len(missing) + len(doubtful)) / len(covers) if covers else 1.0
    if missing:
        return failed(f"{fact_names(case, missing)} is lost in the summary of {answer_name(entry)}", share)
    for fact in names(expectation.params.get("not")):
        sure, maybe = case.find(fact, units)
        if sure:
            return failed(f"{unit_name(case, sure[0])} in {answer_name(entry)} states {fact_name(case, fact)}, which it does not cover", share)
        doubtful += [fact] if maybe else []
    return unsure(doubtful) if doubtful else passed(share)


def summaries(case: Case, entry: Entry) -> tuple[Unit, ...]:
    """The summary items of an answer."""
    return tuple(unit for unit in case.answer(entry).items() if unit.kind == "summary" or unit.section == "summary")


@EVALUATORS.register("provenance")
def provenance(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The item names the message it came from; of a list, the item that carries the fact."""
    message = str(expectation.params["message"])
    answer = case.answer(entry)
    carriers = [unit for fact in expectation.facts for unit in case.find(fact, answer.items())[0]]
    if entry.op == "explain":
        carriers = list(answer.items())
        if any(unit.id == message for unit in carriers):
            return passed()
        return failed(f"{answer_name(entry)} does not lead back to message {_told_as(case, message)} but to {len(carriers)} others")
    if not carriers:
        return failed(f"{fact_names(case, expectation.facts) or 'the item'} is not in {answer_name(entry)}")
    for unit in carriers:
        if message not in unit.sources:
            return failed(f"{unit_name(case, unit)} in {answer_name(entry)} does not name message {_told_as(case, message)} as its source")
    return passed()


def _told_as(case: Case, message: str) -> str:
    """The step that gave the message, since its id says nothing to a reader."""
    return next((f"of step {entry.step}" for entry in case.history if message in (entry.args.get("message_id"), entry.args.get("new_id"))), message)
