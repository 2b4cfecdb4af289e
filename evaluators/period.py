"""A deletion is judged when the period is over that the system states for it (`erase_within` of its manifest); at once where it states none.

At the end of a case the runner lets each stated period pass, calls the job that erases, and does the judged steps again (see
`memgauge.runner.period`). What is left then fails, also where the system takes no clock: a period that nobody can see kept excuses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memgauge.checks import depth_of
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import Ruling, unscored
from memgauge.records import Entry, Expectation

Rule = Callable[[Entry | None], Ruling]


def stated(case: Case, expectation: Expectation) -> str:
    """The period for this check, or empty for at once."""
    depth = depth_of(expectation.kind, expectation.params)
    return case.manifest.period(depth) if depth and case.manifest is not None else ""


def judged(case: Case, expectation: Expectation, rule: Rule) -> tuple[Ruling, Entry | None, str]:
    """(the ruling, the entry it stands on, the period it is judged against) of a check, whose `rule` judges it on one entry."""
    at_once, within = case.entry(expectation.step), stated(case, expectation)
    first = rule(at_once)
    if not within or at_once is None or first.outcome not in ("pass", "fail", "unscored"):
        return first, at_once, within if first.outcome in ("pass", "fail", "unscored") else ""
    later = case.later(expectation.step, within)
    if later is None:
        return (first if first.outcome != "fail" else unscored(f"the period {within} could not be let pass")), at_once, within
    last = rule(later)
    if last.outcome == "fail" and _told_again(case, expectation):
        return (first if first.outcome != "fail" else unscored(f"it was told again before {within} were over")), at_once, within
    if last.outcome == "fail":
        doubt = f"; {blind}" if (blind := str(later.data.get("blind", ""))) else ""
        last = replace(last, why=f"{within} after the deletion, the period it states, {last.why}{doubt}")
    return last, later, within


def _told_again(case: Case, expectation: Expectation) -> bool:
    steps = [step.id for step in case.plan.steps]
    after = case.plan.steps[steps.index(expectation.step) + 1 :] if expectation.step in steps else ()
    return any(set(step.tells) & set(expectation.facts) for step in after)
