"""What a disk holds when the power fails: all that was synced, and of the rest nothing, a part, or a torn part. Bytes of files and names
in folders are synced apart, so that a synced file can be lost with its name, and a removed one can come back."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.faults.recording import Create, Delete, Event, Name, Rename, Sync, Told, Truncate, Write

Loss = Literal["dropped", "some", "torn", "kept"]
"""Of what was not synced: nothing arrived; each write of a file arrived or not, in any order, and of the names in a folder the first
changes; all arrived and the last write of each file only in part, zeros standing for the rest; all arrived, which is what a killed
process leaves."""
SECTOR = 512
"""Bytes that a disk writes whole."""


@dataclass(slots=True)
class _Node:
    """A file, or a folder."""

    is_folder: bool = False
    synced: bytearray = field(default_factory=bytearray)
    waiting: list[Write | Truncate] = field(default_factory=list)


_Change = dict[Name, "_Node | None"]
"""Names that go to a file or to none, at once."""


class Machine:
    """`happen` for each event, `after` for what would be left by a loss of power now."""

    def __init__(self) -> None:
        self._names: dict[Name, _Node] = {".": _Node(is_folder=True)}
        self._synced: dict[Name, _Node] = dict(self._names)
        self._waiting: dict[Name, list[_Change]] = defaultdict(list)

    def happen(self, event: Event) -> None:
        match event:
            case Create():
                self._change({event.name: _Node(is_folder=event.is_folder)})
            case Rename():
                self._change({event.name: None, event.new: self._names[event.name]})
            case Delete():
                self._change({event.name: None})
            case Write() | Truncate():
                self._names[event.name].waiting.append(event)
            case Sync():
                self._sync(self._names[event.name], event.name)
            case Told():
                pass

    def after(self, loss: Loss, draw: random.Random) -> dict[Name, bytes | None]:
        """Name → bytes of every file, None for a folder."""
        names = dict(self._synced)
        for changes in self._waiting.values():
            for change in changes[: {"dropped": 0, "some": draw.randint(0, len(changes))}.get(loss)]:
                _put(names, change)
        found: dict[Name, bytes | None] = {}
        for name, node in names.items():
            if all(str(folder) in names for folder in Path(name).parents):
                found[name] = None if node.is_folder else _applied(node.synced, _arrived(node.waiting, loss, draw))
        return found

    def _change(self, change: _Change) -> None:
        _put(self._names, change)
        self._waiting[str(Path(next(iter(change))).parent)].append(change)

    def _sync(self, node: _Node, name: Name) -> None:
        if node.is_folder:
            for change in self._waiting.pop(name, ()):
                _put(self._synced, change)
        else:
            node.synced = bytearray(_applied(node.synced, node.waiting))
            node.waiting = []


def _put(names: dict[Name, _Node], change: _Change) -> None:
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


def _arrived(waiting: list[Write | Truncate], loss: Loss, draw: random.Random) -> Sequence[Write | Truncate]:
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
            sectors = range(last.offset // SECTOR + 1, (last.offset + len(last.data) - 1) // SECTOR + 1)
            kept = draw.choice([0, *(sector * SECTOR - last.offset for sector in sectors)])
            size = last.offset + len(last.data)
            return [*waiting[:-1], Write(last.name, last.offset, last.data[:kept]), Write(last.name, size, b"")]


def _applied(synced: bytearray, events: Sequence[Write | Truncate]) -> bytes:
    data = bytearray(synced)
    for event in events:
        size = event.size if isinstance(event, Truncate) else event.offset + len(event.data)
        if isinstance(event, Truncate):
            del data[size:]
        if len(data) < size:
            data.extend(bytes(size - len(data)))
        if isinstance(event, Write):
            data[event.offset : size] = event.data
    return bytes(data)
