"""`residue`: the scan for what must be gone, without a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.errors import InputError


def register(app: typer.Typer) -> None:
    app.command()(residue)


def residue(
    places: Annotated[
        list[str], typer.Argument(metavar="PLACE...", help="Files and folders, URLs, and connection strings, every table of which is read.")
    ],
    needles: Annotated[str, typer.Option("--needles", metavar="FILE", help="What to look for, one text a line; - reads stdin. Never printed.")],
    as_json: JsonFlag = False,
) -> int:
    """Look for texts in files and databases, in every encoding a store may keep them in. Exit code 1 when one is found."""
    from memgauge.reports.counts import many
    from memgauge.runner.residue import read_needles, scan_paths, surface_at

    output = Output(as_json)
    try:
        data = sys.stdin.buffer.read() if needles == "-" else Path(needles).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=f"--needles {needles}") from error
    surfaces = [surface for place in places if (surface := surface_at(place)) is not None]
    paths = [Path(place) for place in places if "://" not in place]
    found = scan_paths(read_needles(data, f"--needles {needles}"), paths, surfaces, but=None if needles == "-" else Path(needles))
    for hit in found.hits:
        output.text(f"{hit['needle']}: {hit['form']} in {hit['file']} at {hit['offset']} ({hit['encoding']})")
        output.line("hit", hit)
    looked = f"{found.files} files, databases among them: {found.databases}"
    looked += (f", and {many(found.places, 'other place')}" if found.places else "") + f"; {found.bytes} bytes"
    what = (
        f"{len({hit['needle'] for hit in found.hits})} of {found.needles} needles found" if found.hits else f"none of {found.needles} needles found"
    )
    output.text(f"{what} in {looked}; free blocks of the disk are not looked at")
    code = 1 if found.hits else 0
    output.summary(
        needles=found.needles,
        hits=len(found.hits),
        files=found.files,
        places=found.places,
        bytes=found.bytes,
        databases=found.databases,
        exit_code=code,
    )
    return code
