"""Scenarios as tests of pytest: `pytest --memgauge` collects `*.mem.yaml`. Without that flag this plugin does nothing at all.

One test a scenario, memory on, on the system of memgauge.yaml or of `--memgauge-system`. A failure names file and line of the step
that was judged. A scenario in which nothing could be scored is skipped, with the reason; when that is all there was, the session
ends with 5, for nothing was shown. Everything but pytest is imported when the first scenario is collected.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from memgauge.records import CasePlan

SUFFIX = ".mem.yaml"
OUTCOME = "memgauge"
"""Name of the property by which a report says that its test is a scenario."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("memgauge", "memory scenarios")
    group.addoption("--memgauge", action="store_true", help=f"collect memory scenarios, files that end in {SUFFIX}")
    group.addoption("--memgauge-system", metavar="NAME", default=None, help="system under test; default: that of memgauge.yaml")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--memgauge"):
        config.pluginmanager.register(Shown(), "memgauge-shown")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if parent.config.getoption("--memgauge") and file_path.name.endswith(SUFFIX):
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


class Shown:
    """Counts what was scored. In a session with workers only the controller sees reports of all, and only it decides."""

    def __init__(self) -> None:
        self.scored = self.planned = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and any(name == OUTCOME for name, _ in report.user_properties):
            self.planned += 1
            self.scored += not report.skipped

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.planned and not self.scored and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


class ScenarioFile(pytest.File):
    """One file: a scenario, or one for each row of its table."""

    def collect(self) -> Iterable[pytest.Item]:
        """The scenarios in the order of their ids, which is the same in every worker. A file with a mistake is not collected, with all its
        mistakes as file:line:column."""
        from memgauge.errors import MemgaugeError
        from memgauge.scenarios.compile import compile_case
        from memgauge.scenarios.loader import load_file

        try:
            found = [(compile_case(scenario, 0), scenario.document.where(("ask",))) for scenario in load_file(self.path)]
        except MemgaugeError as error:
            raise self.CollectError("\n".join(error.lines())) from None
        for plan, asked in sorted(found, key=lambda one: one[0].scenario):
            yield ScenarioItem.from_parent(self, name=plan.scenario, plan=plan, line=int(asked.rsplit(":", 2)[1]))


class Failed(Exception):
    """Lines for whoever reads the failure; never shown with a traceback."""


class ScenarioItem(pytest.Item):
    """One scenario on one system. `line` is that of its question, where a step has none of its own, as in the short form."""

    def __init__(self, *, plan: CasePlan, line: int, **parts: Any) -> None:
        super().__init__(**parts)
        self.plan = plan
        self.line = line
        self.user_properties.append((OUTCOME, plan.scenario))

    def runtest(self) -> None:
        from memgauge.errors import MemgaugeError

        try:
            lines, skipped = self._judged()
        except MemgaugeError as error:
            raise Failed("\n".join(error.lines())) from None
        if lines:
            raise Failed("\n".join(lines))
        if skipped:
            pytest.skip(skipped)

    def _judged(self) -> tuple[list[str], str]:
        """A line for each failed check or the error of the case, and why nothing was scored, if nothing was."""
        from memgauge.cli.selection import project, systems
        from memgauge.evaluators import diagnose, judge
        from memgauge.events import CaseFinished
        from memgauge.runner import RunOptions, run
        from memgauge.saboteurs.opener import open_system

        name = self.config.getoption("--memgauge-system")
        specs = systems([name] if name else None, None, project())[:1]
        options = RunOptions(jobs=1, in_process=self.plan.lane == "quick")
        events = run([self.plan], ("on",), specs, judge, diagnose, options, open_system=open_system, manifest={})
        case = next(event for event in events if isinstance(event, CaseFinished))
        if case.error:
            return [f"{self.path}: {specs[0].name}: {case.error}"], ""
        steps = {step.id: step.line for step in self.plan.steps}
        failed = [verdict for verdict in case.judgement.verdicts if verdict.outcome in ("fail", "error")]
        lines = [
            f"{self.path}:{steps.get(one.step) or self.line}: {one.check} ({one.kind}): {one.witness or one.reason}"
            + (f"; lost at {one.lost_at}" if one.lost_at else "")
            for one in failed
        ]
        scored = [verdict for verdict in case.judgement.verdicts if verdict.outcome in ("pass", "fail")]
        reasons = dict.fromkeys(f"{verdict.outcome}: {verdict.reason}" for verdict in case.judgement.verdicts)
        return lines, "" if scored else "nothing could be scored: " + "; ".join(reasons)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, min((step.line for step in self.plan.steps if step.line), default=self.line) - 1, self.name
