"""Erase bytes: merge the full-text index, then empty the write-ahead log into the file.

Measured: after a delete with secure_delete the words' stems still stand in the index until `optimize` merges it, and the
write-ahead log keeps old pages until a truncating checkpoint, which an open reader blocks. VACUUM helps with neither.
"""

from __future__ import annotations

from memgauge.memory_ref import eventfile
from memgauge.memory_ref.database import Database
from memgauge.memory_ref.errors import Busy, StorageFailed
from memgauge.memory_ref.store import Store

HELD = "the records are gone from every read path; another reader still holds the store's old pages, they go at the next write or opening"


NO_ROOM = "the records are gone from every read path; the disk could not be written to erase their bytes, which is tried at every write and opening"


def prepare(store: Store) -> None:
    """Inside the deleting transaction: merge the index and note that the checkpoint is still due."""
    if store.database.engine.merge_index:
        store.database.run("INSERT INTO search_index (search_index) VALUES ('optimize')")
    store.database.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('erase_due', ?)", (store.now,))


def finish(database: Database) -> str | None:
    """After a commit, and at every opening: do what is due to the event log and the checkpoint. None when nothing is due any more, else
    why it waits. It raises no Busy nor StorageFailed: the call before it is committed, and must not be answered as if it had failed."""
    try:
        if database.value("SELECT 1 FROM meta WHERE key IN ('erase_due', ?)", (eventfile.STAGED,)) is None:
            return None
        with database.atomic():
            eventfile.finish(database)
        if database.engine.vacuum:
            database.vacuum()
        if database.engine.checkpoint and not database.checkpoint():
            return HELD
        with database.atomic():
            database.run("DELETE FROM meta WHERE key = 'erase_due'")
    except Busy:
        return HELD
    except StorageFailed:
        return NO_ROOM
    return None


def verify(database: Database) -> None:
    """Raise Damaged when the full-text index and the text it was made from disagree."""
    database.run("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
