"""Commands that decide: gate, baseline, compare, sweep. None but `baseline` writes what is judged by."""

from __future__ import annotations

import itertools
import math
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgauge.cli.folders import RunArgument, run_folder
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.running import OutFlag, new_folder, run_into
from memgauge.cli.selection import Classes, Seed, Suites, Tags, choose, project, systems
from memgauge.clock import SystemClock
from memgauge.errors import CannotDecide, InputError

if TYPE_CHECKING:
    from memgauge.reports.baseline import Baseline
    from memgauge.reports.gate import GateVerdict
    from memgauge.reports.gate_file import GateFile
    from memgauge.reports.run import Run

BASELINES = Path("baselines")

RunFolder = Annotated[Path | None, typer.Argument(help="Run folder. Default: the newest below runs/.", show_default=False)]
Name = Annotated[str, typer.Argument(help="Name of the baseline, its file, or git:REF for the one in a commit.")]
Folder = Annotated[Path, typer.Option("--baselines", help="Folder of the baselines.")]
Markdown = Annotated[Path | None, typer.Option("--md", help="Also write it as Markdown to this file.", show_default=False)]

baseline = typer.Typer(help="What is accepted: set, show, diff, list, migrate.", no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    app.command()(gate)
    app.command()(compare)
    app.command()(sweep)
    for command in (set_, show, diff, list_, migrate):
        baseline.command(command.__name__.rstrip("_"))(command)
    app.add_typer(baseline, name="baseline")


def gate(
    run: RunFolder = None,
    file: Annotated[
        Path | None, typer.Option("--gate", help="Gate file. Default: that of memgauge.yaml, else gate.yaml.", show_default=False)
    ] = None,
    against: Annotated[
        str | None, typer.Option("--baseline", help="Baseline in place of the gate file's; git:main reads it from there.", show_default=False)
    ] = None,
    baselines: Folder = BASELINES,
    explain: Annotated[str, typer.Option("--explain", help="A rule of which every number and check is shown.", show_default=False)] = "",
    md: Markdown = None,
    page: Annotated[
        Path | None, typer.Option("--html", help="Also write it to this file as a page, with the report of the run.", show_default=False)
    ] = None,
    as_json: JsonFlag = False,
) -> int:
    """Apply the rules of a gate file to a run; the exit code is the decision."""
    from memgauge.reports import gate as gates
    from memgauge.reports import gate_markdown, html, jsonl
    from memgauge.reports.folder import read_run
    from memgauge.reports.summary import summarise

    rules = gate_rules(file)
    loaded = read_run(run_folder(run))
    verdict = decided(loaded, rules, accepted_by(rules, against, baselines), baselines)
    output = Output(as_json)
    for line in gates.lines(verdict, explain):
        output.text(line)
    for row in verdict.rows:
        output.line("rule", row.to_json())
    summary = summarise(loaded, changes=verdict.changes) if md or page else None
    if md and summary:
        jsonl.write_text(md, gate_markdown.render(verdict, summary, name=f"gate {file}" if file else "gate"))
    if page and summary:
        jsonl.write_text(page, html.render(summary, verdict))
    output.summary(folder=str(loaded.folder), **{name: held for name, held in verdict.to_json().items() if name != "rules"})
    return verdict.exit_code


def gate_rules(file: Path | None) -> GateFile:
    """The rules of this file, or else of the project's gate file. Raises InputError(s)."""
    from memgauge.reports import gate_file

    found = project()
    path = file or found.folder / (found.gate or "gate.yaml")
    if not path.exists():
        raise InputError("there is no gate file", where=str(path), hint="memgauge init writes one, docs/how-to/gate.md explains it")
    return gate_file.load(path)


def accepted_by(rules: GateFile, against: str | None, baselines: Path = BASELINES) -> Baseline | None:
    """The baseline `against`, or else that of the rules, None where there is none yet. Raises CannotDecide where one was named and is absent."""
    from memgauge.reports import baseline as stored

    try:
        return stored.read(against or rules.baseline.ref, baselines)
    except CannotDecide:
        if against:
            raise
        return None


def decided(run: Run, rules: GateFile, accepted: Baseline | None, baselines: Path = BASELINES) -> GateVerdict:
    """The verdict of today, with the measured noise of the run's systems if there is any."""
    from memgauge.reports import gate as gates
    from memgauge.reports import noise

    return gates.judge(run, rules, accepted, today=SystemClock().now().date(), noises=noise.of_run(run, baselines))


def compare(
    sides: Annotated[
        list[str], typer.Argument(help="Two or more run folders; FOLDER:SYSTEM where a run has several systems. The first is the champion.")
    ],
    as_json: JsonFlag = False,
) -> int:
    """Set memories or policies side by side on the scenarios they share. Never fails a build."""
    from memgauge.reports import compare as comparing
    from memgauge.reports.folder import read_run

    chosen = []
    for text in sides:
        folder, _, system = (text, "", "") if Path(text).is_dir() else text.partition(":")
        chosen.append((read_run(Path(folder)), system))
    if len(chosen) == 1 and not chosen[0][1]:
        run = chosen[0][0]
        chosen = [(run, str(told["name"])) for told in run.manifest.get("systems", ())]
    output = Output(as_json)
    found = comparing.compare([comparing.side(run, system) for run, system in chosen])
    for one in found:
        for line in comparing.lines(one):
            output.text(line)
        output.text()
        output.line("comparison", one.to_json())
    output.summary(comparisons=len(found), exit_code=0)
    return 0


def sweep(
    system: Annotated[str, typer.Argument(help="System whose settings are varied.")] = "reference",
    settings: Annotated[list[str] | None, typer.Option("--set", help="key=value,value,…; repeat for several keys: every combination runs.")] = None,
    suite: Suites = None,
    tag: Tags = None,
    class_: Classes = None,
    seed: Seed = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, max=1000, help="Run every case this many times.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    out: OutFlag = None,
    as_json: JsonFlag = False,
) -> int:
    """Every combination of some settings on the same scenarios: one table, and a plot in the report. Never fails a build."""
    from memgauge.reports import sweep as sweeping

    chosen = choose(ids=None, suites=suite, tags=tag, classes=class_, seed=seed)
    specs = [
        replace(spec, name=f"{system}@{','.join(pairs)}")
        for pairs in _combinations(settings or ())
        for spec in systems([system], pairs, chosen.project)
    ]
    summary = run_into(out or new_folder(), chosen, specs, ("on",), jobs=jobs, repeats=repeats)
    found, output = sweeping.sweep(summary), Output(as_json)
    for line in sweeping.lines(found):
        output.text(line)
    for setting in found:
        output.line("setting", setting.to_json())
    output.text(f"{summary.run.folder}/report.html has the plot and every case")
    output.summary(folder=str(summary.run.folder), settings=len(found), exit_code=0)
    return 0


def _combinations(settings: Sequence[str]) -> list[list[str]]:
    """`["a=1,2", "b=3"]` as `[["a=1", "b=3"], ["a=2", "b=3"]]`. Raises InputError for fewer than two combinations."""
    axes: list[list[str]] = []
    for text in settings:
        key, sign, values = text.partition("=")
        if not sign or not key or not all(values.split(",")):
            raise InputError(f"got {text!r}", where="--set", hint="write --set key=value,value")
        given = values.split(",")
        if any(axis[0].startswith(f"{key}=") for axis in axes):
            raise InputError(f"{key} stands twice", where=f"--set {text}", hint=f"give all its values at once: --set {key}=value,value")
        if len(set(given)) < len(given):
            raise InputError("a value stands twice", where=f"--set {text}", hint="give each value once")
        axes.append([f"{key}={value}" for value in given])
    if math.prod(map(len, axes)) < 2:
        raise InputError("nothing varies", where="--set", hint="give a key at least two values: --set recall.k=1,5")
    return [list(pairs) for pairs in itertools.product(*axes)]


def set_(
    name: Annotated[str, typer.Argument(help="Name of the baseline.")],
    run: RunFolder = None,
    reason: Annotated[str, typer.Option("--reason", help="Why this is accepted; it is shown in review.")] = "",
    only: Annotated[list[str] | None, typer.Option("--only", help="Take only this check; repeat for several.", show_default=False)] = None,
    baselines: Folder = BASELINES,
    as_json: JsonFlag = False,
) -> int:
    """Accept a complete run as the baseline; prints what that accepts."""
    from memgauge.reports import baseline as stored

    output, loaded = Output(as_json), _read(run)
    made = _made(loaded, name, reason)
    old = _existing(name, baselines)
    if old is not None:
        output.text(stored.diff_markdown(stored.difference(old, loaded)).rstrip())
    if only:
        if old is None:
            raise CannotDecide(f"there is no baseline {name!r} to take single checks into", hint="leave --only out the first time")
        made = stored.adopt(old, made, only)
    path = stored.write(made, baselines)
    output.text(f"{path}: {len(made.points)} checks. Commit it with {stored.hashes_path(path).name}; the difference is the review.")
    output.summary(file=str(path), checks=len(made.points), exit_code=0)
    return 0


def show(name: Name = "main", baselines: Folder = BASELINES, as_json: JsonFlag = False) -> int:
    """What a baseline holds."""
    from memgauge.reports import baseline as stored

    output, found = Output(as_json), stored.read(name, baselines)
    for key, value in found.header.items():
        output.text(f"{key:<10}{value}")
    for point in found.points.values():
        output.text(f"{point.outcome:<15}{point.passed}/{point.repeats}  {point.id}")
        output.line("check", {"id": point.id, "outcome": point.outcome, "k": point.passed, "n": point.repeats})
    output.summary(baseline=name, checks=len(found.points), exit_code=0)
    return 0


def diff(name: Name = "main", run: RunArgument = None, baselines: Folder = BASELINES, md: Markdown = None, as_json: JsonFlag = False) -> int:
    """What a run changes against a baseline, in at most forty lines. Never fails a build."""
    from memgauge.reports import baseline as stored
    from memgauge.reports import jsonl

    output, changes = Output(as_json), stored.difference(stored.read(name, baselines), _read(run))
    text = stored.diff_markdown(changes)
    output.text(text.rstrip())
    if md is not None:
        jsonl.write_text(md, text)
    output.summary(**changes.to_json(), exit_code=0)
    return 0


def list_(baselines: Folder = BASELINES, as_json: JsonFlag = False) -> int:
    """The baselines there are."""
    from memgauge.reports import baseline as stored

    output = Output(as_json)
    names = sorted(path.stem for path in baselines.glob("*.jsonl") if not path.stem.endswith(".hashes"))
    for name in names:
        header = stored.read(name, baselines).header
        output.text(f"{name}  {header.get('date', '')}  {header.get('reason', '')}")
        output.line("baseline", dict(header))
    output.text(f"{len(names)} baselines")
    output.summary(count=len(names), exit_code=0)
    return 0


def migrate(
    run: Annotated[Path, typer.Argument(help="The baseline's run, judged again by this version: memgauge rescore RUN.")],
    name: Annotated[str, typer.Option("--name", help="Name of the baseline.")] = "main",
    baselines: Folder = BASELINES,
    as_json: JsonFlag = False,
) -> int:
    """After an upgrade: take over the checks whose evaluator has a new version, and touch no other line."""
    from memgauge.reports import baseline as stored

    output, old = Output(as_json), stored.read(name, baselines)
    rescored = _made(_read(run), name, str(old.header.get("reason", "")))
    path = stored.write(stored.migrate(old, rescored), baselines)
    bumped = sorted(kind for kind, version in rescored.checks.items() if old.checks.get(kind, version) != version)
    output.text(f"{path}: taken over for {', '.join(bumped) or 'no evaluator, none has a new version'}")
    output.summary(file=str(path), evaluators=bumped, exit_code=0)
    return 0


def _read(run: Path | None) -> Run:
    from memgauge.reports.folder import read_run

    return read_run(run_folder(run))


def _made(run: Run, name: str, reason: str) -> Baseline:
    from memgauge.reports import baseline as stored

    if not name.replace("-", "").replace("_", "").isalnum():
        raise InputError(f"got {name!r}", where="baseline name", hint="letters, digits, - and _")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    return stored.make(run, name, reason, date=SystemClock().now().date().isoformat(), commit=commit)


def _existing(name: str, folder: Path) -> Baseline | None:
    from memgauge.reports import baseline as stored

    return stored.read(name, folder) if (folder / f"{name}.jsonl").is_file() else None
