"""Look for what must be gone in every place where a system keeps data."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from memgauge.records import CasePlan, Fact, Json, Scope
from memgauge.runner.home import home_of
from memgauge.runner.look import Look, files_of
from memgauge.runner.needles import needle
from memgauge.runner.session import Session

_FILE_KINDS = ("files", "backup", "logs")


def scan_surfaces(session: Session, facts: Sequence[Fact], plan: CasePlan, scope: Scope) -> Json:
    """`needles` (see `Look.found`) and `surfaces` [{name, kind, examined, bytes, reason?}].

    What the verb `surfaces` names is looked at, then the root folder always, then the home of the case where something lies in
    it (see `home`); a file counts for the first that has it. Databases in files are surfaces of their own.
    """
    root = session.root.resolve()
    surfaces: list[Json] = []
    seen: set[Path] = set()
    with tempfile.TemporaryDirectory(prefix="scan-", dir=session.root.parent) as scratch:
        look = Look([needle(fact, plan) for fact in facts], session.read_bytes, Path(scratch))
        for surface in (*_surfaces(session, scope), *_home(session)):
            files = [path for path in _files(surface) if path not in seen]
            seen.update(files)
            size = 0
            databases: list[Json] = []
            for path in files:
                name = str(path.relative_to(root)) if path.is_relative_to(root) else path.name
                bytes_read, inside = look.into(path, surface["name"], name)
                size += bytes_read
                databases += inside
            looked = surface["kind"] in _FILE_KINDS
            reason = {} if looked else {"reason": f"a surface of kind {surface['kind']} is not read"}
            surfaces += [{"name": surface["name"], "kind": surface["kind"], "examined": looked, "bytes": size, **reason}, *databases]
    return {"needles": look.found(), "surfaces": surfaces}


def _surfaces(session: Session, scope: Scope) -> list[Json]:
    root: Json = {"name": "root folder", "kind": "files", "path": str(session.root)}
    if not session.supports("surfaces"):
        return [root]
    named = session.call("surfaces", scope, {}, step="scan").get("data", {}).get("surfaces", [])
    surfaces = [{"name": str(s.get("name", "?")), "kind": str(s.get("kind", "?")), "path": str(s.get("path", ""))} for s in named]
    covered = any(s["kind"] in _FILE_KINDS and s["path"] and Path(s["path"]).resolve() == session.root.resolve() for s in surfaces)
    return surfaces if covered else [*surfaces, root]


def _home(session: Session) -> list[Json]:
    home = home_of(session.root)
    return [{"name": "home", "kind": "files", "path": str(home)}] if any(path.is_file() for path in home.rglob("*")) else []


def _files(surface: Json) -> Iterator[Path]:
    if surface["kind"] not in _FILE_KINDS or not surface["path"]:
        return
    yield from files_of(Path(surface["path"]).resolve())
