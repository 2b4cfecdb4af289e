"""Where the scenarios of one pytest process are played: in one worker process, which a hang or a crash of the memory takes with it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from memgauge.pytest_plugin.settings import SETTINGS, Settings, usable

if TYPE_CHECKING:
    from memgauge.events import CaseFinished, RunStarted
    from memgauge.records import CasePlan
    from memgauge.runner.pool import CasePool

STAGE: pytest.StashKey[Stage] = pytest.StashKey()


@dataclass(frozen=True)
class Played:
    """One scenario played. `case` is the treatment as it happened, `events` all of its cases without a word of private content."""

    case: CaseFinished
    events: tuple[CaseFinished, ...]
    stop: bool = False


class Stage:
    """Plays scenarios on the session's system, each once. The worker starts with the first and ends with `close`."""

    def __init__(self, settings: Settings) -> None:
        from memgauge.reports.private import Seal

        self.settings = settings
        self.plans: dict[str, tuple[CasePlan, str]] = {}
        self.spec = usable(settings.spec)
        self.arms = usable(settings.arms)
        self.seed = settings.drawn()
        self._seal = Seal(secrets.token_bytes(32))
        self._played: dict[str, Played] = {}
        self._stack = ExitStack()

    @classmethod
    def of(cls, config: pytest.Config) -> Stage:
        """The stage of this process."""
        if STAGE not in config.stash:
            config.stash[STAGE] = cls(config.stash[SETTINGS])
        return config.stash[STAGE]

    def select(self, plans: Sequence[tuple[CasePlan, str]]) -> None:
        """The scenarios that this session will play, each with the name of its suite; a run folder names them beforehand."""
        self.plans = {plan.scenario: (plan, suite) for plan, suite in plans}

    def play(self, plan: CasePlan) -> Played:
        """Play one scenario and its controls, or recall that it was played. Raises InputError for a system that does not start."""
        from memgauge.records import CaseId
        from memgauge.runner.case import CaseWork
        from memgauge.runner.run import played

        if plan.scenario not in self._played:
            work = CaseWork(id=CaseId(scenario=plan.scenario, system=self.spec.name, arm="on", seed=plan.seed), plan=plan, spec=self.spec)
            cases = list(played(self._pool, [work], self.arms))
            case = next(event for event, _ in cases if event.id.arm == "on")
            self._played[plan.scenario] = Played(case, tuple(self._seal.event(event) for event, _ in cases), any(stop for _, stop in cases))
        return self._played[plan.scenario]

    def started(self) -> RunStarted:
        """What a run folder says of this session before its first case."""
        from memgauge.cli.manifest import manifest_of
        from memgauge.cli.selection import Selection
        from memgauge.events import RunStarted
        from memgauge.runner.run import cases_of

        plans = tuple(plan for plan, _ in self.plans.values())
        suite = " + ".join(dict.fromkeys(suite for _, suite in self.plans.values()))
        chosen = Selection(project=self.settings.project, suite=suite, scenarios=(), plans=plans, seed=self.seed)
        manifest = {**manifest_of(chosen, [self.spec]), "arms": list(self.arms)}
        return RunStarted(manifest=manifest, planned=sum(cases_of(plan, self.arms) for plan in plans))

    @cached_property
    def excused(self) -> dict[str, str]:
        """Checks that the gate lets fail, each with why: its exceptions of today, and what fails in the baseline as well."""
        from memgauge.clock import SystemClock

        if not (rules := usable(self.settings.rules)):
            return {}
        today, baseline = SystemClock().now().date(), usable(lambda: self.settings.accepted(rules))
        accepted = {
            point.id: f"accepted in the baseline {rules.baseline.ref}"
            for point in (baseline.points.values() if baseline else ())
            if point.outcome == "fail"
        }
        return accepted | {e.match: f"known until {e.expires} ({e.owner}): {e.reason}" for e in rules.exceptions if e.expires >= today}

    def close(self) -> None:
        """End the worker and all that was started in it."""
        self._stack.close()

    @cached_property
    def _pool(self) -> CasePool:
        from memgauge.cli.rulings import ruled_judge
        from memgauge.evaluators import diagnose
        from memgauge.runner import RunOptions, Tools
        from memgauge.runner.pool import CasePool
        from memgauge.saboteurs.opener import open_system
        from memgauge.systems.strays import CASE_MARK

        tools = Tools(open_system=open_system, judge=ruled_judge(self.settings.project.folder), diagnose=diagnose)
        mark = os.environ.get(CASE_MARK)
        pool = self._stack.enter_context(CasePool(tools, RunOptions(jobs=1, limit_s=self.settings.seconds(), seed=self.seed)))
        if mark is None:  # what other tests start is no business of ours when the session ends; each case marks itself
            os.environ.pop(CASE_MARK, None)
        pool.require([self.spec])
        return pool
