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
from memgauge.runner.needles import SHORT, Needle, encodings, needle
from memgauge.runner.session import Session
from memgauge.runner.sqlite_scan import MAGIC, scan_database

HITS_SHOWN = 20
"""Hits listed for one fact; the count goes on."""
UNPACKED = 64 * 1024 * 1024
"""Bytes to which one compressed stream is unpacked."""
DEPTH = 3
"""Streams inside streams."""

_FILE_KINDS = ("files", "backup", "logs")
_STREAM = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")


def scan_surfaces(session: Session, facts: Sequence[Fact], plan: CasePlan, scope: Scope) -> Json:
    """`needles`: per fact {fact, count, hits: [{file, offset, encoding, form, grade}]}. `surfaces`: each {name, kind, examined,
    files, bytes, reason?}.

    The root folder is always looked at, and beside it what the verb `surfaces` names. Grade `rows`: a live row or index term
    has it; `bytes`: it stands in a file.
    """
    needles = [needle(fact, plan) for fact in facts]
    found: dict[str, dict[tuple[str, object], Json]] = {n.fact: {} for n in needles}
    seen: set[Path] = set()
    surfaces = []
    with tempfile.TemporaryDirectory(prefix="scan-", dir=session.root.parent) as scratch:
        for surface in _surfaces(session, scope):
            files = [path for path in _files(surface) if path not in seen]
            seen.update(files)
            size = 0
            for path in files:
                data = session.read_bytes(path)
                size += len(data)
                for match, hit in _hits(path, data, needles, Path(scratch)):
                    name = str(path.relative_to(session.root)) if path.is_relative_to(session.root) else f"{surface['name']}: {path.name}"
                    found[match.fact].setdefault((name, hit.get("offset", hit.get("table"))), {"file": name, **hit})
            looked = surface["kind"] in _FILE_KINDS
            surfaces.append(
                {"name": surface["name"], "kind": surface["kind"], "examined": looked, "files": len(files), "bytes": size}
                | ({} if looked else {"reason": f"a surface of kind {surface['kind']} is not read"})
            )
    return {
        "needles": [{"fact": fact, "count": len(hits), "hits": list(hits.values())[:HITS_SHOWN]} for fact, hits in found.items()],
        "surfaces": surfaces,
    }


def _surfaces(session: Session, scope: Scope) -> list[Json]:
    root: Json = {"name": "root folder", "kind": "files", "path": str(session.root)}
    if not session.supports("surfaces"):
        return [root]
    named = session.call("surfaces", scope, {}, step="scan").get("data", {}).get("surfaces", [])
    return [root, *({"name": str(s.get("name", "?")), "kind": str(s.get("kind", "?")), "path": str(s.get("path", ""))} for s in named)]


def _files(surface: Json) -> Iterator[Path]:
    if surface["kind"] not in _FILE_KINDS or not surface["path"]:
        return
    path = Path(surface["path"]).resolve()
    yield from [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and not p.is_symlink())


def _hits(path: Path, data: bytes, needles: Sequence[Needle], scratch: Path) -> Iterator[tuple[Needle, Json]]:
    for match, offset, encoding, form in find(data, needles):
        yield match, {"offset": offset, "encoding": encoding, "form": form, "grade": "bytes"}
    if data.startswith(MAGIC):
        yield from scan_database(path, needles, scratch)


def find(data: bytes, needles: Sequence[Needle], depth: int = DEPTH) -> Iterator[tuple[Needle, int, str, str]]:
    """(needle, offset, encoding, form) of every hit in some bytes, compressed streams inside them included (`gzip/utf-8`)."""
    folded = data.lower()
    for match in needles:
        for form in match.forms:
            for encoding, pattern in encodings(form.text):
                for offset in _places(folded if encoding.endswith("folded") else data, pattern):
                    yield match, offset, encoding, form.kind
    if depth:
        for start in (m.start() for m in _STREAM.finditer(data)):
            unpacker = zlib.decompressobj(wbits=47)  # 32 + 15: zlib or gzip, by its header
            try:
                inside = unpacker.decompress(data[start:], UNPACKED)
            except zlib.error:
                continue
            kind = "gzip" if data[start] == 0x1F else "zlib"
            for match, _, encoding, form_kind in find(inside, needles, depth - 1):
                yield match, start, f"{kind}/{encoding}", form_kind


def _places(data: bytes, pattern: bytes) -> Iterator[int]:
    at = data.find(pattern)
    while at >= 0:
        if len(pattern) >= SHORT or not _is_inside_a_word(data, at, at + len(pattern)):
            yield at
        at = data.find(pattern, at + 1)


def _is_inside_a_word(data: bytes, start: int, end: int) -> bool:
    return data[max(0, start - 1) : start].isalnum() or data[end : end + 1].isalnum()
