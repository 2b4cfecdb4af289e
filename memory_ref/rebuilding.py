"""Build what is derived from messages anew: the full-text index, notes and proposed facts that capture made, summaries.

Messages are canonical. What the user asked for, approved, corrected or wrote himself is not derived from them alone and stays.
"""

from __future__ import annotations

from memgauge.memory_ref import branches, facts, removal, turns
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.searchtext import with_slot
from memgauge.memory_ref.store import Store

_DERIVED = {
    "facts": """SELECT f.id FROM facts f WHERE f.status = 'proposed' AND f.source = 'stated' AND f.approved = 0
        AND EXISTS (SELECT 1 FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = f.id)""",
    "notes": """SELECT n.id FROM notes n WHERE n.status = 'active' AND n.slot IS NOT NULL
        AND EXISTS (SELECT 1 FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = n.id)""",
    "summaries": "SELECT id FROM summaries",
}


def rebuild(store: Store) -> Reply:
    """Counts by table of what stands there afterwards. What was forgotten is not learnt again: the marks stop it."""
    for sql in _DERIVED.values():
        removal.remove(store, [row["id"] for row in store.database.all(sql)])
    store.database.run("DELETE FROM search_rows")
    for row in store.database.all(
        "SELECT m.* FROM messages m JOIN threads t ON t.id = m.thread WHERE m.state = 'live' AND t.private = 0 ORDER BY m.seq"
    ):
        store.index(row["id"], "message", row["text"])
    for row in store.database.all("SELECT id, text, slot FROM facts"):
        facts.index(store, row["id"], row["text"], row["slot"])
    for row in store.database.all("SELECT id, text, slot FROM notes"):
        store.index(row["id"], "note", with_slot(row["text"], row["slot"]))
    for row in store.database.all("SELECT id, text FROM decisions"):
        store.index(row["id"], "decision", row["text"])
    for row in store.database.all("SELECT id FROM threads WHERE private = 0 ORDER BY created_at, id"):
        branches.refresh(store, row["id"])
        turns.recapture(store, row["id"])
    store.database.run("INSERT INTO search_index (search_index) VALUES ('rebuild')")
    tables = ("messages", "facts", "notes", "summaries", "search_rows")
    return Reply(data={table: store.database.value(f"SELECT count(*) FROM {table}") for table in tables})
