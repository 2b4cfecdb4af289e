"""Pins: rules, open actions and key constraints that stand in every prompt until their end."""

from __future__ import annotations

from datetime import datetime, timedelta

from memgauge.memory_ref import access, eligibility
from memgauge.memory_ref.admission import for_memory
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.facts import ends
from memgauge.memory_ref.records import Pin, Reply, from_row
from memgauge.memory_ref.store import Store, stamp


def pin(store: Store, text: str, until: str | None = None) -> Reply:
    """Keep a text in every prompt. Raises Refused when the pinned region is full or nothing is left after screening."""
    access.require_writable(store)
    kept = for_memory(store.policy, text)
    end = ends(until)
    if end is not None and end <= store.now:
        raise Refused("it has already ended: nothing to pin")
    for known in listed(store):
        if store.mark(known.text) == store.mark(kept.text):
            store.database.run("UPDATE pins SET status = 'active', source = 'user', until = ? WHERE id = ?", (end, known.id))
            return Reply(ids=(known.id,), notices=kept.notices)
    _make_room(store)
    return Reply(ids=(add(store, kept.text, status="active", source="user", until=end),), notices=kept.notices)


def propose(store: Store, text: str, *, message_id: str, span: tuple[int, int] | None = None, until: str | None = None) -> str | None:
    """Pin a prohibition or obligation the user stated, with an end (his own, else the policy's); None when it is known or the region is full."""
    known = listed(store)
    if any(store.mark(old.text) == store.mark(text) for old in known) or len(known) >= store.policy.context.pins:
        return None
    until = until or stamp(datetime.fromisoformat(store.now) + timedelta(days=store.policy.capture.pin_days))
    return add(store, text, status="proposed", source="rule", until=until, message_id=message_id, span=span)


def add(
    store: Store, text: str, *, status: str, source: str, until: str | None, message_id: str | None = None, span: tuple[int, int] | None = None
) -> str:
    """Store a screened pin; returns its id."""
    pin_id = store.new_id("pin")
    store.database.insert(
        "pins",
        id=pin_id, text=text, status=status, source=source, project=store.scope.project, thread=store.scope.thread, message_id=message_id,
        created_at=store.now, until=until,
    )  # fmt: skip
    if message_id is not None:
        store.link(pin_id, message_id, *(span or (None, None)))
    return pin_id


def unpin(store: Store, pin_id: str) -> Reply:
    """Stop keeping it. Raises NotFound."""
    found = find(store, pin_id)
    store.database.run("DELETE FROM pins WHERE id = ?", (found.id,))
    store.database.run("DELETE FROM edges WHERE child = ?", (found.id,))
    return Reply(ids=(found.id,))


def find(store: Store, pin_id: str) -> Pin:
    """One pin that has not ended. Raises NotFound."""
    condition, values = eligibility.pins(store, "p", overview=True)
    row = store.database.one(f"SELECT p.* FROM pins p WHERE p.id = ? AND {condition}", (pin_id, *values))
    if row is None:
        raise NotFound("record")
    return from_row(Pin, row)


def listed(store: Store, *, overview: bool = False) -> list[Pin]:
    """Pins that have not ended, oldest first."""
    condition, values = eligibility.pins(store, "p", overview=overview)
    rows = store.database.all(f"SELECT p.* FROM pins p WHERE {condition} ORDER BY p.created_at, p.rowid", values)
    return [from_row(Pin, row) for row in rows]


def _make_room(store: Store) -> None:
    """The user's own pin goes before a proposed one: the oldest proposed pin gives way, an own one never does."""
    known = listed(store)
    if len(known) < store.policy.context.pins:
        return
    proposed = next((old for old in known if old.status == "proposed"), None)
    if proposed is None:
        raise Refused(f"the pinned region is full ({store.policy.context.pins}); unpin something first")
    unpin(store, proposed.id)
