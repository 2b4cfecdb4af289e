"""Forget: out of every read path at once, along the source chain, with marks that stop it from being learnt again.

What goes: the record through all its revisions, everything derived from it, the passage of the message it was read from and
sentences that only repeat it, its index rows and log lines. Whether the bytes are gone as well is `erase`'s matter.
"""

from __future__ import annotations

from collections import Counter

from memgauge.memory_ref import backups, cutting, derived, documents, erase, eventlog, history, lookup, provenance, removal, reviews, tombstones
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.records import Fact, Message, Reply, from_row
from memgauge.memory_ref.store import Store


def forget(
    store: Store,
    record: str | None = None,
    query: str | None = None,
    message_id: str | None = None,
    thread: str | None = None,
    *,
    keep_source: bool = False,
    erase_bytes: bool = True,
) -> Reply:
    """Forget one record, found by id or by words, or one message or thread with all that came from it only.

    `keep_source` leaves messages readable in their own thread and bars them from everything else. Raises NotFound, Refused.
    """
    if sum(part is not None for part in (record, query, message_id, thread)) != 1:
        raise Refused("name an id, a query, a message or a thread, one of the four")
    if thread is not None:
        removed = _thread(store, thread, keep_source=keep_source)
        return _report(store, (), removed, erase_bytes=erase_bytes)
    target = message_id if message_id is not None else _target(store, record, query)
    if message_id is not None or _is_message(store, target):
        ids, removed = _message(store, history.message(store, target), keep_source=keep_source)
    elif target.startswith("document-"):
        ids, removed = (target,), Counter(documents.drop(store, target))
    else:
        ids, removed = _record(store, target, keep_source=keep_source)
    return _report(store, ids, removed, erase_bytes=erase_bytes)


def forget_all(store: Store) -> Reply:
    """Remove everything of this user but the access state, the marks of what was forgotten, the list of backups, and the keys of past
    requests with a keyed hash: a request that is sent once more must not bring back what it wrote."""
    removed: Counter[str] = Counter()
    for table in (*removal.TABLES.values(), "document_revisions", "messages", "threads", "edges", "operations", "retrievals"):
        removed[table] += int(store.database.value(f"SELECT count(*) FROM {table}"))
        store.database.run(f"DELETE FROM {table}")
    store.database.run("DELETE FROM search_rows")
    store.database.run("UPDATE idempotency SET ids = '[]', revision = NULL")
    eventlog.clear(store)
    return _report(store, (), +removed, erase_bytes=True)


def _target(store: Store, record: str | None, query: str | None) -> str:
    """The id of what is meant: a record, or a message. Words that fit no record may fit a message."""
    if record is None:
        try:
            return lookup.one(store, None, query).id
        except NotFound:
            return lookup.message_by_query(store, str(query))
    kind = record.partition("-")[0]
    if kind == "document" or _is_message(store, record):
        return record
    if kind == "review":
        return reviews.find(store, record).id
    if kind in ("summary", "bullet"):
        if store.database.value(f"SELECT 1 FROM {removal.TABLES[kind]} WHERE id = ?", (record,)) is None:
            raise NotFound("record")
        return record
    return lookup.one(store, record, None).id


def _report(store: Store, ids: tuple[str, ...], removed: Counter[str], *, erase_bytes: bool) -> Reply:
    if erase_bytes:
        erase.prepare(store)
    held = backups.listed(store)
    notices = tuple(f"a backup of {backup['created_at']} still holds it until {backup['expires_at']}" for backup in held)
    return Reply(ids=ids, notices=notices, data={"removed": dict(removed), "backups": held})


def _record(store: Store, record: str, *, keep_source: bool) -> tuple[tuple[str, ...], Counter[str]]:
    roots = _lineage(store, record)
    if record.startswith("bullet-"):  # its sources would only bring it back
        roots |= {row["parent"] for row in store.database.all("SELECT parent FROM edges WHERE child = ?", (record,))}
    doomed = _with_derived(store, roots.union(*(derived.twins(store, root) for root in roots)))
    texts = _texts(store, doomed)
    touched: dict[str, list[cutting.Range]] = {}
    for one, text in texts.items():
        for span in provenance.spans(store, one):
            message = from_row(Message, store.database.one("SELECT * FROM messages WHERE id = ?", (span.message_id,)))  # type: ignore[arg-type]
            known = span.first is not None and span.past is not None
            touched.setdefault(span.message_id, []).append((span.first, span.past) if known else cutting.passage(message, text))  # type: ignore[arg-type]
    _mark(store, doomed, whole_messages=keep_source)
    removed = removal.remove(store, doomed)
    return tuple(sorted(doomed)), removed + _sources(store, touched, list(texts.values()), keep_source=keep_source)


def _message(store: Store, message: Message, *, keep_source: bool) -> tuple[tuple[str, ...], Counter[str]]:
    doomed: set[str] = set()
    for child in (row["child"] for row in store.database.all("SELECT child FROM edges WHERE parent = ?", (message.id,))):
        others = store.database.value(
            "SELECT 1 FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = ? AND e.parent != ? AND m.state = 'live'", (child, message.id)
        )
        if child.startswith("summary-"):
            continue  # ended and made anew below
        if others:
            store.database.run("DELETE FROM edges WHERE child = ? AND parent = ?", (child, message.id))
        else:
            doomed |= _with_derived(store, _lineage(store, child))
    texts = _texts(store, doomed)
    _mark(store, doomed, whole_messages=keep_source)
    tombstones.put(store, message_id=message.id)
    removed = removal.remove(store, doomed)
    touched = {message.id: [(0, len(message.text))]}
    removed += _sources(store, touched, list(texts.values()), keep_source=keep_source)
    return (message.id, *sorted(doomed)), removed


def _thread(store: Store, thread: str, *, keep_source: bool) -> Counter[str]:
    """A whole thread, of all branches. Its messages go for good, not to placeholders: there is no conversation left to keep in order."""
    messages = {row["id"] for row in store.database.all("SELECT id FROM messages WHERE thread = ?", (thread,))}
    if not messages:
        raise NotFound("thread")
    inside = "SELECT id FROM messages WHERE thread = ?"
    children = {row["child"] for row in store.database.all(f"SELECT child FROM edges WHERE parent IN ({inside})", (thread,))}
    elsewhere = {
        row["child"]
        for row in store.database.all(
            f"""SELECT e.child FROM edges e JOIN messages m ON m.id = e.parent
                WHERE m.thread != ? AND e.child IN (SELECT child FROM edges WHERE parent IN ({inside}))""",
            (thread, thread),
        )
    }
    doomed: set[str] = set()
    for child in children - elsewhere:
        doomed |= _with_derived(store, _lineage(store, child))
    _mark(store, doomed, whole_messages=keep_source)
    for message in sorted(messages):
        tombstones.put(store, message_id=message)
    removed = removal.remove(store, doomed)
    if keep_source:
        store.database.run("UPDATE messages SET state = 'barred' WHERE thread = ? AND state = 'live'", (thread,))
        for message in sorted(messages):
            store.unindex(message)
        return removed
    removed += removal.remove_messages(store, sorted(messages))
    store.database.run("DELETE FROM threads WHERE id = ?", (thread,))
    eventlog.forget_thread(store, thread)
    return removed


def _sources(store: Store, touched: dict[str, list[cutting.Range]], records: list[str], *, keep_source: bool) -> Counter[str]:
    """Cut or bar the messages, and cut what only repeats them."""
    removed: Counter[str] = Counter()
    threads = {store.scope.thread or ""}
    ended: list[derived.Ended] = []
    passages: list[str] = []
    for message_id, cuts in touched.items():
        message = from_row(Message, store.database.one("SELECT * FROM messages WHERE id = ?", (message_id,)))  # type: ignore[arg-type]
        threads.add(message.thread)
        ended += derived.end_summaries(store, message_id)
        if keep_source:
            store.database.run("UPDATE messages SET state = 'barred' WHERE id = ? AND state = 'live'", (message_id,))
            store.unindex(message_id)
        else:
            passages += [sentence for first, past in cuts for _, sentence in cutting.sentences(message.text[first:past])]
            cutting.ranges(store, message, cuts)
            removed["passages"] += len(cuts)
    if not keep_source:
        records = [text for text in records if store.database.value("SELECT 1 FROM facts WHERE normal = ?", (store.mark(text),)) is None]
        for message_id, cuts in cutting.echoes(store, threads, records, passages).items():
            message = from_row(Message, store.database.one("SELECT * FROM messages WHERE id = ?", (message_id,)))  # type: ignore[arg-type]
            ended += derived.end_summaries(store, message_id)
            cutting.ranges(store, message, cuts)
            removed["passages"] += len(cuts)
    derived.renew_summaries(store, ended)
    removed["summaries"] += len(ended)
    return +removed


def _lineage(store: Store, record: str) -> set[str]:
    rows = store.database.all("SELECT id FROM facts WHERE lineage = (SELECT lineage FROM facts WHERE id = ?)", (record,))
    return {record, *(row["id"] for row in rows)}


def _with_derived(store: Store, records: set[str]) -> set[str]:
    """The records, what was derived from them, and the reviews that made them."""
    doomed = set(records)
    for record in sorted(records):
        doomed.update(provenance.descendants(store, record))
    return doomed | {row["id"] for row in store.database.all("SELECT id, record FROM reviews WHERE record IS NOT NULL") if row["record"] in doomed}


def _texts(store: Store, records: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for record in sorted(records):
        table = removal.TABLES.get(record.partition("-")[0])
        if table not in (None, "documents", "summaries", "bullets"):
            text = store.database.value(f"SELECT text FROM {table} WHERE id = ?", (record,))
            if text is not None:
                found[record] = text
    return found


def _mark(store: Store, doomed: set[str], *, whole_messages: bool) -> None:
    for record in sorted(doomed):
        if record.startswith(("note-", "review-")):
            text = store.database.value(f"SELECT text FROM {removal.TABLES[record.partition('-')[0]]} WHERE id = ?", (record,))
            tombstones.put(store, mark=store.mark(str(text)))
        row = store.database.one("SELECT * FROM facts WHERE id = ?", (record,))
        if row is None:
            continue
        fact = from_row(Fact, row)
        tombstones.put(store, mark=fact.normal)
        for span in provenance.spans(store, fact.id):
            if fact.slot or whole_messages:
                tombstones.put(store, message_id=span.message_id, slot=None if whole_messages else fact.slot)


def _is_message(store: Store, record: str) -> bool:
    return store.database.value("SELECT 1 FROM messages WHERE id = ?", (record,)) is not None
