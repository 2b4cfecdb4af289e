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
from memgauge.memory_ref import access, dates, labels, searching, transcripts, utterance
from memgauge.memory_ref.counting import cached_counter
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.excerpts import excerpt
from memgauge.memory_ref.question import Question, ask
from memgauge.memory_ref.records import Decision, DocumentRevision, Fact, Item, Message, Note, Reply, items
from memgauge.memory_ref.relevance import CLASS_EDGE, Match, match_all, names_subject, score
from memgauge.memory_ref.searching import KINDS, PRECEDENCE, Candidate, Hit, RecallRequest, Record
from memgauge.memory_ref.searchtext import terms
from memgauge.memory_ref.store import Store, normalised, stamp
from memgauge.tokens import DEFAULT_ENCODING, TokenCount

EXCERPT_CHARACTERS = 600
"""Longest quotation of a message, in characters: about 150 English tokens, so that five fit the default token cap."""

INVITED = 0.5
"""A sensitive record is asked for when the question names its subject in a content word, and half of the question is about it."""
NEEDS = ("diet", "allergy", "access")
"""Slots of what the user needs from others."""
SHORT = 160
"""Characters up to which a message is taken for one statement."""
FAR_BEHIND = 0.4
"""A quotation with less than this share of the best relevance is left out. Own choice: half of a two-word match stays."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The items, best first, and how many more there were, by why they are not among them."""

    items: tuple[Item, ...] = ()
    withheld: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ranked:
    hit: Hit
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
    wanted = {kind: kind if kind in KINDS else kind.removesuffix("s") for kind in kinds}  # the verb `list` says "facts"
    unknown = sorted(kind for kind, name in wanted.items() if name not in KINDS)
    if unknown:
        raise Refused(f"unknown kind {', '.join(unknown)}; allowed: {', '.join(KINDS)}")
    reason = access.obstacle(store)
    if reason is None and access.is_private(store) and not store.policy.context.memory_in_private:
        reason = "a private thread sees no memory"
    if reason is not None:
        return items([], withheld={reason: 1})
    span = [None if instant is None else stamp(parse_instant(instant)) for instant in (since, until)]
    request = RecallRequest(query=query, k=k, kinds=tuple(wanted.values()), since=span[0], until=span[1], min_score=min_score)
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
    withheld: Counter[str] = Counter()
    ranked = _ranked(store, request, question, searching.candidates(store, request, expression), withheld)
    ranked = _without_repeats(ranked, withheld)
    k = policy.k if request.k is None else request.k
    withheld["beyond k"] += max(0, len(ranked) - k)
    kept = _within_tokens([_item(store, one, question) for one in ranked[:k]], policy.token_cap, count, withheld)
    return Recalled(tuple(kept), {why: n for why, n in sorted(withheld.items()) if n})


def _rows_with(store: Store) -> Callable[[str], int]:
    def count(term: str) -> int:
        return int(store.database.value("SELECT doc FROM search_terms WHERE term = ?", (term,)) or 0)

    return count


def _ranked(store: Store, request: RecallRequest, question: Question, found: list[Candidate], withheld: Counter[str]) -> list[_Ranked]:
    """Those above the minimum that may be shown uninvited, best first."""
    policy = store.policy.recall
    minimum = policy.min_score if request.min_score is None else request.min_score
    numbered = {str(n): one for n, one in enumerate(found)}
    quoted = frozenset(n for n, one in numbered.items() if one.kind == "message")
    matches = match_all(question, {n: (one.text, one.terms()) for n, one in numbered.items()}, quoted=quoted, least=minimum)
    relevant = [n for n in numbered if n in matches and matches[n].relevance >= minimum]
    withheld["below the minimum"] += len(matches) - len(relevant)
    asked = terms(request.query)
    ranked: list[_Ranked] = []
    for n, one in zip(relevant, searching.hits(store, [numbered[n] for n in relevant]), strict=True):
        if _is_over(store, one):
            withheld["over by its own words"] += 1
        elif policy.messages == "own" and _tells_nothing(one.record):
            withheld["nothing told"] += 1
        elif policy.invitation_needed and one.sensitive and not _invited(question, asked, one, matches[n]):
            withheld["sensitive, not asked for"] += 1
        else:
            ranked.append(_scored(store, one, matches[n]))
    ranked.sort(key=_order)
    return ranked if request.min_score is not None else _without_stragglers(ranked, withheld)


def _tells_nothing(record: Record) -> bool:
    """Whether a message of a finished turn is a guess, a joke, another's words. Capture judges the newest of a turn; this is for the others."""
    return isinstance(record, Message) and record.captured and not utterance.plainly_said(record.text)


def _is_over(store: Store, one: Hit) -> bool:
    """Whether a short message bounds all it says in time ("until Friday"), and that time has passed."""
    record = one.record
    if not isinstance(record, Message) or len(record.text) > SHORT:
        return False
    said_at = datetime.fromisoformat(record.created_at)
    end = dates.stated_end(record.text, said_at, store.policy.notes.zone)
    return end is not None and end <= datetime.fromisoformat(store.now)


def _invited(question: Question, asked: frozenset[str], one: Hit, match: Match) -> bool:
    """Whether the question itself names the subject of a sensitive record: similarity finds candidates, it is no permission. A need
    of diet or access is there to be used when eating or going somewhere is the subject, in whatever words."""
    if isinstance(one.record, Fact) and (one.record.slot or "").startswith(NEEDS):
        return True
    return match.content and match.relevance >= INVITED and names_subject(question, asked, one.record.text)


def _without_stragglers(ranked: list[_Ranked], withheld: Counter[str]) -> list[_Ranked]:
    """Notes and messages far behind the best match say little beside it, and so does a fact about somebody else. A caller who names a
    minimum gets all above it."""
    best = max((one.match.relevance for one in ranked), default=0.0)
    kept = [
        one for one in ranked if (one.hit.kind in ("fact", "decision", "document") and not one.match.other) or one.match.relevance > FAR_BEHIND * best
    ]
    withheld["far behind the best"] += len(ranked) - len(kept)
    return kept


def _order(one: _Ranked) -> tuple[Any, ...]:
    """Strong before weak matches; within either the user's explicit confirmation first, then the score,
    then the newer. No part depends on rows that the question does not touch."""
    record = one.hit.record
    confirmed = record.approved if isinstance(record, Fact) else isinstance(record, Decision)
    age = -datetime.fromisoformat(record.created_at).timestamp()
    return (one.match.relevance < CLASS_EDGE, not confirmed, -one.value, PRECEDENCE[one.hit.kind], age, record.id, record.text)


def _project(record: Record) -> str | None:
    return None if isinstance(record, DocumentRevision) else record.project


def _scored(store: Store, one: Hit, match: Match) -> _Ranked:
    record, now = one.record, datetime.fromisoformat(store.now)
    if isinstance(record, Fact):
        kind, trust, reach, since = record.kind, "approved" if record.approved else record.source, record.reach, record.confirmed_at
    else:
        by_user = isinstance(record, Decision | DocumentRevision)
        kind, trust = ("procedural", "approved") if by_user else (one.kind, one.kind)
        reach, since = "user" if _project(record) is None else "project", record.created_at
    made = score(match, kind=kind, trust=trust, reach=reach, since=datetime.fromisoformat(since), now=now, policy=store.policy.recall)
    return _Ranked(one, match, made.value, made.reason)


def _without_repeats(ranked: list[_Ranked], withheld: Counter[str]) -> list[_Ranked]:
    """A note or message whose fact is here says nothing new; neither does a text that is here already."""
    told = {source for one in ranked if one.hit.kind == "fact" for source in one.hit.sources}
    noted = {source for one in ranked if one.hit.kind == "note" for source in one.hit.sources}
    seen: set[str] = set()
    kept: list[_Ranked] = []
    for one in sorted(ranked, key=lambda one: PRECEDENCE[one.hit.kind]):
        kind, sources = one.hit.kind, set(one.hit.sources)
        text = normalised(one.hit.record.text)
        repeated = text in seen or (kind == "note" and sources & told) or (kind == "message" and sources & (told | noted))
        seen.add(text)
        if repeated:
            withheld["already said by a better record"] += 1
        else:
            kept.append(one)
    return sorted(kept, key=_order)


def _item(store: Store, one: _Ranked, question: Question) -> Item:
    record, now, days = one.hit.record, store.now, store.policy.facts.reconfirm_days
    found = Item(
        id=record.id, kind=one.hit.kind, text=record.text, source_ids=one.hit.sources, score=round(one.value, 4), reason=one.reason,
        created_at=record.created_at, scope=labels.place(_project(record)),
    )  # fmt: skip
    if isinstance(record, Fact):
        label = labels.fact_label(record, now=now, reconfirm_days=days, contested=one.hit.contested)
        return replace(
            found, label=label, status=record.status, confirmed_at=record.confirmed_at, expires_at=record.expires_at, scope=labels.fact_scope(record),
            revision=record.revision,
        )  # fmt: skip
    if isinstance(record, DocumentRevision):
        return replace(found, label=labels.document_label(record), revision=record.revision)
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
