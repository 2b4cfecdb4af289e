"""Commands about systems: `system new`, `system check`, `bench locomo`, `selftest`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Seed, Settings, Suites, Systems, choose, project, systems
from memgauge.errors import InputError, MemgaugeError, nearest

if TYPE_CHECKING:
    from memgauge.bench.locomo import BenchResult
    from memgauge.config import Project
    from memgauge.protocol import MemorySystem


MATRIX = "selftest.jsonl"
"""The file of a selftest in its run folder: one line a saboteur, with every check it failed and those that caught it."""


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Put your own memory under test.", no_args_is_help=True, rich_markup_mode=None)
    group.command("new")(new)
    group.command("check")(check)
    app.add_typer(group, name="system")
    bench = typer.Typer(help="Public data through any system.", no_args_is_help=True, rich_markup_mode=None)
    bench.command("locomo")(locomo)
    app.add_typer(bench, name="bench")
    app.command()(selftest)


def new(
    name: Annotated[str, typer.Argument(help="Name of the system, also of its file.")],
    like: Annotated[str, typer.Option("--like", help="python or command.")] = "python",
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


def locomo(
    path: Annotated[Path, typer.Argument(help="locomo10.json; it is not shipped (CC BY-NC 4.0).")],
    system: Systems = None,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the scores as JSON.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """Retrieval scores on LoCoMo at turn level, against the evidence ids."""
    from memgauge.bench.dataset import read_locomo
    from memgauge.bench.locomo import run_locomo
    from memgauge.tokens import counter

    output = Output(as_json)
    dataset = read_locomo(path)
    found = project()
    for spec in systems(system, settings, found):
        with tempfile.TemporaryDirectory(prefix="memgauge-") as root:
            result = run_locomo(dataset, _opener(spec, found), Path(root), counter())
        for line in _bench_lines(spec.name, result):
            output.text(line)
        output.line("bench", {"system": spec.name, "dataset": "locomo", **result.to_json()})
        if out is not None:
            out.write_text(json.dumps({"system": spec.name, **result.to_json()}, indent=1), encoding="utf-8")
    output.summary(dataset="locomo", sha256=dataset.sha256, questions=dataset.questions, unscored=dataset.unscored, exit_code=0)
    return 0


def _opener(spec: Any, found: Project) -> Any:
    """A function that opens the system on a folder. The reference runs with its bench policy unless another is set."""
    from memgauge.clock import DEFAULT_START
    from memgauge.protocol import Request
    from memgauge.saboteurs.opener import open_system

    config = dict(spec.config)
    if spec.target == "reference":
        config = {"preset": "bench", **config}

    def opened(root: Path) -> MemorySystem:
        root.mkdir(parents=True)
        system = open_system(spec)
        answer = system.call(Request(op="open", now=DEFAULT_START, args={"root": str(root), "config": config}))
        if not answer.ok:
            raise InputError(f"{spec.name} could not be opened: {answer.reason}")
        return system

    return opened


def _bench_lines(name: str, result: BenchResult) -> list[str]:
    from memgauge.bench.locomo import DRAGON
    from memgauge.bench.retrieval import KS, RULES

    lines = [f"LoCoMo, {name}, turn level, sha256 {result.sha256[:8]}…{result.sha256[-6:]}; {result.unscored} questions without evidence not scored"]
    lines.append(f"{'recall, percent':<24}" + "".join(f"{rule + '@' + str(k):>13}" for rule in RULES for k in KS) + f"{'mrr':>8}{'questions':>11}")
    for group, table in result.groups.items():
        if table:
            values = "".join(f"{100 * table[f'recall_{rule}@{k}/turn']:>13.1f}" for rule in RULES for k in KS)
            lines.append(f"{group:<24}{values}{table['mrr/turn']:>8.3f}{result.counts[group]:>11}")
    blank = " " * 13 * len(KS)
    lines.append(
        f"{'DRAGON (paper), all':<24}{blank}" + "".join(f"{100 * DRAGON[k]:>13.1f}" for k in KS) + "   its own question set, so compare in size"
    )
    lines.append(
        f"{result.tokens_mean:.0f} tokens a question (k = {max(KS)}), {result.query_ms_mean:.1f} ms a query (p95 {result.query_ms_p95:.1f}), "
        f"writing {result.write_ms / 1000:.1f} s; quote categories 1-4; the answer key has known errors"
    )
    return [*lines, result.note]


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
    bench = Bench(judge=judge, diagnose=diagnose, open_system=open_system, options=RunOptions(jobs=jobs, seed=chosen.seed))
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
