"""The end of a turn: read what the user typed since the last one, and carry out what `classify` rules on each candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memgauge.memory_ref import (
    access,
    capture,
    facts,
    forgetting,
    goals,
    model_capture,
    notes,
    pins,
    reach,
    restating,
    retracting,
    reviews,
    tombstones,
    utterance,
)
from memgauge.memory_ref.capture import Candidate, Turn
from memgauge.memory_ref.classify import Decision, classify
from memgauge.memory_ref.facts import Statement
from memgauge.memory_ref.records import Message, Reply, from_row
from memgauge.memory_ref.store import Store, stamp

MOST = 40
"""Messages read at the end of one turn, the newest. A turn is not an archive: older ones that were never read stay unread."""
BEFORE = 6
"""Earlier messages a pronoun may point at."""


def end_turn(store: Store, *, ok: bool = True, proposals: Sequence[model_capture.Proposal] = ()) -> Reply:
    """Capture. Nothing when the reply failed, the thread is private, or memory may not be written; an empty answer is normal.

    `proposals`: what a model found beside the rules. `saved` of the reply lists {id, text, outcome, reason}; each thing kept, put to
    review or refused has its notice.
    """
    fresh = _unread(store)
    if access.obstacle(store) is not None:  # what was said while memory was off is not brought up once it is on again
        store.database.run("UPDATE messages SET recallable = 0 WHERE thread = ? AND captured = 0", (store.scope.thread,))
    store.database.run("UPDATE messages SET captured = 1 WHERE thread = ? AND captured = 0", (store.scope.thread,))
    private = access.is_private(store)
    if not ok or private or access.obstacle(store) is not None or not store.policy.capture.enabled:
        return Reply(data={"saved": []})
    for message in fresh:
        if message.role == "user" and not utterance.plainly_said(message.text):
            store.database.run("UPDATE messages SET recallable = 0 WHERE id = ?", (message.id,))
    ids: list[str] = []
    saved: list[dict[str, Any]] = []
    notices: list[str] = []
    for candidate in _candidates(store, fresh, proposals):
        ruling = classify(
            candidate, facts.live(store), store.policy, datetime.fromisoformat(store.now), user=store.scope.user, project=store.scope.project
        )
        if ruling.outcome == "REJECT":
            store.database.run("UPDATE messages SET recallable = 0 WHERE id = ?", (candidate.message_id,))
        record = _carry_out(store, candidate, ruling)
        if record is not None:
            ids.append(record)
            saved.append({"id": record, "text": candidate.text, "outcome": ruling.outcome, "reason": ruling.reason})
        if ruling.notice and store.policy.capture.notices and (record is not None or ruling.outcome == "REJECT"):
            notices.append(ruling.notice)
    told: list[str] = []
    removed: Counter[str] = Counter()
    for message in fresh:
        retracting.take_back(store, message)
        if capture.readable(message, Turn(messages=(message,), user=store.scope.user), store.policy):
            for record, text in restating.settle(store, message):
                ids.append(record)
                saved.append({"id": record, "text": text, "outcome": "PERSIST", "reason": "it says anew what you said before"})
                told.append(f"Saved: “{text}”. It replaces what you said before.")
            forgotten = forgetting.carry_out(store, message)
            told += forgotten.notices
            removed += forgotten.removed
    notices += told if store.policy.capture.notices else []
    data = {"saved": saved} | ({"removed": dict(removed)} if removed else {})
    return Reply(ids=tuple(dict.fromkeys(ids)), notices=tuple(notices), data=data)


def recapture(store: Store, thread: str) -> None:
    """Read a whole thread again and keep what no record is left of (see `rebuilding`). A passage a record was read from is left
    alone, whatever became of the record: superseded and corrected words are not learnt again."""
    scoped = replace(store, scope=replace(store.scope, thread=thread))
    rows = store.database.all(
        "SELECT * FROM messages WHERE thread = ? AND on_branch = 1 AND role = 'user' AND captured = 1 AND recallable = 1 ORDER BY seq", (thread,)
    )
    for message in (from_row(Message, row) for row in rows):
        said = replace(scoped, scope=replace(scoped.scope, project=message.project, agent=message.agent, task=message.task), now=message.created_at)
        for candidate in _candidates(said, [message]):
            if _read_before(store, candidate):
                continue
            ruling = classify(
                candidate, facts.live(said), store.policy, datetime.fromisoformat(said.now), user=store.scope.user, project=message.project
            )
            if ruling.destination in ("fact", "note", "proposed"):
                _carry_out(said, candidate, ruling)


def _read_before(store: Store, candidate: Candidate) -> bool:
    first, past = candidate.span
    return (
        store.database.value(
            "SELECT 1 FROM edges WHERE parent = ? AND child NOT GLOB 'summary-*' AND (first IS NULL OR (first < ? AND past > ?)) LIMIT 1",
            (candidate.message_id, past, first),
        )
        is not None
    )


def _unread(store: Store) -> list[Message]:
    rows = store.database.all(
        "SELECT * FROM messages WHERE thread = ? AND captured = 0 AND on_branch = 1 ORDER BY seq DESC LIMIT ?", (store.scope.thread, MOST)
    )
    return [from_row(Message, row) for row in reversed(rows)]


def readable(store: Store) -> list[Message]:
    """The messages of the turn that capture would read now. Empty where it would keep nothing."""
    if access.is_private(store) or access.obstacle(store) is not None:
        return []
    turn = Turn(messages=tuple(_unread(store)), user=store.scope.user)
    return [message for message in turn.messages if capture.readable(message, turn, store.policy)]


def _candidates(store: Store, fresh: list[Message], proposals: Sequence[model_capture.Proposal] = ()) -> list[Candidate]:
    if not fresh:
        return []
    before = store.database.all(
        "SELECT * FROM messages WHERE thread = ? AND seq < ? AND on_branch = 1 ORDER BY seq DESC LIMIT ?", (store.scope.thread, fresh[0].seq, BEFORE)
    )
    turn = Turn(
        messages=(*(from_row(Message, row) for row in reversed(before)), *fresh),
        user=store.scope.user,
        project=store.scope.project,
        task=store.scope.task,
        goals=tuple(goals.listed(store, "active", "paused")),
    )
    now = datetime.fromisoformat(store.now)
    found = list(capture.extract_turn(turn, existing=facts.live(store), policy=store.policy, now=now))
    found += model_capture.candidates(proposals, turn, found, store.policy)
    new = {message.id for message in fresh}
    return [reach.within(candidate, store.scope.project) for candidate in found if candidate.message_id in new]


def _carry_out(store: Store, candidate: Candidate, ruling: Decision) -> str | None:
    """Write what was ruled; the id of the record, or None when nothing is written."""
    if tombstones.stops(store, "", candidate.message_id, candidate.slot):
        return None
    said = _statement(store, candidate, ruling)
    if ruling.destination == "review":
        return reviews.add(store, said, ruling.reason, class_="language" if candidate.intent == "foreign" else None)
    if ruling.destination == "pin":
        return pins.propose(store, candidate.text, message_id=candidate.message_id, span=candidate.span, until=said.expires_at)
    if ruling.destination == "goal":
        if ruling.outcome == "NEEDS_REVIEW":
            return reviews.add(store, replace(said, kind="goal", slot=f"{candidate.goal}:{candidate.goal_status}"), ruling.reason)
        return goals.goal_update(store, candidate.goal, status=candidate.goal_status).ids[0]
    if ruling.destination == "none":
        return None
    kept = facts.keep(store, said, supersedes=ruling.supersedes, confirms=ruling.confirms)
    if kept.outcome == "forgotten":
        return None
    if ruling.destination == "note" and kept.outcome != "confirmed":
        notes.add(store, candidate.text, slot=candidate.slot, message_id=candidate.message_id, span=candidate.span, expires_at=said.expires_at)
    return kept.id


def _statement(store: Store, candidate: Candidate, ruling: Decision) -> Statement:
    explicit = ruling.explicit
    return Statement(
        text=candidate.text,
        kind=candidate.kind,
        slot=candidate.slot,
        source="inferred" if candidate.intent == "inferred" else "stated",
        explicit=explicit,
        approved=candidate.intent == "explicit",
        message_id=candidate.message_id,
        span=candidate.span,
        reach=candidate.reach,
        project=store.scope.project,
        task=store.scope.task,
        status="active" if explicit else "proposed",
        sensitivity=candidate.sensitivity,
        expires_at=None if (end := ruling.expires_at or candidate.expires_at) is None else stamp(end),
    )
