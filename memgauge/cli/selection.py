"""From the flags, the environment and the project file to what is run: plans, systems, arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from memgauge.errors import InputError, nearest

if TYPE_CHECKING:
    from memgauge.config import Project
    from memgauge.records import Arm, CasePlan
    from memgauge.scenarios import Scenario
    from memgauge.systems.spec import SystemSpec

Ids = Annotated[list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="Scenario ids; globs work. Default: all.", show_default=False)]
Suites = Annotated[
    list[str] | None, typer.Option("--suite", help="builtin@1, a file or a folder. Default: those of memgauge.yaml.", show_default=False)
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Only scenarios with this tag.", show_default=False)]
Classes = Annotated[list[str] | None, typer.Option("--class", help="Only scenarios of this class.", show_default=False)]
Rows = Annotated[list[str] | None, typer.Option("--row", help="Only scenarios of this requirement row.", show_default=False)]
Systems = Annotated[list[str] | None, typer.Option("--system", "-s", help="System under test; repeat for several.", show_default=False)]
Settings = Annotated[list[str] | None, typer.Option("--set", help="key=value of the system's configuration.", show_default=False)]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Draws values, wording, filler and schedules. Default 0.", show_default=False)]

DEFAULT_ARMS = ("on", "off", "recent-equal")
SMOKE_TAG = "smoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a selection of flags comes to."""

    project: Project
    suite: str
    scenarios: tuple[Scenario, ...]
    plans: tuple[CasePlan, ...]
    seed: int


def project() -> Project:
    """The project file of the working folder, or the defaults."""
    from memgauge.config import find_project

    return find_project(Path.cwd())


def choose(
    *,
    ids: Sequence[str] | None,
    suites: Sequence[str] | None,
    tags: Sequence[str] | None,
    classes: Sequence[str] | None,
    rows: Sequence[str] | None = None,
    seed: int | None = None,
    profile: str | None = None,
) -> Selection:
    """Load, select and make concrete. Raises InputError(s) or NothingSelected."""
    from memgauge.config import Profile, environment
    from memgauge.scenarios import compile_case, select

    found = project()
    wanted = tuple(suites or ()) or found.suites
    profile = profile or environment("profile") or found.profile
    if profile not in get_args(Profile):
        raise InputError(f"got {profile!r}", where="--profile", hint=nearest(profile, get_args(Profile)))
    chosen_tags = [*(tags or ()), *([SMOKE_TAG] if profile == "smoke" else [])]
    scenarios = select(load_suites(wanted, found), ids=ids or (), tags=chosen_tags, classes=classes or (), rows=rows or ())
    number = seed if seed is not None else _number("seed", environment("seed"), found.seed)
    plans = tuple(placed(compile_case(scenario, number), found.folder) for scenario in scenarios)
    return Selection(project=found, suite=" + ".join(wanted), scenarios=tuple(scenarios), plans=plans, seed=number)


def placed(plan: CasePlan, folder: Path) -> CasePlan:
    """The plan with the path of its file as seen from the project's folder, so that records are equal on every machine."""
    path = Path(plan.path)
    if not path.exists():
        return plan  # a scenario of the built-in suite
    whole = path.resolve()
    inside = whole.is_relative_to(folder.resolve())
    return replace(plan, path=whole.relative_to(folder.resolve()).as_posix() if inside else path.name)


def load_suites(names: Sequence[str], found: Project) -> list[Scenario]:
    """The scenarios of suites by name, file or folder. Paths of the project file start from its folder."""
    from memgauge.scenarios import SUITE_NAME, builtin, load

    scenarios: list[Scenario] = []
    paths: list[Path] = []
    for name in names:
        if name == SUITE_NAME:
            scenarios += builtin()
        elif name.startswith("builtin"):
            raise InputError(f"there is no suite {name!r}", where="--suite", hint=f"this version has {SUITE_NAME}")
        else:
            here = Path(name)
            paths.append(here if here.exists() or here.is_absolute() else found.folder / name)
    own = load(paths) if paths else []
    taken = {scenario.id for scenario in scenarios}
    for scenario in own:
        if scenario.id in taken:
            raise scenario.error(("id",), f"{scenario.id!r} is the id of a built-in scenario", hint="choose another id")
    return scenarios + own


def systems(names: Sequence[str] | None, settings: Sequence[str] | None, found: Project) -> list[SystemSpec]:
    """The systems under test, with their configuration. Raises InputError for names nobody knows, before anything runs."""
    from memgauge.config import environment, parse_settings
    from memgauge.systems import load
    from memgauge.systems.spec import parse_system

    entries = project_systems(found)
    given = list(names or ()) or [environment("system") or found.default_system]
    if repeated := sorted({name for name in given if given.count(name) > 1}):
        raise InputError(f"{repeated[0]!r} is given twice", where="--system", hint="name each system once")
    changes = parse_settings(settings or ())
    specs = [parse_system(name, entries) for name in given]
    for spec in specs:
        base = spec.target.partition("+")[0]
        if spec.kind == "named" and base not in load.names():
            raise InputError(f"unknown system {spec.target!r}", where="--system", hint=nearest(spec.target, [*load.names(), *entries]))
        if spec.saboteur:
            from memgauge.saboteurs import SABOTEURS

            SABOTEURS.get(spec.saboteur)
    return [spec.with_config(merged(dict(spec.config), changes)) if changes else spec for spec in specs]


def project_systems(found: Project) -> dict[str, SystemSpec]:
    """The systems that the project file names."""
    from memgauge.systems.spec import parse_entry

    return {
        name: parse_entry(name, entry.model_dump(exclude_unset=True), where=f"{found.file}: systems.{name}") for name, entry in found.systems.items()
    }


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A configuration with changes laid over it, group by group."""
    return base | {
        key: merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value for key, value in changes.items()
    }


def arms(names: Sequence[str] | None) -> tuple[Arm, ...]:
    """The arms of a run; `on` is always among them. Raises InputError."""
    from memgauge.records import Arm

    chosen = tuple(names or DEFAULT_ARMS)
    known: tuple[Arm, ...] = get_args(Arm)
    for name in chosen:
        if name not in known:
            raise InputError(f"got {name!r}", where="--arm", hint=nearest(name, known))
    return tuple(arm for arm in known if arm == "on" or arm in chosen)


def _number(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    if not text.isdecimal():
        raise InputError(f"got {text!r}", where=f"MEMGAUGE_{name.upper()}", hint="a whole number from 0")
    return int(text)
