"""Playing the scenario of a test and judging it: what pytest is told of both."""

from __future__ import annotations

import base64
import os
import pickle
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import MemgaugeError
from memgauge.pytest_plugin.stage import Played, Stage

if TYPE_CHECKING:
    from memgauge.events import CaseFinished
    from memgauge.records import CasePlan

PLAYED: pytest.StashKey[Played] = pytest.StashKey()


@dataclass(frozen=True)
class Asked:
    """A scenario as a test. `line` is that of its question; `suite` is what a run folder calls the place it came from."""

    plan: CasePlan
    path: Path | None
    line: int
    suite: str

    def again(self, system: str) -> str:
        """What to type to play it once more."""
        suite = os.path.relpath(self.path) if self.path else self.suite
        seed = ["--seed", str(self.plan.seed)] if self.plan.seed else []
        return shlex.join(["memgauge", "run", self.plan.scenario, "--suite", suite, *seed, "--arm", "on", "--system", system])


def ask_for(item: pytest.Item, asked: Asked) -> CaseFinished:
    """Play the scenario of a test. Fails, as the set-up of that test, with the one line of what broke."""
    try:
        played = Stage.of(item.config).play(asked.plan)
    except MemgaugeError as error:
        pytest.fail("\n".join(error.lines()), pytrace=False)
    item.stash[PLAYED] = played
    if played.stop:
        item.session.shouldstop = played.events[0].error
    if broke := played.events[0].error:
        stage = Stage.of(item.config)
        pytest.fail(f"{_place(item, asked, asked.line)}: {stage.spec.name}: {broke}\nagain: {asked.again(stage.spec.name)}", pytrace=False)
    return played.case


def held(item: pytest.Item, asked: Asked) -> None:
    """Fail with a line for each check that does not hold, or skip when nothing could be scored. What the gate excuses is an expected failure."""
    stage = Stage.of(item.config)
    case = item.stash[PLAYED].events[0]
    verdicts = case.judgement.verdicts
    steps = {step.id: step.line for step in asked.plan.steps}
    failed = [verdict for verdict in verdicts if verdict.outcome in ("fail", "error")]
    point = str(case.id).rsplit(".", 1)[0]
    excuses = [stage.excused.get(f"{point}::{verdict.check}", "") for verdict in failed]
    lines = [
        f"{_place(item, asked, steps.get(one.step) or asked.line)}: {one.check} ({one.kind}): {one.witness or one.reason}"
        + (f"; lost at {one.lost_at}" if one.lost_at else "")
        for one in failed
    ]
    if failed and all(excuses):
        pytest.xfail("; ".join(dict.fromkeys(excuses)))
    if failed:
        pytest.fail("\n".join([*lines, f"again: {asked.again(stage.spec.name)} && memgauge show {asked.plan.scenario}"]), pytrace=False)
    if not any(verdict.outcome == "pass" for verdict in verdicts):
        reasons = dict.fromkeys(f"{verdict.outcome}: {verdict.reason}" for verdict in verdicts)
        pytest.skip(f"nothing could be scored: {'; '.join(reasons)}")


def _place(item: pytest.Item, asked: Asked, line: int) -> str:
    return f"{asked.plan.path or item.nodeid}:{line}"


def told(item: pytest.Item, asked: Asked, report: pytest.TestReport) -> dict[str, Any]:
    """What a report says of its scenario to the process that sees all: plain values, so that they can be sent."""
    stage = Stage.of(item.config)
    played = item.stash.get(PLAYED, None)
    scored = played is not None and any(verdict.outcome in ("pass", "fail") for verdict in played.case.judgement.verdicts)
    if not stage.settings.recorded:
        return {"scored": scored}
    events = played.events if played else _not_played(stage, asked, report)
    return {"scored": scored, "events": base64.b64encode(pickle.dumps((stage.started(), events))).decode()}


def _not_played(stage: Stage, asked: Asked, report: pytest.TestReport) -> tuple[CaseFinished, ...]:
    """A scenario that was skipped, or whose system did not start, is planned all the same."""
    from memgauge.events import CaseFinished
    from memgauge.records import CaseId
    from memgauge.runner.case import all_error, without_score

    case = CaseId(scenario=asked.plan.scenario, system=stage.spec.name, arm="on", seed=asked.plan.seed)
    if report.skipped:
        judgement, error = without_score(asked.plan, "skip", "skipped by pytest"), ""
    else:
        error = report.longreprtext.strip().splitlines()[-1] if report.longreprtext.strip() else "the set-up of the test failed"
        judgement = all_error(asked.plan, error)
    return (CaseFinished(id=case, plan=asked.plan, history=(), judgement=judgement, error=error),)
