"""A store that schema version 1 wrote opens and works. The dump is frozen: it is never made anew, whatever the schema becomes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memgauge.clock import ManualClock
from memgauge.memory_ref import open_memory
from memgauge.memory_ref.errors import Damaged
from memgauge.memory_ref.migrations import MIGRATIONS, NEWEST
from memgauge.memory_ref.owner import folder_name
from memgauge.memory_ref.session import Session
from memgauge.records import Scope
from tests.memory_ref.store_support import texts

DUMP = (Path(__file__).parent / "data" / "store-v1.sql").read_text("utf-8")
ANA = Scope(user="ana", thread="t2", project="fence")
LATER = datetime(2026, 3, 5, 9, tzinfo=UTC)
"""A day after the dump was made."""


def restored(root: Path) -> Path:
    folder = root / folder_name(ANA)
    folder.mkdir(parents=True, mode=0o700)
    with sqlite3.connect(folder / "memory.db") as database:
        database.executescript(DUMP)
    database.close()
    return folder / "memory.db"


def rows(path: Path) -> dict[str, int]:
    database = sqlite3.connect(path)
    try:
        return {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}
    finally:
        database.close()


TABLES = sorted(set(re.findall(r"^INSERT INTO (\w+)", DUMP, re.M)) - {"migrations"})
COUNTS = {table: len(re.findall(rf"^INSERT INTO {table} ", DUMP, re.M)) for table in TABLES}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return restored(tmp_path)


@pytest.fixture
def ana(path: Path) -> Iterator[Session]:
    memory = open_memory(path.parents[1], clock=ManualClock(LATER))
    yield memory.session(ANA)
    memory.close()


def test_nothing_is_lost_by_opening_it(path: Path, ana: Session) -> None:
    assert COUNTS["messages"] == 13
    assert rows(path) == COUNTS
    assert len(ana.list("facts").data["items"]) == 5
    assert rows(path) == COUNTS
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA user_version").fetchone() == (NEWEST,)
    assert database.execute("SELECT max(number) FROM migrations").fetchone() == (NEWEST,)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_its_records_are_read(ana: Session) -> None:
    assert texts(ana.recall("Which seats do I prefer?")) == ["I prefer aisle seats"]
    assert texts(ana.list("goals")) == ["Finish the fence", "Learn Welsh"]
    assert ana.doc_read("user").data["text"] == "Ana builds fences and boats.\n"
    prompt = str(ana.context("Which train do I take?", {"window": 3000, "reserve": 300}).data["messages"])
    assert "8:10" in prompt
    assert "7:40" not in prompt
    assert "KX-7" in texts(ana.list("summaries"))[0]


def test_an_old_record_is_corrected_confirmed_ruled_on_and_forgotten(path: Path, ana: Session) -> None:
    [train] = [item for item in ana.list("facts").data["items"] if "8:10" in item["text"]]
    assert ana.correct("I take the 9:05 train to Bruges", id=train["id"]).revision == 3
    [waiting] = ana.list("review").data["items"]
    ana.review_decide(waiting["id"], "approve")
    assert "I live in Lyon" in texts(ana.list("facts"))
    ana.forget(query="which train to Bruges")
    ana.forget(query="I prefer aisle seats")
    assert b"aisle" not in path.read_bytes()
    assert b"Bruges" not in path.read_bytes()


def test_what_was_forgotten_and_used_up_then_still_is(ana: Session) -> None:
    assert texts(ana.recall("What is the number of my locker?")) == []
    made = ana.remember("Another fact").ids[0]
    assert made.startswith("fact-8-")  # fact-5 was forgotten, and its id is not given out again


def test_the_first_step_is_what_it_was(tmp_path: Path, path: Path) -> None:
    """A number that was released never changes: the dump's schema is what the present migration 1 makes."""
    made = sqlite3.connect(tmp_path / "new.db")
    for statement in MIGRATIONS[0][2]:
        made.execute(statement)
    kept = sqlite3.connect(path)
    schema = "SELECT type, name, sql FROM sqlite_schema WHERE name != 'migrations' ORDER BY type, name"
    assert made.execute(schema).fetchall() == kept.execute(schema).fetchall()
    made.close()
    kept.close()


def test_a_store_of_a_newer_program_is_refused_and_left_alone(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {NEWEST + 1}")
    database.close()
    memory = open_memory(path.parents[1], clock=ManualClock(LATER))
    with pytest.raises(Damaged, match=rf"^the store has schema {NEWEST + 1}, this program knows {NEWEST}: use a newer program$"):
        memory.session(ANA).list()
    memory.close()
    assert rows(path) == COUNTS
