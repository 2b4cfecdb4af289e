"""Export and import: everything the user owns as one versioned object, taken in again in one transaction.

What an export leaves out stands in its `left_out`. An import adds what is not there, skips what was forgotten or may never be
stored, and says so entry by entry; one bad entry, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memgauge.memory_ref import access, cutting, slots, tombstones
from memgauge.memory_ref.errors import Refused, StorageFailed
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.screen import REMOVED, screen
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
    for table in TABLES:
        for n, entry in enumerate(bundle.get(table, ())):
            work.take(table, n, entry)
    if work.bad:
        raise Refused("nothing was imported: " + "; ".join(work.bad[:10]) + (f"; and {len(work.bad) - 10} more" if len(work.bad) > 10 else ""))
    notices = (f"{len(work.skipped)} skipped: {', '.join(sorted({s['reason'] for s in work.skipped}))}",) if work.skipped else ()
    return Reply(ids=tuple(work.added), notices=notices, data={"added": len(work.added), "skipped": work.skipped})


class _Import:
    """One import: ids that had to change, what was added, skipped, and bad."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ids: dict[str, str | None] = {}
        self.added: list[str] = []
        self.skipped: list[dict[str, str]] = []
        self.bad: list[str] = []
        self.columns = {table: {row["name"]: bool(row["notnull"]) for row in store.database.all(f"PRAGMA table_info({table})")} for table in TABLES}

    def take(self, table: str, n: int, entry: object) -> None:
        where = f"{table}[{n}]"
        if not isinstance(entry, Mapping):
            self.bad.append(f"{where}: not an object")
            return
        row = dict(entry)
        unknown = sorted(set(row) - set(self.columns[table]) | (set(row) & set(_OWN.get(table, ()))))
        missing = sorted(set(self.columns[table]) - set(row) - set(_OWN.get(table, ())))
        if unknown or missing:
            self.bad.append(
                f"{where}: " + "; ".join(f"{what} {', '.join(names)}" for what, names in (("unknown", unknown), ("missing", missing)) if names)
            )
            return
        try:
            with self.store.database.atomic():
                self._put(table, where, row)
        except StorageFailed:
            self.bad.append(f"{where}: a value that does not fit its column")

    def _put(self, table: str, where: str, row: Entry) -> None:
        reason = self._known(table, row) or self._barred(table, row)
        old = row.get("id")
        if reason:
            if isinstance(old, str) and old not in self.ids:
                self.ids[old] = None
            if reason != "known":
                self.skipped.append({"entry": str(old or where), "reason": reason})
            return
        self._rename(table, row)
        if row is not None and self._dangling(table, row):
            return
        if table == "facts":
            row["normal"] = self.store.mark(row["text"])
        self.store.database.insert(table, **row)
        if table in _INDEXED and row.get("state", "live") == "live":
            self.store.index(row["id"], _INDEXED[table], with_slot(row["text"], row.get("slot")))
        if table not in ("threads", "edges", "document_revisions"):
            self.added.append(row["id"])

    def _known(self, table: str, row: Entry) -> str:
        """Whether the same entry is here already. Only then is it left alone; an id that means something else gets a new id."""
        database = self.store.database
        if table in ("threads", "messages"):
            return "known" if database.one(f"SELECT 1 FROM {table} WHERE id = ?", (row["id"],)) else ""
        if table == "documents":
            found = database.value("SELECT id FROM documents WHERE name = ?", (row["name"],))
            return "known" if found is not None else ""
        if "id" in row and "text" in row:
            found = database.value(f"SELECT id FROM {table} WHERE text = ? AND created_at = ?", (row["text"], row["created_at"]))
            if found is not None:
                self.ids[row["id"]] = found
                return "known"
        return ""

    def _barred(self, table: str, row: Entry) -> str:
        text = row.get("text")
        if not isinstance(text, str):
            return ""
        origin = "message" if table in ("messages", "document_revisions", "summaries") else "stated"
        found = screen(text, self.store.policy, origin=origin)  # type: ignore[arg-type]
        if found.verdict == "reject":
            return "never stored"
        row["text"] = found.text
        if table == "messages":
            return self._forgotten_message(row)
        if tombstones.stops(self.store, self.store.mark(text), row.get("message_id"), row.get("slot")):
            return "forgotten"
        return ""

    def _forgotten_message(self, row: Entry) -> str:
        """A message that was forgotten as a whole stays out; a sentence of it that was forgotten is cut again."""
        if tombstones.stops(self.store, "", row["id"]):
            return "forgotten"
        for (first, past), sentence in reversed(cutting.sentences(row["text"])):
            slot = slots.read_slot(sentence, self.store.scope.user)
            if tombstones.stops(self.store, self.store.mark(sentence), row["id"] if slot else None, slot):
                row["text"] = row["text"][:first] + REMOVED + row["text"][past:]
        if row["text"] == REMOVED:
            row["state"] = "removed"
        return ""

    def _rename(self, table: str, row: Entry) -> None:
        """Keep the id when it is free, else take a new one; follow renamed ids in what refers to them."""
        kind, _, number = str(row.get("id", "")).partition("-")
        if table not in ("threads", "messages", "document_revisions", "edges"):
            old = row["id"]
            if self.store.database.one(f"SELECT 1 FROM {table} WHERE id = ?", (old,)) or not number.isdecimal():
                row["id"] = self.store.new_id(kind if number.isdecimal() else table.rstrip("s"))
            else:
                self.store.database.run(
                    "INSERT INTO counters (kind, last) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET last = max(last, excluded.last)",
                    (kind, int(number)),
                )
            self.ids[old] = row["id"]
        for column in ("lineage", "supersedes", "superseded_by", "record", "previous", "child", "parent"):
            if column in row and table != "messages" and row[column] in self.ids:
                row[column] = self.ids[row[column]]
        if table == "document_revisions":
            row["document"] = self.ids.get(row["document"], row["document"])
        if table == "facts" and row["lineage"] is None:
            row["lineage"] = row["id"]

    def _dangling(self, table: str, row: Entry) -> bool:
        """An edge or revision whose record was skipped or is known already goes with it."""
        if table == "edges":
            known = self.store.database.one("SELECT 1 FROM edges WHERE child = ? AND parent = ?", (row["child"], row["parent"]))
            return row["child"] is None or row["parent"] is None or known is not None
        return table == "document_revisions" and row["document"] is None


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
