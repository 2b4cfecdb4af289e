"""The reference memory: a library of its own on SQLite, without a model, a network or global state.

    memory = open_memory("data")
    ana = memory.session(Scope(user="ana", thread="t1"))

`docs/how-to/use-the-reference-memory.md` shows it in an assistant. The verbs are the methods of `Session`, one a verb of the protocol.
"""

from __future__ import annotations

from memgauge.memory_ref.errors import Busy, Conflict, NotFound, Refused
from memgauge.memory_ref.memory import Memory, open_memory
from memgauge.memory_ref.policy import Policy, load_policy
from memgauge.memory_ref.session import Session
from memgauge.records import Scope

__all__ = ["Busy", "Conflict", "Memory", "NotFound", "Policy", "Refused", "Scope", "Session", "load_policy", "open_memory"]
