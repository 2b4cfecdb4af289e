"""The label of an item: what it is, where it comes from, when, where it applies, and whether to ask before relying on it.

A label is made of fixed words, dates and the scope's own names; no text of a record stands in it.
"""

from __future__ import annotations

from datetime import datetime

from memgauge.memory_ref.policy import ByKind
from memgauge.memory_ref.records import Decision, DocumentRevision, Fact, Message, Note

CONFIRM = "confirm before use"
_SOURCES = {"stated": "stated by the user", "inferred": "inferred, cannot authorise anything", "imported": "imported"}


def fact_label(fact: Fact, *, now: str, reconfirm_days: ByKind, contested: bool = False) -> str:
    """`contested`: a contradicting statement awaits the user's decision."""
    doubts = [
        why
        for why, holds in (
            ("proposed", fact.status == "proposed"),
            ("inferred", fact.source == "inferred"),
            ("aged", is_aged(fact.confirmed_at, now, reconfirm_days.of(fact.kind))),
            ("contradicted", contested),
        )
        if holds
    ]
    approved = ", confirmed by the user" if fact.approved else ""
    told = f"{fact.kind} fact, {_SOURCES[fact.source]}{approved}, {day(fact.confirmed_at)}, {fact_scope(fact)}"
    return told + doubt(doubts)


def note_label(note: Note, *, now: str, reconfirm_days: ByKind) -> str:
    """A daily note: what was said on a day, not a settled fact."""
    return f"daily note, {note.day}, {place(note.project)}" + doubt(["aged"] if is_aged(note.created_at, now, reconfirm_days.note) else [])


def message_label(message: Message, *, now: str, reconfirm_days: ByKind) -> str:
    """An earlier message, quoted: who said it, and when."""
    who = (
        f"said by {message.speaker}"
        if message.speaker
        else {"user": "said by the user", "assistant": "said by the assistant"}.get(message.role, message.role)
    )
    aged = is_aged(message.created_at, now, reconfirm_days.message)
    return f"earlier message, {who}, {day(message.created_at)}, {place(message.project)}" + doubt(["aged"] if aged else [])


def decision_label(decision: Decision) -> str:
    """A decision: its kind, how firm it is, and since when."""
    return f"{decision.kind}, {decision.status}, {day(decision.updated_at)}, {place(decision.project)}"


def document_label(document: DocumentRevision) -> str:
    """A curated document: its name, revision and author."""
    return f"document {document.name}, revision {document.revision}, written by the {document.author}, {day(document.created_at)}"


def is_aged(since: str, now: str, days: float) -> bool:
    """Whether more than so many days passed since a stored instant."""
    return (datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds() > days * 86_400


def fact_scope(fact: Fact) -> str:
    """Where a fact applies, in words."""
    return f"task {fact.task}" if fact.reach == "task" else f"project {fact.project}" if fact.reach == "project" else "everywhere"


def place(project: str | None) -> str:
    """Where a record was made, in words."""
    return "no project" if project is None else f"project {project}"


def day(instant: str) -> str:
    """The date of a stored instant."""
    return instant[:10]


def doubt(reasons: list[str]) -> str:
    """The words that ask for a confirmation, with why; empty without a reason."""
    return f"; {CONFIRM} ({', '.join(reasons)})" if reasons else ""
