"""Commands about systems: `system new`, `system check`, `selftest`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Seed, Suites, choose, systems
from memgauge.errors import InputError, MemgaugeError, nearest

if TYPE_CHECKING:
    pass


MATRIX = "selftest.jsonl"
"""The file of a selftest in its run folder: one line a saboteur, with every check it failed and those that caught it."""


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Put your own memory under test.", no_args_is_help=True, rich_markup_mode=None)
    group.command("new")(new)
    group.command("check")(check)
    app.add_typer(group, name="system")
    app.command()(selftest)


def new(
    name: Annotated[str, typer.Argument(help="Name of the system, also of its file.")],
    like: Annotated[str, typer.Option("--like", help="python, command, http, mcp, langgraph or mem0.")] = "python",
    as_json: JsonFlag = False,
) -> int:
    """Write a file of at most 40 lines with three functions to fill, and note the system in memgauge.yaml."""
    from memgauge.systems import scaffold

    if like not in scaffold.KINDS:
        raise InputError(f"got {like!r}", where="--like", hint=nearest(like, scaffold.KINDS))
    made = scaffold.scaffold(name, like)
    path = Path(made.file)
    if path.exists():
        raise InputError(f"{path} exists already", hint="choose another name; nothing was written")
    try:
        registered = _register(name, made.entry)
        path.write_text(made.text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(error.filename or path), hint="go to a folder of your own") from None
    output = Output(as_json)
    output.text(f"{path}: fill in its three functions")
    output.text(f"{registered}: names the system {name!r}; `memgauge run` now tests it")
    output.text(f"next: memgauge system check {name}")
    output.summary(file=str(path), project=str(registered), exit_code=0)
    return 0


def _register(name: str, entry: str) -> Path:
    """Append the system to memgauge.yaml, or start that file. What is there is kept as it is; raises InputError when it cannot be."""
    from memgauge.config import PROJECT_FILE, read_project

    path = Path(PROJECT_FILE)
    if not path.exists():
        path.write_text(f"version: 1\nsystems:\n  {name}: {entry}\n", encoding="utf-8")
        return path
    if name in read_project(path).systems:
        raise InputError(f"{path} already has a system {name!r}", hint="choose another name; nothing was written")
    old = path.read_text(encoding="utf-8")
    lines = old.splitlines()
    at = next((n for n, line in enumerate(lines) if line.rstrip() == "systems:"), None)
    added = [*lines, "systems:", f"  {name}: {entry}"] if at is None else [*lines[: at + 1], f"  {name}: {entry}", *lines[at + 1 :]]
    path.write_text("\n".join(added) + "\n", encoding="utf-8")
    try:
        read_project(path)
    except MemgaugeError:
        path.write_text(old, encoding="utf-8")
        raise InputError(f"{path} could not be extended", hint=f"add to its systems: {name}: {entry}") from None
    return path


def check(
    name: Annotated[str | None, typer.Argument(help="System; default: the project's.", show_default=False)] = None,
    suite: Suites = None,
    as_json: JsonFlag = False,
) -> int:
    """Say in seconds what works, and which scenarios that unlocks."""
    from memgauge.saboteurs.opener import open_system
    from memgauge.systems.check import check_system

    chosen = choose(ids=None, suites=suite, tags=None, classes=None, profile="full")
    spec = systems([name] if name else None, None, chosen.project)[0]
    output = Output(as_json)
    with tempfile.TemporaryDirectory(prefix="memgauge-") as root:
        result = check_system(spec, chosen.plans, Path(root), open_system)
    for line in result.lines():
        output.text(line)
    output.line("system", result.to_json())
    output.summary(system=spec.name, exit_code=result.exit_code)
    return result.exit_code


def selftest(
    names: Annotated[list[str] | None, typer.Argument(metavar="[SABOTEUR]...", help="Only these. Default: all.", show_default=False)] = None,
    system: Annotated[str, typer.Option("--system", "-s", help="The system the faults are put on.")] = "reference",
    full: Annotated[bool, typer.Option("--full", help="Every saboteur on every scenario: the whole matrix.")] = False,
    suite: Suites = None,
    seed: Seed = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of selftest.jsonl. Default: runs/<time>-<id>.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """Plant faults in a memory and see that each is caught by the check it should be."""
    from memgauge.cli.running import new_folder
    from memgauge.evaluators import diagnose, judge
    from memgauge.handlers import progress
    from memgauge.reports import jsonl
    from memgauge.runner import RunOptions
    from memgauge.saboteurs import SABOTEURS
    from memgauge.saboteurs.opener import open_system
    from memgauge.saboteurs.selftest import Bench, alike, assess

    output = Output(as_json)
    chosen = choose(ids=None, suites=suite, tags=None, classes=None, seed=seed, profile="full")
    wanted = [SABOTEURS.get(name) for name in names] if names else [value for _, value in SABOTEURS]
    base = systems([system], None, chosen.project)[0]
    wanted = [one for one in wanted if one.of in ("", base.target)]
    options = RunOptions(jobs=jobs, seed=chosen.seed)
    bench = Bench(judge=judge, diagnose=diagnose, open_system=open_system, options=options, follow=progress().handle)
    catches = assess(base, wanted, chosen.plans, bench, full=full)
    for catch in catches:
        output.text(catch.line())
        output.line("saboteur", catch.to_json())
    file = (out or new_folder()) / MATRIX
    file.parent.mkdir(parents=True, exist_ok=True)
    jsonl.write_lines(file, [catch.to_json() for catch in catches])
    twins = alike(catches)
    for one, other in twins:
        output.text(f"{one} and {other} fail exactly the same checks; nothing tells them apart")
    bad = [catch.name for catch in catches if not catch.good]
    output.text(f"{len(catches) - len(bad)} of {len(catches)} as declared" + (f"; not: {', '.join(bad)}" if bad else ""))
    output.text(f"{file}: the matrix")
    code = 3 if any(catch.errors for catch in catches) else 1 if bad or twins else 0
    output.summary(saboteurs=len(catches), as_declared=len(catches) - len(bad), not_as_declared=bad, alike=twins, file=str(file), exit_code=code)
    return code
