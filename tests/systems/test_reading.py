"""Surfaces that are no plain files: what is read of them, and the one line where nothing can be."""

from __future__ import annotations

import http.server
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from memgauge.surfaces import Surface
from memgauge.systems import reading
from memgauge.systems.reading import NotRead, Reader
from memgauge.systems.spec import SystemSpec

SAID = "The codename is Zanzibarité."


def read(root: Path, /, kind: str, spec: SystemSpec | None = None, **parts: object) -> str:
    surface = Surface.of({"name": "it", "kind": kind, **parts})
    return Reader(spec or SystemSpec(name="mine"), root, Path.read_bytes, root).read(surface).decode(errors="replace")


def why_not(root: Path, /, kind: str, **parts: object) -> str:
    with pytest.raises(NotRead) as told:
        read(root, kind, **parts)
    return str(told.value)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """Its rows stand in the log alone, since it is still open."""
    path = tmp_path / "m.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, text TEXT, deleted INTEGER)")
    connection.execute("CREATE TABLE vectors (id INTEGER, embedding BLOB, payload TEXT)")
    connection.execute("INSERT INTO memories VALUES (1, ?, 1)", (SAID,))
    connection.execute("INSERT INTO vectors VALUES (1, x'00ff', CAST(x'ff41' AS TEXT))")
    connection.commit()
    yield path
    connection.close()


def test_rows_of_a_query_and_of_every_table_are_read_from_the_log_too(tmp_path: Path, database: Path) -> None:
    assert SAID in read(tmp_path, "sql", path=str(database), query="SELECT text FROM memories WHERE deleted = 1")
    assert SAID not in read(tmp_path, "sql", path=str(database), query="SELECT text FROM memories WHERE deleted = 0")
    whole = Reader(SystemSpec(name="x"), tmp_path, Path.read_bytes, tmp_path).read(Surface(name="it", kind="sql", path="$MEMGAUGE_ROOT/m.db"))
    assert SAID.encode() in whole
    assert b"\xffA" in whole, "a text that is no UTF-8 is read all the same"
    assert SAID in read(tmp_path, "sql", path=f"sqlite:///{database}")


def test_a_query_works_on_a_copy(tmp_path: Path, database: Path) -> None:
    before = database.read_bytes()
    read(tmp_path, "sql", path=str(database), query="DELETE FROM memories RETURNING text")
    assert database.read_bytes() == before
    assert SAID in read(tmp_path, "sql", path=str(database))


def test_a_duckdb_file_is_read_while_its_owner_has_it_open(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "m.duckdb")) as owner:
        owner.execute("CREATE TABLE memories (text VARCHAR)")
        owner.execute("INSERT INTO memories VALUES (?)", [SAID])
        assert SAID in read(tmp_path, "sql", path=str(tmp_path / "m.duckdb"))
        assert SAID in read(tmp_path, "sql", path=f"duckdb:///{tmp_path}/m.duckdb", query="SELECT text FROM memories")


def test_a_connection_string_goes_to_the_driver_that_is_installed(tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def connect(address: str, connect_timeout: int) -> sqlite3.Connection:
        asked.append(address)
        return sqlite3.connect(database, check_same_thread=False)

    monkeypatch.setitem(sys.modules, "psycopg", SimpleNamespace(connect=connect, Error=sqlite3.Error))  # type: ignore[arg-type]
    address = "postgresql://ana:s3cret@localhost/memory"
    assert SAID in read(tmp_path, "sql", path=address, query="SELECT * FROM memories")
    assert asked == [address]
    told = why_not(tmp_path, "sql", path=address, query="SELECT 's3cret' FROM postgresql")
    assert told == "OperationalError: no such table: postgresql"


def test_no_password_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(address: str, connect_timeout: int) -> None:
        raise sqlite3.OperationalError(f"cannot reach {address} with password s3cret\nmore")

    monkeypatch.setitem(sys.modules, "psycopg", SimpleNamespace(connect=connect, Error=sqlite3.Error))  # type: ignore[arg-type]
    told = why_not(tmp_path, "sql", path="postgresql://ana:s3cret@localhost/memory")
    assert told == "OperationalError: cannot reach *** with password ***"


def test_without_a_driver_the_line_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_module", lambda name: None)
    told = why_not(tmp_path, "sql", path="postgresql://localhost/memory")
    assert told == "no driver for postgresql:// is installed (pip install psycopg or psycopg2 or sqlalchemy)"


@pytest.mark.parametrize(
    ("path", "query", "why"),
    [
        ("none.db", "", "there is no such file"),
        ("text.db", "", "neither an SQLite nor a DuckDB file"),
        ("m.db", "SELECT * FROM memory", "OperationalError: no such table: memory"),
        ("m.db", "SELEC text", 'OperationalError: near "SELEC": syntax error'),
    ],
)
def test_a_database_that_cannot_be_read(tmp_path: Path, database: Path, path: str, query: str, why: str) -> None:
    (tmp_path / "text.db").write_text("no database")
    assert why_not(tmp_path, "sql", path=str(tmp_path / path), query=query) == why


def test_a_query_without_an_end_is_interrupted(tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT_S", 0.3)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    assert why_not(tmp_path, "sql", path=str(database), query=endless) == "not done within 0.3 s"


class Store(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(1)
        body = (self.headers.get("Authorization", "") if self.path == "/login" else SAID).encode()
        self.send_response({"/gone": 404, "/moved": 302}.get(self.path, 200))
        if self.path == "/moved":
            self.send_header("Location", "/export")
        self.send_header("Content-Length", str({"/moved": 0, "/short": len(body) + 10}.get(self.path, len(body))))
        self.end_headers()
        if self.path == "/drip":
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)
        elif self.path != "/moved":
            self.wfile.write(body)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    server.handle_error = lambda *about: None  # type: ignore[method-assign]  # who asked has gone
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_the_answer_of_a_url_is_read_past_any_proxy(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert read(tmp_path, "http", path=f"{url}/export") == SAID
    assert read(tmp_path, "http", path=f"{url}/moved") == SAID
    assert read(tmp_path, "http", path=f"{url.replace('//', '//ana:s%40cret@')}/login") == "Basic YW5hOnNAY3JldA=="


@pytest.mark.parametrize(
    ("path", "why"),
    [("/gone", "HTTP 404 Not Found"), ("/short", "the answer broke off"), ("/slow", "no answer within 0.4 s"), ("/drip", "not done within 0.4 s")],
)
def test_an_answer_that_is_none(tmp_path: Path, url: str, path: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT_S", 0.4)
    assert why_not(tmp_path, "http", path=url + path) == why


def test_where_nobody_listens(tmp_path: Path) -> None:
    assert why_not(tmp_path, "http", path="http://127.0.0.1:9/") == "no answer (Connection refused)"


def test_the_output_of_a_command_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_KEY", "k1")
    monkeypatch.setenv("OTHER_KEY", "k2")
    script = "import os, sys; print(sys.argv[1], os.environ['MEMGAUGE_ROOT'], os.environ.get('MINE_KEY'), os.environ.get('OTHER_KEY'), os.getcwd())"
    spec = SystemSpec(name="mine", env=("MINE_KEY",), folder="/")
    said = read(tmp_path, "command", spec, argv=[sys.executable, "-c", script, "$MEMGAUGE_ROOT/x y; rm z"])
    assert said.strip() == f"{tmp_path}/x y; rm z {tmp_path} k1 None /"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import sys; print('half'); sys.exit('no such database')", "exit code 1; its last words: no such database"),
        ("import time; print('half', flush=True); time.sleep(30)", "not done within 0.6 s"),
        ("while True: print('x' * 100000)", "more than 1 MiB"),
    ],
)
def test_a_command_that_fails_is_no_look(tmp_path: Path, script: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT_S", 0.6)
    monkeypatch.setattr(reading, "LARGEST", 1 << 20)
    started = time.monotonic()
    assert why_not(tmp_path, "command", argv=[sys.executable, "-c", script]) == why
    assert time.monotonic() - started < 5


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    assert why_not(tmp_path, "command", argv=["no-such-program"]) == "cannot start no-such-program: No such file or directory"


def test_nothing_is_left_running_by_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT_S", 1.0)
    mark = tmp_path / "alive"
    script = f"sleep 1.5; touch {mark}"
    assert why_not(tmp_path, "command", argv=["sh", "-c", f"({script}) & sleep 30"]) == "not done within 1 s"
    time.sleep(0.8)
    assert not mark.exists()
