"""What was asked of the plugin: options of the command line before keys of the ini file before those of memgauge.yaml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from memgauge.errors import MemgaugeError

if TYPE_CHECKING:
    from memgauge.config import Project
    from memgauge.records import Arm
    from memgauge.reports.baseline import Baseline
    from memgauge.reports.gate_file import GateFile
    from memgauge.systems.spec import SystemSpec

T = TypeVar("T")

OPTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("", "bool", {"action": "store_true", "help": "collect memory scenarios: *.mem.yaml, and YAML files below the suites of memgauge.yaml"}),
    ("suite", "linelist", {"action": "append", "metavar": "SUITE", "help": "collect this too: builtin@1, a file or a folder; repeatable"}),
    ("system", "string", {"metavar": "NAME", "help": "system under test; default: that of memgauge.yaml"}),
    ("arm", "linelist", {"action": "append", "metavar": "ARM", "help": "also run this arm, as off or recent-equal; repeatable"}),
    ("timeout", "string", {"metavar": "SECONDS", "help": "seconds one scenario may take; default 60"}),
    ("gate", "string", {"metavar": "FILE", "help": "apply this gate file when the session ends; a session that would end with 0 ends with its code"}),
    ("baseline", "", {"metavar": "NAME", "help": "baseline in place of the gate file's, as git:main"}),
    ("seed", "", {"metavar": "N", "help": "draws values, wording, filler and schedules; default 0"}),
    ("out", "", {"metavar": "DIR", "help": "write a run folder there, as `memgauge run` does"}),
)
"""Name, type of its ini twin (empty: none, since it belongs to one session), and the rest of the option."""


def add_options(parser: pytest.Parser) -> None:
    """Hook of pytest: every option, and its ini twin `memgauge` or `memgauge_NAME`."""
    group = parser.getgroup("memgauge", "memory scenarios")
    for name, twin, rest in OPTIONS:
        group.addoption(f"--memgauge-{name}" if name else "--memgauge", default=None, **rest)
        if twin:
            parser.addini(_dest(name), rest["help"], type=twin, default=None)  # type: ignore[arg-type]


def _dest(name: str) -> str:
    return f"memgauge_{name}" if name else "memgauge"


@dataclass(frozen=True)
class Settings:
    """The values as given; what they come to is worked out when it is wanted. `asked`: whether scenarios are collected at all."""

    asked: bool
    suite: tuple[str, ...]
    system: str | None
    arm: tuple[str, ...]
    timeout: str | None
    gate: str | None
    baseline: str | None
    seed: str | None
    out: str | None
    root: Path

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        given: dict[str, Any] = {name: config.getoption(_dest(name)) or (config.getini(_dest(name)) if twin else None) for name, twin, _ in OPTIONS}
        asked = any(given.values())
        lists: dict[str, Any] = {name: tuple(given.pop(name) or ()) for name in ("suite", "arm")}
        del given[""]
        return cls(asked=asked, **lists, **given, root=config.rootpath)

    @property
    def recorded(self) -> bool:
        """Whether cases are kept for a run folder or a gate."""
        return bool(self.out or self.gate)

    @property
    def project(self) -> Project:
        from memgauge.cli.selection import project

        return project()

    @property
    def folders(self) -> list[Path]:
        """The suites asked for that are files or folders."""
        return [self.place(suite) for suite in self.suite if not suite.startswith("builtin")]

    def place(self, suite: str) -> Path:
        """A file or folder as named on the command line, or in an ini or project file."""
        here = Path(suite)
        return next((path for path in (here, self.root / suite) if path.exists()), self.project.folder / suite).resolve()

    def spec(self) -> SystemSpec:
        """The system under test. Raises InputError."""
        from memgauge.cli.selection import systems

        return systems([self.system] if self.system else None, None, self.project)[0]

    def arms(self) -> tuple[Arm, ...]:
        """The treatment and the controls asked for. Raises InputError."""
        from memgauge.cli.selection import arms

        return arms(self.arm) if self.arm else ("on",)

    def seconds(self) -> float:
        """Time limit of one case. Raises UsageError."""
        return self._number("timeout", float, 60.0, "seconds above 0")

    def drawn(self) -> int:
        """The seed. Raises UsageError."""
        return self._number("seed", int, self.project.seed, "a whole number from 0")

    def rules(self) -> GateFile | None:
        """The gate file asked for. Raises InputError(s)."""
        from memgauge.cli.deciding import gate_rules

        return gate_rules(self.place(self.gate)) if self.gate else None

    def accepted(self, rules: GateFile) -> Baseline | None:
        """The baseline that the rules go by, None where there is none yet. Raises CannotDecide for one that was named and is absent."""
        from memgauge.cli.deciding import BASELINES, accepted_by

        return accepted_by(rules, self.baseline, self.project.folder / BASELINES)

    def check(self) -> None:
        """Everything that can be told before a test runs. Raises UsageError with a line for each mistake."""
        from memgauge.reports.folder import RunFolder

        usable(self.spec)
        usable(self.arms)
        rules = usable(self.rules)
        if rules:
            usable(lambda: self.accepted(rules))
        if self.out:
            usable(lambda: RunFolder(Path(self.out or "")))
        self.seconds(), self.drawn()
        for suite in self.suite:
            self._check_suite(suite)
        if self.arm and not self.recorded:
            raise pytest.UsageError("--memgauge-arm: nothing would show the controls (add --memgauge-out DIR or --memgauge-gate FILE)")
        if self.baseline and not self.gate:
            raise pytest.UsageError("--memgauge-baseline: there is nothing to decide (add --memgauge-gate FILE)")

    def _check_suite(self, suite: str) -> None:
        from memgauge.scenarios import SUITE_NAME

        if suite.startswith("builtin"):
            if suite != SUITE_NAME:
                raise pytest.UsageError(f"--memgauge-suite: there is no suite {suite!r} (this version has {SUITE_NAME})")
        elif not self.place(suite).exists():
            raise pytest.UsageError(f"--memgauge-suite: {suite}: no such file or folder ({SUITE_NAME}, a file or a folder)")

    def _number(self, name: str, kind: Callable[[str], T], default: T, allowed: str) -> T:
        text = getattr(self, name)
        if text is None:
            return default
        try:
            number: Any = kind(text)
        except ValueError:
            number = -1
        if not 0 <= number < float("inf") or (kind is float and not number):
            raise pytest.UsageError(f"--memgauge-{name}: got {text!r} ({allowed})")
        result: T = number
        return result


SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


def usable(make: Callable[[], T]) -> T:
    """What is made, or a UsageError with the lines of what is wrong."""
    try:
        return make()
    except MemgaugeError as error:
        raise pytest.UsageError(*error.lines()) from None
