"""A run in DuckDB: made from the run folder, so it can be thrown away and made again. The only module that imports duckdb.

Tables: run (one row), cases, checks, measures, timings, as in `memgauge.reports.run`; and the views of `memgauge.reports.views`.
No number is NaN or infinite: the tables refuse them. Memory is bounded: what does not fit goes to a temporary folder.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from memgauge.checks import CHECKS
from memgauge.errors import HarnessFault, InputError
from memgauge.records import OUTCOMES
from memgauge.reports import folder as run_folder
from memgauge.reports import jsonl
from memgauge.reports.run import TIMINGS, CaseLine, CheckLine, MeasureLine, require_whole
from memgauge.reports.views import VIEWS

if TYPE_CHECKING:
    import duckdb

DATABASE = "results.duckdb"
MEMORY = "1GB"
"""What the database may hold in memory; the process around it needs some hundred MiB more."""

L = TypeVar("L", CaseLine, CheckLine)
_LATER = {part.name for line in (CaseLine, CheckLine, MeasureLine) for part in fields(line) if not part.default is part.default_factory is MISSING}

_TYPES: Mapping[Any, str] = {str: "VARCHAR", int: "BIGINT", bool: "BOOLEAN", float: "DOUBLE"}
_MAX_LINE = 64 * 1024 * 1024
_TIMINGS = {"case_id": "VARCHAR", "op": "VARCHAR", "step": "VARCHAR", "ms": "DOUBLE"}
_FINITE, _KNOWN = "CHECK ({0} IS NULL OR isfinite({0}))", f"CHECK (outcome IN {OUTCOMES})"
_EMPTY = {"VARCHAR": "''", "VARCHAR[]": "[]", "JSON": "'{}'"}
"""What stands where a line of an older run lacks a part. A part that every line must have is missing under no name: NULL is refused."""


WORST_FIRST = "list_position(['fail', 'error', 'unscored', 'unsupported', 'skip', 'not_applicable', 'pass'], outcome)"
"""SQL by which checks are ordered where not all can be shown."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a query gave: column names and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class Database:
    """A run that is open for reading."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def table(self, sql: str, **given: Any) -> Table:
        """The rows of one query; `$name` in it is a given value."""
        found = self._connection.execute(sql, given or None)
        return Table(tuple(str(column[0]) for column in found.description or ()), tuple(found.fetchall()))

    def rows(self, sql: str, **given: Any) -> tuple[tuple[Any, ...], ...]:
        """The rows alone."""
        return self.table(sql, **given).rows

    def lines(self, line: type[L], where: str, **given: Any) -> tuple[L, ...]:
        """Cases or checks, by what stands after the name of the table: `WHERE … LIMIT …`."""
        columns = _columns(line)
        nested = [column for column, kind in columns.items() if kind == "JSON"]
        found = self.rows(f"SELECT {', '.join(columns)} FROM {_table(line)} {where}", **given)
        plain = (dict(zip(columns, row, strict=True)) for row in found)
        return tuple(line.from_json(one | {column: json.loads(one[column]) for column in nested}) for one in plain)

    def cases(self, ids: Iterable[str]) -> tuple[CaseLine, ...]:
        """The cases with these ids, in the order of the ids."""
        wanted = list(dict.fromkeys(ids))
        found = {case.id: case for case in self.lines(CaseLine, "WHERE id IN (SELECT unnest($ids::VARCHAR[]))", ids=wanted)}
        return tuple(found[name] for name in wanted if name in found)


def build(folder: Path) -> Path:
    """Write `results.duckdb` of a finished run, whole or not at all, and return its path. Raises InputError, HarnessFault."""
    target = folder / DATABASE
    _build(folder, target)
    return target


@contextmanager
def opened(folder: Path) -> Iterator[Database]:
    """A finished run to ask. The database is built first where there is none, or where the run has changed since; beside a run that
    cannot be written to, in a temporary folder. Raises InputError, HarnessFault."""
    import duckdb

    path = folder / DATABASE
    with tempfile.TemporaryDirectory(prefix="memgauge-") as spare:
        if not _is_fresh(path, folder):
            path = path if os.access(folder, os.W_OK) else Path(spare) / DATABASE
            _build(folder, path)
        try:
            with _connected(path, read_only=True) as connection:
                yield Database(connection)
        except duckdb.Error as error:
            raise HarnessFault(f"{path}: cannot be read: {_first_line(error)}", hint="remove it: it is made again") from None


def query(folder: Path, sql: str) -> Table:
    """The rows of one query over a run, read only; the database is built first when it is not there. Raises InputError."""
    try:
        with opened(folder) as database:
            return _asked(database, sql)
    except HarnessFault as error:
        raise InputError(str(error), hint=error.hint) from None


def _asked(database: Database, sql: str) -> Table:
    import duckdb

    try:
        return database.table(sql)
    except duckdb.Error as error:
        names = ", ".join(view.name for view in VIEWS)
        raise InputError(f"the query failed: {_first_line(error)}", hint=f"tables: run, cases, checks, measures, timings; views: {names}") from None


def across(folders: Sequence[Path], sql: str) -> Table:
    """The rows of one query over many finished runs, in memory: tables runs (n, folder, status), and cases, checks, measures with the
    number n of their run. Nothing is written. Raises InputError."""
    import duckdb

    shapes = {table: shape for table, shape in _shapes().items() if table != "timings"}
    try:
        with _connected(":memory:") as connection:
            connection.execute("CREATE TABLE runs (n BIGINT, folder VARCHAR, status VARCHAR)")
            for table, (_, columns) in shapes.items():
                connection.execute(f"CREATE TABLE {table} (n BIGINT, {_declared(columns)})")
            for n, folder in enumerate(folders):
                status = run_folder.read_manifest(folder)["status"]
                if status == "started":
                    raise InputError("the run has not ended", where=str(folder), hint="leave it out")
                connection.execute("INSERT INTO runs VALUES (?, ?, ?)", [n, folder.name, status])
                for table, (file, columns) in shapes.items():
                    _insert(connection, table, folder / file, columns, front=f"{n}, ")
            return Database(connection).table(sql)
    except duckdb.Error as error:
        raise InputError(f"the runs cannot be read: {_first_line(error)}", hint="are the run folders whole?") from None


def _connected(path: Path | str, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection with bounded memory that prints nothing, whatever a query takes. To read is to read this file alone."""
    import duckdb

    connection = duckdb.connect(str(path), read_only=read_only, config={"memory_limit": MEMORY, "temp_directory": tempfile.gettempdir()})
    connection.execute("SET enable_progress_bar = false")
    if read_only:
        connection.execute("SET enable_external_access = false")
    return connection


def _build(folder: Path, target: Path) -> None:
    import duckdb

    manifest = run_folder.read_manifest(folder)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with _connected(draft) as connection:
            _fill(connection, folder, manifest)
            told = connection.execute("SELECT (SELECT coalesce(sum(checks), 0) FROM cases), (SELECT count(*) FROM checks)").fetchone()
            require_whole(folder, *(told or (0, 0)))
            connection.execute("CHECKPOINT")  # closing does it too, and says nothing when the disk is full
        os.replace(draft, target)
    except (duckdb.Error, OSError) as error:
        _find_fault(folder)
        why = _first_line(error)
        raise HarnessFault(f"{target}: cannot be built: {why}", hint="free some space" if "write" in why else "is the run folder whole?") from None
    finally:
        for left in target.parent.glob(f"{draft.name}*"):
            left.unlink()


def _find_fault(folder: Path) -> None:
    """Read the lines as Python does, which says file and line of the one that is broken. Raises InputError where there is one."""
    run = run_folder.read_run(folder)
    for lines in ("cases", "checks", "measures", "timings"):
        getattr(run, lines)


def _stamp(folder: Path) -> str:
    """What the files of a run look like from outside: a database with another stamp was made of other files."""
    files = [folder / run_folder.MANIFEST, *(folder / file for file, _ in _shapes().values())]
    return json.dumps([[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in files if path.exists()])


def _is_fresh(path: Path, folder: Path) -> bool:
    import duckdb

    if not path.exists():
        return False
    try:
        with _connected(path, read_only=True) as connection:
            return bool(connection.execute("SELECT stamp = ? FROM run", [_stamp(folder)]).fetchone() == (True,))
    except duckdb.Error:
        return False  # of an older version, or no database at all


def _shapes() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """By table: the file it is read from, and its columns."""
    lines = {_table(line): (line.FILE, _columns(line)) for line in (CaseLine, CheckLine, MeasureLine)}
    return {**lines, "timings": (TIMINGS, _TIMINGS)}


def _table(line: type[CaseLine | CheckLine | MeasureLine]) -> str:
    return line.FILE.removesuffix(".jsonl")


def _fill(connection: duckdb.DuckDBPyConnection, folder: Path, manifest: Mapping[str, Any]) -> None:
    connection.execute("CREATE TABLE run (status VARCHAR NOT NULL, planned BIGINT NOT NULL, seed BIGINT, manifest JSON NOT NULL, stamp VARCHAR)")
    values = [manifest["status"], manifest["planned"], manifest.get("seed"), jsonl.dumps(manifest), _stamp(folder)]
    connection.execute("INSERT INTO run VALUES (?, ?, ?, ?, ?)", values)
    kinds = ", ".join(f"'{name}'" for name, kind in CHECKS.items() if kind.outcome)
    for table, (file, columns) in _shapes().items():
        more, back = (", outcome_check BOOLEAN", f", kind IN ({kinds})") if table == "checks" else ("", "")
        connection.execute(f"CREATE TABLE {table} ({_declared(columns)}{more})")
        _insert(connection, table, folder / file, columns, back=back)
    for view in VIEWS:
        connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
        connection.execute(f"COMMENT ON VIEW {view.name} IS '{view.doc}; {view.unit}; {view.direction or 'no'} direction'")


def _declared(columns: Mapping[str, str]) -> str:
    needed = {name for name, kind in columns.items() if name == "ms" or (kind != "DOUBLE" and columns is not _TIMINGS)}
    parts = [f'"{name}" {kind}{" NOT NULL" if name in needed else ""}' for name, kind in columns.items()]
    rules = [_FINITE.format(name) for name, kind in columns.items() if kind == "DOUBLE"]
    return ", ".join([*parts, *rules, *([_KNOWN] if "outcome" in columns else [])])


def _insert(connection: duckdb.DuckDBPyConnection, table: str, path: Path, columns: Mapping[str, str], *, front: str = "", back: str = "") -> None:
    """The lines of a file into a table, between values that stand in front and behind."""
    if not path.is_file():
        raise InputError("is missing", where=str(path), hint="run it again")
    shape = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    names = ", ".join(f'coalesce("{name}", {_EMPTY[kind]})' if name in _LATER else f'"{name}"' for name, kind in columns.items())
    source = f"read_json(?, format='newline_delimited', columns={{{shape}}}, maximum_object_size={_MAX_LINE})"
    connection.execute(f"INSERT INTO {table} SELECT {front}{names}{back} FROM {source}", [str(path)])


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
