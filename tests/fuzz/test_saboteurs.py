"""Planted faults that random testing must find, in at most twelve steps, and turn into a scenario that tells them from the reference."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from memgauge.evaluators import judge
from memgauge.fuzz import INVARIANTS, Found, scenario_texts, search
from memgauge.records import CaseId, CasePlan
from memgauge.runner import RunOptions
from memgauge.runner.case import CaseWork, run_case
from memgauge.runner.options import Tools
from memgauge.saboteurs.opener import open_system
from memgauge.scenarios import compile_case, load
from memgauge.systems.spec import SystemSpec, parse_system

FEWEST = 12
FAULTS = {
    "leak-users": ("leak",),
    "user-folded": ("leak",),
    "project-bleed": ("leak",),
    "private-kept": ("leak",),
    "cache-across-users": ("leak",),
    "forgotten-in-recall": ("forgotten",),
    "forgotten-in-export": ("forgotten",),
    "stale-beside-new": ("stale",),
    "correct-adds": ("stale",),
    "expiry-forgotten": ("expired",),
    "expiry-late": ("expired",),
    "goal-zombie": ("goal",),
    "pause-ignored": ("paused", "paused-write"),
    "budget-buster": ("budget",),
    "document-last-wins": ("conflict", "document"),
    "loses-every-third": ("lost",),
    "not-durable": ("lost", "document"),
    "forget-all-users": ("lost", "document"),
}
"""Single-process faults by name, and the promises that each breaks; only these are asked for, since a fault may break others sooner."""


def outcomes(plan: CasePlan, spec: SystemSpec) -> set[str]:
    work = CaseWork(id=CaseId(scenario=plan.scenario, system=spec.name, arm="on", seed=plan.seed), plan=plan, spec=spec)
    with tempfile.TemporaryDirectory() as root:
        result = run_case(work, Tools(open_system=open_system, judge=judge), RunOptions(in_process=True), Path(root) / "case")
    assert not result.error, result.error
    return {verdict.outcome for verdict in result.judgement.verdicts}


def hunted(name: str) -> Found:
    others = frozenset(INVARIANTS) - set(FAULTS[name])
    campaign = search(parse_system(f"reference+{name}"), open_system, seed=0, steps=1500, skip=others)
    assert campaign.found is not None, f"{name} survived {campaign.steps} steps"
    return campaign.found


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_shrunk_and_written_down(name: str, tmp_path: Path) -> None:
    found = hunted(name)
    assert found.breach.invariant in FAULTS[name], found.breach.detail
    assert len(found.moves) <= FEWEST
    told = []
    for number, text in enumerate(scenario_texts(found)):
        path = tmp_path / f"{name}-{number}.yaml"
        path.write_text(text, encoding="utf-8")
        plan = compile_case(load([path])[0], 0)
        told.append(("fail" in outcomes(plan, parse_system(f"reference+{name}")), outcomes(plan, parse_system("reference"))))
    assert (True, {"pass"}) in told, told
