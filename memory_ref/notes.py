"""Daily notes: append-only entries dated in the user's zone, kept for a time."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memgauge.memory_ref import access, eligibility
from memgauge.memory_ref.admission import for_memory
from memgauge.memory_ref.errors import NotFound
from memgauge.memory_ref.records import Note, Reply, from_row
from memgauge.memory_ref.searchtext import with_slot
from memgauge.memory_ref.store import Store, stamp

STATUSES = ("active", "consolidated", "superseded", "expired")


def note_add(store: Store, text: str, message_id: str | None = None) -> Reply:
    """Append one entry to the note of the day. Raises Refused when nothing is left after screening."""
    access.require_writable(store)
    kept = for_memory(store.policy, text)
    return Reply(ids=(add(store, kept.text, message_id=message_id),), notices=kept.notices)


def add(
    store: Store,
    text: str,
    *,
    slot: str | None = None,
    message_id: str | None = None,
    span: tuple[int, int] | None = None,
    expires_at: str | None = None,
) -> str:
    """Append an entry that has been screened; returns its id. It ends with the notes' retention unless it ends sooner."""
    note = store.new_id("note")
    retention = stamp(datetime.fromisoformat(store.now) + timedelta(days=store.policy.notes.retention_days))
    store.database.insert(
        "notes",
        id=note, day=day(store), text=text, slot=slot, project=store.scope.project, message_id=message_id, status="active", created_at=store.now,
        expires_at=min(retention, expires_at) if expires_at else retention,
    )  # fmt: skip
    store.index(note, "note", with_slot(text, slot))
    if message_id is not None:
        store.link(note, message_id, *(span or (None, None)))
    return note


def day(store: Store) -> str:
    """Today's date in the user's zone, as YYYY-MM-DD."""
    return datetime.fromisoformat(store.now).astimezone(ZoneInfo(store.policy.notes.zone)).date().isoformat()


def find(store: Store, note_id: str) -> Note:
    """One note of this project or of none. Raises NotFound."""
    condition, values = eligibility.notes(store, statuses=STATUSES, overview=True)
    row = store.database.one(f"SELECT n.* FROM notes n WHERE n.id = ? AND {condition}", (note_id, *values))
    if row is None:
        raise NotFound("record")
    return from_row(Note, row)


def listed(store: Store, *statuses: str, overview: bool = False) -> list[Note]:
    """Notes with these statuses (default: active), oldest first."""
    condition, values = eligibility.notes(store, statuses=statuses or ("active",), overview=overview)
    rows = store.database.all(f"SELECT n.* FROM notes n WHERE {condition} ORDER BY n.created_at, n.rowid", values)
    return [from_row(Note, row) for row in rows]
