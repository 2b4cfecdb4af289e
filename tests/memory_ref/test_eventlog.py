from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.memory_ref.errors import Conflict, NotFound, Refused
from tests.memory_ref.store_support import Bench

CALLS = {"r": "read", "w": "write", "m": "message", "p": "payment"}


def begin_all(bench: Bench) -> Path:
    for call, kind in CALLS.items():
        bench.ana.call_begin(call, f"tool_{call}", kind)
    bench.reopen()
    [path] = bench.root.glob("*/events.log")
    return path


@pytest.mark.parametrize(
    ("verified", "expected"),
    [
        ({}, {"retry": ["r"], "confirm": ["w"], "never": ["m", "p"]}),
        (dict.fromkeys(CALLS, "not done"), {"retry": ["r", "w"], "confirm": ["m", "p"], "never": []}),
        (dict.fromkeys(CALLS, "done"), {"retry": [], "confirm": [], "never": []}),
        ({"p": True, "w": False}, {"retry": ["r", "w"], "confirm": [], "never": ["m"]}),
    ],
)
def test_unfinished_calls_are_sorted_by_kind_and_by_what_the_world_shows(
    bench: Bench, verified: dict[str, object], expected: dict[str, list[str]]
) -> None:
    begin_all(bench)
    assert bench.ana.recover(verified).data == expected


def test_a_finished_call_is_not_unfinished_and_ends_once(bench: Bench) -> None:
    begin_all(bench)
    for call in CALLS:
        bench.ana.call_end(call, "done")
    bench.ana.call_end("r", "done")
    assert bench.ana.recover().ids == ()
    with pytest.raises(Conflict):
        bench.ana.call_end("r", "failed")
    with pytest.raises(Conflict):
        bench.ana.call_begin("r", "again", "read")
    with pytest.raises(NotFound):
        bench.ana.call_end("x", "done")
    with pytest.raises(Refused):
        bench.ana.call_begin("y", "tool", "magic")
    with pytest.raises(Refused):
        bench.ana.recover({"r": "perhaps"})


def test_a_torn_tail_at_every_length_is_set_aside_before_the_next_line(bench: Bench) -> None:
    path = begin_all(bench)
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for length in range(last, len(whole), 7):
        path.write_bytes(whole[:length])
        assert bench.ana.recover().ids == ("r", "w", "m")
        bench.ana.call_begin("next", "tool", "read")
        assert bench.ana.recover().ids == ("r", "w", "m", "next")
        if length > last:
            assert path.with_suffix(".torn").read_bytes() == whole[last:length]
            path.with_suffix(".torn").unlink()
        bench.ana.call_end("next", "done")
        lines = path.read_bytes().splitlines()
        assert len(lines) == 5
        path.write_bytes(whole)


def test_a_changed_byte_is_noticed(bench: Bench) -> None:
    path = begin_all(bench)
    path.write_bytes(path.read_bytes().replace(b"tool_p", b"tool_q"))
    assert bench.ana.recover().ids == ("r", "w", "m")


def test_the_log_holds_no_content_and_goes_with_the_user(bench: Bench) -> None:
    path = begin_all(bench)
    bench.ana.append("m1", "user", "Zanzibarites")
    assert b"zanzibarites" not in path.read_bytes().lower()
    with pytest.raises(Refused):
        bench.ana.call_begin("long", "x" * 81, "read")
    bench.ana.forget_all()
    assert not path.exists()
    assert bench.ana.recover().ids == ()
