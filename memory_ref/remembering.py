"""What the user asks of memory in so many words: remember, correct, confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, cast

from memgauge.memory_ref import access, dates, decisions, facts, goals, history, lookup, reviews, slots, tombstones
from memgauge.memory_ref.admission import for_memory
from memgauge.memory_ref.capture import Candidate
from memgauge.memory_ref.classify import classify
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.facts import Statement
from memgauge.memory_ref.languages import is_english
from memgauge.memory_ref.records import Decision, Fact, Goal, Note, Reply
from memgauge.memory_ref.screen import Origin
from memgauge.memory_ref.slot_makers import Reading
from memgauge.memory_ref.store import Store, stamp

_ORIGINS: dict[str, Origin] = {"stated": "stated", "inferred": "inferred", "imported": "imported"}


def remember(
    store: Store,
    text: str,
    *,
    kind: str | None = None,
    slot: str | None = None,
    source: str = "stated",
    reach: str = "user",
    expires_at: str | None = None,
    sensitivity: str = "low",
    agents: Sequence[str] | None = None,
    message_id: str | None = None,
) -> Reply:
    """Keep a statement. What is stated is active at once; what is inferred is proposed and ends soon; a contradiction that may
    not supersede, and sensitive text that needs the user's word, wait in review. Raises Refused, NotFound."""
    access.require_writable(store)
    if source not in _ORIGINS:
        raise Refused(f"unknown source; allowed: {', '.join(_ORIGINS)}")
    if len(text) > store.policy.facts.max_characters:
        raise Refused(f"{len(text)} characters; a fact holds at most {store.policy.facts.max_characters}, longer text is a document")
    _check_origin(store, message_id)
    kept = for_memory(store.policy, text, _ORIGINS[source], review=True)
    said_at, zone = datetime.fromisoformat(store.now), store.policy.notes.zone
    if source == "stated" and is_english(kept.text):
        kept = replace(kept, text=dates.anchor(kept.text, dates.find_dates(kept.text, said_at, zone)))
    inferred = source == "inferred"
    end = facts.ends(expires_at)
    if end is None and (stated := dates.stated_end(kept.text, said_at, zone)) is not None:
        end = stamp(stated)
    if inferred:
        limit = stamp(datetime.fromisoformat(store.now) + timedelta(days=store.policy.capture.inferred_days))
        end = min(end or limit, limit)
    reading = slots.read(kept.text, store.scope.user)
    said = Statement(
        text=kept.text,
        kind=kind or (reading.kind if reading else "profile"),
        slot=slot or (reading.slot or None if reading else None),
        source=source,
        explicit=source == "stated",
        approved=source == "stated",
        message_id=message_id,
        reach=reach,
        project=store.scope.project,
        task=store.scope.task,
        agents=None if agents is None else tuple(agents),
        status="proposed" if inferred else "active",
        sensitivity="high" if "high" in (sensitivity, kept.sensitivity) else sensitivity,
        expires_at=end,
    )
    facts.check(said)
    if kept.verdict == "review":
        return _wait(store, said, kept.reason, kept.notices)
    if source != "stated":
        saved = facts.put(store, said)
    else:
        ruling = classify(_candidate(said, reading), facts.live(store), store.policy, datetime.fromisoformat(store.now), user=store.scope.user)
        if ruling.destination == "review":
            return _wait(store, said, ruling.reason, kept.notices)
        tombstones.lift(store, store.mark(said.text), message_id, said.slot)
        saved = facts.keep(store, said, supersedes=ruling.supersedes, confirms=ruling.confirms)
    if saved.outcome == "forgotten":
        raise Refused("it was forgotten at the user's wish, and only the user can ask for it again")
    if saved.outcome == "contradicts":
        return _wait(store, said, f"contradicts {saved.id}", kept.notices)
    told = _notice(saved.outcome) if end is None else f"{_notice(saved.outcome)} It ends at {end}."
    return Reply(ids=(saved.id,), revision=saved.revision, notices=(*kept.notices, told), data={"outcome": saved.outcome, "expires_at": end})


def correct(store: Store, text: str, record: str | None = None, query: str | None = None) -> Reply:
    """Replace what a record says. Raises NotFound, Refused (ambiguous words name their candidates)."""
    found = lookup.one(store, record, query)
    kept = for_memory(store.policy, text, review=True)  # a correction is the user's explicit word
    if isinstance(found, Fact):
        return _correct_fact(store, facts.head(store, found), kept.text, kept.sensitivity, kept.notices)
    if isinstance(found, Goal):
        return goals.goal_update(store, found.id, text=kept.text)
    if isinstance(found, Decision):
        return decisions.correct(store, found, kept.text)
    table = "notes" if isinstance(found, Note) else "pins"
    store.database.run(f"UPDATE {table} SET text = ? WHERE id = ?", (kept.text, found.id))
    if isinstance(found, Note):
        store.index(found.id, "note", kept.text)
    return Reply(ids=(found.id,), notices=kept.notices)


def confirm(store: Store, record: str) -> Reply:
    """The user says that a fact is still right. Raises NotFound, or Refused for one that no longer stands."""
    fact = facts.head(store, facts.find(store, record))
    if fact.status == "superseded":
        raise Refused(f"it was superseded by {fact.superseded_by}; confirm or correct that one")
    if fact.status == "expired" or (fact.expires_at is not None and fact.expires_at <= store.now):
        raise Refused("it has ended; remember it again")
    facts.confirm(store, fact)
    return Reply(ids=(fact.id,), revision=fact.revision)


def _correct_fact(store: Store, fact: Fact, text: str, sensitivity: str, notices: tuple[str, ...]) -> Reply:
    if fact.status == "superseded":
        raise Refused(f"it was superseded by {fact.superseded_by}; correct that one")
    saved = facts.correct(
        store,
        fact,
        Statement(
            text=text,
            kind=fact.kind,
            slot=fact.slot or slots.read_slot(text, store.scope.user),
            explicit=True,
            approved=True,
            reach=fact.reach,
            project=fact.project,
            task=fact.task,
            agents=fact.agents,
            sensitivity="high" if "high" in (fact.sensitivity, sensitivity) else "low",
            always=fact.always,
            expires_at=fact.expires_at if fact.source == "stated" else None,
        ),
    )
    return Reply(
        ids=(saved.id,), revision=saved.revision, notices=(*notices, "Corrected."), data={"outcome": saved.outcome, "retired": list(saved.retired)}
    )


def _wait(store: Store, said: Statement, reason: str, notices: tuple[str, ...]) -> Reply:
    review = reviews.add(store, said, reason)
    return Reply(ids=(review,), notices=(*notices, f"It waits for your decision: {reason}."), data={"outcome": "review"})


def _candidate(said: Statement, reading: Reading | None) -> Candidate:
    """The statement as capture would hand it on, so that a request and a sentence in the conversation are ruled on alike."""
    return Candidate(
        text=said.text,
        intent="explicit",
        message_id=said.message_id or "",
        span=(0, 0),
        slot=said.slot,
        value=reading.value if reading and reading.slot == said.slot else "",
        kind=said.kind,
        change=bool(reading and reading.change),
        retires=reading.retires if reading else "",
        reach=cast(Literal["user", "project", "task"], said.reach),
        expires_at=None if said.expires_at is None else datetime.fromisoformat(said.expires_at),
    )


def _check_origin(store: Store, message_id: str | None) -> None:
    """A request to keep something counts only when the user typed it."""
    if message_id is None:
        return
    message = history.message(store, message_id)
    if message.role != "user" or message.origin != "typed" or message.speaker not in (None, store.scope.user):
        raise Refused("it was not said by the user, so it is not kept as the user's word")


def _notice(outcome: str) -> str:
    return {"added": "Saved.", "confirmed": "Known already; confirmed.", "superseded": "Saved; it replaces what was known."}[outcome]
