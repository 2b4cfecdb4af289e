"""What must be there, and whether the prompt as a whole suffices."""

from __future__ import annotations

from memgauge.anchors import fold, stands_in
from memgauge.evaluators.budget import breach, fixed_parts_fit
from memgauge.evaluators.case import Case, degraded
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, passed, unscored, unsure
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_name, fact_names, unit_name
from memgauge.records import Entry, Expectation


@EVALUATORS.register("present")
def present(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every named fact is in the answer, verbatim turns included."""
    if entry.status == "refused":
        return failed(f"{answer_name(entry)} was refused, so {fact_names(case, expectation.facts)} is not in it", 0.0)
    if degraded(entry):
        return _half_an_answer(entry)
    units = case.answer(entry).content()
    missing, doubtful = _missing(case, expectation.facts, units)
    share = 1 - (len(missing) + len(doubtful)) / max(1, len(expectation.facts))
    if missing:
        return failed(f"{fact_names(case, missing)} is not in {answer_name(entry)}", share)
    return unsure(doubtful) if doubtful else passed(share)


@EVALUATORS.register("sufficient")
def sufficient(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """All needed facts are in the prompt, none that misleads, and it fits the window.

    A value that misleads is one that memory put there without saying that it is past; verbatim turns are conversation and
    mislead nobody. When nothing is needed, no decoy may be there.
    """
    if entry.status == "refused":
        if not fixed_parts_fit(entry):
            return unscored("the fixed parts alone do not fit the window")
        return failed(f"{answer_name(entry)} was refused though it could be built", 0.0)
    if degraded(entry):
        return _half_an_answer(entry)
    answer = case.answer(entry)
    memory = [unit for unit in answer.memory() if not unit.is_past]
    misleading = (*names(expectation.params.get("misleading")), *names(expectation.params.get("decoys")))
    doubtful: list[str] = []
    for fact in misleading:
        sure, maybe = case.find(fact, memory)
        if sure:
            sort = "misleads" if fact in names(expectation.params.get("misleading")) else "is a decoy"
            return failed(f"{unit_name(case, sure[0])} in {answer_name(entry)} states {fact_name(case, fact)}, which {sort}", 0.0)
        doubtful.extend(f"{fact} in {unit_name(case, unit)}" for unit in maybe)
    missing, unclear = _missing(case, expectation.facts, answer.content())
    if missing:
        return failed(f"{fact_names(case, missing)} is needed and not in {answer_name(entry)}", 0.0)
    if over := breach(entry):
        return failed(over, 0.0)
    return unsure([*doubtful, *unclear]) if doubtful or unclear else passed(1.0)


def _half_an_answer(entry: Entry) -> Ruling:
    """No case breaks the retrieval of a memory, so an answer made without it is the memory's own failure, whatever is in it.

    If it were merely unscored, a memory that always says `degraded` would have all its absences left out and lose nothing.
    """
    return failed(f"{answer_name(entry)} was made with degraded retrieval, which nothing in the case brought about", 0.0)


def _missing(case: Case, facts: tuple[str, ...], units: tuple[Unit, ...]) -> tuple[list[str], list[str]]:
    """(facts that are not there, facts that may be there)."""
    missing: list[str] = []
    doubtful: list[str] = []
    for fact in facts:
        sure, maybe = case.find(fact, units)
        if not sure:
            (doubtful if maybe else missing).append(fact)
    return missing, doubtful


@EVALUATORS.register("count")
def count(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The fact stands in exactly this many live items of the answer."""
    wanted = int(expectation.params["equals"])
    live = [unit for unit in case.answer(entry).items() if not unit.is_past]
    sure: list[Unit] = []
    doubtful: list[str] = []
    for fact in expectation.facts:
        found, maybe = case.find(fact, live)
        sure.extend(found)
        doubtful.extend(f"{fact} in {unit_name(case, unit)}" for unit in maybe)
    if doubtful:
        return unsure(doubtful)
    if len(sure) == wanted:
        return passed(float(len(sure)))
    where = f" ({', '.join(case.alias(unit) for unit in sure)})" if sure else ""
    return failed(
        f"{fact_names(case, expectation.facts)} stands in {len(sure)} live items{where} of {answer_name(entry)}, not in {wanted}", float(len(sure))
    )


@EVALUATORS.register("label")
def label(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every item that carries the fact is labelled with one of the words."""
    words = names(expectation.params["any_of"])
    carriers: list[Unit] = []
    for fact in expectation.facts:
        sure, _ = case.find(fact, case.answer(entry).memory())
        if not sure:
            return unscored(f"{fact} is not in the answer, so it has no label")
        carriers.extend(sure)
    for unit in carriers:
        said = fold(f"{unit.label} {unit.status}")
        if not any(stands_in(word, said) for word in words):
            return failed(f"{unit_name(case, unit)} in {answer_name(entry)} is not labelled {' or '.join(words)}")
    return passed()
