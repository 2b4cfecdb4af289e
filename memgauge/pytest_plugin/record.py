"""The end of the session, in the one process that sees all reports: whether anything was shown, the run folder, the gate."""

from __future__ import annotations

import base64
import pickle
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import MemgaugeError
from memgauge.pytest_plugin.settings import Settings

if TYPE_CHECKING:
    from memgauge.events import RunStarted
    from memgauge.reports.folder import RunFolder


class Record:
    """Takes what reports say of their scenarios. Workers of xdist send them here, so the folder is complete with and without."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._lines: list[str] = []
        self._scored = self._seen = 0
        self._cases: set[str] = set()
        self._started: RunStarted | None = None
        self._folder: RunFolder | None = None
        self._stack = ExitStack()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        said: dict[str, Any] | None = getattr(report, "memgauge", None)
        if said is None:
            return
        self._seen += 1
        self._scored += said["scored"]
        if "events" in said:
            self._keep(*pickle.loads(base64.b64decode(said["events"])))

    def _keep(self, started: RunStarted, events: tuple[Any, ...]) -> None:
        from dataclasses import replace

        from memgauge.reports.folder import RunFolder

        if self._folder is None:
            self._started = replace(started, manifest={**started.manifest, "argv": ["pytest", *map(str, self._config.invocation_params.args)]})
            folder = self._settings.out or self._stack.enter_context(tempfile.TemporaryDirectory(prefix="memgauge-", ignore_cleanup_errors=True))
            self._folder = RunFolder(Path(folder))
            self._folder.handle(self._started)
        for event in events:
            if str(event.id) not in self._cases:  # a test that is run again never mends the record of the first time
                self._cases.add(str(event.id))
                self._folder.handle(event)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.config.option.collectonly:
            return
        code = 0
        with self._stack:
            try:
                code = self._finish(session)
            except MemgaugeError as error:
                self._lines += error.lines()
                code = error.exit_code
        if session.exitstatus == 0:
            session.exitstatus = code or (5 if self._seen and not self._scored else 0)

    def _finish(self, session: pytest.Session) -> int:
        """Write the folder and apply the gate; the exit code that follows."""
        from memgauge.cli.deciding import decided
        from memgauge.cli.running import written
        from memgauge.events import RunFinished
        from memgauge.reports import gate
        from memgauge.reports.folder import read_run

        if not self._settings.recorded:
            return 0
        if self._folder is None or self._started is None:
            self._lines.append("no scenario was played: there is no run folder and nothing to decide on")
            return 5
        whole = len(self._cases) == self._started.planned
        reason = "" if whole else f"{len(self._cases)} of {self._started.planned} cases were played"
        self._folder.handle(RunFinished(status="complete" if whole else "interrupted", reason=reason))
        if self._settings.out:
            written(self._folder.folder)
            self._lines.append(f"run folder: {self._folder.folder}, with report.html, results.duckdb and checks.jsonl")
        if not (rules := self._settings.rules()):
            return 0
        verdict = decided(read_run(self._folder.folder), rules, self._settings.accepted(rules), self._baselines())
        self._lines += gate.lines(verdict)
        return verdict.exit_code

    def _baselines(self) -> Path:
        from memgauge.cli.deciding import BASELINES

        return self._settings.project.folder / BASELINES

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._lines:
            terminalreporter.section("memgauge")
            for line in self._lines:
                terminalreporter.line(line)
