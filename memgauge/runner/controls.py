"""What a treatment is compared with: the same plan without memory, with the same tokens of something else, or without one kind of record."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from memgauge.anchors import Match, Matcher
from memgauge.events import CaseFinished
from memgauge.records import WITHOUT, Arm, CasePlan, Json, Step
from memgauge.runner.case import CaseResult, CaseWork, without_score
from memgauge.systems.placebo import small_talk
from memgauge.systems.spec import SystemSpec

OFF = SystemSpec(name="off", target="off")
"""The system behind the arms without memory."""


def control_of(work: CaseWork, arm: Arm, result: CaseResult) -> CaseWork | CaseFinished:
    """The control of a treatment case. `recent-equal` and `placebo` need to know what the treatment injected; where that broke, they are
    skipped."""
    case = replace(work.id, arm=arm)
    if arm in WITHOUT:
        return CaseWork(id=case, plan=work.plan, spec=work.spec, without=WITHOUT[arm])
    if arm == "off":
        return CaseWork(id=case, plan=work.plan, spec=OFF)
    if result.error:
        why = "the case with memory on did not finish, so its tokens are not known"
        return CaseFinished(id=case, plan=work.plan, history=(), judgement=without_score(work.plan, "skip", why))
    tokens = injected(result)
    if arm == "recent-equal":
        return CaseWork(id=case, plan=work.plan, spec=OFF, budgets={step: {"recent_extra": spent} for step, spent in tokens.items()})
    return CaseWork(id=case, plan=work.plan, spec=OFF, budgets=_placebos(work.plan, tokens))


def injected(result: CaseResult) -> Mapping[str, int]:
    """Tokens that memory put into each prompt, by step."""
    return {entry.step: entry.data["injected"] for entry in result.history if entry.type == "call" and "injected" in entry.data}


def _placebos(plan: CasePlan, tokens: Mapping[str, int]) -> dict[str, Json]:
    """For each prompt what the user had said elsewhere by then, newest first, then small talk: nothing that states, or may state, a fact
    of the plan."""
    matcher = Matcher(plan.facts)

    def irrelevant(text: str) -> bool:
        return all(matcher.match(fact, text) is Match.NO for fact in plan.facts)

    budgets: dict[str, Json] = {}
    said: list[tuple[Step, str]] = []
    for step in plan.steps:
        if step.kind == "call" and step.op == "context" and tokens.get(step.id):
            own = [
                text for turn, text in reversed(said)
                if (turn.scope.tenant, turn.scope.user) == (step.scope.tenant, step.scope.user) and turn.scope.thread != step.scope.thread
            ]  # fmt: skip
            texts = filter(irrelevant, itertools.chain(own, small_talk()))
            enough = list(itertools.islice(texts, tokens[step.id] // _SHORTEST + 1))
            budgets[step.id] = {"placebo": {"tokens": tokens[step.id], "texts": enough}}
        said += [(step, text) for text in _typed(step)]
    return budgets


_SHORTEST = 6
"""Tokens of a short remark with its line break: more of them than this comes to are hardly needed."""


def _typed(step: Step) -> Iterator[str]:
    """What the user himself typed in a step."""
    messages = [step.args] if step.op == "append" else step.args.get("messages", ()) if step.op == "append_many" else ()
    for message in messages if step.kind == "call" else ():
        if message.get("role") == "user" and message.get("origin", "typed") == "typed" and str(message.get("text", "")).strip():
            yield str(message["text"])
