"""One SQLite connection: its pragmas, its transactions, its errors. Only `engine` beside it calls sqlite3.

Durability: WAL with synchronous=FULL, so a COMMIT that returned has been synced. Erasure: secure_delete overwrites freed
cells and holds per connection, hence at every open; temp_store=MEMORY keeps sort spills off the disk.
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memgauge.clock import wall_ms
from memgauge.memory_ref.engine import STANDARD, Engine
from memgauge.memory_ref.errors import Busy, Damaged, StorageFailed, StoreError
from memgauge.memory_ref.tracing import Tracer, silent

Row = sqlite3.Row
BUSY_MS = 30_000
"""How long a call waits for another writer. Eight writers of 500 commits wait up to 0.6 s on a fast disk; slow disks need fifty times that."""

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DISK = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Database:
    """A connection that any thread may use, one at a time."""

    def __init__(self, path: Path, *, tracer: Tracer = silent, busy_ms: int = BUSY_MS, engine: Engine = STANDARD) -> None:
        """Open or create the file (0600). Raises StoreError."""
        self.path = path
        self.tracer = tracer
        self.engine = engine
        self._lock = threading.RLock()
        self._depth = 0
        self._busy_ms = busy_ms
        if not path.exists():
            engine.files.append(path, b"")
        try:
            self._connection = engine.connect(path, busy_ms / 1000)
        except sqlite3.Error as error:
            raise _translated(error) from error
        self._connection.row_factory = Row
        try:
            self._switch_to_wal()
            safety = (f"synchronous={'FULL' if engine.sync else 'OFF'}", f"secure_delete={'ON' if engine.secure_delete else 'OFF'}")
            for pragma in (*safety, "temp_store=MEMORY", "foreign_keys=ON"):
                self._connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            self._connection.close()
            raise _translated(error) from error

    def _switch_to_wal(self) -> None:
        """Set the journal mode, once in a file's life. SQLite's own waiting does not cover this: two first openers meet as BUSY."""
        last = wall_ms() + self._busy_ms
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _BUSY or wall_ms() > last:
                    raise
                time.sleep(random.uniform(0.002, 0.02))

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """A write transaction; inside another one, a savepoint. Leaving by an exception undoes all of it."""
        with self._lock:
            if self._depth == 0:
                self.tracer("begin", "write")
            name = f"s{self._depth}"
            self._plain("BEGIN IMMEDIATE" if self._depth == 0 else f"SAVEPOINT {name}")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                self._undo(name)
                raise
            self._depth -= 1
            if self._depth:
                self._plain(f"RELEASE {name}")
            else:
                self._commit()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A read transaction: one state of the store for the whole call. Inside a write transaction it adds nothing."""
        with self._lock:
            if self._depth:
                yield
                return
            self._plain("BEGIN")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._connection.in_transaction:
                    self._plain("ROLLBACK")

    def all(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Every row of a query."""
        with self._lock:
            return self._traced(sql, parameters).fetchall()

    def chunks(self, sql: str, parameters: Sequence[Any], *, size: int) -> Iterator[list[Row]]:
        """The rows of a query, so many at a time; those that nobody asks for are not read."""
        with self._lock:
            cursor = self._traced(sql, parameters)
            try:
                while rows := cursor.fetchmany(size):
                    yield rows
            except sqlite3.Error as error:
                raise _translated(error) from error
            finally:
                cursor.close()

    def one(self, sql: str, parameters: Sequence[Any] = ()) -> Row | None:
        """The first row, or None."""
        with self._lock:
            found: Row | None = self._traced(sql, parameters).fetchone()
            return found

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.one(sql, parameters)
        return None if row is None else row[0]

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Execute a statement and return the number of rows it changed."""
        with self._lock:
            return self._traced(sql, parameters).rowcount

    def insert(self, table: str, **columns: Any) -> None:
        """Insert one row. Table and column names come from code, never from a caller's data."""
        names = ", ".join(columns)
        marks = ", ".join("?" * len(columns))
        self.run(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(columns.values()))

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file and empty it. False when a reader or writer of another connection holds it."""
        with self._lock:
            self.tracer("replace", "checkpoint")
            self._plain("PRAGMA busy_timeout=200")  # a reader may stay for long; the erase is then pending, not stuck
            try:
                busy = self.value("PRAGMA wal_checkpoint(TRUNCATE)")
            except Busy:
                return False
            finally:
                self._plain(f"PRAGMA busy_timeout={self._busy_ms}")
            return not busy

    def vacuum(self) -> None:
        """Rewrite the file without its free pages. Outside any transaction."""
        with self._lock:
            self._plain("VACUUM")

    def backup_to(self, path: Path) -> None:
        """A consistent copy by SQLite's backup call (a plain file copy would miss the write-ahead log). Not synced: the caller does."""
        with self._lock:
            try:
                copy = self.engine.connect(path, self._busy_ms / 1000)
                try:
                    copy.execute("PRAGMA synchronous=OFF")
                    self._connection.backup(copy)
                    copy.execute("PRAGMA journal_mode=DELETE")
                finally:
                    copy.close()
            except sqlite3.Error as error:
                raise _translated(error) from error

    def _traced(self, sql: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
        self.tracer("statement", sql)
        try:
            return self._connection.execute(sql, parameters)
        except sqlite3.Error as error:
            raise _translated(error) from error

    def _plain(self, sql: str) -> None:
        try:
            self._connection.execute(sql)
        except sqlite3.Error as error:
            raise _translated(error) from error

    def _commit(self) -> None:
        self.tracer("commit", "")
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise _translated(error) from error
        self.tracer("committed", "")

    def _undo(self, name: str) -> None:
        if not self._connection.in_transaction:  # SQLite rolled back by itself (disk full, I/O error)
            return
        if self._depth:
            self._connection.execute(f"ROLLBACK TO {name}")
            self._connection.execute(f"RELEASE {name}")
        else:
            self._connection.execute("ROLLBACK")


def _translated(error: sqlite3.Error) -> StoreError:
    """The one place where SQLite's errors become ours. Their text may quote data, so only the code's name is kept."""
    code = getattr(error, "sqlite_errorcode", None)
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in _BUSY:
        return Busy("the store is in use by another writer; try again")
    if primary in _DAMAGED:
        return Damaged(f"the store's file cannot be read ({name})")
    quoted = f"{name}: {error}" if primary == sqlite3.SQLITE_ERROR else name
    return StorageFailed(f"SQLite could not do it ({quoted})", retryable=primary in _DISK)
