"""The run folders below `runs/`, and the one that is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memgauge.errors import InputError

RunArgument = Annotated[Path | None, typer.Option("--run", help="Run folder. Default: the newest below runs/.", show_default=False)]


def run_folders() -> list[Path]:
    """All of them, oldest first."""
    from memgauge.cli.running import RUNS

    return sorted(manifest.parent for manifest in Path(RUNS).glob("*/manifest.json"))


def run_folder(given: Path | None) -> Path:
    """The run folder given, or the newest one. Raises InputError when there is none."""
    if given is not None:
        return given
    folders = run_folders()
    if not folders:
        raise InputError("there is no run below runs/", hint="memgauge run, or name the folder with --run")
    return folders[-1]
