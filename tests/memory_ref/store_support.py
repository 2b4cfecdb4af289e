"""What the tests of the store share: a memory on a fresh folder with a clock that stands still."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from memgauge.clock import ManualClock
from memgauge.memory_ref.memory import Memory, open_memory
from memgauge.memory_ref.session import Session
from memgauge.records import Scope


class Bench:
    """A memory, its clock and its folder; `ana` and `as_` give sessions."""

    def __init__(self, root: Path, policy: dict[str, Any] | None = None) -> None:
        self.root = root
        self.policy = policy
        self.clock = ManualClock()
        self.memory: Memory = open_memory(root, policy=policy, clock=self.clock)

    def as_(self, user: str = "ana", *, key: str | None = None, **scope: str) -> Session:
        return self.memory.session(Scope(user=user, **{"thread": "main", **scope}), key=key)

    @property
    def ana(self) -> Session:
        return self.as_()

    def advance(self, **span: float) -> None:
        self.clock.advance(timedelta(**span))

    def reopen(self) -> None:
        self.memory.close()
        self.memory = open_memory(self.root, policy=self.policy, clock=self.clock)

    def bytes(self) -> bytes:
        """Every byte of every file, case folded for ASCII."""
        return b"\0".join(path.read_bytes() for path in sorted(self.root.rglob("*")) if path.is_file()).lower()


def texts(reply: Any) -> list[str]:
    return [item["text"] for item in reply.data["items"]]


def holds(text: str, word: str) -> bool:
    return re.search(word, text, re.I) is not None
