"""Look for needles in bytes and files. What is found is said by file, offset and encoding, never by its words.

File contents only: free blocks of the disk, and memory, are not looked at.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memgauge.records import Json
from memgauge.runner.needles import SHORT, Needle, encodings
from memgauge.runner.sqlite_scan import scan_database
from memgauge.systems.reading import LOGS, MAGIC, NotRead, duckdb_rows, is_duckdb

HITS_SHOWN = 20
"""Hits kept for one form of one fact."""
UNPACKED = 64 * 1024 * 1024
"""Bytes to which one compressed stream is unpacked."""
DIGEST_LIKE = 10
"""Hexadecimal digits from which a needle is no chance find in a checksum any more (2^-40 at each place)."""
DEPTH = 3
"""Streams inside streams."""

_HEX = re.compile(rb"[0-9a-fA-F]+")
_STREAM = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")


class Look:
    """Looks into one file after another, and keeps what it found.

    `read` gives the bytes of a file; `scratch` is a folder for copies of databases. Every SQLite or DuckDB database in a file is a
    surface of its own, of kind `sql`: there a hit is a live row or a term of a full-text index, with its table in place of
    an offset.
    """

    def __init__(self, needles: Sequence[Needle], read: Callable[[Path], bytes], scratch: Path) -> None:
        self._needles = needles
        self._read = read
        self._scratch = scratch
        self._files = 0
        self._hits: dict[tuple[str, str], list[Json]] = {(n.fact, form.kind): [] for n in needles for form in n.forms}
        self._places: set[tuple[object, ...]] = set()

    def into(self, path: Path, surface: str, name: str, given: str = "") -> tuple[int, list[Json]]:
        """Look into one file, called `given + name` in what is found; `name` is the part that the store chose, and a needle in it
        is a find as well: the file is then called by its number. Returns its size, and the surfaces of databases in it."""
        self._files += 1
        named = list(find(name.encode("utf-8", "surrogateescape"), self._needles))
        name = f"file {self._files}, whose name holds it" if named else given + name
        for match, _, encoding, form in named:
            self._add(match, form, {"surface": surface, "file": name, "offset": "name", "encoding": encoding})
        data = self._read(path)
        self.through(data, surface, name)
        if not data.startswith(MAGIC) and not is_duckdb(data):
            return len(data), []
        rows = f"rows of {name}"
        logs = {suffix: path.with_name(path.name + suffix) for suffix in LOGS}
        parts = {"": data} | {suffix: self._read(log) for suffix, log in logs.items() if log.is_file()}
        found: Json = {"name": rows, "kind": "sql", "depth": "rows", "examined": True, "bytes": len(data)}
        if is_duckdb(data):
            try:
                self.through(duckdb_rows(parts, self._scratch), rows, name)
            except NotRead as fault:
                found |= {"examined": False, "reason": str(fault)}
            return len(data), [found]
        for match, form, table, encoding in scan_database(parts, self._needles, self._scratch):
            self._add(match, form, {"surface": rows, "file": name, "offset": table, "encoding": encoding})
        return len(data), [found]

    def through(self, data: bytes, surface: str, name: str) -> None:
        """Look through some bytes."""
        for match, offset, encoding, form in find(data, self._needles):
            self._add(match, form, {"surface": surface, "file": name, "offset": offset, "encoding": encoding})

    def found(self) -> list[Json]:
        """[{fact, form, hits: [{surface, file, offset, encoding}]}], every form of every needle. One place counts once, for its longest form."""
        return [{"fact": fact, "form": form, "hits": hits} for (fact, form), hits in self._hits.items()]

    def _add(self, match: Needle, form: str, hit: Json) -> None:
        place = (match.fact, hit["surface"], hit["file"], hit["offset"])
        if place not in self._places and len(self._hits[match.fact, form]) < HITS_SHOWN:
            self._places.add(place)
            self._hits[match.fact, form].append(hit)


def find(data: bytes, needles: Sequence[Needle], depth: int = DEPTH) -> Iterator[tuple[Needle, int, str, str]]:
    """(needle, offset, encoding, form) of every hit in some bytes, compressed streams inside them included (`gzip/utf-8`)."""
    folded = data.lower()
    for match in needles:
        for form in match.forms:
            for encoding, pattern in encodings(form.text):
                for offset in _places(folded if encoding.endswith("folded") else data, pattern, whole=form.kind == "id"):
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


def files_of(place: Path) -> Iterator[Path]:
    """The file itself, or every file below a folder; links are not followed."""
    yield from [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file() and not path.is_symlink())


def _places(data: bytes, pattern: bytes, *, whole: bool) -> Iterator[int]:
    """`whole`: mem-1 is not in mem-10."""
    at = data.find(pattern)
    while at >= 0:
        if not (whole or _needs_edges(pattern)) or not _is_inside_a_word(data, at, at + len(pattern)):
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
