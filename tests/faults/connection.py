"""An apsw connection that behaves as the standard library's, as far as `memory_ref.database` uses it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw


class Row:
    """A row by position or by column, as sqlite3.Row is."""

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self._names = names
        self._values = values

    def keys(self) -> Sequence[str]:
        return self._names

    def __getitem__(self, key: int | str) -> Any:
        return self._values[key if isinstance(key, int) else self._names.index(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)


class Cursor:
    def __init__(self, cursor: Any, rowcount: int) -> None:
        self._cursor = cursor
        self.rowcount = rowcount

    def fetchone(self) -> Row | None:
        with _translated():
            return next(self._cursor, None)

    def fetchall(self) -> list[Row]:
        with _translated():
            return list(self._cursor)


class ApswConnection:
    row_factory: Any = None

    def __init__(self, path: Path, busy_s: float, vfs: str) -> None:
        with _translated():
            self._connection = apsw.Connection(str(path), vfs=vfs)
            self._connection.set_busy_timeout(int(busy_s * 1000))

    @property
    def in_transaction(self) -> bool:
        return bool(self._connection.in_transaction)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        with _translated():
            cursor = self._connection.cursor()
            cursor.row_trace = lambda each, values: Row([column[0] for column in each.get_description()], values)
            cursor.execute(sql, tuple(parameters))
            return Cursor(cursor, self._connection.changes())

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with _translated():
            self._connection.cursor().executemany(sql, [tuple(row) for row in rows])

    def backup(self, target: ApswConnection) -> None:
        with _translated(), target._connection.backup("main", self._connection, "main") as copying:
            copying.step()

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        same = sqlite3.OperationalError(str(error))
        same.sqlite_errorcode = getattr(error, "extendedresult", 1)
        same.sqlite_errorname = type(error).__name__
        raise same from error
