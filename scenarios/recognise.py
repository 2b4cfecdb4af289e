"""Whether the facts of a case can be told apart: from one another, from filler and from the questions."""

from __future__ import annotations

from collections.abc import Iterator

from memgauge.anchors import Match, Matcher, fold, stands_in
from memgauge.errors import InputError
from memgauge.records import CasePlan, Fact
from memgauge.scenarios.scenario import Scenario


def check_facts(scenario: Scenario, plan: CasePlan) -> Iterator[InputError]:
    """Faults in how facts are recognised, on the drawn values of one plan."""
    matcher = Matcher(plan.facts)
    for fact in plan.facts.values():
        yield from _examples(scenario, matcher, fact)
        yield from _others(scenario, plan, matcher, fact)
        yield from _elsewhere(scenario, plan, fact)


def _examples(scenario: Scenario, matcher: Matcher, fact: Fact) -> Iterator[InputError]:
    for key, wanted in (("like", True), ("unlike", False)):
        for i, text in enumerate(getattr(fact, key)):
            if (matcher.match(fact.id, text) is Match.YES) is not wanted:
                what = "must match and does not" if wanted else "must not match and does"
                yield scenario.error(("facts", fact.id, key, i), f"{text!r} {what}", hint="mend the anchors, claim or not_if")


def _others(scenario: Scenario, plan: CasePlan, matcher: Matcher, fact: Fact) -> Iterator[InputError]:
    path = ("facts", fact.id, "anchors")
    for other in plan.facts.values():
        if other.id == fact.id:
            continue
        if other.replaces == fact.id:
            if _anchored(fact, fold(other.text)) and not any(stands_in(text, fold(other.text)) for text in fact.not_if):
                message = f"the anchors stand in the statement of {other.id!r}, which replaces it"
                yield scenario.error(path, message, hint="give not_if, as ['from {old}']")
        elif _anchored(fact, fold(" ".join(group[0] for group in other.anchors))):
            yield scenario.error(path, f"the anchors stand within those of {other.id!r}", hint="choose values of which none contains the other")
        elif any(matcher.match(fact.id, text) is Match.YES for text in (other.text, *other.like) if text != fact.text):
            yield scenario.error(path, f"a statement of {other.id!r} also matches {fact.id!r}", hint="add an anchor that tells them apart")


def _elsewhere(scenario: Scenario, plan: CasePlan, fact: Fact) -> Iterator[InputError]:
    for step in plan.steps:
        index = next((i for i in range(len(scenario.spec.steps)) if scenario.document.marks.get(("steps", i), (0, 0))[0] == step.line), 0)
        if step.op in ("context", "recall"):
            question = fold(str(step.args.get("text", step.args.get("query"))))
            if _anchored(fact, question):
                yield scenario.error(("steps", index), f"the question holds the anchors of {fact.id!r}", hint="ask in other words")
        elif step.op == "append_many" and not step.tells:
            texts = [fold(str(message["text"])) for message in step.args["messages"]]
            if _anchored(fact, "\n".join(texts)) and any(_anchored(fact, text) for text in texts):
                yield scenario.error(("steps", index), f"the filler states {fact.id!r}", hint="change the near-miss or the anchors")


def _anchored(fact: Fact, folded: str) -> bool:
    return all(any(stands_in(spelling, folded) for spelling in group) for group in fact.anchors)
