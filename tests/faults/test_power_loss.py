"""Loss of power at every sync and after every acknowledgement of the reference: what was acknowledged is there, the rest whole or absent.

A kill of the process cannot show a missing fsync, since the kernel keeps what was written; this test can, and nothing else does. All
files and folders of the store are recorded: SQLite's, the event log, backups. One loss in some is tried here, all of them in
`tests/bench/crash.py`.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("apsw", reason="pip install 'memgauge[faults]'")

from memgauge.saboteurs.parts import MissingFsync
from tests.faults.blackout import LOSSES, Workload, breaches, record
from tests.faults.connection import ApswConnection
from tests.faults.power import Machine
from tests.faults.recording import Create, Delete, Record, RecordingVFS, Rename, Sync, Told, Write
from tests.faults.workload import Op, every_kind

EVERY = 6


def test_what_was_acknowledged_outlives_every_loss_of_power(tmp_path: Path) -> None:
    work = record(tmp_path, every_kind(tmp_path))
    assert sum(isinstance(event, Sync) for event in work.events) > 2 * len(work.rehearsal.ops)
    assert [fault for fault in breaches(work, LOSSES, every=EVERY) if fault] == []


def test_a_missing_fsync_is_caught(tmp_path: Path) -> None:
    found = list(breaches(unsynced(tmp_path), ("dropped",)))
    assert sum(map(bool, found)) > len(found) // 2


def test_a_killed_process_does_not_show_a_missing_fsync(tmp_path: Path) -> None:
    found = list(breaches(unsynced(tmp_path), ("kept",)))
    assert len(found) > 5
    assert not any(found)


def unsynced(base: Path) -> Workload:
    return record(base, every_kind(base), sync=MissingFsync.parts["sync"])


LOG_AND_BACKUP = (
    Op("append", {"message_id": "m1", "role": "user", "text": "Swept the yard."}),
    Op("call_begin", {"call_id": "c1", "action": "send", "kind": "message"}),
    Op("backup", {"path": "kept/copy.db"}),
    Op("call_end", {"call_id": "c1", "state": "done"}),
    Op("call_begin", {"call_id": "c2", "action": "send", "kind": "message"}),
    Op("expire", day=400),
    Op("forget_all", day=400),
)


@pytest.mark.parametrize(
    "skips",
    [
        lambda path: path.name == "events.log",
        lambda path: path.name == "events.next",
        lambda path: path.name == "copy.db.partial",
        lambda path: path.name == "kept",
        lambda path: path.name == "recorded",
    ],
    ids=["a line of the log", "a shorter log", "a backup", "the name of a backup", "the name of a store"],
)
def test_each_sync_beside_those_of_sqlite_is_needed(tmp_path: Path, skips: Callable[[Path], bool]) -> None:
    assert any(breaches(record(tmp_path, LOG_AND_BACKUP, skips=skips), LOSSES))


def test_what_is_written_beside_sqlite_is_all_recorded(tmp_path: Path) -> None:
    """Python tells of each file opened for writing, renamed, removed, and each folder made: none may go past the recording disk."""
    with watched(tmp_path / "recorded") as seen:
        work = record(tmp_path, every_kind(tmp_path))
    recorded = {event.name for event in work.events if not isinstance(event, Told)}
    assert len(seen) > 5
    assert {str(path.relative_to(tmp_path)) for path in seen} <= recorded


_WATCHED: list[tuple[Path, set[Path]]] = []


def _watch(event: str, args: tuple[object, ...]) -> None:
    if not _WATCHED:
        return
    root, seen = _WATCHED[0]
    is_change = event in ("os.rename", "os.remove", "os.mkdir") or (event == "open" and isinstance(args[2], int) and args[2] & os.O_ACCMODE)
    path = Path(args[0]) if is_change and isinstance(args[0], str | os.PathLike) else Path()
    if path.is_relative_to(root) and (event != "os.remove" or path.exists()):
        seen.add(path)


@contextlib.contextmanager
def watched(root: Path) -> Iterator[set[Path]]:
    """The files below a folder that this process changes, as the interpreter's audit hooks tell. A hook stays for good, so there is one."""
    if not getattr(watched, "is_hooked", False):
        sys.addaudithook(_watch)
        watched.is_hooked = True  # type: ignore[attr-defined]
    _WATCHED.append((root, set()))
    try:
        yield _WATCHED[0][1]
    finally:
        _WATCHED.clear()


def test_the_record_is_what_the_files_became(tmp_path: Path) -> None:
    """Replayed whole, the record gives the very bytes of the files."""
    recorded = Record(tmp_path)
    vfs = RecordingVFS("recording-exact", recorded)
    path = tmp_path / "memory.db"
    connection = ApswConnection(path, 1.0, vfs.name)
    for sql in ("PRAGMA journal_mode=WAL", "CREATE TABLE t (x)", "INSERT INTO t VALUES ('abc')", "PRAGMA wal_checkpoint(TRUNCATE)", "DELETE FROM t"):
        connection.execute(sql).fetchall()
    machine = Machine()
    for event in recorded.events:
        machine.happen(event)
    files = machine.after("kept", random.Random(0))
    assert files["memory.db"] == path.read_bytes()
    assert files["memory.db-wal"] == path.with_name("memory.db-wal").read_bytes()
    connection.close()


def test_a_name_is_lost_without_a_sync_of_its_folder_and_one_removed_comes_back() -> None:
    machine = Machine()
    for event in (Create("a"), Write("a", 0, b"old"), Sync("a"), Sync("."), Create("b"), Write("b", 0, b"new"), Sync("b"), Rename("b", "a")):
        machine.happen(event)
    draw = random.Random(0)
    assert machine.after("dropped", draw) == {".": None, "a": b"old"}
    assert machine.after("kept", draw) == {".": None, "a": b"new"}
    machine.happen(Sync("."))
    machine.happen(Delete("a"))
    assert machine.after("dropped", draw) == {".": None, "a": b"new"}
    assert machine.after("torn", draw) == {".": None}
