"""Look for what must be gone in every place where a system keeps data."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memgauge.errors import InputError
from memgauge.records import CasePlan, Fact, Json, Scope
from memgauge.runner.home import home_of
from memgauge.runner.look import Look, files_of, find
from memgauge.runner.needles import Needle, by_id, needle
from memgauge.runner.session import Session
from memgauge.surfaces import FILE_KINDS, Surface
from memgauge.systems.reading import NotRead, Reader

ROOT, HOME = "root folder", "home"
"""Surfaces that are looked at without being named by anybody."""
WITHHELD = "its words are left out: they hold what is looked for"


@dataclass(frozen=True, slots=True)
class _Place:
    """One surface to look at: its name and kind, and itself unless `fault` says what is wrong with it. `named`: by the system or its project
    file, who then vouch that it stays."""

    name: str
    kind: str
    surface: Surface | None
    fault: str = ""
    named: bool = True


def scan_surfaces(session: Session, facts: Sequence[Fact], plan: CasePlan, scope: Scope, ids: Mapping[str, Sequence[str]]) -> Json:
    """`needles` (see `Look.found`) and `surfaces` [{name, kind, depth, examined, bytes, named?, reason?}].

    What the verb `surfaces` and the project file name is looked at, then the root folder always, then the home of the case where something
    lies in it (see `home`); a file counts for the first that has it. Databases in files are surfaces of their own. A surface that cannot
    be looked at is not examined, and the reason says why. `ids`: by fact the records made of it, which are looked for among vectors, since
    those may have no text beside them.
    """
    needles = [needle(fact, plan) for fact in facts]
    with tempfile.TemporaryDirectory(prefix="scan-", dir=session.root.parent) as scratch:
        look = Look(needles, session.read_bytes, Path(scratch))
        points = Look([by_id(fact.id, ids.get(fact.id, ())) for fact in facts], session.read_bytes, Path(scratch))
        reader = Reader(session.spec, session.root, session.read_bytes, Path(scratch))
        root, seen = session.root.resolve(), set[Path]()
        surfaces = [line for place in _places(session, scope, reader) for line in _looked(place, look, points, reader, seen, root, needles)]
    return {"needles": [*look.found(), *points.found()], "surfaces": surfaces}


def _looked(place: _Place, look: Look, points: Look, reader: Reader, seen: set[Path], root: Path, needles: Sequence[Needle]) -> Iterator[Json]:
    surface, reason = place.surface, place.fault
    line: Json = {"name": place.name, "kind": place.kind, "examined": False, "bytes": 0} | ({"named": True} if place.named else {})
    inside: list[Json] = []
    if surface is not None:
        line["depth"] = surface.depth
        try:
            if surface.kind in FILE_KINDS:
                top = reader.file(surface.path)
                reason = "" if top.exists() else "nothing lies there"
                for path in files_of(top):
                    if path not in seen:
                        seen.add(path)
                        size, databases = look.into(path, place.name, str(path.relative_to(root)) if path.is_relative_to(root) else path.name)
                        line["bytes"] += size
                        inside += databases
            else:
                data = reader.read(surface)
                look.through(data, place.name, surface.kind)
                if surface.depth == "vectors":
                    points.through(data, place.name, surface.kind)
                line["bytes"] = len(data)
            line["examined"] = True
        except NotRead as fault:
            reason = str(fault)
        except OSError as error:
            reason = f"a file cannot be read ({error.strerror})"
    if reason:
        line["reason"] = reason
    for told in (line, *inside):
        if holds(told.get("reason", ""), needles):
            told["reason"] = WITHHELD
        yield told


def holds(text: str, needles: Sequence[Needle]) -> bool:
    """Whether a text that is about to be told holds a needle."""
    return any(True for _ in find(text.encode("utf-8", "surrogatepass"), needles))


def _places(session: Session, scope: Scope, reader: Reader) -> Iterator[_Place]:
    """What is named, each under a name of its own, and what is looked at in any case."""
    told = session.call("surfaces", scope, {}, step="scan").get("data", {}).get("surfaces", []) if session.supports("surfaces") else []
    places = [_place(line) for line in (*session.spec.surfaces, *told)]
    named = {reader.file(place.surface.path) for place in places if place.surface is not None and place.surface.kind in FILE_KINDS}
    home = home_of(session.root)
    for name, path, is_there in ((ROOT, session.root, True), (HOME, home, any(path.is_file() for path in home.rglob("*")))):
        if is_there and path.resolve() not in named:
            places.append(_Place(name, "files", Surface(name=name, kind="files", path=str(path.resolve())), named=False))
    taken: set[str] = set()
    for place in places:
        name, n = place.name, 1
        while name in taken:
            n += 1
            name = f"{place.name} ({n})"
        taken.add(name)
        yield replace(place, name=name)


def _place(line: object) -> _Place:
    try:
        surface = Surface.of(line)
    except InputError as error:
        name, kind = (str(line.get(part, "?")) if isinstance(line, Mapping) else "?" for part in ("name", "kind"))
        return _Place(name, kind, None, "; ".join(error.lines()))
    return _Place(surface.name, surface.kind, surface)
