"""Capture: what of a finished turn is worth keeping, as candidates. Pure; an empty answer is the normal one.

Only what the user typed himself in a public thread is read, and of it only what is asserted: see `utterance` for what is left
out, `slots` for what a statement is about, `classify` for what becomes of a candidate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memgauge.memory_ref import cues
from memgauge.memory_ref.candidates import Candidate, Intent, Turn
from memgauge.memory_ref.policy import Policy
from memgauge.memory_ref.reader import Reader, latest
from memgauge.memory_ref.records import Fact, Message

__all__ = ["Candidate", "Intent", "Turn", "extract", "extract_turn"]


def extract(message: Message, *, turn: Turn, existing: Sequence[Fact], policy: Policy, now: datetime) -> tuple[Candidate, ...]:
    """The candidates of one message of a turn, in order. `existing` are the live facts the scope may see."""
    if not readable(message, turn, policy):
        return ()
    reader = Reader(message, turn, existing, policy, now)
    return tuple(reader.candidates())


def extract_turn(turn: Turn, *, existing: Sequence[Fact], policy: Policy, now: datetime) -> tuple[Candidate, ...]:
    """The candidates of all messages of a turn. What a later message takes back, or says otherwise, is left out."""
    kept: list[Candidate] = []
    for message in turn.messages:
        if kept and readable(message, turn, policy) and _takes_back(message.text):
            kept = [c for c in kept if c.message_id != kept[-1].message_id]
        kept.extend(extract(message, turn=turn, existing=existing, policy=policy, now=now))
    return tuple(latest(kept))


def readable(message: Message, turn: Turn, policy: Policy) -> bool:
    """Whether capture reads a message at all: what the user typed himself, in a turn that succeeded and is not private."""
    return (
        policy.capture.enabled
        and turn.ok
        and not turn.private
        and message.role == "user"
        and message.origin == "typed"
        and message.state == "live"
        and (message.speaker is None or message.speaker == turn.user)
        and len(message.text) <= _LONGEST
    )


_LONGEST = 6000
"""Characters from which a typed message is taken for pasted material: about a thousand words, more than anyone types about himself."""


def _takes_back(text: str) -> bool:
    plain = cues.fold(text).strip()
    return (
        re.match(
            rf"(?:no|wait|oh|ah|hmm|well|actually|sorry|ok|okay)?\W*(?:{cues.pattern('refute').pattern}|{cues.pattern('joke').pattern})", plain, re.I
        )
        is not None
    )
