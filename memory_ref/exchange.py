"""Export and import: everything the user owns as one versioned object, taken in again in one transaction.

What an export leaves out stands in its `left_out`. An import adds what is not there, skips what was forgotten or may never be
stored, and says so entry by entry; one bad entry, and nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.memory_ref import access, cutting, slots, tombstones
from memgauge.memory_ref.errors import Refused, StorageFailed
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.removal import TABLES as TABLES_BY_KIND
from memgauge.memory_ref.screen import REMOVED, Origin, screen
from memgauge.memory_ref.searchtext import with_slot
from memgauge.memory_ref.store import Store

FORMAT = "memgauge-memory"
VERSION = 1
TABLES = (
    "threads", "messages", "facts", "notes", "documents", "document_revisions", "bullets",
    "goals", "decisions", "pins", "reviews", "summaries", "edges",
)  # fmt: skip
"""In this order a row comes after what it refers to."""
_OWN = {"messages": ("seq",), "facts": ("normal",)}
"""Columns that mean something in one store only."""
_KNOWN = "known"
_ID = re.compile(r"([a-z]+)-([0-9]{1,15})(?:-[0-9a-f]{6})?")
_IDS_KEPT = ("threads", "messages", "document_revisions", "edges")
_TEXTS = {"id", "text", "created_at", "child"}
_REFERENCES = {
    "facts": ("lineage", "supersedes", "superseded_by"),
    "document_revisions": ("document",),
    "reviews": ("record",),
    "summaries": ("previous",),
    "edges": ("child", "parent"),
}
_NEEDED = {"document_revisions": ("document",), "edges": ("child", "parent")}
_SAME_PLACE = "status IN ('active', 'proposed') AND reach = ? AND project IS ? AND task IS ? AND agents IS ?"
_INDEXED = {"facts": "fact", "notes": "note", "decisions": "decision", "messages": "message"}
_LEFT_OUT = ("private threads", "idempotency keys", "operation and retrieval logs", "marks of what was forgotten", "access state", "backups")

Entry = dict[str, Any]


def export(store: Store) -> Reply:
    """The bundle. Equal stores give equal bundles."""
    bundle: Entry = {"format": FORMAT, "version": VERSION, "left_out": list(_LEFT_OUT)}
    private = {row["id"] for row in store.database.all("SELECT id FROM threads WHERE private = 1")}
    for table in TABLES:
        rows = [dict(row) for row in store.database.all(f"SELECT * FROM {table} ORDER BY {_order(table)}")]
        bundle[table] = [{k: v for k, v in row.items() if k not in _OWN.get(table, ())} for row in rows if _thread_of(table, row) not in private]
    return Reply(data={"bundle": bundle})


def import_(store: Store, bundle: Mapping[str, Any]) -> Reply:
    """Take a bundle in. Raises Refused, naming every bad entry, with nothing changed."""
    access.require_writable(store)
    _check(bundle)
    work = _Import(store)
    work.reserve(bundle)
    for table in TABLES:
        for n, entry in enumerate(bundle.get(table, ())):
            work.admit(table, f"{table}[{n}]", entry)
    work.write()
    if work.bad:
        raise Refused("nothing was imported: " + "; ".join(work.bad[:10]) + (f"; and {len(work.bad) - 10} more" if len(work.bad) > 10 else ""))
    notices = (f"{len(work.skipped)} skipped: {', '.join(sorted({s['reason'] for s in work.skipped}))}",) if work.skipped else ()
    return Reply(ids=tuple(work.added), notices=notices, data={"added": len(work.added), "skipped": work.skipped})


@dataclass(frozen=True, slots=True)
class _Row:
    table: str
    where: str
    values: Entry


class _Import:
    """One import in two passes: `admit` decides what comes in and under which id, `write` inserts it with references renamed."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ids: dict[str, str | None] = {}
        """Id in the bundle → id here; None: the entry stays out, and what refers to it loses the reference."""
        self.rows: list[_Row] = []
        self.added: list[str] = []
        self.skipped: list[dict[str, str]] = []
        self.bad: list[str] = []
        self.columns = {table: [row["name"] for row in store.database.all(f"PRAGMA table_info({table})")] for table in TABLES}

    def admit(self, table: str, where: str, entry: object) -> None:
        """Check one entry's shape, skip it when it is known, forgotten or never to be stored, and settle its id."""
        if not isinstance(entry, Mapping):
            self.bad.append(f"{where}: not an object")
            return
        row = dict(entry)
        wanted = set(self.columns[table]) - set(_OWN.get(table, ()))
        faults = [f"{what} {', '.join(sorted(names))}" for what, names in (("unknown", set(row) - wanted), ("missing", wanted - set(row))) if names]
        if faults or (_TEXTS & wanted and not all(isinstance(row[name], str) for name in _TEXTS & wanted)):
            self.bad.append(f"{where}: {'; '.join(faults) or 'a text that is none'}")
            return
        reason = self._known(table, row) or self._barred(table, row)
        if reason:
            self.ids.setdefault(str(row.get("id", where)), None)
            if reason != _KNOWN:
                self.skipped.append({"entry": str(row.get("id", where)), "reason": reason})
            return
        if table not in _IDS_KEPT:
            self._settle_id(table, row)
        self.rows.append(_Row(table, where, row))

    def write(self) -> None:
        """Insert what was admitted. A value its column does not take is a bad entry; the caller then undoes everything."""
        for row in self.rows:
            try:
                with self.store.database.atomic():
                    self._insert(row.table, row.values)
            except StorageFailed:
                self.bad.append(f"{row.where}: a value that does not fit its column")

    def _insert(self, table: str, row: Entry) -> None:
        for column in _REFERENCES.get(table, ()):
            row[column] = self.ids.get(row[column], row[column])
        if any(row[column] is None for column in _NEEDED.get(table, ())):
            return
        if table == "edges" and self.store.database.one("SELECT 1 FROM edges WHERE child = ? AND parent = ?", (row["child"], row["parent"])):
            return
        if table == "facts":
            row["normal"] = self.store.mark(row["text"])
            row["lineage"] = row["lineage"] or row["id"]
        self.store.database.insert(table, **row)
        if table in _INDEXED and row.get("state", "live") == "live":
            self.store.index(row["id"], _INDEXED[table], with_slot(row["text"], row.get("slot")))
        if table not in ("threads", "edges", "document_revisions"):
            self.added.append(row["id"])

    def _known(self, table: str, row: Entry) -> str:
        """Why an entry is left alone although it is whole: it is here already, or what is here says otherwise."""
        database = self.store.database
        if table in ("threads", "messages"):
            return _KNOWN if database.one(f"SELECT 1 FROM {table} WHERE id = ?", (row["id"],)) else ""
        if table == "documents":
            found = database.one("SELECT created_at FROM documents WHERE name = ?", (row["name"],))
            return "" if found is None else _KNOWN if found["created_at"] == row["created_at"] else "a document of that name is here"
        if table in ("document_revisions", "edges"):
            return ""
        found = database.one(f"SELECT id FROM {table} WHERE text = ? AND created_at = ?", (row["text"], row["created_at"]))
        if found is None and table == "facts" and row["status"] in ("active", "proposed"):
            found = database.one(f"SELECT id FROM facts WHERE normal = ? AND {_SAME_PLACE}", (self.store.mark(row["text"]), *_place(row)))
            rival = database.value(f"SELECT id FROM facts WHERE slot = ? AND {_SAME_PLACE}", (row["slot"], *_place(row)))
            if found is None and rival is not None:
                return f"contradicts {rival}"
        if found is not None:
            self.ids[row["id"]] = found["id"]
            return _KNOWN
        return ""

    def _barred(self, table: str, row: Entry) -> str:
        """Why an entry may not come in; what may is screened and cut in place."""
        if "text" not in row:
            return ""
        origin: Origin = "message" if table in ("messages", "document_revisions", "summaries") else "stated"
        found = screen(row["text"], self.store.policy, origin=origin)
        if found.verdict == "reject":
            return "never stored"
        forgotten = tombstones.stops(
            self.store, self.store.mark(row["text"]), row["id"] if table == "messages" else row.get("message_id"), row.get("slot")
        )
        row["text"] = found.text
        if table == "messages" and not forgotten:
            self._cut(row)
        return "forgotten" if forgotten else ""

    def _cut(self, row: Entry) -> None:
        """Take sentences that were forgotten out of a message that comes back."""
        for (first, past), sentence in reversed(cutting.sentences(row["text"])):
            slot = slots.read_slot(sentence, self.store.scope.user)
            if tombstones.stops(self.store, self.store.mark(sentence), row["id"] if slot else None, slot):
                row["text"] = row["text"][:first] + REMOVED + row["text"][past:]
        if row["text"] == REMOVED:
            row["state"] = "removed"

    def reserve(self, bundle: Mapping[str, Any]) -> None:
        """Count every kind's ids up past those of the bundle, so that a new id never meets one that comes later in it."""
        for table in TABLES:
            for entry in bundle.get(table, ()):
                kind, number = _parts(table, entry.get("id") if isinstance(entry, Mapping) else None)
                if number:
                    self.store.database.run(
                        "INSERT INTO counters (kind, last) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET last = max(last, excluded.last)",
                        (kind, number),
                    )

    def _settle_id(self, table: str, row: Entry) -> None:
        """Keep the id when it is one of its kind and free here, else take a new one."""
        old = row["id"]
        kind, number = _parts(table, old)
        if not number or old in self.ids or self.store.database.one(f"SELECT 1 FROM {table} WHERE id = ?", (old,)):
            row["id"] = self.store.new_id(kind)
        self.ids[old] = row["id"]


def _parts(table: str, record: object) -> tuple[str, int]:
    """The kind of a table's ids, and the number of this id; 0 when it is not one of that kind."""
    kind = next((kind for kind, name in TABLES_BY_KIND.items() if name == table), "")
    found = _ID.fullmatch(record) if isinstance(record, str) else None
    return kind, int(found[2]) if found and found[1] == kind else 0


def _place(row: Entry) -> tuple[object, ...]:
    return row["reach"], row["project"], row["task"], row["agents"]


def _check(bundle: Mapping[str, Any]) -> None:
    if bundle.get("format") != FORMAT or bundle.get("version") != VERSION:
        raise Refused(f"not a bundle of {FORMAT} version {VERSION}")
    for name, value in bundle.items():
        if name in ("format", "version", "left_out"):
            continue
        if name not in TABLES:
            raise Refused(f"nothing was imported: the bundle has an unknown part {name[:40]!r}")
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise Refused(f"nothing was imported: {name} is not a list")


def _order(table: str) -> str:
    return {"messages": "seq", "edges": "child, parent", "document_revisions": "document, revision", "threads": "created_at, id"}.get(
        table, "created_at, id"
    )


def _thread_of(table: str, row: Mapping[str, Any]) -> object:
    return row["id"] if table == "threads" else row.get("thread")
