"""The sentences of a case on which a check hangs and that no rule could read, for a person to rule on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memgauge.evaluators.case import Case
from memgauge.evaluators.labels import NONE, LabelKey, Labels
from memgauge.records import CasePlan, Entry, Judgement


@dataclass(frozen=True, slots=True)
class Doubt:
    """A text that may state a fact, and the check that is unscored for it."""

    key: LabelKey
    text: str
    check: str


def doubts(plan: CasePlan, history: Sequence[Entry], judgement: Judgement, labels: Labels = NONE) -> list[Doubt]:
    """Every doubtful text of the unsure checks, each once, in the order of the checks."""
    case = Case(plan, history, labels=labels)
    found: dict[LabelKey, Doubt] = {}
    for verdict in judgement.verdicts:
        entry = case.entry(verdict.step)
        if verdict.outcome != "unscored" or not verdict.reason.startswith("unsure") or entry is None:
            continue
        named = set(re.findall(r"[a-z0-9_]+", verdict.reason))
        for fact in plan.facts:
            for unit in case.find(fact, case.answer(entry).units)[1] if fact in named else ():
                key = LabelKey.of(plan.scenario, fact, unit.text)
                found.setdefault(key, Doubt(key, unit.text, verdict.check))
    return list(found.values())
