"""What a disk holds when the power fails: all that was synced, and of the rest nothing, a part, or a torn part."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.faults.recording import Delete, Event, Sync, Truncate, Write

Loss = Literal["dropped", "some", "torn", "kept"]
"""Unsynced writes: none arrived; each arrived or not, in any order; all arrived and the last only in part; all arrived, which is
what a killed process leaves."""
SECTOR = 512
"""Bytes that a disk writes whole."""


@dataclass(slots=True)
class _Disk:
    synced: bytearray = field(default_factory=bytearray)
    waiting: list[Write | Truncate] = field(default_factory=list)


def files_after(events: Sequence[Event], loss: Loss, draw: random.Random) -> dict[str, bytes]:
    """Name → bytes of every file after a loss of power behind the last of these events."""
    disks: dict[str, _Disk] = {}
    for event in events:
        match event:
            case Write() | Truncate():
                disks.setdefault(event.file, _Disk()).waiting.append(event)
            case Sync():
                disk = disks.setdefault(event.file, _Disk())
                _apply(disk.synced, disk.waiting)
                disk.waiting = []
            case Delete():
                disks.pop(event.file, None)
    for disk in disks.values():
        _apply(disk.synced, _arrived(disk.waiting, loss, draw))
    return {name: bytes(disk.synced) for name, disk in disks.items()}


def _arrived(waiting: list[Write | Truncate], loss: Loss, draw: random.Random) -> list[Write | Truncate]:
    match loss:
        case "dropped":
            return []
        case "kept":
            return waiting
        case "some":
            return [event for event in waiting if draw.random() < 0.5]
        case "torn":
            last = waiting[-1] if waiting else None
            if not isinstance(last, Write):
                return waiting[:-1]
            sectors = draw.randrange(-(-len(last.data) // SECTOR))
            return [*waiting[:-1], Write(last.file, last.offset, last.data[: sectors * SECTOR])]


def _apply(disk: bytearray, events: Sequence[Write | Truncate]) -> None:
    for event in events:
        size = event.size if isinstance(event, Truncate) else event.offset + len(event.data)
        if isinstance(event, Truncate):
            del disk[size:]
        if len(disk) < size:
            disk.extend(bytes(size - len(disk)))
        if isinstance(event, Write):
            disk[event.offset : size] = event.data
