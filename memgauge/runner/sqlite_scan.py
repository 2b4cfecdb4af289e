"""Look into a copy of an SQLite database: rows that hold a needle, and terms of full-text indexes that no row should have any more."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memgauge.runner.needles import Needle
from memgauge.systems.reading import quoted

Row = tuple[Needle, str, str, str]
"""(needle, form, table, `row` or `fts5 term`)"""


def scan_database(parts: Mapping[str, bytes], needles: Sequence[Needle], scratch: Path) -> Iterator[Row]:
    """Rows and index terms that hold a needle. `parts`: the bytes of the database under "", of its logs under `LOGS`.

    Works on a copy, so that the system's own locks and files stay as they are. A database that SQLite cannot read yields
    nothing here; its bytes are scanned all the same.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        copy = Path(folder) / "copy.db"
        for suffix, data in parts.items():
            copy.with_name(copy.name + suffix).write_bytes(data)
        with contextlib.closing(sqlite3.connect(copy)) as connection, contextlib.suppress(sqlite3.DatabaseError):
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            for table, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
                if "using fts5" in (sql or "").casefold():
                    yield from _terms(connection, table, needles)
                else:
                    yield from _rows(connection, table, needles)


def _rows(connection: sqlite3.Connection, table: str, needles: Sequence[Needle]) -> Iterator[Row]:
    with contextlib.suppress(sqlite3.DatabaseError):  # a virtual table whose module is not here
        for row in connection.execute(f"SELECT * FROM {quoted(table)}"):
            text = "\n".join(value.casefold() for value in row if isinstance(value, str))
            for needle in needles:
                if any(form.kind != "stem" and form.text.casefold() in text for form in needle.forms):
                    yield needle, "anchor", table, "row"


def _terms(connection: sqlite3.Connection, table: str, needles: Sequence[Needle]) -> Iterator[Row]:
    with contextlib.suppress(sqlite3.DatabaseError):
        connection.execute("DROP TABLE IF EXISTS temp.memgauge_terms")
        connection.execute(f"CREATE VIRTUAL TABLE temp.memgauge_terms USING fts5vocab('main', {quoted(table)}, 'row')")
        terms = {str(term) for (term,) in connection.execute("SELECT term FROM temp.memgauge_terms")}
        for needle in needles:
            for form in needle.forms:
                if form.kind in ("stem", "pair") and form.text.casefold() in terms:
                    yield needle, form.kind, table, "fts5 term"
