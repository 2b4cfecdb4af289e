"""What capture reads and what it finds: a turn, and the statements in it that might be kept. Frozen, without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memgauge.memory_ref.records import Goal, Message
from memgauge.memory_ref.screen import Verdict

Intent = Literal["explicit", "stated", "rule", "goal", "foreign", "inferred"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn: its messages in order (a few earlier ones may stand before them, for what a pronoun points at), whether the reply
    succeeded, and the scope it was held in. `goals` are the active ones."""

    messages: tuple[Message, ...]
    user: str = ""
    ok: bool = True
    private: bool = False
    project: str | None = None
    task: str | None = None
    goals: tuple[Goal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One statement that might be kept.

    `text` is the user's words, secrets cut out and relative dates anchored. `slot` None: none is known. `value` fills the slot,
    `retires` is the value said to be over ("*": any). `change`: the words themselves say so. `span` are characters of the
    message. `goal` and `goal_status`: for intent goal. `verdict` and `reason`: what screening said.
    """

    text: str
    intent: Intent
    message_id: str
    span: tuple[int, int]
    slot: str | None = None
    value: str = ""
    kind: str = "profile"
    change: bool = False
    retires: str = ""
    known: bool = True
    rule: bool = False
    reach: Literal["user", "project", "task"] = "user"
    sensitivity: Literal["low", "high"] = "low"
    verdict: Verdict = "keep"
    reason: str = ""
    expires_at: datetime | None = None
    goal: str = ""
    goal_status: str = ""
