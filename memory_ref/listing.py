"""What the user sees of what is stored: lists, and the revisions of one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memgauge.memory_ref import decisions, documents, eligibility, goals, labels, logs, notes, pins, reviews
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.records import DocumentRevision, Fact, Item, Message, Note, Reply, Summary, from_row, items
from memgauge.memory_ref.store import Store

EXTRA = ("superseded", "expired", "rejected")

_CHAIN = """WITH RECURSIVE chain (id) AS (VALUES (?) UNION
    SELECT f.id FROM facts f JOIN chain c ON f.superseded_by = c.id OR f.supersedes = c.id
        OR f.lineage = (SELECT lineage FROM facts WHERE id = c.id))"""


def listed(store: Store, kind: str = "facts", include: Sequence[str] = (), offset: int = 0, limit: int | None = None) -> Reply:
    """Live records of one kind (or all), newest last; `total` counts them before `offset` and `limit`. Raises Refused."""
    for status in include:
        if status not in EXTRA:
            raise Refused(f"unknown status; allowed: {', '.join(EXTRA)}")
    if offset < 0 or (limit is not None and limit < 0):
        raise Refused("offset and limit are not negative")
    if kind in logs.KINDS:
        found = logs.listed(store, kind)
    elif kind == "all":
        found = sorted((item for read in _LISTS.values() for item in read(store, include)), key=lambda item: item.created_at or "")
    elif kind in _LISTS:
        found = _LISTS[kind](store, include)
    else:
        raise Refused(f"unknown kind; allowed: {', '.join((*_LISTS, *logs.KINDS))}, all")
    page = found[offset:] if limit is None else found[offset : offset + limit]
    return items(page, total=len(found))


def history(store: Store, record: str) -> Reply:
    """The revisions of one fact (or what superseded it and what it superseded), document, or other record, oldest first."""
    if record.startswith("fact-"):
        condition, values = eligibility.facts(store, statuses=("active", "proposed", *EXTRA), overview=True)
        rows = store.database.all(
            f"{_CHAIN} SELECT f.* FROM facts f JOIN chain c ON c.id = f.id WHERE {condition} ORDER BY f.created_at, f.rowid", (record, *values)
        )
        found = [_fact(store, from_row(Fact, row)) for row in rows]
        if record in {item.id for item in found}:
            return items(found)
        raise NotFound("record")
    rows = store.database.all(
        """SELECT d.id, d.name, r.revision, r.text, r.author, r.created_at FROM documents d JOIN document_revisions r ON r.document = d.id
           WHERE d.id = ? OR d.name = ? ORDER BY r.revision""",
        (record, record),
    )
    if rows:
        return items([_document(from_row(DocumentRevision, row)) for row in rows])
    found = [item for read in _LISTS.values() for item in read(store, EXTRA) if item.id == record]
    if not found:
        raise NotFound("record")
    return items(found)


def _facts(store: Store, include: Sequence[str]) -> list[Item]:
    condition, values = eligibility.facts(store, overview=True)
    if include:
        marks = ", ".join("?" * len(include))
        seen, more = eligibility.facts(store, statuses=("active", "proposed", *EXTRA), overview=True)
        ended = "f.status IN ('active', 'proposed') AND f.expires_at <= ?" if "expired" in include else "0 AND ?"
        condition = f"(({condition}) OR ({seen} AND (f.status IN ({marks}) OR {ended})))"
        values = (*values, *more, *include, store.now)
    rows = store.database.all(f"SELECT f.* FROM facts f WHERE {condition} ORDER BY f.created_at, f.rowid", values)
    return [_fact(store, from_row(Fact, row)) for row in rows]


def _fact(store: Store, fact: Fact) -> Item:
    ended = fact.status in ("active", "proposed") and fact.expires_at is not None and fact.expires_at <= store.now
    return Item(
        id=fact.id, kind="fact", text=fact.text, source_ids=_sources(store, fact.id), status="expired" if ended else fact.status,
        label=labels.fact_label(fact, now=store.now, reconfirm_days=store.policy.facts.reconfirm_days), created_at=fact.created_at,
        confirmed_at=fact.confirmed_at, expires_at=fact.expires_at, scope=labels.fact_scope(fact), revision=fact.revision,
        reason=f"superseded by {fact.superseded_by}" if fact.status == "superseded" and fact.superseded_by else None,
    )  # fmt: skip


def _sources(store: Store, record: str) -> tuple[str, ...]:
    rows = store.database.all("SELECT e.parent FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = ? ORDER BY m.seq", (record,))
    return tuple(row["parent"] for row in rows)


def _notes(store: Store, include: Sequence[str]) -> list[Item]:
    statuses = ("active", "consolidated", *(status for status in include if status in ("superseded", "expired")))
    return [_note(store, note) for note in notes.listed(store, *statuses, overview=True)]


def _note(store: Store, note: Note) -> Item:
    return Item(
        id=note.id, kind="note", text=note.text, source_ids=_sources(store, note.id), status=note.status, created_at=note.created_at,
        label=labels.note_label(note, now=store.now, reconfirm_days=store.policy.facts.reconfirm_days), expires_at=note.expires_at,
        scope=labels.place(note.project),
    )  # fmt: skip


def _documents(store: Store, include: Sequence[str]) -> list[Item]:
    names = [row["name"] for row in store.database.all("SELECT name FROM documents ORDER BY updated_at, id")]
    return [_document(found) for name in names if (found := documents.newest(store, name)) is not None]


def _document(found: DocumentRevision) -> Item:
    return Item(
        id=found.id, kind="document", text=documents.without_marks(found.text), label=found.name, created_at=found.created_at, revision=found.revision
    )


def _messages(store: Store, include: Sequence[str]) -> list[Item]:
    project, values = eligibility.of_project(store, "m", overview=True)
    rows = store.database.all(
        f"""SELECT m.* FROM messages m JOIN threads t ON t.id = m.thread WHERE m.state != 'removed' AND m.on_branch = 1
            AND ((t.private = 0 AND m.state = 'live') OR t.id = ?) AND {project} ORDER BY m.seq""",
        (store.scope.thread, *values),
    )
    return [
        Item(id=m.id, kind="message", text=m.text, role=m.role, created_at=m.created_at, scope=labels.place(m.project))
        for m in (from_row(Message, row) for row in rows)
    ]


def _goals(store: Store, include: Sequence[str]) -> list[Item]:
    found = goals.listed(store, overview=True)
    return [
        Item(id=g.id, kind="goal", text=g.text, status=g.status, created_at=g.created_at, scope=labels.place(g.project), revision=g.revision)
        for g in found
    ]


def _decisions(store: Store, include: Sequence[str]) -> list[Item]:
    statuses = (*decisions.LIVE, *(status for status in include if status == "rejected"))
    found = decisions.listed(store, *statuses, overview=True)
    return [
        Item(
            id=d.id,
            kind="decision",
            text=d.text,
            status=d.status,
            label=d.kind,
            created_at=d.created_at,
            scope=labels.place(d.project),
            revision=d.revision,
        )
        for d in found
    ]


def _pins(store: Store, include: Sequence[str]) -> list[Item]:
    return [
        Item(id=p.id, kind="pin", text=p.text, status=p.status, created_at=p.created_at, expires_at=p.until, scope=labels.place(p.project))
        for p in pins.listed(store, overview=True)
    ]


def _reviews(store: Store, include: Sequence[str]) -> list[Item]:
    return [
        Item(
            id=r.id,
            kind="review",
            text=r.text,
            status=r.status,
            label=r.class_,
            reason=r.reason,
            created_at=r.created_at,
            source_ids=() if r.message_id is None else (r.message_id,),
        )
        for r in reviews.listed(store)
    ]


def _summaries(store: Store, include: Sequence[str]) -> list[Item]:
    rows = store.database.all(
        "SELECT s.* FROM summaries s JOIN threads t ON t.id = s.thread WHERE t.private = 0 OR t.id = ? ORDER BY s.created_at, s.rowid",
        (store.scope.thread,),
    )
    return [
        Item(id=s.id, kind="summary", text=s.text, source_ids=s.covered, created_at=s.created_at, scope=f"thread {s.thread}")
        for s in (from_row(Summary, row) for row in rows)
    ]


_LISTS: Mapping[str, Callable[[Store, Sequence[str]], list[Item]]] = {
    "facts": _facts,
    "messages": _messages,
    "notes": _notes,
    "documents": _documents,
    "goals": _goals,
    "summaries": _summaries,
    "pins": _pins,
    "decisions": _decisions,
    "review": _reviews,
}
