"""What a new scenario is worth: which planted faults it notices, and what systems make of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.events import CaseFinished
from memgauge.records import CasePlan
from memgauge.runner import run_pairs
from memgauge.saboteurs.base import Saboteur
from memgauge.saboteurs.selftest import Bench, Catch, assess
from memgauge.systems.spec import SystemSpec

UNSAID = ("budget", "receipt")
"""Kinds of check nearly every scenario has; a fault that breaks only these is not tried unless its class is the scenario's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one system made of the scenarios. `failed`: witnesses by check; `error`: what broke it."""

    system: str
    passed: int
    failed: dict[str, str]
    error: str

    @property
    def holds(self) -> bool:
        return not self.failed and not self.error and self.passed > 0

    def line(self) -> str:
        if self.error:
            return f"{self.system:<12} broke: {self.error}"
        if self.holds:
            return f"{self.system:<12} holds: {self.passed} checks"
        told = next(iter(self.failed.values()), "nothing could be scored")
        return f"{self.system:<12} fails {len(self.failed)} of {self.passed + len(self.failed)} checks: {told}"


def fitting(saboteurs: Sequence[Saboteur], plans: Sequence[CasePlan]) -> list[Saboteur]:
    """The faults a scenario could notice: of its class, or caught by a kind of check that it has; and the harmless changes."""
    classes = {plan.class_ for plan in plans}
    kinds = {e.kind for plan in plans for e in plan.expectations} - set(UNSAID)
    return [s for s in saboteurs if s.harmless or classes & set(s.classes) or kinds & set(s.kinds)]


def results(specs: Sequence[SystemSpec], plans: Sequence[CasePlan], bench: Bench) -> list[Result]:
    """Every system on every plan."""
    found: dict[str, list[CaseFinished]] = defaultdict(list)
    pairs = [(plan, spec) for spec in specs for plan in plans]
    for event in run_pairs(pairs, ("on",), bench.judge, bench.diagnose, bench.options, open_system=bench.open_system):
        if isinstance(event, CaseFinished):
            found[event.id.system].append(event)
    return [_result(spec.name, found[spec.name]) for spec in specs]


def _result(system: str, events: Sequence[CaseFinished]) -> Result:
    verdicts = [verdict for event in events if not event.error for verdict in event.judgement.verdicts]
    return Result(
        system=system,
        passed=sum(verdict.outcome == "pass" for verdict in verdicts),
        failed={verdict.check: verdict.witness for verdict in verdicts if verdict.outcome == "fail"},
        error=next((event.error for event in events if event.error), ""),
    )


def catches(base: SystemSpec, saboteurs: Sequence[Saboteur], plans: Sequence[CasePlan], bench: Bench) -> list[Catch]:
    """What becomes of each fault on these scenarios alone."""
    return assess(base, saboteurs, plans, bench)[1:]


def kinds_of(catch: Catch, plans: Sequence[CasePlan]) -> list[str]:
    """The kinds of the checks a fault failed."""
    kinds = {f"{plan.scenario}::{e.id}": e.kind for plan in plans for e in plan.expectations}
    return sorted({kinds[name] for name in catch.broken})


def to_json(result: Result) -> dict[str, Any]:
    return {"system": result.system, "holds": result.holds, "passed": result.passed, "failed": result.failed, "error": result.error}
