"""What a store is built on, handed in: how to connect to a file, and what is done beyond SQLite's own habits to keep and to erase.

The default is the only right one for use. Each part can be left out, so that a test can show that its loss is noticed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memgauge.memory_ref.files import DISK, Disk, Files

Connect = Callable[[Path, float], sqlite3.Connection]
"""(file, seconds to wait for another writer) → a connection in autocommit mode that any thread may use, or what behaves as one."""


def connect(path: Path, busy_s: float) -> sqlite3.Connection:
    """The standard library's SQLite. Raises sqlite3.Error."""
    return sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The parts of a store.

    disk: the calls that change other files than SQLite's. sync: a COMMIT that returned has reached the disk, and so has every change
    of another file. secure_delete: freed cells are overwritten. merge_index: an erase merges
    the full-text index, which keeps the words of deleted rows until then. checkpoint: an erase empties the write-ahead log.
    vacuum: an erase rewrites the file; it replaces none of the others (measured: words stay in the index and in the log).
    """

    connect: Connect = connect
    disk: Disk = DISK
    sync: bool = True
    secure_delete: bool = True
    merge_index: bool = True
    checkpoint: bool = True
    vacuum: bool = False

    @property
    def files(self) -> Files:
        return Files(self.disk, sync=self.sync)


STANDARD = Engine()
