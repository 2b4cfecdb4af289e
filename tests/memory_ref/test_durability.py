from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memgauge.memory_ref.database import Database
from memgauge.memory_ref.errors import Busy, Conflict, Refused, StorageFailed, StoreError
from memgauge.memory_ref.memory import open_memory
from memgauge.records import Scope
from tests.memory_ref.store_support import Bench, texts

CHILD = """
import json, sys
from memgauge.protocol import Request
from memgauge.records import Scope
from memgauge.systems.reference import ReferenceSystem
root, kill_at, calls = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
system = ReferenceSystem()
def call(op, **args):
    return system.call(Request(op=op, now="2026-03-02T09:00:00+00:00", scope=Scope(user="ana", thread="main"), args=args))
call("open", root=root, config={"trace": {"kill_at": kill_at}} if kill_at else {})
for op, args in calls:
    receipt = call(op, **args)
    assert receipt.status == "ok", receipt
    print(op, flush=True)
print("end", flush=True)
"""
WRITES = [
    ["append", {"message_id": "m1", "role": "user", "text": "I live in Ghent."}],
    ["end_turn", {}],
    ["remember", {"text": "I live in Lyon"}],
    ["forget", {"query": "where do I live"}],
]


def run_child(root: Path, kill_at: int, calls: list[Any]) -> list[str]:
    done = subprocess.run([sys.executable, "-c", CHILD, str(root), str(kill_at), json.dumps(calls)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, -9), done.stderr
    return done.stdout.split()


def in_process(root: Path, calls: list[Any], stop: int) -> int:
    """The same calls with a tracer that raises at the n-th point, which the database sees as the end of the call. Returns points passed."""

    class Stop(BaseException):
        pass

    passed = 0

    def tracer(point: str, detail: str) -> None:
        nonlocal passed
        passed += 1
        if passed == stop:
            raise Stop

    memory = open_memory(root, tracer=tracer)
    session = memory.session(Scope(user="ana", thread="main"))
    acknowledged = []
    try:
        for op, args in calls:
            getattr(session, op)(**args)
            acknowledged.append(op)
    except Stop:
        pass
    finally:
        memory.close()
    check_state(root, acknowledged)
    return passed


def check_state(root: Path, acknowledged: list[str]) -> None:
    memory = open_memory(root)
    session = memory.session(Scope(user="ana", thread="main"))
    live = texts(session.list())
    done = set(acknowledged)
    if "forget" in done:
        assert "I live in Lyon" not in live
    elif "remember" in done:
        assert live in (["I live in Lyon"], [])
    elif "end_turn" in done:
        assert live in (["I live in Ghent"], ["I live in Lyon"])
    assert len(live) <= 1
    if "append" in done:
        assert len(session.list(kind="messages").data["items"]) == 1 or "forget" in done or live == []
    [path] = root.glob("*/memory.db")
    database = Database(path)
    assert database.value("PRAGMA integrity_check") == "ok"
    database.run("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
    database.close()
    memory.close()


def test_every_point_of_every_write_leaves_a_whole_store(tmp_path: Path) -> None:
    points = in_process(tmp_path / "all", WRITES, stop=0)
    assert points > 60
    for stop in range(1, points + 1, 3):
        in_process(tmp_path / f"stop{stop}", WRITES, stop)


def test_sigkill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    for kill_at in (40, 75, 110, 140):
        root = tmp_path / f"kill{kill_at}"
        acknowledged = run_child(root, kill_at, WRITES)
        assert "end" not in acknowledged
        check_state(root, acknowledged)


def _append(root: str, writer: int, times: int) -> None:
    memory = open_memory(root)
    session = memory.session(Scope(user="ana", thread=f"t{writer}"))
    for n in range(times):
        session.append(f"w{writer}-{n}", "user", f"Message {n} of writer {writer}")
        session.note_add(f"Note {n} of writer {writer}")


def test_eight_processes_lose_no_append(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_append, args=(str(tmp_path), writer, 12)) for writer in range(8)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
    assert [process.exitcode for process in writers] == [0] * 8
    session = open_memory(tmp_path).session(Scope(user="ana"))
    assert len(session.list(kind="messages").data["items"]) == 96
    notes = texts(session.list(kind="notes"))
    assert len(notes) == len(set(notes)) == 96


def test_threads_share_a_memory(bench: Bench) -> None:
    failures: list[StoreError] = []

    def write(writer: int) -> None:
        try:
            for n in range(15):
                bench.as_(thread=f"t{writer}").append(f"m{writer}-{n}", "user", "hello there")
                bench.ana.list(kind="messages")
        except StoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(bench.ana.list(kind="messages").data["items"]) == 60


def test_racing_corrections_leave_one_live_revision(bench: Bench) -> None:
    record = bench.ana.remember("our database is Postgres").ids[0]
    threads = [threading.Thread(target=lambda n=n: bench.ana.correct(f"our database is number{n}", id=record)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts(bench.ana.list())) == 1
    chain = bench.ana.history(record).data["items"]
    assert [item["revision"] for item in chain] == list(range(1, 8))


def test_a_document_has_one_chain_and_losers_see_both_revisions(bench: Bench) -> None:
    bench.ana.doc_write("plan", "a\n", expected=0)
    bench.ana.doc_write("plan", "a\nb\n", expected=1)
    with pytest.raises(Conflict) as raised:
        bench.ana.doc_write("plan", "a\nc\n", expected=1)
    assert (raised.value.expected, raised.value.actual) == (1, 2)
    assert bench.ana.doc_read("plan").data["text"] == "a\nb\n"
    assert [item["revision"] for item in bench.ana.history("plan").data["items"]] == [1, 2]
    with pytest.raises(Conflict):
        bench.ana.doc_delete("plan", expected=1)


@pytest.mark.parametrize(("old", "why"), [("", "empty"), ("likes tea", "2 times"), ("Ghnet", "does not occur"), ("aa", "2 times")])
def test_an_edit_that_does_not_hit_exactly_once_changes_nothing(bench: Bench, old: str, why: str) -> None:
    text = "likes tea. likes tea with milk. lives in Ghent. aaa"
    bench.ana.doc_write("block", text, expected=0)
    with pytest.raises(Refused, match=why):
        bench.ana.doc_edit("block", old, "new", expected=1)
    assert bench.ana.doc_read("block").data["text"] == text
    assert bench.ana.doc_edit("block", "Ghent", "Lyon", expected=1).revision == 2


def test_a_repeated_request_is_one_memory(bench: Bench) -> None:
    first = bench.as_(key="k1").note_add("Watered the beans")
    again = bench.as_(key="k1").note_add("Watered the beans")
    assert first.ids == again.ids
    assert len(texts(bench.ana.list(kind="notes"))) == 1
    with pytest.raises(Refused):
        bench.as_(key="k1").note_add("Watered the peas")
    bench.ana.forget(first.ids[0])
    assert bench.as_(key="k1").note_add("Watered the beans").ids == first.ids
    assert texts(bench.ana.list(kind="notes")) == []
    assert b"beans" not in bench.bytes()


def test_a_held_lock_is_busy_and_retryable(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db", busy_ms=50)
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy) as raised, database.atomic():
        pass
    assert raised.value.retryable
    other.execute("ROLLBACK")
    with database.atomic():
        database.run("CREATE TABLE t (x)")
    other.close()
    database.close()


def test_a_full_disk_undoes_the_whole_write(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db")
    database.run("CREATE TABLE t (x)")
    database.run("PRAGMA max_page_count = 5")

    def write() -> None:
        with database.atomic():
            database.run("INSERT INTO t VALUES (1)")
            database.run("INSERT INTO t VALUES (zeroblob(100000))")

    with pytest.raises(StorageFailed):
        write()
    assert database.value("SELECT count(*) FROM t") == 0
    database.close()


def test_a_savepoint_undoes_only_its_own_part(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db")
    database.run("CREATE TABLE t (x)")
    with database.atomic():
        database.run("INSERT INTO t VALUES (1)")
        with contextlib.suppress(ValueError), database.atomic():
            database.run("INSERT INTO t VALUES (2)")
            raise ValueError
    assert [row["x"] for row in database.all("SELECT x FROM t")] == [1]
    database.close()


def test_every_connection_overwrites_and_syncs(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db")
    wanted = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "temp_store": 2, "busy_timeout": 30_000, "foreign_keys": 1}
    assert {name: database.value(f"PRAGMA {name}") for name in wanted} == wanted
    assert os.stat(tmp_path / "x.db").st_mode & 0o777 == 0o600
    database.close()
