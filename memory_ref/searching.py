"""The search of a recall: rows of the index that the scope may see, by kind, before anything is ranked.

In two steps, since a question matches hundreds of rows and a few are shown: `candidates` reads the words alone, `hits` the whole records
of those that are relevant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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
_CHUNK = 256
"""Rows of the index looked at before the permissions of the next ones are."""
_SENSITIVE = """EXISTS (SELECT 1 FROM edges e JOIN facts s ON s.id = e.child
    WHERE e.parent = {message} AND s.status IN ('active', 'proposed') AND s.sensitivity = 'high' AND s.always = 0)"""
_CONTESTED = "EXISTS (SELECT 1 FROM reviews v WHERE v.slot = f.slot AND v.status = 'pending' AND v.control = 0)"


@dataclass(frozen=True, slots=True)
class _Table:
    """Where records of a kind stand: table, its type, alias, and the columns beside its own that a hit needs."""

    name: str
    type: type[Fact] | type[Decision] | type[Note] | type[Message]
    alias: str
    slot: str = "NULL"
    sensitive: str = "0"
    contested: str = "0"


_TABLES: Mapping[str, _Table] = {
    "fact": _Table("facts", Fact, "f", "f.slot", "f.sensitivity = 'high' AND f.always = 0", _CONTESTED),
    "decision": _Table("decisions", Decision, "d"),
    "note": _Table("notes", Note, "n", "n.slot", _SENSITIVE.format(message="n.message_id")),
    "message": _Table("messages", Message, "m", sensitive=_SENSITIVE.format(message="m.id")),
}


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


class Candidate(NamedTuple):
    """The words of a record that a question may be about. `passage`: it is one of a document, and complete. (A tuple: hundreds are made for
    one question.)"""

    kind: str
    id: str
    text: str
    slot: str | None = None
    passage: DocumentRevision | None = None

    def terms(self) -> frozenset[str]:
        """What it can be found by: the words of its text, and of its slot."""
        return terms(with_slot(self.text, self.slot))


def candidates(store: Store, request: RecallRequest, expression: str) -> list[Candidate]:
    """What a full-text expression finds and the scope may see; each kind is limited for itself, so that none pushes out another."""
    limit = max(store.policy.recall.candidates, request.k or 0)
    kinds = {kind: _condition(store, request, kind) for kind in _TABLES if _asked_for(request, kind)}
    found: dict[str, list[Candidate]] = {kind: [] for kind in PRECEDENCE}
    most = {kind: int(store.database.value(f"SELECT count(*) FROM (SELECT 1 FROM {_TABLES[kind].name} LIMIT ?)", (limit,))) for kind in kinds}
    for rows in _in_order(store, expression) if any(most.values()) else ():
        ids: dict[str, list[str]] = {kind: [] for kind, number in most.items() if number > len(found[kind])}
        for kind, record in rows:
            if kind in ids and record not in request.within:
                ids[kind].append(record)
        for kind, some in ids.items():
            found[kind] += _permitted(store, kind, some, kinds[kind])[: limit - len(found[kind])]
        if all(number <= len(found[kind]) for kind, number in most.items()):
            break
    found["document"] = _passages(store, request)
    return [one for kind in PRECEDENCE for one in found[kind]]


def hits(store: Store, chosen: Sequence[Candidate]) -> list[Hit]:
    """The whole records of some candidates, in their order."""
    read: dict[str, Hit] = {}
    for kind, table in _TABLES.items():
        ids = [one.id for one in chosen if one.kind == kind]
        if not ids:
            continue
        sql = f"""SELECT {table.alias}.*, {table.sensitive} AS needs_invitation, {table.contested} AS contested,
                (SELECT group_concat(p.id, char(0)) FROM edges e JOIN messages p ON p.id = e.parent WHERE e.child = {table.alias}.id) AS sources
            FROM {table.name} {table.alias} WHERE {table.alias}.id IN (SELECT value FROM json_each(?))"""
        for row in store.database.all(sql, (json.dumps(ids),)):
            sources = (row["id"],) if kind == "message" else tuple(row["sources"].split("\0")) if row["sources"] else ()
            read[row["id"]] = Hit(from_row(table.type, row), sources, bool(row["needs_invitation"]), bool(row["contested"]))
    return [read[one.id] if one.passage is None else Hit(one.passage) for one in chosen]


def _in_order(store: Store, expression: str) -> Iterator[list[Row]]:
    """Every row of the index that matches, kind and id, best first. (The LIMIT keeps SQLite from dropping the inner order.)"""
    return store.database.chunks(
        """SELECT r.kind, r.record FROM (SELECT rowid AS n FROM search_index WHERE search_index MATCH ?
           ORDER BY bm25(search_index), rowid LIMIT -1) best CROSS JOIN search_rows r ON r.n = best.n""",
        (expression,),
        size=_CHUNK,
    )


def _permitted(store: Store, kind: str, ids: list[str], condition: eligibility.Condition) -> list[Candidate]:
    """Those of some records that the scope may see, in their order."""
    if not ids:
        return []
    table = _TABLES[kind]
    sql = f"""SELECT {table.alias}.id, {table.alias}.text, {table.slot} AS slot FROM {table.name} {table.alias}
        WHERE {table.alias}.id IN (SELECT value FROM json_each(?)) AND {condition[0]}"""
    rows = {row[0]: row for row in store.database.all(sql, (json.dumps(ids), *condition[1]))}
    return [Candidate(kind, *rows[one]) for one in ids if one in rows]


def _asked_for(request: RecallRequest, kind: str) -> bool:
    return request.wants(kind) or (kind == "fact" and any(request.wants(one) for one in FACT_KINDS))


def _condition(store: Store, request: RecallRequest, kind: str) -> eligibility.Condition:
    """What a record of the kind must fulfil: permission, the request's time, and of facts its kinds."""
    alias = _TABLES[kind].alias
    permitted = {"fact": eligibility.facts, "decision": eligibility.decisions, "note": eligibility.notes, "message": eligibility.messages}[kind]
    condition, values = permitted(store, alias)
    if kind == "decision":
        condition += " AND d.status IN ('accepted', 'locked')"
    if kind == "fact" and not request.wants("fact"):
        wanted = [one for one in FACT_KINDS if request.wants(one)]
        condition, values = f"{condition} AND f.kind IN ({', '.join('?' * len(wanted))})", (*values, *wanted)
    for comparison, instant in ((">=", request.since), ("<=", request.until)):
        if instant is not None:
            condition, values = f"{condition} AND {alias}.created_at {comparison} ?", (*values, instant)
    return condition, values


def _passages(store: Store, request: RecallRequest) -> list[Candidate]:
    """The passages of what the user wrote by hand: few, so that they need no index."""
    if not request.wants("document"):
        return []
    names = store.database.all("SELECT name FROM documents WHERE name != ? ORDER BY name", (store.policy.consolidation.document,))
    written = [one for row in names if (one := documents.newest(store, row["name"])) is not None]
    return [
        Candidate("document", one.id, passage.strip(), None, replace(one, text=passage.strip()))
        for one in written
        if (request.since or "") <= one.created_at <= (request.until or "~")
        for passage in passages(documents.without_marks(one.text))
    ]
