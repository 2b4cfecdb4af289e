"""A kill at points of every kind of write. A part of them here, all of them and a thousand drawn ones in `tests/bench/crash.py`."""

from __future__ import annotations

from pathlib import Path

from memgauge.memory_ref.tracing import Point
from memgauge.protocol import VERBS
from tests.faults.killing import fault_after_kill, faults_at_points, rehearse
from tests.faults.workload import Op, drawn, every_kind, opened, play

EVERY = 24
"""One in so many points of each write is tried, another one in the next write."""


def test_a_kill_at_any_point_leaves_what_was_acknowledged_and_nothing_half(tmp_path: Path) -> None:
    rehearsal = rehearse(every_kind(tmp_path), tmp_path / "store", stores=tmp_path / "stores")
    assert rehearsal.points > 900
    assert len({after for *_, after in rehearsal.allowed}) > len(rehearsal.ops) // 2
    found = list(faults_at_points(rehearsal, tmp_path / "stores", tmp_path / "store", every=EVERY))
    assert len(found) > rehearsal.points // EVERY // 2
    assert [fault for fault in found if fault] == []


def test_a_kill_in_drawn_writes_and_in_the_opening_after_it_does_too(tmp_path: Path) -> None:
    for seed in range(12):
        rehearsal = rehearse(drawn(seed), tmp_path / "store")
        point = 1 + (seed * 7919) % rehearsal.points
        assert fault_after_kill(rehearsal, tmp_path / "store", point, opening=seed % 3 * 4) == "", f"seed {seed}"


def test_the_fixed_writes_are_all_that_write_and_pass_every_kind_of_point(tmp_path: Path) -> None:
    passed: set[tuple[Point, str]] = set()
    ops = every_kind(tmp_path)
    assert {op.name.rstrip("_") for op in ops} == {verb for verb, entry in VERBS.items() if entry.effect in ("write", "destroy")}
    with opened(tmp_path / "store", lambda point, detail: passed.add((point, detail))) as memory:
        assert all(play(memory, op) for op in ops)
    assert {point for point, _ in passed} == {"begin", "statement", "commit", "committed", "acknowledge", "replace"}
    replaced = {("replace", name) for name in ("checkpoint", "backup", "backup removed", "events.log")}
    assert {*replaced, ("statement", "event log")} <= passed


def test_a_kill_leaves_all_or_nothing_of_what_a_removal_takes_from_the_event_log(tmp_path: Path) -> None:
    """The log is no table: it must not change before the commit, nor stay as it was after it."""
    begin = Op("call_begin", {"call_id": "c1", "action": "send", "kind": "write"})
    end = Op("call_end", {"call_id": "c1", "state": "done"})
    said = Op("append", {"message_id": "m1", "role": "user", "text": "Swept."})
    for n, removal in enumerate((Op("forget_all"), Op("forget", {"thread": "main"}), Op("expire", day=400))):
        stores, root = tmp_path / f"stores{n}", tmp_path / "store"
        rehearsal = rehearse([said, begin, end, removal], root, stores=stores)
        found = list(faults_at_points(rehearsal, stores, root, first=3, every=4))
        assert len(found) > 5
        assert [fault for fault in found if fault] == []
