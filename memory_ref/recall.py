"""Recall: which stored records help with a text. Eligibility first, ranking second, then minimum, top k and token cap.

The index only finds candidates; `relevance` decides. Empty is a good answer. Nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memgauge.clock import parse_instant
from memgauge.memory_ref import access, eligibility, labels, transcripts
from memgauge.memory_ref.counting import cached_counter
from memgauge.memory_ref.database import Row
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.excerpts import excerpt
from memgauge.memory_ref.question import Question, ask
from memgauge.memory_ref.records import Decision, Fact, Item, Message, Note, Reply, from_row, items
from memgauge.memory_ref.relevance import CLASS_EDGE, Match, match_all, names_subject, score
from memgauge.memory_ref.searchtext import terms, with_slot
from memgauge.memory_ref.store import Store, normalised, stamp
from memgauge.tokens import DEFAULT_ENCODING, TokenCount

EXCERPT_CHARACTERS = 600
"""Longest quotation of a message, in characters: about 150 English tokens, so that five fit the default token cap."""

INVITED = 0.5
"""A sensitive record is asked for when the question names its subject in a content word, and half of the question is about it."""
FAR_BEHIND = 0.4
"""A quotation with less than this share of the best relevance is left out. Own choice: half of a two-word match stays."""

_PRECEDENCE = {"fact": 0, "decision": 1, "note": 2, "message": 3}
KINDS = (*_PRECEDENCE, "profile", "procedural", "episodic", "working")
"""What a request may be narrowed to: kinds of record, and kinds of fact."""

Record = Fact | Decision | Note | Message
_SENSITIVE = """EXISTS (SELECT 1 FROM edges e JOIN facts s ON s.id = e.child
    WHERE e.parent = {message} AND s.status IN ('active', 'proposed') AND s.sensitivity = 'high' AND s.always = 0)"""
_CONTESTED = "EXISTS (SELECT 1 FROM reviews v WHERE v.slot = f.slot AND v.status = 'pending' AND v.control = 0)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What is asked. `kinds`: fact, decision, note, message, or a fact's kind; empty: all. `since` and `until` are stored instants, both
    included. `within`: ids of messages that the reader sees already. None means the policy's value."""

    query: str
    k: int | None = None
    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    min_score: float | None = None
    within: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recalled:
    """The items, best first, and how many more there were, by why they are not among them."""

    items: tuple[Item, ...] = ()
    withheld: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Candidate:
    record: Record
    sources: tuple[str, ...]
    rank: float
    sensitive: bool = False
    contested: bool = False

    @property
    def kind(self) -> str:
        return {Fact: "fact", Decision: "decision", Note: "note", Message: "message"}[type(self.record)]

    def terms(self) -> frozenset[str]:
        return terms(with_slot(self.record.text, self.record.slot) if isinstance(self.record, Fact | Note) else self.record.text)


@dataclass(frozen=True, slots=True)
class _Ranked:
    candidate: _Candidate
    match: Match
    value: float
    reason: str


def answer(
    store: Store,
    query: str,
    *,
    k: int | None = None,
    kinds: Sequence[str] = (),
    since: str | None = None,
    until: str | None = None,
    min_score: float | None = None,
) -> Reply:
    """The verb `recall`. Where memory may not be used the answer is empty and says why. Raises InputError for a time that is none,
    Refused for an unknown kind, StoreError."""
    unknown = sorted(set(kinds) - set(KINDS))
    if unknown:
        raise Refused(f"unknown kind {', '.join(unknown)}; allowed: {', '.join(KINDS)}")
    reason = access.obstacle(store)
    if reason is None and access.is_private(store) and not store.policy.context.memory_in_private:
        reason = "a private thread sees no memory"
    if reason is not None:
        return items([], withheld={reason: 1})
    span = [None if instant is None else stamp(parse_instant(instant)) for instant in (since, until)]
    request = RecallRequest(query=query, k=k, kinds=tuple(kinds), since=span[0], until=span[1], min_score=min_score)
    found = recall(store, request, cached_counter(DEFAULT_ENCODING))
    return items(list(found.items), withheld=dict(found.withheld))


def recall(store: Store, request: RecallRequest, count: TokenCount) -> Recalled:
    """Records that help with the query, best first. Raises StoreError when the store or its index cannot be read."""
    policy = store.policy.recall
    if not policy.enabled:
        return Recalled()
    if policy.order == "bm25":
        return Recalled(transcripts.recall(store, request.query, policy.k if request.k is None else request.k))
    question = ask(request.query).bounded(_rows_with(store))
    expression = question.expression()
    if not expression:
        return Recalled()
    candidates = _candidates(store, request, expression)
    withheld: Counter[str] = Counter()
    ranked = _ranked(store, request, question, candidates, withheld)
    ranked = _without_repeats(ranked, withheld)
    k = policy.k if request.k is None else request.k
    withheld["beyond k"] += max(0, len(ranked) - k)
    kept = _within_tokens([_item(store, one, question) for one in ranked[:k]], policy.token_cap, count, withheld)
    return Recalled(tuple(kept), {why: n for why, n in sorted(withheld.items()) if n})


def _rows_with(store: Store) -> Callable[[str], int]:
    def count(term: str) -> int:
        return int(store.database.value("SELECT doc FROM search_terms WHERE term = ?", (term,)) or 0)

    return count


def _candidates(store: Store, request: RecallRequest, expression: str) -> list[_Candidate]:
    """Rows of the index that may be seen, by kind, each kind limited for itself so that none pushes out another."""
    found: list[_Candidate] = []
    condition, values = eligibility.facts(store, "f")
    fact_kinds = [kind for kind in request.kinds if kind in ("profile", "episodic", "procedural", "working")]
    if not request.kinds or "fact" in request.kinds or fact_kinds:
        if fact_kinds and "fact" not in request.kinds:
            condition, values = f"{condition} AND f.kind IN ({', '.join('?' * len(fact_kinds))})", (*values, *fact_kinds)
        for row in _matching(store, request, expression, ("facts", "f", "fact"), condition, values, f", {_CONTESTED} AS contested"):
            fact = from_row(Fact, row)
            sensitive = fact.sensitivity == "high" and not fact.always
            found.append(_Candidate(fact, _listed(row["sources"]), row["rank"], sensitive, bool(row["contested"])))
    if not request.kinds or "decision" in request.kinds:
        condition, values = eligibility.decisions(store, "d")
        condition += " AND d.status IN ('accepted', 'locked')"
        for row in _matching(store, request, expression, ("decisions", "d", "decision"), condition, values, ""):
            found.append(_Candidate(from_row(Decision, row), _listed(row["sources"]), row["rank"]))
    if not request.kinds or "note" in request.kinds:
        condition, values = eligibility.notes(store, "n")
        about = f", {_SENSITIVE.format(message='n.message_id')} AS sensitive"
        for row in _matching(store, request, expression, ("notes", "n", "note"), condition, values, about):
            found.append(_Candidate(from_row(Note, row), _listed(row["sources"]), row["rank"], bool(row["sensitive"])))
    if not request.kinds or "message" in request.kinds:
        condition, values = eligibility.messages(store, "m")
        about = f", {_SENSITIVE.format(message='m.id')} AS sensitive"
        for row in _matching(store, request, expression, ("messages", "m", "message"), condition, values, about):
            if row["id"] not in request.within:
                found.append(_Candidate(from_row(Message, row), (row["id"],), row["rank"], bool(row["sensitive"])))
    return found


def _matching(
    store: Store, request: RecallRequest, expression: str, table: tuple[str, str, str], condition: str, values: tuple[object, ...], columns: str
) -> list[Row]:
    name, alias, kind = table
    span = ""
    for comparison, instant in ((">=", request.since), ("<=", request.until)):
        if instant is not None:
            span += f" AND {alias}.created_at {comparison} ?"
            values = (*values, instant)
    sql = f"""SELECT {alias}.*, bm25(search_index) AS rank{columns},
            (SELECT group_concat(p.id, char(0)) FROM edges e JOIN messages p ON p.id = e.parent WHERE e.child = {alias}.id) AS sources
        FROM search_index JOIN search_rows r ON r.n = search_index.rowid JOIN {name} {alias} ON {alias}.id = r.record
        WHERE search_index MATCH ? AND r.kind = '{kind}' AND {condition}{span} ORDER BY rank, {alias}.id LIMIT ?"""
    return store.database.all(sql, (expression, *values, max(store.policy.recall.candidates, request.k or 0)))


def _ranked(store: Store, request: RecallRequest, question: Question, found: list[_Candidate], withheld: Counter[str]) -> list[_Ranked]:
    """Those above the minimum that may be shown uninvited, best first."""
    policy = store.policy.recall
    quoted = frozenset(one.record.id for one in found if one.kind == "message")
    matches = match_all(question, {one.record.id: (one.record.text, one.terms()) for one in found}, quoted=quoted)
    minimum = policy.min_score if request.min_score is None else request.min_score
    asked = terms(request.query)
    ranked: list[_Ranked] = []
    for one in found:
        match = matches.get(one.record.id)
        if match is None or match.relevance < minimum:
            withheld["below the minimum"] += match is not None
        elif policy.invitation_needed and one.sensitive and not _invited(question, asked, one, match):
            withheld["sensitive, not asked for"] += 1
        else:
            ranked.append(_scored(store, one, match))
    ranked.sort(key=_order)
    return ranked if request.min_score is not None else _without_stragglers(ranked, withheld)


def _invited(question: Question, asked: frozenset[str], one: _Candidate, match: Match) -> bool:
    """Whether the question itself names the subject of a sensitive record: similarity finds candidates, it is no permission."""
    return match.content and match.relevance >= INVITED and names_subject(question, asked, one.record.text)


def _without_stragglers(ranked: list[_Ranked], withheld: Counter[str]) -> list[_Ranked]:
    """Notes and messages far behind the best match say little beside it. A caller who names a minimum gets all above it."""
    best = max((one.match.relevance for one in ranked), default=0.0)
    kept = [one for one in ranked if one.candidate.kind in ("fact", "decision") or one.match.relevance >= FAR_BEHIND * best]
    withheld["far behind the best"] += len(ranked) - len(kept)
    return kept


def _order(one: _Ranked) -> tuple[Any, ...]:
    """Strong before weak matches; within either the user's explicit confirmation first, then the score."""
    record = one.candidate.record
    confirmed = record.approved if isinstance(record, Fact) else isinstance(record, Decision)
    return (one.match.relevance < CLASS_EDGE, not confirmed, -one.value, _PRECEDENCE[one.candidate.kind], one.candidate.rank, record.id)


def _scored(store: Store, one: _Candidate, match: Match) -> _Ranked:
    record, now = one.record, datetime.fromisoformat(store.now)
    if isinstance(record, Fact):
        kind, trust, reach, since = record.kind, "approved" if record.approved else record.source, record.reach, record.confirmed_at
    else:
        reach = "project" if record.project is not None else "user"
        kind, trust = ("procedural", "approved") if isinstance(record, Decision) else (one.kind, one.kind)
        since = record.created_at
    made = score(match, kind=kind, trust=trust, reach=reach, since=datetime.fromisoformat(since), now=now, policy=store.policy.recall)
    return _Ranked(one, match, made.value, made.reason)


def _without_repeats(ranked: list[_Ranked], withheld: Counter[str]) -> list[_Ranked]:
    """A note or message whose fact is here says nothing new; neither does a text that is here already."""
    told = {source for one in ranked if one.candidate.kind == "fact" for source in one.candidate.sources}
    noted = {source for one in ranked if one.candidate.kind == "note" for source in one.candidate.sources}
    seen: set[str] = set()
    kept: list[_Ranked] = []
    for one in sorted(ranked, key=lambda one: _PRECEDENCE[one.candidate.kind]):
        kind, sources = one.candidate.kind, set(one.candidate.sources)
        text = normalised(one.candidate.record.text)
        repeated = text in seen or (kind == "note" and sources & told) or (kind == "message" and sources & (told | noted))
        seen.add(text)
        if repeated:
            withheld["already said by a better record"] += 1
        else:
            kept.append(one)
    return sorted(kept, key=_order)


def _item(store: Store, one: _Ranked, question: Question) -> Item:
    record, now, days = one.candidate.record, store.now, store.policy.facts.reconfirm_days
    found = Item(
        id=record.id, kind=one.candidate.kind, text=record.text, source_ids=one.candidate.sources, score=round(one.value, 4), reason=one.reason,
        created_at=record.created_at, scope=labels.place(record.project),
    )  # fmt: skip
    if isinstance(record, Fact):
        label = labels.fact_label(record, now=now, reconfirm_days=days, contested=one.candidate.contested)
        return replace(
            found, label=label, status=record.status, confirmed_at=record.confirmed_at, expires_at=record.expires_at, scope=labels.fact_scope(record),
            revision=record.revision,
        )  # fmt: skip
    if isinstance(record, Decision):
        return replace(found, label=labels.decision_label(record), status=record.status, revision=record.revision)
    if isinstance(record, Note):
        return replace(found, label=labels.note_label(record, now=now, reconfirm_days=days), status=record.status, expires_at=record.expires_at)
    label = labels.message_label(record, now=now, reconfirm_days=days)
    return replace(found, label=label, text=excerpt(record.text, question, EXCERPT_CHARACTERS), role=record.role)


def _within_tokens(found: list[Item], cap: int, count: TokenCount, withheld: Counter[str]) -> list[Item]:
    """Whole items only: one that does not fit is passed over for a smaller one behind it. A cap of 0 is no cap."""
    kept: list[Item] = []
    left = cap
    for item in found:
        tokens = count(item.text) if cap else 0
        if tokens > left:
            withheld["beyond the token cap"] += 1
        else:
            left -= tokens
            kept.append(item)
    return kept


def _listed(joined: str | None) -> tuple[str, ...]:
    return tuple(joined.split("\0")) if joined else ()
