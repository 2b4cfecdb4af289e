"""What makes a suite easy to pass or blind, held against numbers. Faults of one scenario are the loader's business."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.records import CasePlan, Scope, Step
from memgauge.scenarios.compile import compile_case
from memgauge.scenarios.drawing import PLACEHOLDER
from memgauge.scenarios.scenario import Scenario
from memgauge.scenarios.stems import content_stems
from memgauge.scenarios.steps import SayStep
from memgauge.tokens import counter

RECENT_MESSAGES = 40
"""Messages that `off` keeps of a thread, as the reference does when memory has nothing."""
BINDING = 5
"""How often the conversation must exceed the budget where budgets are tested."""
BINDING_CLASSES = ("budget", "long-thread")
WORDINGS = 3
SHARES = {"harm": 0.30, "told by remember": 0.40, "class": 0.15, "shapes": 0.60, "other words": 0.50, "leaks inside": 0.50}
"""Least share of scenarios where memory can only harm; most of those told by `remember`; most of one class; least of distinct
shapes; least of probes that share at most one stem with the fact; least of leak scenarios inside one user."""
PROCESS_SCENARIOS = 8
SUITE = 10
"""Scenarios from which shares say something; fewer are somebody's own cases, not a suite."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint. `scenario` and `where` are empty where it is about the suite as a whole."""

    rule: str
    message: str
    scenario: str = ""
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where or 'suite'}: {self.rule}: {self.message}"


@dataclass(frozen=True, slots=True)
class _Case:
    scenario: Scenario
    plan: CasePlan

    def finding(self, rule: str, message: str) -> Finding:
        return Finding(rule, self.scenario.told(message), self.scenario.id, self.scenario.document.where(("id",)))


def lint_suite(scenarios: Iterable[Scenario]) -> list[Finding]:
    """Findings about each scenario and about all of them together, judged on the default drawing."""
    cases = [_Case(scenario, compile_case(scenario, 0)) for scenario in scenarios]
    alone = [finding for case in cases for rule in _ALONE for finding in rule(case)]
    if len(cases) < SUITE:
        return alone
    return alone + [finding for rule in _TOGETHER for finding in rule(cases)]


# --- one scenario -----------------------------------------------------------------------------------------------------


def _examples(case: _Case) -> Iterator[Finding]:
    for name, fact in case.scenario.spec.facts.items():
        if not fact.like or not fact.unlike:
            yield case.finding("examples", f"fact {name} has no {'like' if not fact.like else 'unlike'} sentence")


def _told(case: _Case) -> Iterator[Finding]:
    told = {fact for step in case.plan.steps for fact in step.tells}
    for fact in sorted(_needed(case) - told):
        yield case.finding("never told", f"{fact} is needed and no step tells it")


def _wordings(case: _Case) -> Iterator[Finding]:
    """Wordings of one statement: the texts it may be drawn from, times the words that `values` lists for a place in it. A scenario
    that draws no values tells one incident in the words in which it happened."""
    lists = {name: len(source) for name, source in case.scenario.spec.values.items() if isinstance(source, list)}
    for step in case.scenario.spec.steps if case.scenario.spec.values else ():
        if isinstance(step, SayStep) and step.tells:
            texts = [step.say] if isinstance(step.say, str) else step.say
            found = sum(max((lists.get(name, 1) for name in PLACEHOLDER.findall(text)), default=1) for text in texts)
            if found < WORDINGS:
                yield case.finding("wordings", f"{texts[0][:40]!r} has {found} wordings, at least {WORDINGS} let a seed vary it")


def _binding(case: _Case) -> Iterator[Finding]:
    if case.scenario.class_ not in BINDING_CLASSES:
        return
    count = counter()
    written, most = 0, 0.0
    for step in case.plan.steps:
        written += sum(count(text) + 4 for _, text in _messages(step))
        if step.op == "context":
            most = max(most, written / (step.args["budget"]["window"] - step.args["budget"]["reserve"]))
    if most < BINDING:
        yield case.finding("budget does not bind", f"the conversation is {most:.1f} times the budget, at least {BINDING}")


def _off_passes(case: _Case) -> Iterator[Finding]:
    """A scenario that needs memory has a question whose facts are not all in the recent window of its own thread; one that
    needs none has no other question."""
    outside = [bool(set(e.facts) - _recent(case.plan, step)) for step, e in _sufficient(case.plan) if e.facts]
    if case.scenario.spec.needs_memory and outside and not any(outside):
        yield case.finding("off passes", "every needed fact stands in the recent window of the thread that asks")
    if not case.scenario.spec.needs_memory and any(outside):
        yield case.finding("needs memory", "marked needs_memory: false, and a question needs what only a memory can bring")


_ALONE: Sequence[Callable[[_Case], Iterator[Finding]]] = (_examples, _told, _wordings, _binding, _off_passes)


# --- all together -----------------------------------------------------------------------------------------------------


def _harm(cases: Sequence[_Case]) -> Iterator[Finding]:
    yield from _at_least("harm", sum(not c.scenario.spec.needs_memory for c in cases), len(cases), "scenarios in which memory can only harm")


def _by_remember(cases: Sequence[_Case]) -> Iterator[Finding]:
    telling = [c for c in cases if any(step.tells for step in c.plan.steps)]
    asked = sum(any(step.tells and step.op == "remember" for step in c.plan.steps) for c in telling)
    if telling and asked / len(telling) > SHARES["told by remember"]:
        yield Finding("told by remember", f"{asked} of {len(telling)} scenarios bring facts in by remember, at most {SHARES['told by remember']:.0%}")


def _classes(cases: Sequence[_Case]) -> Iterator[Finding]:
    for name, n in Counter(c.scenario.class_ for c in cases).items():
        if n > max(SHARES["class"] * len(cases), 2):
            yield Finding("class", f"{n} of {len(cases)} scenarios are of class {name}, at most {SHARES['class']:.0%}")


def _shapes(cases: Sequence[_Case]) -> Iterator[Finding]:
    yield from _at_least("shapes", len({c.plan.shape for c in cases}), len(cases), "distinct shapes")


def _other_words(cases: Sequence[_Case]) -> Iterator[Finding]:
    probes = [hard for case in cases for hard in _hard_probes(case)]
    what = "probes that share at most one stem with the fact, or no more than the filler does"
    yield from _at_least("other words", sum(probes), len(probes), what)


def _leaks_inside(cases: Sequence[_Case]) -> Iterator[Finding]:
    leaks = [c for c in cases if any(e.kind == "leak" for e in c.plan.expectations)]
    inside = sum(len({(step.scope.tenant, step.scope.user) for step in c.plan.steps}) == 1 for c in leaks)
    yield from _at_least("leaks inside", inside, len(leaks), "leak scenarios inside one user")


def _process(cases: Sequence[_Case]) -> Iterator[Finding]:
    n = sum(c.scenario.spec.lane == "process" for c in cases)
    if n > PROCESS_SCENARIOS:
        yield Finding("process lane", f"{n} scenarios start processes, at most {PROCESS_SCENARIOS}")


def _at_least(rule: str, n: int, total: int, what: str) -> Iterator[Finding]:
    if total and n / total < SHARES[rule]:
        yield Finding(rule, f"{n} of {total} {what}, at least {SHARES[rule]:.0%}")


_TOGETHER: Sequence[Callable[[Sequence[_Case]], Iterator[Finding]]] = (_harm, _by_remember, _classes, _shapes, _other_words, _leaks_inside, _process)


# --- reading plans ----------------------------------------------------------------------------------------------------


def _needed(case: _Case) -> set[str]:
    return {fact for e in case.plan.expectations if e.kind in ("present", "sufficient") for fact in e.facts}


def _sufficient(plan: CasePlan) -> Iterator[tuple[Step, Any]]:
    steps = {step.id: step for step in plan.steps}
    return ((steps[e.step], e) for e in plan.expectations if e.kind == "sufficient")


def _messages(step: Step) -> list[tuple[Scope, str]]:
    lines = step.args["messages"] if step.op == "append_many" else [step.args] if step.op == "append" else []
    return [(step.scope, str(line["text"])) for line in lines]


def _recent(plan: CasePlan, ask: Step) -> set[str]:
    """Facts told among the last messages of the thread that asks."""
    told: list[tuple[str, ...]] = []
    for step in plan.steps:
        if step is ask:
            break
        if (step.scope.user, step.scope.thread) == (ask.scope.user, ask.scope.thread):
            told += [step.tells] * len(_messages(step))
    return {fact for facts in told[-RECENT_MESSAGES:] for fact in facts}


def _hard_probes(case: _Case) -> Iterator[bool]:
    """For each question and needed fact, whether word overlap alone would not do."""
    language = case.scenario.spec.language
    told = {fact for step in case.plan.steps for fact in step.tells}
    fillers = [
        content_stems(text, language) for step in case.plan.steps if not step.tells and step.op == "append_many" for _, text in _messages(step)
    ]
    for step, expectation in _sufficient(case.plan):
        question = content_stems(str(step.args["text"]), language)
        for fact in set(expectation.facts) & told:
            shared = len(question & content_stems(case.plan.facts[fact].text, language))
            yield shared <= 1 or any(len(question & stems) >= shared for stems in fillers)
