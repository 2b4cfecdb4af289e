"""One step of a random sequence, in names instead of ids, so that any subset of a sequence is a sequence again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memgauge.fuzz.words import Statement
from memgauge.records import Scope

ACTORS: Mapping[str, Scope] = {
    "ana": Scope(user="ana"),
    "ben": Scope(user="ben"),
    "shout": Scope(user="Ana"),
    "elsewhere": Scope(user="ana", tenant="second"),
}
"""Who takes part: two users, one whose id differs from another's by case only, and a namesake of another tenant."""
THREADS: Mapping[str, str | None] = {"main": None, "side": None, "atlas": "atlas", "birch": "birch", "hush": None}
"""Threads and the project each belongs to."""
PRIVATE = "hush"
"""The thread that is private from its first message on."""
AGAIN = "again"
"""The step that sends an earlier request once more, under the same idempotency key; its target is the `n` of that step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """From where something is written or read."""

    actor: str = "ana"
    thread: str = "main"

    def scope(self) -> Scope:
        who = ACTORS[self.actor]
        return Scope(tenant=who.tenant, user=who.user, thread=self.thread, project=THREADS[self.thread])

    @property
    def project(self) -> str | None:
        return THREADS[self.thread]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A verb, `advance`, `reopen` or `again`.

    `n` names the step for good and makes the message id and the idempotency key. `told` is the statement it brings in. `target` is
    the key of the statement it acts on; a step whose target is not there is left out. `args` are further arguments; of a document,
    `expected` is "current" or "stale".
    """

    n: int
    op: str
    view: View = field(default_factory=View)
    told: Statement | None = None
    target: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message_id(self) -> str:
        return f"m{self.n}"
