"""Read a surface that is no plain file: the rows of a database, the answer of a URL, the output of a command. Never for longer than a time limit."""

from __future__ import annotations

import base64
import contextlib
import http.client
import importlib
import json
import os
import select
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

from memgauge.surfaces import Surface
from memgauge.systems.server import ROOT, ending, environment
from memgauge.systems.spec import SystemSpec
from memgauge.systems.tree import kill_tree

MAGIC = b"SQLite format 3\0"
LOGS = ("-wal", "-journal", ".wal")
"""What a log beside a database is called, by SQLite and by DuckDB."""
LIMIT_S = 15.0
"""Seconds one surface may take. A case has 60, and looks at every surface at least twice."""
LARGEST = 256 * 1024 * 1024
"""Bytes of one surface, beyond which it counts as not examined: half a look is no look."""

_DUCK = b"DUCK"
_DUCK_AT = 8
"""Where a DuckDB file says what it is."""
_DRIVERS = {"postgresql": ("psycopg", "psycopg2"), "postgres": ("psycopg", "psycopg2")}
"""Scheme of a connection string → modules that can be handed the string itself. Any other scheme is left to SQLAlchemy."""


class NotRead(Exception):
    """The surface could not be looked at; the text says why, and holds no password."""


class Reader:
    """Reads the surfaces of one system. `read_file` gives the bytes of a file without disturbing its locks, `scratch` is a folder for copies.
    In a path or an argument $MEMGAUGE_ROOT stands for the folder of the case; other paths start from the system's `folder`."""

    def __init__(self, spec: SystemSpec, root: Path, read_file: Callable[[Path], bytes], scratch: Path) -> None:
        self._env = environment(spec, root)
        self._root = str(root)
        self._folder = spec.folder or None
        self._read_file = read_file
        self._scratch = scratch

    def read(self, surface: Surface) -> bytes:
        """What the surface holds now. Raises NotRead."""
        path = self._filled(surface.path)
        match surface.kind:
            case "http":
                return _fetched(path)
            case "command":
                return self._output([self._filled(part) for part in surface.argv])
        if "://" in path and urlsplit(path).scheme not in ("sqlite", "duckdb"):
            return _queried(path, surface.query)
        return self._rows(self.file(unquote(path.partition("://")[2].removeprefix("/")) if "://" in path else path), surface.query)

    def file(self, path: str) -> Path:
        """Where a path of a surface leads."""
        return (Path(self._folder or ".") / self._filled(path)).resolve()

    def _filled(self, text: str) -> str:
        return text.replace(f"${ROOT}", self._root)

    def _rows(self, file: Path, query: str) -> bytes:
        """Rows of a copy of a database file, so that its locks stay as they are and no query can change it."""
        if not file.is_file():
            raise NotRead("there is no such file")
        try:
            data = self._read_file(file)
            logs = {suffix: self._read_file(log) for suffix in LOGS if (log := file.with_name(file.name + suffix)).is_file()}
        except OSError as error:
            raise NotRead(f"cannot be read ({error.strerror})") from None
        if is_duckdb(data):
            return duckdb_rows(logs | {"": data}, self._scratch, query)
        if not data.startswith(MAGIC):
            raise NotRead("neither an SQLite nor a DuckDB file")
        with _copied(logs | {"": data}, self._scratch) as copy:
            return _within_limit(lambda: _sqlite(copy), sqlite3.Error, query, _listed_by_sqlite)

    def _output(self, argv: list[str]) -> bytes:
        with tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    argv, env=self._env, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
                )
            except OSError as error:
                raise NotRead(f"cannot start {argv[0]}: {error.strerror}") from None
            assert process.stdout is not None
            with process.stdout as stdout:
                try:
                    data = _until_limit(_pieces(stdout.fileno()))
                    process.wait(timeout=LIMIT_S)
                except subprocess.TimeoutExpired:
                    raise NotRead(f"not done within {LIMIT_S:g} s") from None
                finally:
                    kill_tree(process)
            if process.returncode:
                raise NotRead(ending(process.returncode, errors))
            return data


def is_duckdb(data: bytes) -> bool:
    return data[_DUCK_AT : _DUCK_AT + len(_DUCK)] == _DUCK


def duckdb_rows(parts: Mapping[str, bytes], scratch: Path, query: str = "") -> bytes:
    """The rows of a query, or of every table, of a DuckDB database: its bytes under "", those of its log under its suffix. Raises NotRead."""
    import duckdb

    with _copied(parts, scratch) as copy:
        return _within_limit(lambda: duckdb.connect(str(copy)), duckdb.Error, query, _listed)


@contextlib.contextmanager
def _copied(parts: Mapping[str, bytes], scratch: Path) -> Iterator[Path]:
    """A database and its logs in files of their own."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        copy = Path(folder) / "copy.db"
        for suffix, data in parts.items():
            copy.with_name(copy.name + suffix).write_bytes(data)
        yield copy


def _fetched(url: str) -> bytes:
    """The whole answer to a GET; a name and password in the URL are sent as basic authentication."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    parts = urlsplit(url)
    request = urllib.request.Request(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(login).decode()}")
    try:
        with direct.open(request, timeout=LIMIT_S) as answer:
            data = _until_limit(iter(lambda: answer.read1(1 << 16), b""))
            if answer.length:
                raise NotRead("the answer broke off")
            return data
    except urllib.error.HTTPError as error:
        with error:
            raise NotRead(f"HTTP {error.code} {error.reason}") from None
    except TimeoutError:
        raise NotRead(f"no answer within {LIMIT_S:g} s") from None
    except urllib.error.URLError as error:
        late = isinstance(error.reason, TimeoutError)
        raise NotRead(f"no answer within {LIMIT_S:g} s" if late else f"no answer ({getattr(error.reason, 'strerror', error.reason)})") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotRead(f"no answer that can be read ({type(error).__name__})") from None


def _until_limit(pieces: Iterable[bytes]) -> bytes:
    until = time.monotonic() + LIMIT_S
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise NotRead(f"more than {LARGEST >> 20} MiB")
        if time.monotonic() > until:
            raise NotRead(f"not done within {LIMIT_S:g} s")
    return b"".join(held)


def _pieces(pipe: int) -> Iterator[bytes]:
    """What comes out of a pipe until its end; an empty piece whenever nothing came for a moment."""
    while True:
        if not select.select([pipe], [], [], 0.1)[0]:
            yield b""
        elif piece := os.read(pipe, 1 << 16):
            yield piece
        else:
            return


def _queried(address: str, query: str) -> bytes:
    """Rows behind a connection string, by the first driver for it that is installed."""
    scheme = urlsplit(address).scheme
    for name in _DRIVERS.get(scheme, ()):
        if (driver := _module(name)) is not None:
            return _within_limit(partial(driver.connect, address, connect_timeout=int(LIMIT_S)), driver.Error, query, _listed, address)
    if (alchemy := _module("sqlalchemy")) is not None:
        faults = (alchemy.exc.SQLAlchemyError, ImportError)
        return _within_limit(lambda: alchemy.create_engine(address).raw_connection(), faults, query, _listed, address)
    wanted = " or ".join((*_DRIVERS.get(scheme, ()), "sqlalchemy"))
    raise NotRead(f"no driver for {scheme}:// is installed (pip install {wanted})")


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _within_limit(
    connect: Callable[[], Any],
    faults: type[Exception] | tuple[type[Exception], ...],
    query: str,
    listed: Callable[[Any], list[str]],
    address: str = "",
) -> bytes:
    """The rows of a query, or of every table, as lines; blobs stay bytes. The connection is interrupted at the time limit."""
    late = threading.Event()
    try:
        with contextlib.closing(connect()) as connection:

            def strike() -> None:
                late.set()
                getattr(connection, "interrupt", getattr(connection, "cancel", lambda: None))()

            timer = threading.Timer(LIMIT_S, strike)
            timer.start()
            try:
                return _until_limit(_lines(connection, [query] if query else listed(connection)))
            finally:
                timer.cancel()
    except faults as error:
        raise NotRead(f"not done within {LIMIT_S:g} s" if late.is_set() else _said(error, address)) from None


def _lines(connection: Any, queries: list[str]) -> Iterator[bytes]:
    cursor = connection.cursor()
    for query in queries:
        cursor.execute(query)
        while rows := cursor.fetchmany(1000):
            yield b"".join(b"\n" + b"\x1f".join(map(_value, row)) for row in rows) + b"\n"


def _value(value: object) -> bytes:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)).encode("utf-8", "surrogatepass")


def _listed(connection: Any) -> list[str]:
    """One query for each table of a database that has an information schema."""
    cursor = connection.cursor()
    cursor.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' "
        "AND table_schema NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys')"
    )
    return [f"SELECT * FROM {quoted(schema)}.{quoted(table)}" for schema, table in cursor.fetchall()]


def _sqlite(path: Path) -> sqlite3.Connection:
    """Texts come as bytes, since a store may hold some that are no UTF-8."""
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.text_factory = bytes
    return connection


def _listed_by_sqlite(connection: sqlite3.Connection) -> list[str]:
    """One query for each table that holds rows of its own; those of virtual tables lie in plain ones beside them."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'").fetchall()
    return [f"SELECT * FROM {quoted(name.decode())}" for (name,) in found]


def quoted(name: str) -> str:
    """A name as SQL reads it."""
    return '"' + name.replace('"', '""') + '"'


def _said(error: Exception, address: str) -> str:
    """An error's type and first line, without the connection string and its password."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")[:160]
    for secret in filter(None, (address, urlsplit(address).password, unquote(urlsplit(address).password or ""))):
        line = line.replace(secret, "***")
    return f"{type(error).__name__}: {line}"
