"""`soak`: mixed load with kills and deletions on one store for some minutes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Seed, Settings, project, systems

if TYPE_CHECKING:
    from memgauge.runner.soak import Soaked


def register(app: typer.Typer) -> None:
    app.command()(soak)


def soak(
    minutes: Annotated[float, typer.Option("--minutes", "-m", min=0.01, max=10_000, help="How long; the round under way is finished.")],
    system: Annotated[str | None, typer.Option("--system", "-s", help="System under test.", show_default=False)] = None,
    settings: Settings = None,
    seed: Seed = None,
    as_json: JsonFlag = False,
) -> int:
    """Write and delete from several processes, kill them in the middle, and compare with what was acknowledged."""
    from memgauge.runner.soak import soak as soak_system
    from memgauge.saboteurs.opener import open_system

    output = Output(as_json)
    found = project()
    [spec] = systems([system] if system else None, settings, found)
    number = found.seed if seed is None else seed
    with tempfile.TemporaryDirectory(prefix="memgauge-soak-") as place:
        root = Path(place) / "store"
        root.mkdir()
        soaked = soak_system(spec, open_system, root, seconds=60 * minutes, seed=number)
    for line in _lines(spec.name, number, soaked):
        output.text(line)
    code = 0 if soaked.held else 1
    output.summary(system=spec.name, seed=number, **soaked.to_json(), exit_code=code)
    return code


def _lines(name: str, seed: int, soaked: Soaked) -> list[str]:
    calls = ", ".join(f"{count} {status}" for status, count in sorted(soaked.calls.items()))
    breaches = ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in soaked.to_json()["breaches"].items())
    return [
        f"{name}, seed {seed}: {soaked.seconds:.0f} s, {soaked.rounds} rounds, each opened again; {soaked.calls.total()} calls ({calls})",
        f"{soaked.kills} kills, {soaked.kills_under_load} of them under load; {soaked.resent} calls sent again; "
        f"{soaked.ops['forget']} removals, {soaked.wipes} wipes, {soaked.scans} scans of the files",
        f"{'held' if soaked.held else 'BROKEN'}: {breaches}",
    ]
