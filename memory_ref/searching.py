"""The search of a recall: rows of the index that the scope may see, by kind, before anything is ranked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memgauge.memory_ref import documents, eligibility
from memgauge.memory_ref.database import Row
from memgauge.memory_ref.excerpts import passages
from memgauge.memory_ref.records import Decision, DocumentRevision, Fact, Message, Note, from_row
from memgauge.memory_ref.searchtext import terms, with_slot
from memgauge.memory_ref.store import Store

Record = Fact | Decision | DocumentRevision | Note | Message
PRECEDENCE = {"fact": 0, "decision": 1, "document": 2, "note": 3, "message": 4}
"""The kinds of record that are recalled; of two that say the same the earlier one is kept."""
FACT_KINDS = ("profile", "episodic", "procedural", "working")
KINDS = (*PRECEDENCE, *FACT_KINDS)
"""What a request may be narrowed to."""

_KIND_OF = {Fact: "fact", Decision: "decision", DocumentRevision: "document", Note: "note", Message: "message"}
_SENSITIVE = """EXISTS (SELECT 1 FROM edges e JOIN facts s ON s.id = e.child
    WHERE e.parent = {message} AND s.status IN ('active', 'proposed') AND s.sensitivity = 'high' AND s.always = 0)"""
_CONTESTED = "EXISTS (SELECT 1 FROM reviews v WHERE v.slot = f.slot AND v.status = 'pending' AND v.control = 0)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What is asked. `kinds`: some of KINDS; empty: all. `since` and `until` are stored instants, both included. `within`: ids of messages
    that the reader sees already. None means the policy's value."""

    query: str
    k: int | None = None
    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    min_score: float | None = None
    within: frozenset[str] = frozenset()

    def wants(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds


@dataclass(frozen=True, slots=True)
class Hit:
    """A record and the messages it was derived from. `sensitive`: needs an invitation. `contested`: a contradiction awaits the user."""

    record: Record
    sources: tuple[str, ...] = ()
    sensitive: bool = False
    contested: bool = False

    @property
    def kind(self) -> str:
        return _KIND_OF[type(self.record)]

    def terms(self) -> frozenset[str]:
        """What it can be found by: the words of its text, and of its slot."""
        return terms(with_slot(self.record.text, self.record.slot) if isinstance(self.record, Fact | Note) else self.record.text)


def find(store: Store, request: RecallRequest, expression: str) -> list[Hit]:
    """The hits of a full-text expression; each kind is limited for itself, so that none pushes out another."""
    return [
        *_facts(store, request, expression),
        *_decisions(store, request, expression),
        *_passages(store, request),
        *_notes(store, request, expression),
        *_messages(store, request, expression),
    ]


def _facts(store: Store, request: RecallRequest, expression: str) -> list[Hit]:
    kinds = [kind for kind in FACT_KINDS if request.wants(kind) or request.wants("fact")]
    if not kinds:
        return []
    condition, values = eligibility.facts(store, "f")
    condition, values = f"{condition} AND f.kind IN ({', '.join('?' * len(kinds))})", (*values, *kinds)
    rows = _matching(store, request, expression, ("facts", "f", "fact"), condition, values, f", {_CONTESTED} AS contested")
    facts = [(from_row(Fact, row), row) for row in rows]
    return [Hit(fact, _listed(row["sources"]), fact.sensitivity == "high" and not fact.always, bool(row["contested"])) for fact, row in facts]


def _decisions(store: Store, request: RecallRequest, expression: str) -> list[Hit]:
    if not request.wants("decision"):
        return []
    condition, values = eligibility.decisions(store, "d")
    condition += " AND d.status IN ('accepted', 'locked')"
    rows = _matching(store, request, expression, ("decisions", "d", "decision"), condition, values)
    return [Hit(from_row(Decision, row), _listed(row["sources"])) for row in rows]


def _passages(store: Store, request: RecallRequest) -> list[Hit]:
    """The passages of what the user wrote by hand: few, so that they need no index."""
    if not request.wants("document"):
        return []
    names = store.database.all("SELECT name FROM documents WHERE name != ? ORDER BY name", (store.policy.consolidation.document,))
    written = [one for row in names if (one := documents.newest(store, row["name"])) is not None]
    return [
        Hit(replace(one, text=passage.strip()))
        for one in written
        if (request.since or "") <= one.created_at <= (request.until or "~")
        for passage in passages(documents.without_marks(one.text))
    ]


def _notes(store: Store, request: RecallRequest, expression: str) -> list[Hit]:
    if not request.wants("note"):
        return []
    condition, values = eligibility.notes(store, "n")
    about = f", {_SENSITIVE.format(message='n.message_id')} AS sensitive"
    rows = _matching(store, request, expression, ("notes", "n", "note"), condition, values, about)
    return [Hit(from_row(Note, row), _listed(row["sources"]), bool(row["sensitive"])) for row in rows]


def _messages(store: Store, request: RecallRequest, expression: str) -> list[Hit]:
    if not request.wants("message"):
        return []
    condition, values = eligibility.messages(store, "m")
    about = f", {_SENSITIVE.format(message='m.id')} AS sensitive"
    rows = _matching(store, request, expression, ("messages", "m", "message"), condition, values, about)
    return [Hit(from_row(Message, row), (row["id"],), bool(row["sensitive"])) for row in rows if row["id"] not in request.within]


def _matching(
    store: Store, request: RecallRequest, expression: str, table: tuple[str, str, str], condition: str, values: tuple[object, ...], columns: str = ""
) -> list[Row]:
    """The best rows of a table (its name, alias, and kind in the index) that match and may be seen, with the ids of their source messages.
    The inner query is in bm25's order (its LIMIT keeps SQLite from dropping that), and the joins follow it, so that the permission of a
    row is looked at only until there are enough."""
    name, alias, kind = table
    if store.database.value(f"SELECT 1 FROM {name} LIMIT 1") is None:  # spares a pass over every row that matches
        return []
    span = ""
    for comparison, instant in ((">=", request.since), ("<=", request.until)):
        if instant is not None:
            span += f" AND {alias}.created_at {comparison} ?"
            values = (*values, instant)
    sql = f"""SELECT {alias}.*{columns},
            (SELECT group_concat(p.id, char(0)) FROM edges e JOIN messages p ON p.id = e.parent WHERE e.child = {alias}.id) AS sources
        FROM (SELECT rowid AS n FROM search_index WHERE search_index MATCH ? ORDER BY bm25(search_index), rowid LIMIT -1) best
        CROSS JOIN search_rows r ON r.n = best.n CROSS JOIN {name} {alias} ON {alias}.id = r.record
        WHERE r.kind = '{kind}' AND {condition}{span} LIMIT ?"""
    return store.database.all(sql, (expression, *values, max(store.policy.recall.candidates, request.k or 0)))


def _listed(joined: str | None) -> tuple[str, ...]:
    return tuple(joined.split("\0")) if joined else ()
