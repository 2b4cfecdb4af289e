from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from memgauge.memory_ref.database import Database
from memgauge.memory_ref.errors import Damaged
from memgauge.memory_ref.migrations import MIGRATIONS, NEWEST, migrate


def test_numbers_rise_by_one_and_each_step_is_recorded(tmp_path: Path) -> None:
    assert [number for number, _, _ in MIGRATIONS] == list(range(1, NEWEST + 1))
    database = Database(tmp_path / "x.db")
    migrate(database, "now")
    migrate(database, "later")
    assert [tuple(row) for row in database.all("SELECT number, applied_at FROM migrations")] == [(n, "now") for n in range(1, NEWEST + 1)]
    database.close()


def test_a_newer_or_a_strange_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    newer = Database(tmp_path / "newer.db")
    newer.run(f"PRAGMA user_version = {NEWEST + 1}")
    with pytest.raises(Damaged, match="newer program"):
        migrate(newer, "now")
    newer.close()
    with sqlite3.connect(tmp_path / "strange.db") as made:
        made.execute("CREATE TABLE theirs (x)")
    made.close()
    strange = Database(tmp_path / "strange.db")
    with pytest.raises(Damaged, match="not one of this program"):
        migrate(strange, "now")
    assert [row["name"] for row in strange.all("SELECT name FROM sqlite_schema")] == ["theirs"]
    strange.close()


def test_a_step_that_is_cut_off_leaves_nothing_behind(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    points = 0

    def tracer(point: str, detail: str) -> None:
        nonlocal points
        points += 1
        if points == 20:
            raise Stop

    database = Database(tmp_path / "x.db", tracer=tracer)
    with pytest.raises(Stop):
        migrate(database, "now")
    assert database.value("PRAGMA user_version") == 0
    migrate(database, "again")
    assert database.value("PRAGMA user_version") == NEWEST
    database.close()


def test_several_openers_migrate_once(tmp_path: Path) -> None:
    def open_it() -> None:
        database = Database(tmp_path / "x.db")
        migrate(database, "now")
        database.close()

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database = Database(tmp_path / "x.db")
    assert database.value("SELECT count(*) FROM migrations") == NEWEST
    database.close()
