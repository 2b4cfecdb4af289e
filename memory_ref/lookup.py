"""Find exactly one record by id or by words, for correct, confirm and forget."""

from __future__ import annotations

from collections.abc import Sequence

from memgauge.memory_ref import decisions, eligibility, facts, goals, notes, pins
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.question import ask
from memgauge.memory_ref.recall import recall
from memgauge.memory_ref.records import Decision, Fact, Goal, Note, Pin, from_row
from memgauge.memory_ref.relevance import match_all
from memgauge.memory_ref.searching import RecallRequest
from memgauge.memory_ref.searchtext import terms
from memgauge.memory_ref.store import Store

Record = Fact | Note | Goal | Decision | Pin

LEAST = 0.5
"""A query that covers less than half of its weighted words finds nothing: correcting or deleting the wrong record costs more than asking again."""
CLOSE = 0.1
"""Records whose relevance is this near the best one fit the words as well: the user has to choose."""


def by_id(store: Store, record: str) -> Record:
    """The record with this id, if the scope may see it. Raises NotFound."""
    kind = record.partition("-")[0]
    if kind == "goal":
        return goals.find(store, record)
    if kind == "decision":
        return decisions.find(store, record)
    if kind == "pin":
        return pins.find(store, record)
    if kind == "note":
        return notes.find(store, record)
    return facts.find(store, record)


def one(store: Store, record: str | None, query: str | None) -> Record:
    """The record named by id, or the only one that a query fits best. Raises Refused with the candidates when several do."""
    if (record is None) == (query is None):
        raise Refused("name an id or a query, one of the two")
    return by_id(store, record) if record is not None else by_query(store, str(query))


def by_query(store: Store, query: str) -> Record:
    """Facts first; other kinds only when no fact fits. Raises NotFound or Refused."""
    for candidates in (_facts(store), _kept_in_order(store), notes.listed(store, overview=True)):
        found = _best(query, candidates)
        if len(found) > 1:
            ids = tuple(record.id for record in found)
            raise Refused(f"the words fit {len(ids)} records ({', '.join(ids)}); name one of them", candidates=ids)
        if found:
            return found[0]
    raise NotFound("record")


def message_by_query(store: Store, query: str) -> str:
    """The only message of the user that a query fits, where no record does. Raises NotFound or Refused."""
    found = recall(store, RecallRequest(query=query, k=5, kinds=("message",), min_score=LEAST), lambda text: 0).items
    close = [item.id for item in found if (item.score or 0.0) >= (found[0].score or 0.0) - CLOSE]
    if len(close) > 1:
        raise Refused(f"the words fit {len(close)} messages ({', '.join(close)}); name one of them", candidates=tuple(close))
    if not close:
        raise NotFound("record")
    return close[0]


def _facts(store: Store) -> list[Fact]:
    condition, values = eligibility.facts(store, overview=True)
    return [from_row(Fact, row) for row in store.database.all(f"SELECT f.* FROM facts f WHERE {condition}", values)]


def _kept_in_order(store: Store) -> list[Goal | Decision | Pin]:
    return [*goals.listed(store, overview=True), *decisions.listed(store, overview=True), *pins.listed(store, overview=True)]


def _best(query: str, candidates: Sequence[Record]) -> list[Record]:
    matches = match_all(ask(query), {record.id: (record.text, terms(record.text)) for record in candidates})
    top = max((match.relevance for match in matches.values()), default=0.0)
    if top < LEAST:
        return []
    return [record for record in candidates if record.id in matches and matches[record.id].relevance >= top - CLOSE]
