"""Texts of private cases that somebody asked to keep: in one folder of their own, for one's own eyes, which no report reads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memgauge.errors import InputError
from memgauge.events import CaseFinished
from memgauge.records import Json
from memgauge.reports import jsonl
from memgauge.reports.codec import encode

MODE = 0o700


def kept_folder(kept: Path, run: Path) -> Path:
    """The folder for one run below `kept`, made with mode 0700. Raises InputError where others could read it, or where it lies in the run
    folder, which is handed round."""
    if kept.resolve().is_relative_to(run.resolve()):
        raise InputError("lies inside the run folder", where=f"--keep-content {kept}", hint="choose a folder outside it")
    try:
        kept.mkdir(mode=MODE, parents=True, exist_ok=True)
        if os.name == "posix" and kept.stat().st_mode & 0o077:
            raise InputError("others may read it", where=f"--keep-content {kept}", hint=f"chmod 700 {kept}, or name a folder that is not there yet")
        folder = kept / run.name
        folder.mkdir(mode=MODE, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", where=f"--keep-content {kept}") from None
    return folder


def keep(event: CaseFinished, path: Path) -> None:
    """Write a private case as it was, readable by its owner alone."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{jsonl.dumps(line, exact=True)}\n" for line in [*history_lines(event), {"error": event.error}])


def history_lines(event: CaseFinished) -> Iterator[Json]:
    """A case as it is stored: its plan, then its history."""
    yield {"plan": encode(event.plan)}
    for entry in event.history:
        yield entry.to_json()
