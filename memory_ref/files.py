"""Changes to files beside SQLite's, so that they outlive a loss of power: a file's bytes and its name in the folder are synced apart.

`Disk` is the calls themselves; a test hands in one that notes them too. `Files` is what a store does with them. Every failure is
a StorageFailed; what a full or failing disk refuses may be tried again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memgauge.memory_ref.errors import StorageFailed

_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENFILE, errno.EMFILE})
_UNSYNCABLE = frozenset({errno.EACCES, errno.EPERM, errno.EINVAL})
"""Of a folder that may be entered and not read, or on a file system that syncs no folders. SQLite goes on then, too."""


class Disk:
    """One change each. Raises OSError."""

    def write(self, path: Path, data: bytes, *, append: bool) -> None:
        """Add to the file, or replace what is in it; it is made (0600) when it is not there."""
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | (os.O_APPEND if append else os.O_TRUNC), 0o600)
        try:
            while data:  # a disk that fills up takes a part, and refuses the rest at the next try
                data = data[os.write(handle, data) :]
        finally:
            os.close(handle)

    def sync(self, path: Path) -> None:
        """All bytes of a file, or all names in a folder, are on the disk."""
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rename(self, old: Path, new: Path) -> None:
        os.replace(old, new)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def make_folder(self, path: Path) -> None:
        path.mkdir(mode=0o700, exist_ok=True)


DISK = Disk()


class Files:
    """Changes that are on the disk when the call returns. Without `sync` they are only on their way there. Raises StorageFailed."""

    def __init__(self, disk: Disk, *, sync: bool) -> None:
        self._disk = disk
        self._is_synced = sync

    def append(self, path: Path, data: bytes) -> None:
        """Add to the end of a file, made when it is not there."""
        with failing(f"{path.name} cannot be written"):
            self._disk.write(path, data, append=True)
            self._sync(path)
            self._sync_folder(path.parent)  # each time: whoever made the file may have been killed before this

    def write(self, path: Path, data: bytes) -> None:
        """A file with these bytes alone. A crash in between leaves a part of them: write beside the old file, then `rename`."""
        with failing(f"{path.name} cannot be written"):
            self._disk.write(path, data, append=False)
            self._sync(path)
            self._sync_folder(path.parent)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another's place in the same folder, its bytes first."""
        with failing(f"{new.name} cannot be replaced"):
            self._sync(old)
            self._disk.rename(old, new)
            self._sync_folder(new.parent)

    def remove(self, *paths: Path) -> None:
        """Files of one folder, as far as they are there."""
        with failing(f"{paths[0].name} cannot be removed"):
            for path in paths:
                self._disk.remove(path)
            self._sync_folder(paths[0].parent)

    def make_folder(self, path: Path) -> None:
        """A folder (0700), and those above it that are not there."""
        with failing(f"the folder {path.name} cannot be made"):
            if not path.parent.is_dir():
                self.make_folder(path.parent)
            self._disk.make_folder(path)
            self._sync_folder(path.parent)

    def _sync(self, path: Path) -> None:
        if self._is_synced:
            self._disk.sync(path)

    def _sync_folder(self, path: Path) -> None:
        try:
            self._sync(path)
        except OSError as error:
            if error.errno not in _UNSYNCABLE:
                raise


@contextmanager
def failing(what: str) -> Iterator[None]:
    """An OSError inside becomes a StorageFailed that says what could not be done, and whether it may be tried again."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(f"{what} ({error.strerror or type(error).__name__})", retryable=error.errno in _PASSING) from error
