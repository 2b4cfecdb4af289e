"""A run in DuckDB: made from the run folder, so it can be thrown away and made again. The only module that imports duckdb.

Tables: run (one row), cases, checks, measures, timings, as in `memgauge.reports.run`; and the views of `memgauge.reports.views`.
No number is NaN or infinite: the tables refuse them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from memgauge.checks import CHECKS
from memgauge.errors import HarnessFault, InputError
from memgauge.reports import folder as run_folder
from memgauge.reports.run import CaseLine, CheckLine, MeasureLine
from memgauge.reports.views import VIEWS

if TYPE_CHECKING:
    import duckdb

DATABASE = "results.duckdb"

_TYPES: Mapping[Any, str] = {str: "VARCHAR", int: "BIGINT", bool: "BOOLEAN", float: "DOUBLE"}
_MAX_LINE = 64 * 1024 * 1024
_FINITE = "CHECK ({0} IS NULL OR isfinite({0}))"
_TIMINGS = {"case_id": "VARCHAR", "op": "VARCHAR", "step": "VARCHAR", "ms": "DOUBLE"}


@dataclass(frozen=True, slots=True)
class Table:
    """What a query gave: column names and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def build(folder: Path) -> Path:
    """Write `results.duckdb` of a finished run, whole or not at all, and return its path. Raises InputError, HarnessFault."""
    import duckdb

    manifest = run_folder.read_manifest(folder)
    target = folder / DATABASE
    draft = folder / f".{DATABASE}.{os.getpid()}.tmp"
    try:
        with duckdb.connect(str(draft)) as connection:
            _fill(connection, folder, manifest)
        os.replace(draft, target)
    except (duckdb.Error, OSError) as error:
        raise HarnessFault(f"{target}: cannot be built: {_first_line(error)}", hint="is the run folder whole?") from None
    finally:
        for left in folder.glob(f"{draft.name}*"):
            left.unlink()
    return target


def query(folder: Path, sql: str) -> Table:
    """The rows of one query over a run, read only; the database is built first when it is not there. Raises InputError."""
    import duckdb

    path = folder / DATABASE
    if not path.exists():
        build(folder)
    try:
        with duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"}) as connection:
            found = connection.execute(sql)
            columns = tuple(str(column[0]) for column in found.description or ())
            return Table(columns, tuple(found.fetchall()))
    except duckdb.Error as error:
        names = ", ".join(view.name for view in VIEWS)
        raise InputError(f"the query failed: {_first_line(error)}", hint=f"tables: run, cases, checks, measures, timings; views: {names}") from None


def across(folders: Sequence[Path], sql: str) -> Table:
    """The rows of one query over many finished runs, in memory: tables runs (n, folder, status), and cases, checks, measures with the
    number n of their run. Nothing is written. Raises InputError."""
    import duckdb

    shapes = {table: shape for table, shape in _shapes().items() if table != "timings"}
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute("CREATE TABLE runs (n BIGINT, folder VARCHAR, status VARCHAR)")
            for table, (_, columns) in shapes.items():
                connection.execute(f"CREATE TABLE {table} (n BIGINT, {_declared(columns)})")
            for n, folder in enumerate(folders):
                status = run_folder.read_manifest(folder)["status"]
                if status == "started":
                    raise InputError("the run has not ended", where=str(folder), hint="leave it out")
                connection.execute("INSERT INTO runs VALUES (?, ?, ?)", [n, folder.name, status])
                for table, (file, columns) in shapes.items():
                    _insert(connection, table, folder / file, columns, number=n)
            found = connection.execute(sql)
            return Table(tuple(str(column[0]) for column in found.description or ()), tuple(found.fetchall()))
    except duckdb.Error as error:
        raise InputError(f"the runs cannot be read: {_first_line(error)}", hint="are the run folders whole?") from None


def _shapes() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """By table: the file it is read from, and its columns."""
    return {
        "cases": (run_folder.CASES, _columns(CaseLine)),
        "checks": (run_folder.CHECKS, _columns(CheckLine)),
        "measures": (run_folder.MEASURES, _columns(MeasureLine)),
        "timings": (run_folder.TIMINGS, _TIMINGS),
    }


def _fill(connection: duckdb.DuckDBPyConnection, folder: Path, manifest: Mapping[str, Any]) -> None:
    connection.execute("CREATE TABLE run (status VARCHAR NOT NULL, planned BIGINT NOT NULL, seed BIGINT, manifest JSON NOT NULL)")
    values = [manifest["status"], manifest["planned"], manifest.get("seed"), json.dumps(manifest)]
    connection.execute("INSERT INTO run VALUES (?, ?, ?, ?)", values)
    for table, (file, columns) in _shapes().items():
        _load(connection, table, folder / file, columns)
    kinds = [name for name, kind in CHECKS.items() if kind.outcome]
    connection.execute("ALTER TABLE checks ADD COLUMN outcome_check BOOLEAN")
    connection.execute("UPDATE checks SET outcome_check = list_contains(?, kind)", [kinds])
    for view in VIEWS:
        connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
        connection.execute(f"COMMENT ON VIEW {view.name} IS '{view.doc}; {view.unit}; {view.direction or 'no'} direction'")


def _load(connection: duckdb.DuckDBPyConnection, table: str, path: Path, columns: Mapping[str, str]) -> None:
    connection.execute(f"CREATE TABLE {table} ({_declared(columns)})")
    _insert(connection, table, path, columns)


def _declared(columns: Mapping[str, str]) -> str:
    checks = [_FINITE.format(name) for name, kind in columns.items() if kind == "DOUBLE"]
    return ", ".join([*(f'"{name}" {kind}' for name, kind in columns.items()), *checks])


def _insert(connection: duckdb.DuckDBPyConnection, table: str, path: Path, columns: Mapping[str, str], number: int | None = None) -> None:
    """The lines of a file into a table, with the number of their run in front where there are several."""
    if not path.is_file():
        raise InputError("is missing", where=str(path), hint="run it again")
    shape = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    names = ", ".join(f'"{name}"' for name in columns)
    source = f"read_json(?, format='newline_delimited', columns={{{shape}}}, maximum_object_size={_MAX_LINE})"
    front = "" if number is None else f"{number}, "
    connection.execute(f"INSERT INTO {table} SELECT {front}{names} FROM {source}", [str(path)])


def _columns(line: type[CaseLine | CheckLine | MeasureLine]) -> dict[str, str]:
    hints = get_type_hints(line)
    return {part.name.rstrip("_"): _column(hints[part.name]) for part in fields(line)}


def _column(hint: Any) -> str:
    if hint in _TYPES:
        return _TYPES[hint]
    text = str(hint)
    if text.startswith("tuple"):
        return "VARCHAR[]"
    if "Mapping" in text:
        return "JSON"
    return "DOUBLE" if "float" in text else "VARCHAR"


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split("\n", 1)[0].split())
