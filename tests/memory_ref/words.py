"""Builders shared by the tests of the words half: messages, turns and known facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memgauge.clock import parse_instant
from memgauge.memory_ref.capture import Candidate, Turn, extract_turn
from memgauge.memory_ref.classify import Decision, classify
from memgauge.memory_ref.policy import Policy, load_policy
from memgauge.memory_ref.records import Fact, Goal, Message
from memgauge.memory_ref.slots import read_slot

POLICY = load_policy("default")
NOW = "2026-03-02T09:00:00+00:00"


def message(text: str, **changes: Any) -> Message:
    parts: dict[str, Any] = {
        "seq": 1,
        "id": "m1",
        "thread": "main",
        "parent": None,
        "role": "user",
        "text": text,
        "speaker": None,
        "origin": "typed",
        "project": None,
        "agent": None,
        "task": None,
        "calls": (),
        "call_id": None,
        "created_at": NOW,
        "on_branch": True,
        "state": "live",
        "recallable": True,
        "captured": False,
    }
    return Message(**{**parts, **changes})


def fact(text: str, number: int = 1, **changes: Any) -> Fact:
    parts: dict[str, Any] = {
        "id": f"fact-{number}",
        "lineage": f"fact-{number}",
        "text": text,
        "normal": text,
        "kind": "profile",
        "slot": read_slot(text, "ana"),
        "source": "stated",
        "approved": True,
        "message_id": None,
        "reach": "user",
        "project": None,
        "task": None,
        "agents": None,
        "status": "active",
        "sensitivity": "low",
        "always": False,
        "created_at": NOW,
        "updated_at": NOW,
        "confirmed_at": NOW,
        "expires_at": None,
        "supersedes": None,
        "superseded_by": None,
        "revision": 1,
    }
    return Fact(**{**parts, **changes})


def goal(text: str, number: int = 1) -> Goal:
    return Goal(
        id=f"goal-{number}", text=text, status="active", position=number, project=None, message_id=None, created_at=NOW, updated_at=NOW, revision=1
    )


def captured(
    *messages: Message | str, known: Sequence[Fact | str] = (), policy: Policy = POLICY, now: datetime | None = None, **turn: Any
) -> list[tuple[Candidate, Decision]]:
    """Every candidate of a turn with what becomes of it."""
    made = tuple(message(m, seq=n, id=f"m{n}") if isinstance(m, str) else m for n, m in enumerate(messages, start=1))
    facts = [fact(f, n) if isinstance(f, str) else f for n, f in enumerate(known, start=1)]
    instant = now or parse_instant(NOW)
    held = Turn(messages=made, user="ana", **turn)
    return [
        (c, classify(c, facts, policy, instant, user="ana", project=held.project))
        for c in extract_turn(held, existing=facts, policy=policy, now=instant)
    ]
