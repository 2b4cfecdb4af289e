"""What becomes of a candidate: one decision, with its reason and the sentence the user is told.

| the user's words | becomes |
|---|---|
| an explicit wish to keep | fact, active; it supersedes what stood in the slot |
| a plain statement in a known slot | dated note and proposed fact |
| a change, said as such, of an active stated fact in the slot | fact, active; supersedes at once |
| a plain statement that contradicts an active one | review: the user is asked |
| a standing prohibition or obligation | pin with an end |
| a goal said to be over | the goal is closed, or its closing proposed when it is not clear which |
| a guess of a program | proposed fact with a short end; supersedes nothing |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memgauge.clock import format_instant
from memgauge.memory_ref import phrasing, slots, vocabulary
from memgauge.memory_ref.candidates import Candidate
from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.records import Fact

Outcome = Literal["PERSIST", "NEEDS_REVIEW", "REJECT", "IGNORE"]
Destination = Literal["fact", "note", "proposed", "review", "pin", "goal", "none"]
"""fact: active · note: dated note and proposed fact · proposed: proposed fact alone · none: nothing is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`supersedes` are ids of facts to retire, `confirms` the id of one that the candidate repeats. `notice` is empty when nothing is kept
    and nothing was cut out."""

    outcome: Outcome
    destination: Destination
    reason: str
    notice: str = ""
    supersedes: tuple[str, ...] = ()
    confirms: str | None = None
    expires_at: datetime | None = None

    @property
    def explicit(self) -> bool:
        """Whether the statement may retire an active fact of its slot."""
        return self.destination == "fact"


def classify(
    candidate: Candidate, existing: Sequence[Fact], policy: Policy, now: datetime, *, user: str = "", project: str | None = None
) -> Decision:
    """Rule on one candidate against the live facts the scope may see. Pure."""
    if (refusal := _refused(candidate, now, project)) is not None:
        return refusal
    if candidate.intent == "goal":
        return _goal(candidate)
    if candidate.rule:
        until = candidate.expires_at or now + timedelta(days=policy.capture.pin_days)
        return _kept(candidate, "pin", "a standing rule of yours", f"Kept in view until {until.date().isoformat()}", expires_at=until)
    if candidate.verdict == "review":
        return _review(candidate, candidate.reason)
    if candidate.intent == "foreign":
        return _review(candidate, "there are no capture rules for this language")
    rivals = _rivals(candidate, existing, user)
    if candidate.intent == "inferred":
        return _inferred(candidate, rivals, policy, now)
    same = next(
        (
            fact
            for fact, value in rivals
            if not candidate.retires and phrasing.words(value) and phrasing.words(value) == phrasing.words(candidate.value)
        ),
        None,
    )
    if same is not None and candidate.slot == same.slot:
        active = candidate.intent == "explicit" or same.status == "active"
        return _kept(candidate, "fact" if active else "note", "said again: confirmed", "Confirmed", confirms=same.id)
    if candidate.intent == "explicit":
        return _explicit(candidate, rivals)
    return _stated(candidate, rivals, policy)


def _refused(candidate: Candidate, now: datetime, project: str | None) -> Decision | None:
    if candidate.verdict == "reject":
        return Decision(outcome="REJECT", destination="none", reason=candidate.reason, notice=f"Not saved: {candidate.reason}.")
    if candidate.expires_at is not None and candidate.expires_at <= now:
        return Decision(outcome="REJECT", destination="none", reason="it has already ended")
    if candidate.reach == "project" and project is None:
        return Decision(outcome="IGNORE", destination="none", reason="it applies to a project, and none is open")
    return None


def _goal(candidate: Candidate) -> Decision:
    if not candidate.known:
        return Decision(
            outcome="NEEDS_REVIEW",
            destination="goal",
            reason="which goal is meant is not certain",
            notice=f"Is the goal {candidate.goal_status}? It waits for your word.",
        )
    return Decision(outcome="PERSIST", destination="goal", reason=f"you said it is {candidate.goal_status}", notice=f"Goal: {candidate.goal_status}.")


def _inferred(candidate: Candidate, rivals: list[tuple[Fact, str]], policy: Policy, now: datetime) -> Decision:
    if not policy.capture.inferred or rivals:
        return Decision(outcome="IGNORE", destination="none", reason="a guess stands behind what is known" if rivals else "guesses are not kept")
    end = now + timedelta(days=policy.capture.inferred_days)
    end = min(end, candidate.expires_at) if candidate.expires_at else end
    return _kept(candidate, "proposed", "a guess, never to authorise anything", "Proposed", expires_at=end)


def _explicit(candidate: Candidate, rivals: list[tuple[Fact, str]]) -> Decision:
    if candidate.change and len({f.slot for f, _ in rivals}) > 1:
        return _review(candidate, "it is not clear which of several it changes")
    keyed = [fact for fact, _ in rivals if candidate.change or fact.slot == candidate.slot]
    return _kept(candidate, "fact", "you asked to keep it", "Saved", supersedes=tuple(fact.id for fact in keyed))


def _stated(candidate: Candidate, rivals: list[tuple[Fact, str]], policy: Policy) -> Decision:
    active = [fact for fact, _ in rivals if fact.status == "active"]
    stated = [fact for fact in active if fact.source != "inferred"]
    if candidate.change and stated:
        if len({fact.slot for fact in stated}) > 1:
            return _review(candidate, "it is not clear which of several it changes")
        return _kept(candidate, "fact", "you said that it changed", "Saved", supersedes=tuple(fact.id for fact, _ in rivals))
    if not candidate.value and not rivals:
        return Decision(outcome="IGNORE", destination="none", reason="nothing is known that it changes")
    if stated and all(not value for _, value in rivals):  # "I changed jobs" is known, and now the new job is told
        return _kept(candidate, "fact", "it completes what you said", "Saved", supersedes=tuple(fact.id for fact, _ in rivals))
    if stated:
        return _review(candidate, "it contradicts what you said before")
    if not candidate.known:
        if candidate.change and candidate.slot is None:
            return _review(candidate, "what it changes is not clear")
        return Decision(outcome="IGNORE", destination="none", reason="not about you, or not likely to be needed again")
    if policy.capture.plain_statements == "ignore":
        return Decision(outcome="IGNORE", destination="none", reason="only what you ask to keep is kept")
    if policy.capture.plain_statements == "review":
        return _review(candidate, "plain statements wait for your word")
    return _kept(candidate, "note", "a plain statement about you", "Noted", supersedes=tuple(fact.id for fact, _ in rivals))


def _rivals(candidate: Candidate, existing: Sequence[Fact], user: str) -> list[tuple[Fact, str]]:
    """Facts that the candidate repeats, contradicts or retires, each with its value. Never one about another subject."""
    if candidate.slot is None:
        return []
    found = []
    for fact in existing:
        if fact.slot is None or fact.reach != candidate.reach:
            continue
        if candidate.slot == fact.slot:
            value = _value(fact, user)
            if not _leaves_another(candidate, value):
                found.append((fact, value))
        elif candidate.change and _changes_other(candidate, fact.slot, value := _value(fact, user)):
            found.append((fact, value))
    return found


def _leaves_another(candidate: Candidate, value: str) -> bool:
    """ "I no longer work at X" says nothing against working at Y."""
    ends = candidate.retires not in ("", "*") and candidate.value in ("", candidate.retires)
    return ends and bool(value) and not phrasing.same_value(candidate.retires, value)


def _changes_other(candidate: Candidate, slot: str, value: str) -> bool:
    """A change reaches a keyed sister of its slot ("my car is now a Y" after "I drive an X"), and what is parted with under any slot of its
    noun ("we sold the X" after "my van is an X"), never the same noun of somebody else."""
    mine, theirs = phrasing.base(candidate.slot or ""), phrasing.base(slot)
    if candidate.retires and candidate.slot and candidate.slot.startswith("owns:"):
        noun = candidate.slot.partition(":")[2]
        if theirs in (noun, f"{noun}.name"):  # a named one leaves its namesakes' sisters alone
            return not candidate.retires[:1].isupper() or phrasing.same_value(candidate.retires, value)
        return slot == f"owns:{noun}" or (theirs in ("car", "owns") and phrasing.same_value(candidate.retires, value))
    if mine == theirs and (mine in vocabulary.SINGULAR or mine.startswith("does.")):
        return True
    if mine == "home" and theirs == "address":
        return True
    if mine == "address" and theirs == "home":  # only where a home was told as an address
        return any(char.isdigit() for char in value)
    if (candidate.slot or "").startswith("date:") and slot.startswith("date:"):  # "the meeting was moved" after "my meeting with X is …"
        ours, other = set(_named(candidate.slot or "")), set(_named(slot))
        return bool(ours) and (ours <= other or other <= ours)
    return candidate.retires not in ("", "*") and mine == theirs and phrasing.words(value) == phrasing.words(candidate.retires)


def _named(slot: str) -> list[str]:
    return [word for word in slot.partition(":")[2].split() if word not in ("with", "to", "for", "in", "my", "the")]


def _value(fact: Fact, user: str) -> str:
    reading = slots.read(fact.text, user)
    return "" if reading is None else reading.value


def _kept(
    candidate: Candidate,
    destination: Destination,
    reason: str,
    verb: str,
    *,
    supersedes: tuple[str, ...] = (),
    confirms: str | None = None,
    expires_at: datetime | None = None,
) -> Decision:
    end = expires_at or candidate.expires_at
    until = f" (until {format_instant(end)})" if end is not None and destination != "pin" else ""
    cut = f" {candidate.reason[:1].upper()}{candidate.reason[1:]}." if candidate.reason else ""
    replaced = f" It replaces {', '.join(supersedes)}." if supersedes else ""
    notice = f"{verb}: “{candidate.text}”{until}.{replaced}{cut}"
    return Decision(
        outcome="PERSIST", destination=destination, reason=reason, notice=notice, supersedes=supersedes, confirms=confirms, expires_at=end
    )


def _review(candidate: Candidate, reason: str) -> Decision:
    return Decision(
        outcome="NEEDS_REVIEW",
        destination="review",
        reason=reason,
        notice=f"Waiting for your word: “{candidate.text}” ({reason}).",
        expires_at=candidate.expires_at,
    )
