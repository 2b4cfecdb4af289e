"""Scenarios as tests: of YAML files met on the way, of suites named, and of test functions with the fixture `memgauge`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import MemgaugeError
from memgauge.pytest_plugin.judging import Asked, ask_for, held
from memgauge.pytest_plugin.settings import SETTINGS
from memgauge.pytest_plugin.stage import Stage

if TYPE_CHECKING:
    from memgauge.scenarios import Scenario

NAME = "memgauge"
"""Of the fixture, the marker, the option, the ini key, and the property by which a report says that its test is a scenario."""

SUFFIXES = (".mem.yaml", ".mem.yml")


def is_scenario_file(path: Path, config: pytest.Config) -> bool:
    """Whether a file holds scenarios: by its name, because it was named on the command line, or because it lies in a suite."""
    if path.name.endswith(SUFFIXES):
        return True
    return path.suffix in (".yaml", ".yml") and any(path.is_relative_to(place) for place in _places(config))


_PLACES: pytest.StashKey[list[Path]] = pytest.StashKey()


def _places(config: pytest.Config) -> list[Path]:
    """The suites that are files or folders, and the files named on the command line."""
    if _PLACES not in config.stash:
        settings = config.stash[SETTINGS]
        own = [settings.place(suite) for suite in settings.project.suites if not suite.startswith("builtin")]
        named = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
        config.stash[_PLACES] = [*settings.folders, *own, *(path for path in named if path.is_file())]
    return config.stash[_PLACES]


class ScenarioFile(pytest.File):
    """One file: a scenario, or one for each row of its table."""

    def collect(self) -> Iterable[pytest.Item]:
        """In the order of their ids, which is the same in every worker. A file with a mistake is not collected, with all its mistakes as
        file:line:column."""
        from memgauge.scenarios.loader import load

        try:
            found = _asked(load([self.path]), Stage.of(self.config))
        except MemgaugeError as error:
            raise self.CollectError("\n".join(error.lines())) from None
        for asked in found:
            yield ScenarioItem.from_parent(self, name=asked.plan.scenario, asked=asked)


class ScenarioItem(pytest.Item):
    """One scenario on the system of the session."""

    def __init__(self, *, asked: Asked, **parts: Any) -> None:
        super().__init__(**parts)
        self.asked = asked
        self.add_marker(NAME)
        for tag in asked.plan.tags:
            self.add_marker(getattr(pytest.mark, NAME)(tag=tag))
        self.extra_keyword_matches |= {*asked.plan.tags, *asked.plan.rows, asked.plan.class_}
        self.user_properties.append((NAME, asked.plan.scenario))

    def setup(self) -> None:
        ask_for(self, self.asked)

    def runtest(self) -> None:
        held(self, self.asked)

    def reportinfo(self) -> tuple[Path, int, str]:
        first = min((step.line for step in self.asked.plan.steps if step.line), default=self.asked.line)
        return self.asked.path or self.path, first - 1, self.name


class Suite(pytest.Collector):
    """The built-in suite, which is no file of the project."""

    def collect(self) -> Iterable[pytest.Item]:
        from memgauge.scenarios import builtin

        for asked in _asked(builtin(), Stage.of(self.config)):
            yield ScenarioItem.from_parent(self, name=asked.plan.scenario, asked=asked)


class NoScenario(pytest.Item):
    """Stands for what was asked for and is not there, so that a misnamed file does not look like success."""

    def runtest(self) -> None:
        pytest.fail(f"no scenario was collected: files end in {SUFFIXES[0]}, lie in a suite of memgauge.yaml, or are named", pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def parametrised(metafunc: pytest.Metafunc) -> None:
    """A test for each scenario of the marker's suites. Raises CollectError for a mistake in them, or when nothing is named."""
    from memgauge.cli.selection import load_suites

    config = metafunc.config
    suites = [str(name) for mark in metafunc.definition.iter_markers(NAME) for name in mark.args]
    if not suites:
        raise pytest.Collector.CollectError(f"{metafunc.function.__name__}: say which scenarios, as @pytest.mark.{NAME}('scenarios/')")
    here, project = metafunc.definition.path.parent, config.stash[SETTINGS].project
    placed = [str(here / name) if (here / name).exists() else name for name in suites]
    try:
        found = _asked(load_suites(placed, project), Stage.of(config))
    except MemgaugeError as error:
        raise pytest.Collector.CollectError("\n".join(error.lines())) from None
    metafunc.parametrize(NAME, found, ids=[asked.plan.scenario for asked in found], indirect=True)


def scenario_of(item: pytest.Item) -> Asked | None:
    """What a test asks of the memory, None for a test of another kind."""
    if isinstance(item, ScenarioItem):
        return item.asked
    asked = getattr(getattr(item, "callspec", None), "params", {}).get(NAME)
    return asked if isinstance(asked, Asked) else None


def complete(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the suites that are no files, and see that one id is one scenario and that there is any."""
    from memgauge.scenarios import SUITE_NAME

    config = session.config
    settings = config.stash[SETTINGS]
    if SUITE_NAME in settings.suite:
        suite = Suite.from_parent(session, name=SUITE_NAME, nodeid=SUITE_NAME)
        report = session.ihook.pytest_make_collect_report(collector=suite)
        session.ihook.pytest_collectreport(report=report)  # so that they are counted
        items += report.result
    first: dict[str, Asked] = {}
    for item in items:
        if asked := scenario_of(item):
            known = first.setdefault(asked.plan.scenario, asked)
            if known.plan.digest != asked.plan.digest:
                raise pytest.UsageError(f"{asked.path}: {asked.plan.scenario!r} is also the id of {known.path or known.suite} (ids are unique)")
    everywhere = config.args_source is not pytest.Config.ArgsSource.ARGS or settings.suite
    if settings.asked and everywhere and not first and not config.getoption("lf", False):
        items.append(NoScenario.from_parent(session, name="no-scenario"))


def _asked(scenarios: Iterable[Scenario], stage: Stage) -> list[Asked]:
    from memgauge.cli.selection import placed
    from memgauge.scenarios.compile import compile_case

    found = []
    for scenario in sorted(scenarios, key=lambda one: one.id):
        path, folder = Path(scenario.path), stage.settings.project.folder
        plan = placed(compile_case(scenario, stage.seed), folder)
        line = int(scenario.document.where(("ask",)).rsplit(":", 2)[1])
        own = path.exists()
        found.append(Asked(plan, path if own else None, line, plan.path if own else plan.path.split("/", 1)[0]))
    return found
