"""The retention job: what each layer no longer keeps. What has ended is invisible anyway; this frees the disk of it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from memgauge.memory_ref import access, backups, erase, eventlog, provenance, removal, tombstones
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store, stamp


def expire(store: Store) -> Reply:
    """Remove what is past its end or its layer's retention (see `policy.retention`), then erase the bytes."""
    keep = store.policy.retention
    removed: Counter[str] = Counter()
    removed += _facts(store)
    for sql, before in (
        ("SELECT id FROM notes WHERE expires_at <= ?", store.now),
        ("SELECT id FROM pins WHERE until <= ?", store.now),
        ("SELECT id FROM reviews WHERE created_at <= ?", _ago(store, keep.reviews_days)),
        ("SELECT id FROM summaries WHERE expires_at <= ?", store.now),
    ):
        removed += removal.remove(store, [row["id"] for row in store.database.all(sql, (before,))])
    removed += removal.remove_messages(store, _old_messages(store))
    store.database.run("DELETE FROM threads WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.thread = threads.id)")
    if _lapsed(store):
        kinds = ("facts", "notes", "bullets", "summaries", "reviews", "pins", "goals", "decisions")
        removed += removal.remove(store, [row["id"] for table in kinds for row in store.database.all(f"SELECT id FROM {table}")])
    for table, column, days in (
        ("operations", "at", keep.logs_days),
        ("retrievals", "at", keep.logs_days),
        ("idempotency", "created_at", keep.idempotency_days),
    ):
        removed[table] += store.database.run(f"DELETE FROM {table} WHERE {column} <= ?", (_ago(store, days),))
    removed["events"] += eventlog.purge(store, _ago(store, keep.logs_days))
    removed["backups"] += backups.purge(store)
    erase.prepare(store)
    return Reply(data={"removed": dict(+removed)})


def _facts(store: Store) -> Counter[str]:
    """Facts past their end, and superseded or rejected ones past the audit chain's retention. The messages they were read from stay
    as conversation; recall must not quote them in the facts' place, nor a rebuild read them again."""
    ended = store.database.all(
        "SELECT id, slot FROM facts WHERE expires_at <= ? OR (status IN ('superseded', 'expired', 'rejected') AND updated_at <= ?)",
        (store.now, _ago(store, store.policy.retention.superseded_days)),
    )
    for fact in ended:
        for span in provenance.spans(store, fact["id"]):
            store.database.run("UPDATE messages SET recallable = 0 WHERE id = ?", (span.message_id,))
            if fact["slot"]:
                tombstones.put(store, message_id=span.message_id, slot=fact["slot"])
    return removal.remove(store, [fact["id"] for fact in ended])


def _old_messages(store: Store) -> list[str]:
    """Messages of private threads whose last message is older than their retention, and of any thread older than its own."""
    keep = store.policy.retention
    rows = store.database.all(
        """SELECT m.id FROM messages m JOIN threads t ON t.id = m.thread
           WHERE t.private = 1 AND (SELECT max(l.created_at) FROM messages l WHERE l.thread = t.id) <= ?""",
        (_ago(store, keep.private_days),),
    )
    if keep.messages_days is not None:
        rows += store.database.all("SELECT id FROM messages WHERE created_at <= ?", (_ago(store, keep.messages_days),))
    return sorted({row["id"] for row in rows})


def _lapsed(store: Store) -> bool:
    since, end = access.lapsed_since(store), access.state(store).memory_expires_at
    if end is not None and end <= store.now:
        return True
    return since is not None and since <= _ago(store, store.policy.retention.lapsed_days)


def _ago(store: Store, days: float) -> str:
    return stamp(datetime.fromisoformat(store.now) - timedelta(days=days))
