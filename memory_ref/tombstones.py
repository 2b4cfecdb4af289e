"""Marks of what was forgotten: where it was said (message and slot) and a keyed hash of its words. They hold no text.

They stop capture, consolidation, import and rebuild from learning it again; the same words in a later explicit request of the
user lift them. They cannot stop a new message that says it in other words.
"""

from __future__ import annotations

from memgauge.memory_ref.store import Store


def put(store: Store, *, mark: str = "", message_id: str | None = None, slot: str | None = None) -> None:
    """Remember that this was forgotten. A message without a slot bars the whole message."""
    store.database.run(
        "INSERT OR IGNORE INTO tombstones (mark, message_id, slot, created_at) VALUES (?, ?, ?, ?)", (mark, message_id or "", slot or "", store.now)
    )


def stops(store: Store, mark: str, message_id: str | None = None, slot: str | None = None) -> bool:
    """Whether a sentence with this mark, or one on this slot from this message (without a slot: the whole message), was forgotten."""
    return (
        store.database.value(
            """SELECT 1 FROM tombstones WHERE (mark != '' AND mark = ?)
               OR (message_id != '' AND message_id = ? AND (slot = '' OR slot = ?)) LIMIT 1""",
            (mark, message_id, slot),
        )
        is not None
    )


def lift(store: Store, mark: str, message_id: str | None = None, slot: str | None = None) -> None:
    """The user asked for it again: these words, and what this message says on this slot."""
    store.database.run("DELETE FROM tombstones WHERE mark != '' AND mark = ?", (mark,))
    if message_id is not None:
        store.database.run("DELETE FROM tombstones WHERE message_id = ? AND slot IN ('', ?)", (message_id, slot or ""))
