"""Take records out of every table, index and log. Physical: nothing is only marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memgauge.memory_ref import derived, documents
from memgauge.memory_ref.store import Store

TABLES = {
    "fact": "facts",
    "note": "notes",
    "document": "documents",
    "bullet": "bullets",
    "goal": "goals",
    "decision": "decisions",
    "pin": "pins",
    "review": "reviews",
    "summary": "summaries",
}
"""The table of each kind of id."""


def remove(store: Store, records: Iterable[str]) -> Counter[str]:
    """Delete records by id, with their index rows, edges, log lines and links from others. Returns rows removed by table."""
    removed: Counter[str] = Counter()
    for record in sorted(set(records)):
        table = TABLES.get(record.partition("-")[0])
        if table is None:
            continue
        if table == "bullets":
            removed[table] += documents.drop_bullets(store, [record], everywhere=True)
        else:
            removed[table] += store.database.run(f"DELETE FROM {table} WHERE id = ?", (record,))
        store.unindex(record)
        store.database.run("DELETE FROM edges WHERE child = ? OR parent = ?", (record, record))
        removed["retrievals"] += store.database.run("DELETE FROM retrievals WHERE item = ?", (record,))
        store.database.run("UPDATE facts SET supersedes = NULL WHERE supersedes = ?", (record,))
        store.database.run("UPDATE facts SET superseded_by = NULL WHERE superseded_by = ?", (record,))
    return +removed


def remove_messages(store: Store, messages: Iterable[str]) -> Counter[str]:
    """Delete whole messages (retention), with what was derived from them alone and every summary that covers them."""

    removed: Counter[str] = Counter()
    for message in messages:
        removed["summaries"] += len(derived.end_summaries(store, message))
        removed["messages"] += store.database.run("DELETE FROM messages WHERE id = ?", (message,))
        store.unindex(message)
        store.database.run("DELETE FROM edges WHERE parent = ?", (message,))
    return +removed
