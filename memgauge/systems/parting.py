"""Part with a system that nobody will call again."""

from __future__ import annotations

import contextlib

from memgauge.clock import DEFAULT_START
from memgauge.protocol import MemorySystem, Request


def let_go(system: MemorySystem, now: str = DEFAULT_START) -> None:
    """Kill the child behind it, or ask the object to close, whatever state it is in. Raises nothing: it is past being judged."""
    kill = getattr(system, "kill", None)
    if callable(kill):
        kill()
    with contextlib.suppress(Exception, SystemExit):  # a killed child says that it has ended; one round an object has nothing to kill
        system.call(Request(op="close", now=now))
