"""A full disk and a held lock: a call is answered ok, or with an error that may be retried and has changed nothing. Never silence."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memgauge.clock import ManualClock, parse_instant
from memgauge.memory_ref import erase
from memgauge.memory_ref.database import Database
from memgauge.memory_ref.engine import Engine
from memgauge.memory_ref.errors import StorageFailed
from memgauge.memory_ref.memory import open_memory
from memgauge.records import Scope

ANA = Scope(user="ana", thread="main")
NOW = "2026-03-02T09:00:00+00:00"

LIMITED = """
import json, resource, sys
from memgauge.protocol import Request
from memgauge.records import Scope
from memgauge.systems.reference import ReferenceSystem
root, limit, first, last = sys.argv[1], *map(int, sys.argv[2:])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
system = ReferenceSystem()
def call(op, **args):
    receipt = system.call(Request(op=op, now="2026-03-02T09:00:00+00:00", scope=Scope(user="ana", thread="main"), args=args))
    print(json.dumps({"op": op, "args": args, "status": receipt.status, "retryable": receipt.retryable, "reason": receipt.reason}), flush=True)
call("open", root=root)
for n in range(first, last):
    call("append", message_id=f"m{n}", role="user", text=f"Crate {n} holds " + "plums and pears " * 40)
    call("note_add", text=f"Note {n} " + "about the crates " * 20)
    call("call_begin", call_id=f"c{n}", action="send", kind="write")
"""


def limited(root: Path, limit: int, first: int, last: int) -> list[dict[str, Any]]:
    """Calls of a process that can make no file longer than `limit` bytes."""
    argv = [sys.executable, "-c", LIMITED, str(root), str(limit), str(first), str(last)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def read(root: Path) -> tuple[set[str], set[str], set[str]]:
    """(message ids, note texts, ids of calls under way) of a store, which must be sound."""
    memory = open_memory(root, clock=ManualClock(parse_instant(NOW)))
    ana = memory.session(ANA)
    messages = {item["id"] for item in ana.list(kind="messages").data["items"]}
    notes = {item["text"] for item in ana.list(kind="notes").data["items"]}
    under_way = set(ana.recover().ids)
    memory.close()
    [path] = root.glob("*/memory.db")
    database = Database(path)
    assert database.value("PRAGMA integrity_check") == "ok"
    erase.verify(database)
    database.close()
    return messages, notes, under_way


def test_a_file_that_may_not_grow_is_a_retryable_error_and_loses_nothing(tmp_path: Path) -> None:
    answers = limited(tmp_path, 300_000, 0, 30)[1:]
    assert {answer["status"] for answer in answers} == {"ok", "error"}
    assert all(answer["retryable"] for answer in answers if answer["status"] == "error")
    messages, notes, under_way = read(tmp_path)
    done = [answer for answer in answers if answer["status"] == "ok"]
    assert messages == {answer["args"]["message_id"] for answer in done if answer["op"] == "append"}
    assert {" ".join(note.split()) for note in notes} == {" ".join(a["args"]["text"].split()) for a in done if a["op"] == "note_add"}
    assert under_way >= {answer["args"]["call_id"] for answer in done if answer["op"] == "call_begin"}
    again = limited(tmp_path, 1 << 30, 60, 62)
    assert {answer["status"] for answer in again} == {"ok"}


def test_an_erase_without_room_is_pending_and_done_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The removal is committed, the write-ahead log cannot be emptied: said as pending, and the next opening does it."""

    class FullDisk(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            if "wal_checkpoint" in sql:
                full = sqlite3.OperationalError("database or disk is full")
                full.sqlite_errorcode, full.sqlite_errorname = sqlite3.SQLITE_FULL, "SQLITE_FULL"
                raise full
            return super().execute(sql, *parameters)

    def full(path: Path, busy_s: float) -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False, factory=FullDisk)

    memory = open_memory(tmp_path, engine=Engine(connect=full))
    ana = memory.session(ANA)
    record = ana.remember("My boat is called Zanzibarites").ids[0]
    reply = ana.forget(record)
    assert reply.pending == erase.NO_ROOM
    assert ana.list().data["items"] == []
    wal = next(tmp_path.glob("*/memory.db-wal"))
    assert b"Zanzibarites" in wal.read_bytes()
    memory.close()
    open_memory(tmp_path).session(ANA).list()
    assert not any(b"anzibarit" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_reads_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    ana = memory.session(ANA)
    ana.note_add("Before.")
    [path] = tmp_path.glob("*/memory.db")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert [item["text"] for item in ana.list(kind="notes").data["items"]] == ["Before."]
    other.execute("ROLLBACK")
    other.close()
    memory.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="running as root, to whom a read-only folder is no obstacle")
def test_a_read_only_folder_is_an_error_by_type(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageFailed):
        open_memory(tmp_path).session(ANA).note_add("x")
    tmp_path.chmod(0o700)
