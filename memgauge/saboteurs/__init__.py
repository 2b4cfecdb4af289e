"""Who tests the tester: memories with one planted fault each, by name (`reference+leak-users`).

`SABOTEURS` holds them all once this package is imported; `memgauge list saboteurs` prints them.
"""

from __future__ import annotations

from memgauge.protocol import MemorySystem
from memgauge.saboteurs import again, corners, deletion, derived, dropped, harmless, hiding, leaks, parts, prompt, settings, staleness, writing
from memgauge.saboteurs.base import SABOTEURS, Saboteur, Wrapper

__all__ = ["SABOTEURS", "Saboteur", "Wrapper", "sabotage"]

MODULES = (again, corners, deletion, derived, dropped, harmless, hiding, leaks, parts, prompt, settings, staleness, writing)


def sabotage(inner: MemorySystem, name: str) -> MemorySystem:
    """The system with one fault put round it. Raises InputError for an unknown name."""
    return SABOTEURS.get(name).make(inner)
