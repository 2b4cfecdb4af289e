"""What recall brought: how much of it was wanted, where the wanted stood, whether nothing came when nothing was to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, number, passed, unscored
from memgauge.evaluators.units import Unit
from memgauge.evaluators.witness import answer_name, fact_names, unit_name
from memgauge.records import Entry, Expectation

Grade = Literal["needed", "fine", "misleading", "irrelevant"]


def grade(case: Case, unit: Unit, needed: Iterable[str], fine: Iterable[str] = (), misleading: Iterable[str] = ()) -> Grade:
    """What one recalled item is to the question. A value that misleads spoils an item that also carries a needed one."""
    if not unit.is_past and any(case.find(fact, [unit])[0] for fact in misleading):
        return "misleading"
    if any(case.find(fact, [unit])[0] for fact in needed):
        return "needed"
    return "fine" if any(case.find(fact, [unit])[0] for fact in fine) else "irrelevant"


@EVALUATORS.register("precision")
def precision(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Share of recalled items that are needed or fine; an item that states nothing planted is neither."""
    recalled = case.answer(entry).recalled()
    if not recalled:
        return unscored("nothing was recalled; whether that is right is for abstains or present to say")
    needed = expectation.facts or needed_at(case, entry.step)
    fine = names(expectation.params.get("fine"))
    idle = [unit for unit in recalled if grade(case, unit, needed, fine) == "irrelevant"]
    share = 1 - len(idle) / len(recalled)
    if share < number(expectation.params["min"], 1.0):
        return failed(f"{unit_name(case, idle[0])} in {answer_name(entry)} helps nobody: {len(idle)} of {len(recalled)} recalled items do not", share)
    return passed(share)


def needed_at(case: Case, step: str) -> tuple[str, ...]:
    """Facts that some check wants to see at this step or, for one read path of a question, at the question."""
    wanted = [e for e in case.plan.expectations if e.kind in ("present", "sufficient", "rank") and e.step in (step, step.split("@")[0])]
    return tuple(dict.fromkeys(fact for e in wanted for fact in e.facts))


@EVALUATORS.register("rank")
def rank(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The first item that carries the fact stands at this rank or before."""
    last = int(expectation.params["max"])
    answer = case.answer(entry)
    ordered = answer.recalled() or answer.items()
    worst = 0
    for fact in expectation.facts:
        sure, _ = case.find(fact, ordered)
        if not sure:
            return failed(f"{fact_names(case, [fact])} is not among the items of {answer_name(entry)}")
        place = ordered.index(sure[0]) + 1
        if place > last:
            return failed(f"{unit_name(case, sure[0])} in {answer_name(entry)} carries {fact} at rank {place}, allowed {last}", float(place))
        worst = max(worst, place)
    return passed(float(worst))


@EVALUATORS.register("abstains")
def abstains(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Nothing relevant is stored: no item is recalled, and no unlisted line states a planted fact."""
    answer = case.answer(entry)
    found = list(answer.recalled())
    found += [unit for unit in answer.memory() if unit.place == "line" and any(case.find(fact, [unit])[0] for fact in case.plan.facts)]
    if found:
        return failed(f"{unit_name(case, found[0])} was recalled by {answer_name(entry)} though nothing relevant is stored", float(len(found)))
    return passed(0.0)


@EVALUATORS.register("captured")
def captured(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Saved records against the facts worth saving: none missing, none that is not one of them. The value is the precision."""
    durable = names(expectation.params["durable"])
    saved = [unit for unit in case.answer(entry).items() if unit.kind not in ("message", "summary") and not unit.is_past and _was_kept(unit)]
    missing = [fact for fact in durable if not case.find(fact, saved)[0]]
    extra = [unit for unit in saved if not any(case.find(fact, [unit])[0] for fact in durable)]
    recall = 1 - len(missing) / len(durable) if durable else 1.0
    right = 1 - len(extra) / len(saved) if saved else 1.0
    if recall < number(expectation.params.get("recall_min"), 1.0):
        return failed(f"{fact_names(case, missing)} was worth saving and is not in {answer_name(entry)}", right)
    if right < number(expectation.params.get("precision_min"), 1.0):
        return failed(f"{unit_name(case, extra[0])} in {answer_name(entry)} was saved and is none of the facts worth saving", right)
    return passed(right)


def _was_kept(unit: Unit) -> bool:
    """An `end_turn` also lists what it decided not to keep, with the decision as its outcome."""
    return unit.section != "saved" or unit.status.casefold() not in ("reject", "rejected", "ignore", "ignored", "dropped")
