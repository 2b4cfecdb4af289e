"""Build what is derived from messages anew: the full-text index, summaries, and what capture reads from messages of which no
record is left. Messages are canonical. A record that is there keeps its id, its chain and what the user said about it."""

from __future__ import annotations

from memgauge.memory_ref import branches, derived, facts, turns
from memgauge.memory_ref.derived import Ended
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.searchtext import with_slot
from memgauge.memory_ref.store import Store

_COUNTED = ("messages", "facts", "notes", "summaries", "search_rows")


def rebuild(store: Store) -> Reply:
    """Counts by table of what stands there afterwards. What was forgotten is not learnt again: the marks stop it."""
    for row in store.database.all("SELECT id FROM threads WHERE private = 0 ORDER BY created_at, id"):
        branches.refresh(store, row["id"])
        turns.recapture(store, row["id"])
    _index(store)
    _summaries(store)
    return Reply(data={table: store.database.value(f"SELECT count(*) FROM {table}") for table in _COUNTED})


def _index(store: Store) -> None:
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
    store.database.run("INSERT INTO search_index (search_index) VALUES ('rebuild')")


def _summaries(store: Store) -> None:
    ended = [Ended(row["thread"], row["n"]) for row in store.database.all("SELECT thread, json_array_length(covered) AS n FROM summaries")]
    store.database.run("DELETE FROM edges WHERE child IN (SELECT id FROM summaries)")
    store.database.run("DELETE FROM summaries")
    derived.renew_summaries(store, ended)
