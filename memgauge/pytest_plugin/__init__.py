"""Scenarios as tests of pytest. Unless it is asked, by an option, an ini key or the fixture `memgauge`, this plugin does nothing.

Each scenario is a test: playing it is the test's set-up, judging it is the test. So a memory that raises, hangs or dies is an *error*
of exactly that test, a check that does not hold is a *failure* of it, and a scenario in which nothing could be scored is skipped.
Everything but pytest itself is imported when it is asked for.

- `settings`: what was asked, by options and ini keys.
- `items`: scenarios of files, of suites and of marked functions as tests.
- `judging`: what a test of a scenario does, and what its report says.
- `stage`: the worker process that plays the cases of one pytest process.
- `record`: the run folder and the gate, in the process that sees all reports.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.pytest_plugin.items import NAME, ScenarioFile, complete, is_scenario_file, parametrised, scenario_of
from memgauge.pytest_plugin.judging import ask_for, held, told
from memgauge.pytest_plugin.record import Record
from memgauge.pytest_plugin.settings import SETTINGS, Settings, add_options
from memgauge.pytest_plugin.stage import STAGE, Stage

if TYPE_CHECKING:
    from collections.abc import Generator

    from memgauge.events import CaseFinished

pytest_addoption = add_options


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{NAME}(*suites): scenarios of builtin@1, files or folders, one test each; needs the fixture `{NAME}`")
    settings = config.stash[SETTINGS] = Settings.of(config)
    if settings.asked:
        settings.check()
        config.args += [path for path in map(str, settings.folders) if path not in config.args]
    if not hasattr(config, "workerinput"):  # a worker of xdist reports to the one process that sees all
        config.pluginmanager.register(Record(config, settings), f"{NAME}-record")


def pytest_unconfigure(config: pytest.Config) -> None:
    if stage := config.stash.get(STAGE, None):
        stage.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    asked = parent.config.stash[SETTINGS].asked
    return ScenarioFile.from_parent(parent, path=file_path) if asked and is_scenario_file(file_path, parent.config) else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if NAME in metafunc.fixturenames:
        parametrised(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    if session.config.stash[SETTINGS].asked or any(map(scenario_of, items)):
        complete(session, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    chosen = [asked for item in session.items if (asked := scenario_of(item))]
    if chosen:
        Stage.of(session.config).select([(asked.plan, asked.suite) for asked in chosen])


@pytest.fixture(name=NAME)
def finished_case(request: pytest.FixtureRequest) -> CaseFinished:
    """The finished case of this test: its plan, history and judgement. What the test itself asserts comes on top of its checks."""
    return ask_for(request.node, request.param)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    if asked := scenario_of(pyfuncitem):
        held(pyfuncitem, asked)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if (asked := scenario_of(item)) and (call.when == "call" or (call.when == "setup" and not report.passed)):
        report.memgauge = told(item, asked, report)  # type: ignore[attr-defined]
    return report
