"""Opens a system with its saboteur round it: what `systems.load` leaves to this package."""

from __future__ import annotations

from dataclasses import replace

from memgauge.protocol import MemorySystem
from memgauge.saboteurs import sabotage
from memgauge.systems import load
from memgauge.systems.spec import SystemSpec


def open_system(spec: SystemSpec) -> MemorySystem:
    """The system of a spec, with the fault it names. Raises InputError for an unknown system or saboteur."""
    if not spec.saboteur:
        return load.open_system(spec)
    return sabotage(load.open_system(replace(spec, saboteur="")), spec.saboteur)
