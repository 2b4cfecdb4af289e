"""Look for what must be gone in every place where a system keeps data. What is found is said by file, offset and encoding, never by its words.

File contents only: free blocks of the disk, and memory, are not looked at.
"""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from memgauge.records import CasePlan, Fact, Json, Scope
from memgauge.runner.home import home_of
from memgauge.runner.needles import SHORT, Needle, encodings, needle
from memgauge.runner.session import Session
from memgauge.runner.sqlite_scan import LOGS, MAGIC, scan_database

HITS_SHOWN = 20
"""Hits kept for one form of one fact."""
UNPACKED = 64 * 1024 * 1024
"""Bytes to which one compressed stream is unpacked."""
DIGEST_LIKE = 10
"""Hexadecimal digits from which a needle is no chance find in a checksum any more (2^-40 at each place)."""
DEPTH = 3
"""Streams inside streams."""

_FILE_KINDS = ("files", "backup", "logs")
_HEX = re.compile(rb"[0-9a-fA-F]+")
_STREAM = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")


def scan_surfaces(session: Session, facts: Sequence[Fact], plan: CasePlan, scope: Scope) -> Json:
    """`needles` [{fact, form, hits: [{surface, file, offset, encoding}]}] and `surfaces` [{name, kind, examined, bytes, reason?}].

    What the verb `surfaces` names is looked at, then the root folder always, then the home of the case where something lies in
    it (see `home`); a file counts for the first that has it. Every SQLite database in a file is a surface of kind `sql` as
    well: there a hit is a live row or a term of a full-text index, with its table in place of an offset.
    """
    needles = [needle(fact, plan) for fact in facts]
    root = session.root.resolve()
    finds = _Finds(needles)
    surfaces: list[Json] = []
    seen: set[Path] = set()
    with tempfile.TemporaryDirectory(prefix="scan-", dir=session.root.parent) as scratch:
        for surface in (*_surfaces(session, scope), *_home(session)):
            files = [path for path in _files(surface) if path not in seen]
            seen.update(files)
            size = 0
            databases: list[Json] = []
            for path in files:
                data = session.read_bytes(path)
                size += len(data)
                name = str(path.relative_to(root)) if path.is_relative_to(root) else path.name
                for match, offset, encoding, form in find(data, needles):
                    finds.add(match, form, {"surface": surface["name"], "file": name, "offset": offset, "encoding": encoding})
                if data.startswith(MAGIC):
                    rows = f"rows of {name}"
                    logs = {suffix: path.with_name(path.name + suffix) for suffix in LOGS}
                    parts = {"": data} | {suffix: session.read_bytes(log) for suffix, log in logs.items() if log.is_file()}
                    databases.append({"name": rows, "kind": "sql", "examined": True, "bytes": len(data)})
                    for match, form, table, encoding in scan_database(parts, needles, Path(scratch)):
                        finds.add(match, form, {"surface": rows, "file": name, "offset": table, "encoding": encoding})
            looked = surface["kind"] in _FILE_KINDS
            reason = {} if looked else {"reason": f"a surface of kind {surface['kind']} is not read"}
            surfaces += [{"name": surface["name"], "kind": surface["kind"], "examined": looked, "bytes": size, **reason}, *databases]
    return {"needles": finds.to_json(), "surfaces": surfaces}


class _Finds:
    """Hits by fact and form; one place counts once, for its longest form."""

    def __init__(self, needles: Sequence[Needle]) -> None:
        self._hits: dict[tuple[str, str], list[Json]] = {(n.fact, form.kind): [] for n in needles for form in n.forms}
        self._places: set[tuple[object, ...]] = set()

    def add(self, match: Needle, form: str, hit: Json) -> None:
        place = (match.fact, hit["surface"], hit["file"], hit["offset"])
        if place not in self._places and len(self._hits[match.fact, form]) < HITS_SHOWN:
            self._places.add(place)
            self._hits[match.fact, form].append(hit)

    def to_json(self) -> list[Json]:
        return [{"fact": fact, "form": form, "hits": hits} for (fact, form), hits in self._hits.items()]


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
    path = Path(surface["path"]).resolve()
    yield from [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and not p.is_symlink())


def find(data: bytes, needles: Sequence[Needle], depth: int = DEPTH) -> Iterator[tuple[Needle, int, str, str]]:
    """(needle, offset, encoding, form) of every hit in some bytes, compressed streams inside them included (`gzip/utf-8`)."""
    folded = data.lower()
    for match in needles:
        for form in match.forms:
            for encoding, pattern in encodings(form.text):
                for offset in _places(folded if encoding.endswith("folded") else data, pattern):
                    yield match, offset, encoding, form.kind
    if depth:
        view = memoryview(data)
        for start in (m.start() for m in _STREAM.finditer(data)):
            unpacker = zlib.decompressobj(wbits=47)  # 32 + 15: zlib or gzip, by its header
            try:
                inside = unpacker.decompress(view[start:], UNPACKED)
            except zlib.error:
                continue
            kind = "gzip" if data[start] == 0x1F else "zlib"
            for match, _, encoding, form_kind in find(inside, needles, depth - 1):
                yield match, start, f"{kind}/{encoding}", form_kind


def _places(data: bytes, pattern: bytes) -> Iterator[int]:
    at = data.find(pattern)
    while at >= 0:
        if not _needs_edges(pattern) or not _is_inside_a_word(data, at, at + len(pattern)):
            yield at
        at = data.find(pattern, at + 1)


def _needs_edges(pattern: bytes) -> bool:
    """Whether noise would find it: a few bytes, or digits as they stand in every checksum."""
    return len(pattern) < SHORT or (len(pattern) < DIGEST_LIKE and _HEX.fullmatch(pattern) is not None)


def _is_inside_a_word(data: bytes, start: int, end: int) -> bool:
    """Between letters or digits. A single 0 in front is none: FTS5 writes it before every term of its main index."""
    if data[end : end + 1].isalnum():
        return True
    before = data[max(0, start - 2) : start]
    return before[-1:].isalnum() and not (before[-1:] == b"0" and not before[:-1].isalnum())
