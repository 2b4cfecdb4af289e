"""The scan alone: whether needles stand anywhere in some files, folders, databases or answers, whoever wrote them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from memgauge.errors import InputError
from memgauge.records import Json
from memgauge.runner.look import Look, files_of
from memgauge.runner.needles import bare_needle
from memgauge.runner.scan import WITHHELD, holds
from memgauge.surfaces import Surface
from memgauge.systems.reading import NotRead, Reader
from memgauge.systems.spec import SystemSpec


@dataclass(frozen=True, slots=True)
class Residue:
    """What a scan found. `hits`: [{needle, form, file, offset, encoding}]; a needle is called by the number of its line. `places` are what was
    looked at beside files: URLs and databases behind connection strings."""

    needles: int
    files: int
    places: int
    bytes: int
    databases: int
    hits: tuple[Json, ...]


def read_needles(data: bytes, where: str) -> dict[str, str]:
    """`needle N` → text, one a line; blank lines count for N only. Raises InputError, which never quotes a line."""
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=where) from None
    needles = {f"needle {n}": line.strip() for n, line in enumerate(lines, 1) if line.strip()}
    if not needles:
        raise InputError("holds no needle", where=where, hint="one text a line, as distinctive as a name or a code")
    return needles


def surface_at(place: str) -> Surface | None:
    """What a URL or a connection string stands for, under a name without its password; None for a path."""
    scheme, sign, _ = place.partition("://")
    if not sign:
        return None
    parts = urlsplit(place)
    name = f"{scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return Surface.of({"name": name, "kind": "http" if scheme in ("http", "https") else "sql", "path": place})


def scan_paths(needles: dict[str, str], paths: Sequence[Path], surfaces: Sequence[Surface] = (), *, but: Path | None = None) -> Residue:
    """Look into every file at or below the paths, but the needles' own file, and into the surfaces. Raises InputError when one cannot be
    looked at, or when there is none: a scan of nothing must not look like a clean one."""
    files: dict[Path, Path] = {}
    for path in paths:
        if not path.exists():
            raise InputError("there is no such file or folder", where=str(path))
        above = path if path.is_dir() else path.parent
        files |= {file: above for file in files_of(path) if but is None or file.resolve() != but.resolve()}
    if not files and not surfaces:
        raise InputError("no file lies there, so nothing was looked at", where=", ".join(map(str, paths)))
    size, databases = 0, 0
    with tempfile.TemporaryDirectory(prefix="memgauge-scan-") as scratch:
        looked_for = [bare_needle(name, text) for name, text in needles.items()]
        look = Look(looked_for, _read, Path(scratch))
        for file, above in files.items():
            bytes_read, inside = look.into(file, "files", str(file.relative_to(above)), f"{above}/")
            size += bytes_read
            databases += len(inside)
            if shut := next((rows for rows in inside if not rows["examined"]), None):
                reason = WITHHELD if holds(shut["reason"], looked_for) else shut["reason"]
                raise InputError(f"its rows cannot be looked at: {reason}", where=str(file))
        reader = Reader(SystemSpec(name="residue"), Path.cwd(), _read, Path(scratch))
        for surface in surfaces:
            try:
                data = reader.read(surface)
            except NotRead as fault:
                reason = WITHHELD if holds(str(fault), looked_for) else str(fault)
                raise InputError(f"cannot be looked at: {reason}", where=surface.name) from None
            look.through(data, surface.name, surface.name)
            size += len(data)
    hits = tuple(
        {"needle": f["fact"], "form": f["form"], **{k: h[k] for k in ("file", "offset", "encoding")}} for f in look.found() for h in f["hits"]
    )
    return Residue(len(needles), len(files), len(surfaces), size, databases, hits)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error
