"""`noise`: how many checks end differently when nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgauge.cli.deciding import BASELINES, Folder
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.running import OutFlag, new_folder, run_into
from memgauge.cli.selection import Classes, Seed, Settings, Suites, Tags, choose, systems
from memgauge.clock import SystemClock

NAMED = 10
"""Flipping checks that are named; the file has all of them."""


def register(app: typer.Typer) -> None:
    app.command()(noise)


def noise(
    system: Annotated[str | None, typer.Argument(help="System; default: the project's.", show_default=False)] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=2, max=1000, help="How often every case runs.")] = 5,
    suite: Suites = None,
    tag: Tags = None,
    class_: Classes = None,
    seed: Seed = None,
    settings: Settings = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    out: OutFlag = None,
    baselines: Folder = BASELINES,
    as_json: JsonFlag = False,
) -> int:
    """Run a memory several times with nothing changed and write down which checks flip; the gate reads it. Commit the file.
    3: the memory says that it is exact, and flips."""
    from memgauge.reports import noise as floors
    from memgauge.reports.changes import letters

    output = Output(as_json)
    chosen = choose(ids=None, suites=suite, tags=tag, classes=class_, seed=seed)
    spec = systems([system] if system else None, settings, chosen.project)[0]
    folder: Path = out or new_folder()
    summary = run_into(folder, chosen, [spec], ("on",), jobs=jobs, repeats=repeats, allow=["*"])
    found = floors.measure(summary.run, spec.name, date=SystemClock().now().date().isoformat())
    path = floors.write(found, baselines)
    output.text(f"{found.flips:.1f} of {found.checks} checks are expected to flip between two runs with nothing changed ({100 * found.rate:.2f} %)")
    for name, ended in sorted(found.flipping.items())[:NAMED]:
        output.text(f"  {letters(ended)}  {name}")
    if len(found.flipping) > NAMED:
        output.text(f"  {len(found.flipping) - NAMED} more in the file")
    output.text(f"{path}: commit it; the gate shows it beside the flips it sees, and refuses rules that are tighter")
    exact = any(case.manifest.get("determinism") == "exact" for case in summary.run.cases)
    code = 3 if exact and found.flipping else 0
    if code:
        output.text(f"{spec.name} says that it is exact, and is not: its manifest must say determinism: stochastic")
    output.line("noise", found.to_json())
    output.summary(file=str(path), folder=str(folder), flips=round(found.flips, 3), checks=found.checks, exit_code=code)
    return code
