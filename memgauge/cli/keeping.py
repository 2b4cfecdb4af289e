"""Commands over many runs: `trend` and `runs prune`."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from memgauge.cli.deciding import BASELINES, Folder
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.running import RUNS
from memgauge.clock import SystemClock, parse_duration
from memgauge.errors import InputError, NothingSelected

RunsFolder = Annotated[Path, typer.Option("--runs", help="Folder of the run folders.")]

runs = typer.Typer(help="Run folders: prune.", no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    app.command()(trend)
    runs.command()(prune)
    app.add_typer(runs, name="runs")


def trend(
    folders: Annotated[list[Path] | None, typer.Argument(help="Run folders. Default: all finished ones below runs/.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> int:
    """What many runs reached, in the order of their names, and what flipped from one to the next. Never fails a build."""
    from memgauge.reports import trend as trending
    from memgauge.reports.folder import read_manifest

    chosen = folders or [path.parent for path in Path(RUNS).glob("*/manifest.json") if read_manifest(path.parent)["status"] != "started"]
    if not chosen:
        raise NothingSelected("there is no finished run below runs/", hint="memgauge run, or name the folders")
    output, stops = Output(as_json), trending.trend(chosen)
    for line in trending.lines(stops):
        output.text(line)
    for stop in stops:
        output.line("stop", stop.to_json())
    output.summary(runs=len(chosen), exit_code=0)
    return 0


def prune(
    older_than: Annotated[str, typer.Option("--older-than", help="ISO duration, as P30D.")],
    folder: RunsFolder = Path(RUNS),
    baselines: Folder = BASELINES,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: JsonFlag = False,
) -> int:
    """Delete run folders that ended longer ago. A run that a baseline was made from stays: `baseline migrate` needs it."""
    from memgauge.reports import jsonl

    age = parse_duration(older_than)
    if age.total_seconds() <= 0:
        raise InputError(f"got {older_than!r}", where="--older-than", hint="a time that is past, as P30D")
    wanted = {str(next(jsonl.read_lines(path), {}).get("run", "")) for path in baselines.glob("*.jsonl")}
    limit, output, gone = SystemClock().now() - age, Output(as_json), []
    for manifest in sorted(folder.glob("*/manifest.json")):
        run = manifest.parent
        if run.is_symlink() or datetime.fromtimestamp(manifest.stat().st_mtime, UTC) > limit:
            continue
        if run.name in wanted:
            output.text(f"kept     {run}: a baseline was made from it")
            continue
        if not dry_run:
            _delete(run)
        gone.append(str(run))
        output.text(f"{'would go' if dry_run else 'deleted '} {run}")
    output.text(f"{len(gone)} runs {'would be deleted' if dry_run else 'deleted'}")
    output.summary(deleted=gone, dry_run=dry_run, exit_code=0)
    return 0


def _delete(run: Path) -> None:
    """The manifest goes last: what is left of a deletion that was cut short is still a run to prune."""
    try:
        for part in run.iterdir():
            if part.name == "manifest.json":
                continue
            if part.is_dir() and not part.is_symlink():
                shutil.rmtree(part)
            else:
                part.unlink()
        shutil.rmtree(run)
    except OSError as error:
        raise InputError(f"cannot be deleted: {error.strerror}", where=str(run)) from None
