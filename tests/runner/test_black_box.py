"""Kills of a memory that is a program of its own, after seeded delays: what it lost is found, and with it everything it started is ended."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from memgauge.evaluators.judge import judge
from memgauge.records import CaseId, Expectation, Step, Verdict
from memgauge.runner.case import CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import ANA, call, opener, plan

PROGRAM = Path(__file__).with_name("line_memory.py")
SEEDS = range(5)
OPS = [{"op": "note_add", "args": {"text": f"Crate {n} stands behind the shed."}} for n in range(1, 7)]
STEPS = (call("first", "note_add", text="The shed is locked."), Step(id="crash", kind="kill", scope=ANA, args={"ops": OPS}))


def killed(root: Path, how: str, seed: int) -> Verdict:
    """The verdict on one kill of the program, which must have been reached by a sampled delay behind the first answer."""
    spec = SystemSpec(name=how, kind="command", argv=(sys.executable, str(PROGRAM), how))
    the_plan = plan("kill", *STEPS, expectations=(Expectation(id="c1", kind="durable", step="crash"),), lane="process")
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system=how, arm="on", seed=seed), plan=the_plan, spec=spec)
    result = run_case(work, Tools(open_system=opener, judge=judge), RunOptions(), root)
    assert not result.error
    data = result.history[1].data
    assert data["killed"]["sampled"]
    assert data["killed"]["during"] > 1
    assert data["acknowledged"]
    [verdict] = result.judgement.verdicts
    return verdict


def test_one_that_keeps_what_it_acknowledged_holds(tmp_path: Path) -> None:
    assert {killed(tmp_path / str(seed), "safe", seed).outcome for seed in SEEDS} == {"pass"}


def test_one_that_acknowledges_before_it_writes_is_caught_each_time(tmp_path: Path) -> None:
    verdicts = [killed(tmp_path / str(seed), "behind", seed) for seed in SEEDS]
    assert {verdict.outcome for verdict in verdicts} == {"fail"}
    assert all("an acknowledged write is not shown" in verdict.witness for verdict in verdicts)


def test_one_that_leaves_half_a_note_is_caught(tmp_path: Path) -> None:
    verdicts = [killed(tmp_path / str(seed), "torn", seed) for seed in SEEDS]
    assert any("half a write is shown" in verdict.witness for verdict in verdicts if verdict.outcome == "fail")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc: helpers in sessions of their own cannot be found")
def test_a_helper_in_a_session_of_its_own_is_killed_with_it_and_makes_nothing_good(tmp_path: Path) -> None:
    assert killed(tmp_path, "helped", 0).outcome == "fail"
    time.sleep(0.7)
    assert not any("Crate" in notes.read_text() for notes in tmp_path.rglob("notes.txt"))
