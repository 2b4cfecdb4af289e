from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

WORDS = ("Zanzibarites", "Vermilliona")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a needles file beside a store: a database with a full-text index, and a log."""
    (tmp_path / "needles.txt").write_text("\n".join(("", *WORDS)), encoding="utf-8")
    store = tmp_path / "store"
    store.mkdir()
    (store / "app.log").write_text("opened\n")
    database = sqlite3.connect(store / "m.db")
    database.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter')")
    database.execute("INSERT INTO words(rowid, text) VALUES (1, ?)", (f"the {WORDS[0]} came",))
    database.commit()
    database.close()
    return tmp_path


def test_a_needle_is_found_by_its_index_term_and_never_printed(shell: Shell, place: Path) -> None:
    done = shell("residue", "--needles", "needles.txt", "store", cwd=place)
    assert done.returncode == 1
    assert "needle 2: stem in store/m.db" in done.stdout
    assert "1 of 2 needles found" in done.stdout
    assert not any(word[:8].lower() in (done.stdout + done.stderr).lower() for word in WORDS)


def test_json_lines_name_file_offset_and_encoding(shell: Shell, place: Path) -> None:
    (place / "store" / "app.log").write_bytes(b"12345" + WORDS[1].encode("utf-16-le"))
    done = shell("residue", "--needles", "needles.txt", "store/app.log", "--json", cwd=place)
    hit, summary = map(json.loads, done.stdout.splitlines())
    assert hit == {"type": "hit", "needle": "needle 3", "form": "anchor", "file": "store/app.log", "offset": 5, "encoding": "utf-16le"}
    assert summary == {"type": "summary", "needles": 2, "hits": 1, "files": 1, "places": 0, "bytes": 27, "databases": 0, "exit_code": 1}


def test_needles_come_from_stdin_and_a_clean_store_exits_0(place: Path) -> None:
    argv = [sys.executable, "-m", "memgauge", "residue", "--needles", "-", "store"]
    done = subprocess.run(argv, cwd=place, input="Quoxing\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "none of 1 needles found in 2 files" in done.stdout


def test_the_needles_own_file_is_not_looked_at(shell: Shell, place: Path) -> None:
    done = shell("residue", "--needles", "needles.txt", ".", cwd=place)
    assert "needles.txt" not in done.stdout
    assert "2 files" in done.stdout


@pytest.mark.parametrize(
    ("needles", "path", "why"),
    [
        ("needles.txt", "elsewhere", "elsewhere: there is no such file or folder"),
        ("needles.txt", "bare", "bare: no file lies there, so nothing was looked at"),
        ("missing.txt", "store", "--needles missing.txt: cannot be read (No such file or directory)"),
        ("empty.txt", "store", "--needles empty.txt: holds no needle"),
        ("binary.txt", "store", "--needles binary.txt: not UTF-8 at byte 2"),
    ],
)
def test_what_cannot_be_scanned_is_bad_input(shell: Shell, place: Path, needles: str, path: str, why: str) -> None:
    (place / "bare").mkdir()
    (place / "empty.txt").write_text("\n \n")
    (place / "binary.txt").write_bytes(b"ab\xff\xfe")
    done = shell("residue", "--needles", needles, path, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"memgauge: {why}")


def test_a_database_behind_a_connection_string_is_looked_into(shell: Shell, place: Path) -> None:
    with sqlite3.connect(place / "store" / "m.db") as database:
        database.execute("CREATE TABLE memories (text TEXT)")
        database.execute("INSERT INTO memories VALUES (?)", (f"about {WORDS[1]}",))
    done = shell("residue", "--needles", "needles.txt", f"sqlite:///{place}/store/m.db", cwd=place)
    assert done.returncode == 1
    assert "needle 3: anchor in sqlite://" in done.stdout
    assert "0 files, databases among them: 0, and 1 other place" in done.stdout
    assert not any(word[:8].lower() in (done.stdout + done.stderr).lower() for word in WORDS)


def test_a_place_that_cannot_be_looked_at_is_one_line_without_needle_or_password(shell: Shell, place: Path) -> None:
    done = shell("residue", "--needles", "needles.txt", "http://ana:s3cret@127.0.0.1:9/export", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "memgauge: http://127.0.0.1:9/export: cannot be looked at: no answer (Connection refused)\n"
