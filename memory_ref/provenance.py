"""The way from a record back to the messages it was derived from, and forward to what was derived from it."""

from __future__ import annotations

from dataclasses import dataclass

from memgauge.memory_ref.errors import NotFound
from memgauge.memory_ref.records import Message, Reply, from_row
from memgauge.memory_ref.store import Store

_UP = "WITH RECURSIVE up (id) AS (VALUES (?) UNION SELECT e.parent FROM edges e JOIN up ON e.child = up.id)"
_DOWN = "WITH RECURSIVE down (id) AS (VALUES (?) UNION SELECT e.child FROM edges e JOIN down ON e.parent = down.id)"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [first, past) of a message; both None where it is not known which."""

    message_id: str
    first: int | None
    past: int | None


def sources(store: Store, record: str) -> list[Message]:
    """The messages a record goes back to, oldest first, those of other private threads left out."""
    rows = store.database.all(
        f"""{_UP} SELECT m.* FROM messages m JOIN up ON up.id = m.id JOIN threads t ON t.id = m.thread
            WHERE m.id != ? AND (t.private = 0 OR t.id = ?) ORDER BY m.seq""",
        (record, record, store.scope.thread),
    )
    return [from_row(Message, row) for row in rows]


def descendants(store: Store, record: str) -> list[str]:
    """Ids of everything derived from a record, directly or through others, itself left out."""
    return [row["id"] for row in store.database.all(f"{_DOWN} SELECT id FROM down WHERE id != ? ORDER BY id", (record, record))]


def spans(store: Store, record: str) -> list[Span]:
    """The passages of messages that a record was read from directly."""
    rows = store.database.all("SELECT e.* FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = ? ORDER BY m.seq", (record,))
    return [Span(row["parent"], row["first"], row["past"]) for row in rows]


def explain(store: Store, record: str) -> Reply:
    """The messages an item was derived from. A message explains itself. Raises NotFound."""
    found = sources(store, record)
    own = store.database.one(
        "SELECT m.* FROM messages m JOIN threads t ON t.id = m.thread WHERE m.id = ? AND (t.private = 0 OR t.id = ?)", (record, store.scope.thread)
    )
    if own is not None:
        found.append(from_row(Message, own))
    elif not found and not _exists(store, record):
        raise NotFound("record")
    return Reply(ids=(record,), data={"messages": [{"message_id": m.id, "text": m.text, "role": m.role, "created_at": m.created_at} for m in found]})


def _exists(store: Store, record: str) -> bool:
    tables = ("facts", "notes", "documents", "bullets", "goals", "decisions", "pins", "reviews", "summaries")
    return any(store.database.value(f"SELECT 1 FROM {table} WHERE id = ?", (record,)) for table in tables)
