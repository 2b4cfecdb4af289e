"""Loss of power at every sync and after every acknowledgement of the reference: what was acknowledged is there, the rest whole or absent.

A kill of the process cannot show a missing fsync, since the kernel keeps what was written; this test can, and nothing else does.
Not covered: the event log of tool calls, which is synced line by line outside SQLite, and folders of files just made.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("apsw", reason="pip install 'memgauge[faults]'")

from memgauge.clock import ManualClock
from memgauge.memory_ref.engine import Engine
from memgauge.memory_ref.memory import open_memory
from memgauge.saboteurs.parts import MissingFsync
from tests.faults.connection import ApswConnection
from tests.faults.power import Loss, files_after
from tests.faults.recording import Event, Record, RecordingVFS, Sync, Told
from tests.faults.workload import every_kind, fault_of, play, seen

LOSSES: tuple[Loss, ...] = ("dropped", "some", "torn")
OUTSIDE = ("call_begin", "call_end", "backup")
"""Writes to files of their own, which no VFS sees."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Everything the files went through, and what a reader saw after each acknowledged call (0: before the first)."""

    events: tuple[Event, ...]
    states: tuple[str, ...]
    folder: str


def record(root: Path, *, sync: bool) -> Workload:
    recorded = Record()
    vfs = RecordingVFS(f"recording-{root.name}", recorded)
    engine = Engine(connect=lambda path, busy_s: ApswConnection(path, busy_s, vfs.name), sync=sync)
    memory = open_memory(root, clock=ManualClock(), engine=engine)
    states = [seen(memory)]
    ops = [op for op in every_kind(root.parent) if op[0] not in OUTSIDE]
    for number, op in enumerate(ops, 1):
        assert play(memory, op)
        recorded.events.append(Told(number))
        states.append(seen(memory))
    events = tuple(recorded.events)
    memory.close()
    [folder] = (path.parent.name for path in root.glob("*/memory.db"))
    return Workload(events, tuple(states), folder)


def moments(events: tuple[Event, ...]) -> Iterator[int]:
    """Just before and after every sync, and after every acknowledgement."""
    for n, event in enumerate(events):
        if isinstance(event, Sync):
            yield from (n, n + 1)
        elif isinstance(event, Told):
            yield n + 1


def breaches(work: Workload, losses: tuple[Loss, ...], root: Path) -> list[str]:
    wrong = []
    for moment in sorted(set(moments(work.events))):
        before = work.events[:moment]
        told = max((event.number for event in before if isinstance(event, Told)), default=0)
        for loss in losses:
            place = root / f"{moment}-{loss}"
            folder = place / work.folder
            folder.mkdir(parents=True)
            for name, data in files_after(before, loss, random.Random(f"{moment}/{loss}")).items():
                (folder / name).write_bytes(data)
            if told:
                (folder / "owner").touch()
            if fault := fault_of(place, work.states[told : told + 2]):
                wrong.append(f"{loss} at event {moment}, after {told} acknowledgements: {fault}")
    return wrong


def test_what_was_acknowledged_outlives_every_loss_of_power(tmp_path: Path) -> None:
    work = record(tmp_path / "whole", sync=True)
    assert sum(isinstance(event, Sync) for event in work.events) > len(work.states)
    assert len(set(work.states)) > len(work.states) // 2
    assert breaches(work, LOSSES, tmp_path / "after") == []


def test_a_missing_fsync_is_caught(tmp_path: Path) -> None:
    work = record(tmp_path / "unsynced", sync=MissingFsync.parts["sync"])
    assert len(breaches(work, ("dropped",), tmp_path / "after")) > len(work.states) // 2


def test_a_killed_process_does_not_show_a_missing_fsync(tmp_path: Path) -> None:
    work = record(tmp_path / "unsynced", sync=MissingFsync.parts["sync"])
    assert breaches(work, ("kept",), tmp_path / "after") == []


def test_the_record_is_what_the_files_became(tmp_path: Path) -> None:
    """Replayed whole, the record gives the very bytes of the files."""
    recorded = Record()
    vfs = RecordingVFS("recording-exact", recorded)
    path = tmp_path / "memory.db"
    connection = ApswConnection(path, 1.0, vfs.name)
    for sql in ("PRAGMA journal_mode=WAL", "CREATE TABLE t (x)", "INSERT INTO t VALUES ('abc')", "PRAGMA wal_checkpoint(TRUNCATE)", "DELETE FROM t"):
        connection.execute(sql).fetchall()
    files = files_after(recorded.events, "kept", random.Random(0))
    assert files["memory.db"] == path.read_bytes()
    assert files["memory.db-wal"] == path.with_name("memory.db-wal").read_bytes()
    connection.close()
