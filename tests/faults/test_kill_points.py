"""A kill at points of every kind of write. A part of them here, all of them and a thousand drawn ones in `tests/bench/crash.py`."""

from __future__ import annotations

from pathlib import Path

from memgauge.memory_ref.tracing import Point
from tests.faults.killing import fault_after_kill, rehearse
from tests.faults.workload import Op, drawn, every_kind, opened, play

KILLS = 60
"""Points of the fixed writes that are tried, evenly spread."""


def test_a_kill_at_any_point_leaves_what_was_acknowledged_and_nothing_half(tmp_path: Path) -> None:
    ops = every_kind(tmp_path)
    rehearsal = rehearse(ops, tmp_path / "whole")
    assert rehearsal.points > 300
    assert len(set(rehearsal.states)) > len(ops) // 2
    for point in range(1, rehearsal.points + 1, rehearsal.points // KILLS):
        assert fault_after_kill(ops, rehearsal, tmp_path / f"at{point}", point) == ""


def test_a_kill_in_drawn_writes_does_too(tmp_path: Path) -> None:
    for seed in range(20):
        ops = drawn(seed)
        rehearsal = rehearse(ops, tmp_path / f"whole{seed}")
        point = 1 + (seed * 7919) % rehearsal.points
        assert fault_after_kill(ops, rehearsal, tmp_path / f"seed{seed}", point) == "", f"seed {seed}"


def test_the_fixed_writes_pass_every_kind_of_point(tmp_path: Path) -> None:
    passed: set[tuple[Point, str]] = set()
    with opened(tmp_path / "store", lambda point, detail: passed.add((point, detail))) as memory:
        answers = [play(memory, op) for op in every_kind(tmp_path)]
    assert all(answers)
    assert {point for point, _ in passed} == {"begin", "statement", "commit", "committed", "acknowledge", "replace"}
    assert {("replace", "checkpoint"), ("replace", "backup"), ("replace", "events.log"), ("statement", "event log")} <= passed


def test_a_kill_in_a_wipe_leaves_all_or_nothing_of_the_event_log_too(tmp_path: Path) -> None:
    ops: list[Op] = [("call_begin", {"call_id": "c1", "action": "send", "kind": "write"}), ("note_add", {"text": "Swept."}), ("forget_all", {})]
    rehearsal = rehearse(ops, tmp_path / "whole")
    for point in range(rehearsal.points - 24, rehearsal.points + 1, 2):
        assert fault_after_kill(ops, rehearsal, tmp_path / f"at{point}", point) == ""
