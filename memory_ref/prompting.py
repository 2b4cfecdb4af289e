"""What of the store may enter a prompt: read the parts, hand them to `context.build`. Changes nothing; built from stored state only.

The access state decides first: where memory may not be used, only the conversation itself is left. A private thread sees its own
turns and the pins. What a client claims was said is never looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memgauge.memory_ref import access, context, decisions, documents, eligibility, goals, history, labels, pins, reviews, summaries
from memgauge.memory_ref.concepts import WEAK
from memgauge.memory_ref.context import Budget, Evidence, Parts, PromptContext
from memgauge.memory_ref.counting import cached_counter
from memgauge.memory_ref.excerpts import passages
from memgauge.memory_ref.policy import Context
from memgauge.memory_ref.question import ask
from memgauge.memory_ref.recall import recall
from memgauge.memory_ref.records import Decision, Fact, Goal, Item, Message, Note, Pin, Reply, from_row
from memgauge.memory_ref.searching import RecallRequest
from memgauge.memory_ref.store import Store
from memgauge.tokens import TokenCount

ALL_MESSAGES = 100_000
"""More than a window holds: the strategy `truncation` counts tokens only."""
FALLBACK_NOTES = 3
"""Newest daily notes that stand in for evidence when recall fails."""

_ALWAYS_KNOWN = """f.status = 'active' AND f.source != 'inferred' AND (f.sensitivity = 'low' OR f.always = 1) AND f.kind = 'procedural'
    AND coalesce(f.slot, '') NOT LIKE 'likes:%' AND coalesce(f.slot, '') NOT LIKE 'uses:%' AND coalesce(f.slot, '') NOT LIKE 'choice:%'"""
"""Ways of working that hold for every message. What is about one subject is recalled when that subject comes up."""


def answer(store: Store, text: str, budget: Mapping[str, Any], *, application: Sequence[str] = (), k: int | None = None) -> Reply:
    """The verb `context`. Raises as `build_context`, and Refused for a budget that cannot be used."""
    built = build_context(store, text, Budget.of(budget), application=application, k=k)
    return Reply(ids=tuple(item.id for item in built.items), data=built.to_json())


def build_context(store: Store, text: str, budget: Budget, *, application: Sequence[str] = (), k: int | None = None) -> PromptContext:
    """Everything that goes before the model for the user's message `text`, which is not appended yet. `k`: recall at most this many.

    Raises Refused when the fixed parts do not fit, InputError for an unknown encoding, StoreError when even the conversation cannot be read.
    """
    count = cached_counter(budget.encoding)
    policy = _by_strategy(store.policy.context)
    usable = access.can_use_prompt_memory(store)
    private = access.is_private(store) and not policy.memory_in_private
    messages = history.active_branch(store, store.scope.thread, newest=2 * policy.recent_messages)
    parts = Parts(
        application=tuple(application),
        current=text,
        messages=tuple(messages),
        older=_length(store) - len(messages),
        pins=tuple(_pin(pin) for pin in pins.listed(store)) if usable else (),
    )
    summarised = usable and policy.strategy in ("combined", "summary")

    def summarise(within: frozenset[str], room: int) -> Item | None:
        return summaries.for_prompt(store, within, room, count) if summarised else None

    if not usable or private:
        return context.build(parts, budget, policy, count, recall=lambda _: Evidence(), summarise=summarise)
    allowance = int((budget.window - budget.reserve) * policy.memory_share)
    user_room, consolidated_room = int(allowance * policy.user_share), int(allowance * policy.consolidated_share)
    parts = replace(
        parts,
        user=(*_rules(store), *_own_documents(store, user_room, count), *_facts(store, policy.long_term_facts)),
        consolidated=_document(store, store.policy.consolidation.document, consolidated_room, count),
        goals=tuple(_goals(store)),
    )

    def evidence(within: frozenset[str]) -> Evidence:
        if policy.strategy not in ("combined", "retrieval"):
            return Evidence()
        found = recall(store, RecallRequest(query=_asked(text, messages), k=k, within=within), count)
        return Evidence(found.items, found.withheld)

    return context.build(parts, budget, policy, count, recall=evidence, summarise=summarise, fallback=lambda: _newest_notes(store))


def _asked(text: str, messages: Sequence[Message]) -> str:
    """What recall is asked. A message without a content word is about what the user last named in this thread."""
    if _names_something(text):
        return text
    before = next((message.text for message in reversed(messages) if message.role == "user" and _names_something(message.text)), "")
    return f"{before} {text}".strip()


def _names_something(text: str) -> bool:
    """Whether a text has a content word of its own; one of stop words and weak words only points at what was said before it."""
    question = ask(text)
    return not question.all_needed and any(concept.weight > WEAK for concept in question.concepts)


def _by_strategy(policy: Context) -> Context:
    """The window of each strategy: `truncation` keeps what fits, whatever its number; all others slide over at most `recent_messages`."""
    return policy.model_copy(update={"recent_messages": ALL_MESSAGES // 2}) if policy.strategy == "truncation" else policy


def _length(store: Store) -> int:
    return int(store.database.value("SELECT count(*) FROM messages WHERE thread = ? AND on_branch = 1", (store.scope.thread,)))


def _pin(pin: Pin) -> Item:
    said = "rule the user stated, kept until told otherwise" if pin.source == "rule" else "pinned by the user"
    label = f"{said}, {labels.day(pin.created_at)}"
    return Item(id=pin.id, kind="pin", text=pin.text, label=label, status=pin.status, created_at=pin.created_at, expires_at=pin.until)


def _rules(store: Store) -> list[Item]:
    """Boundaries and rules that were accepted hold for every message; choices and insights are recalled when they come up."""
    return [_decision(one) for one in reversed(decisions.listed(store)) if one.status in ("accepted", "locked") and one.kind in ("boundary", "rule")]


def _decision(one: Decision) -> Item:
    label = labels.decision_label(one)
    return Item(id=one.id, kind="decision", text=one.text, label=label, status=one.status, created_at=one.created_at, revision=one.revision)


def _facts(store: Store, most: int) -> list[Item]:
    """The user's ways of working, confirmed and newest first, so that a correction is never what is left out."""
    condition, values = eligibility.facts(store, "f")
    rows = store.database.all(
        f"""SELECT f.* FROM facts f WHERE {condition} AND {_ALWAYS_KNOWN} ORDER BY f.approved DESC, f.confirmed_at DESC, f.rowid DESC LIMIT ?""",
        (*values, most),
    )
    return [_fact(store, from_row(Fact, row)) for row in rows]


def _fact(store: Store, fact: Fact) -> Item:
    label = labels.fact_label(fact, now=store.now, reconfirm_days=store.policy.facts.reconfirm_days)
    sources = () if fact.message_id is None else (fact.message_id,)
    return Item(
        id=fact.id, kind="fact", text=fact.text, source_ids=sources, label=label, status=fact.status, created_at=fact.created_at,
        confirmed_at=fact.confirmed_at, expires_at=fact.expires_at, scope=labels.fact_scope(fact), revision=fact.revision,
    )  # fmt: skip


def _own_documents(store: Store, room: int, count: TokenCount) -> list[Item]:
    """What the user wrote by hand: the document that policy names first, then the others, the last changed first."""
    rows = store.database.all(
        "SELECT name FROM documents WHERE name != ? ORDER BY name != ?, updated_at DESC, name",
        (store.policy.consolidation.document, store.policy.documents.user_document),
    )
    return [item for row in rows for item in _document(store, row["name"], room, count)]


def _document(store: Store, name: str, room: int, count: TokenCount) -> tuple[Item, ...]:
    """A curated document. One that is too long for its share keeps its newest whole paragraphs and list lines: they stand at its end."""
    found = documents.newest(store, name)
    text = "" if found is None else documents.without_marks(found.text).strip()
    if found is None or not text:
        return ()
    label = labels.document_label(found)
    parts = passages(text)
    kept = len(parts)
    while kept > 1 and count(text) > room // 2:  # the other half is for the rules and facts beside it, and for the encoding
        kept -= 1
        text = "\n".join(parts[-kept:])
    if kept < len(parts):
        label += f", shortened to its last {kept} of {len(parts)} passages"
    return (Item(id=found.id, kind="document", text=text, label=label, created_at=found.created_at, revision=found.revision),)


def _goals(store: Store) -> list[Item]:
    asked = {(review.slot or "").partition(":")[0] for review in reviews.listed(store, "pending") if review.kind == "goal"}
    return [_goal(goal, asked=goal.id in asked) for goal in goals.listed(store, "active")]


def _goal(goal: Goal, *, asked: bool) -> Item:
    """`asked`: the user may have said that it is over; until he rules on it, it is no plainly open goal."""
    status = "maybe over, confirm closing" if asked else goal.status
    label = f"goal, {status}, since {labels.day(goal.created_at)}, {labels.place(goal.project)}"
    return Item(id=goal.id, kind="goal", text=goal.text, label=label, status=goal.status, created_at=goal.created_at, revision=goal.revision)


def _newest_notes(store: Store) -> tuple[Item, ...]:
    condition, values = eligibility.notes(store, "n")
    rows = store.database.all(
        f"SELECT n.* FROM notes n WHERE {condition} ORDER BY n.created_at DESC, n.rowid DESC LIMIT ?", (*values, FALLBACK_NOTES)
    )
    days = store.policy.facts.reconfirm_days
    found = [(note, labels.note_label(note, now=store.now, reconfirm_days=days)) for note in (from_row(Note, row) for row in rows)]
    return tuple(Item(id=note.id, kind="note", text=note.text, label=f"newest note, search failed; {label}") for note, label in found)
