"""What the files of a store go through, in order: SQLite's by a VFS for apsw, all others by the disk that is handed in. Both pass it on."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from memgauge.memory_ref.files import Disk

Name = str
"""Of a file or folder: its path below the folder that is recorded."""


@dataclass(frozen=True, slots=True)
class Create:
    name: Name
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    name: Name
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    name: Name
    size: int


@dataclass(frozen=True, slots=True)
class Rename:
    """Within one folder."""

    name: Name
    new: Name


@dataclass(frozen=True, slots=True)
class Delete:
    name: Name


@dataclass(frozen=True, slots=True)
class Sync:
    """Of a file: all its bytes so far are on the disk. Of a folder: all names made, changed and removed in it so far are."""

    name: Name


@dataclass(frozen=True, slots=True)
class Told:
    """The caller of the memory was told that so many of its writes are done."""

    answered: int


Event = Create | Write | Truncate | Rename | Delete | Sync | Told


@dataclass(slots=True)
class Record:
    """What happened below `base`, in order."""

    base: Path
    events: list[Event] = field(default_factory=list)

    def name(self, path: str | Path) -> Name:
        return os.path.relpath(path, self.base)


class RecordingDisk(Disk):
    """`skips`: of which files and folders a sync is left out, as a memory would that forgets it."""

    def __init__(self, record: Record, skips: Callable[[Path], bool] = lambda path: False) -> None:
        self._record = record
        self._skips = skips

    def write(self, path: Path, data: bytes, *, append: bool) -> None:
        name, size = self._record.name(path), path.stat().st_size if path.exists() else None
        super().write(path, data, append=append)
        if size is None:
            self._record.events.append(Create(name))
        elif not append:
            self._record.events.append(Truncate(name, 0))
        self._record.events.append(Write(name, size or 0 if append else 0, data))

    def sync(self, path: Path) -> None:
        if not self._skips(path):
            super().sync(path)
            self._record.events.append(Sync(self._record.name(path)))

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        self._record.events.append(Rename(self._record.name(old), self._record.name(new)))

    def remove(self, path: Path) -> None:
        was_there = path.exists()
        super().remove(path)
        if was_there:
            self._record.events.append(Delete(self._record.name(path)))

    def make_folder(self, path: Path) -> None:
        was_there = path.exists()
        super().make_folder(path)
        if not was_there:
            self._record.events.append(Create(self._record.name(path), is_folder=True))


class RecordingVFS(apsw.VFS):
    """Databases and their logs are recorded. The index of a log (-shm) is no file of this interface, and rebuilt at every opening."""

    def __init__(self, name: str, record: Record) -> None:
        self.name = name
        self.record = record
        super().__init__(name, base="", iVersion=3)

    def xOpen(self, name: Any, flags: list[int]) -> _RecordingFile:
        return _RecordingFile(name, flags, self.record)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.record.events.append(Delete(self.record.name(filename)))
        if syncdir:
            self.record.events.append(Sync(self.record.name(Path(filename).parent)))


class _RecordingFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], record: Record) -> None:
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        is_new = not path.exists()
        self._name = record.name(path)
        self._record = record
        # SQLite's own files on Unix sync their folder with the first sync of a journal or log (os_unix.c: UNIXFILE_DIRSYNC)
        self._unsynced_folder = record.name(path.parent) if flags[0] & (apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL) else None
        super().__init__("", name, flags)
        if is_new:
            record.events.append(Create(self._name))

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._record.events.append(Write(self._name, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._record.events.append(Truncate(self._name, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._record.events.append(Sync(self._name))
        if self._unsynced_folder is not None:
            self._record.events.append(Sync(self._unsynced_folder))
            self._unsynced_folder = None
