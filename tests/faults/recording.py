"""A VFS for apsw that notes every write, truncation and sync of the files of a database, in order, and passes it on."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import apsw


@dataclass(frozen=True, slots=True)
class Write:
    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """All writes to the file before this one are on the disk."""

    file: str


@dataclass(frozen=True, slots=True)
class Delete:
    file: str


@dataclass(frozen=True, slots=True)
class Told:
    """The caller of the memory was told that its write is done."""

    number: int


Event = Write | Truncate | Sync | Delete | Told


@dataclass(slots=True)
class Record:
    """What happened, in order."""

    events: list[Event] = field(default_factory=list)


class RecordingVFS(apsw.VFS):
    """The database and its logs are recorded. The index of the log (-shm) is no file of this interface, and rebuilt at every opening."""

    def __init__(self, name: str, record: Record) -> None:
        self.name = name
        self.record = record
        super().__init__(name, base="", iVersion=3)

    def xOpen(self, name: Any, flags: list[int]) -> _RecordingFile:
        return _RecordingFile(name, flags, self.record)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.record.events.append(Delete(os.path.basename(filename)))


class _RecordingFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], record: Record) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._file = os.path.basename(path) if path else ""
        self._record = record
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._record.events.append(Write(self._file, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._record.events.append(Truncate(self._file, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._record.events.append(Sync(self._file))
