"""A surface: one place where user data may lie, and how deep a look at it goes. Named by a system (verb `surfaces`) or by the project file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from memgauge.errors import InputError, nearest

DEPTHS = ("api", "rows", "vectors", "bytes")
"""How deep a deletion is looked at: the answers of the system, the rows of its tables, its vectors, the bytes of its files."""
FILE_KINDS = ("files", "logs", "backup")
KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(FILE_KINDS, ("bytes",)),
    "sql": ("rows", "vectors"),
    "http": ("rows", "vectors"),
    "command": ("rows", "vectors", "bytes"),
}
"""Kind → the depths a look at it can have, the one it has by default first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """files, logs, backup: a file or folder `path`. sql: a database `path`, a file or a connection string, and a `query`, without which every
    table is read. http: the URL `path`. command: `argv`, whose output is read. `grade` is the depth where it is not the kind's own."""

    name: str
    kind: str
    path: str = ""
    query: str = ""
    argv: tuple[str, ...] = ()
    grade: str = ""

    @property
    def depth(self) -> str:
        return self.grade or KINDS[self.kind][0]

    @classmethod
    def of(cls, line: object, where: str = "") -> Surface:
        """From its JSON. Raises InputError naming the part that is wrong."""
        if not isinstance(line, Mapping):
            raise InputError("a surface is an object with name, kind and path", where=where)
        if wrong := sorted(set(map(str, line)) - set(cls.__slots__)):
            raise InputError(f"unknown key {wrong[0]!r}", where=where, hint=nearest(wrong[0], cls.__slots__))
        name, kind, grade, argv = line.get("name"), line.get("kind"), line.get("grade") or "", line.get("argv") or ()
        if not isinstance(name, str) or not name.strip():
            raise InputError("a surface needs a name", where=where)
        if not isinstance(kind, str) or kind not in KINDS:
            raise InputError(f"surface {name!r}: kind {kind!r}", where=where, hint=nearest(str(kind), KINDS))
        texts = {part: line.get(part) or "" for part in ("path", "query")}
        if any(not isinstance(text, str) for text in texts.values()):
            raise InputError(f"surface {name!r}: path and query are texts", where=where)
        if not isinstance(argv, list | tuple) or not all(isinstance(part, str) for part in argv):
            raise InputError(f"surface {name!r}: argv is a list of texts", where=where, hint="as argv: [pg_dump, mydb]; no shell reads it")
        if grade and grade not in KINDS[kind]:
            raise InputError(f"surface {name!r}: grade {grade!r}; allowed for {kind}: {', '.join(KINDS[kind])}", where=where)
        if unfit := _unfit(kind, texts["path"], texts["query"], argv):
            raise InputError(f"surface {name!r}: {unfit}", where=where)
        return cls(name=name, kind=kind, path=texts["path"], query=texts["query"], argv=tuple(argv), grade=grade)


def _unfit(kind: str, path: str, query: str, argv: object) -> str:
    """What a kind needs and has not, or has and does not need."""
    if kind == "command":
        return "a command needs argv, and no path or query" if not argv or path or query else ""
    if argv or not path:
        return f"{kind} needs a path and no argv" if kind != "http" else "http needs a URL as its path, and no argv"
    if query and kind != "sql":
        return f"only sql has a query, this is {kind}"
    if kind == "http" and (urlsplit(path).scheme not in ("http", "https") or not urlsplit(path).netloc):
        return "path is no URL that begins with http:// or https://"
    return ""


def unique(surfaces: list[Surface], where: str = "") -> tuple[Surface, ...]:
    """The surfaces, whose names must differ: what is found is told by them. Raises InputError."""
    seen: set[str] = set()
    for surface in surfaces:
        if surface.name in seen:
            raise InputError(f"two surfaces are called {surface.name!r}", where=where, hint="give each a name of its own")
        seen.add(surface.name)
    return tuple(surfaces)
