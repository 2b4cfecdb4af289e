from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.memory_ref.errors import Conflict, NotFound, Refused
from tests.memory_ref.store_support import Bench

LISTS = ("retry", "confirm", "never")
CALLS = {"r": "read", "w": "write", "m": "message", "p": "payment"}


def begin_all(bench: Bench) -> Path:
    for call, kind in CALLS.items():
        bench.ana.call_begin(call, f"tool_{call}", kind)
    bench.reopen()
    [path] = bench.root.glob("*/events.log")
    return path


POINTS = ("before begin", "before the action", "after the action", "before the end is written", "after the end")
PLACES = {  # kind → where an unfinished call goes when nobody looked, when it was not done, when it was done
    "read": ("retry", "retry", None),
    "write": ("confirm", "retry", None),
    "message": ("never", "confirm", None),
    "payment": ("never", "confirm", None),
}


@pytest.mark.parametrize("looked", [False, True])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("kind", PLACES)
def test_every_kind_at_every_point_of_a_crash(bench: Bench, kind: str, point: str, looked: bool) -> None:
    """The log says what was begun and what was recorded; whether an unfinished call reached the world, only the world says."""
    world: list[str] = []

    def crashing() -> None:
        for reached in POINTS:
            if reached == point:
                return
            if reached == "before begin":
                bench.ana.call_begin("c1", "tool", kind)
            elif reached == "before the action":
                world.append("c1")
            elif reached == "before the end is written":
                bench.ana.call_end("c1", "done")

    crashing()
    bench.reopen()
    done_before = list(world)
    found = bench.ana.recover({"c1": "done" if "c1" in world else "not done"} if looked else None).data
    assert world == done_before  # recovery repeats nothing
    began = point not in ("before begin", "after the end")
    place = PLACES[kind][1 + ("c1" in world) if looked else 0] if began else None
    assert {name: found[name] for name in LISTS} == {name: ["c1"] if name == place else [] for name in LISTS}


def test_a_line_gone_from_the_middle_is_counted(bench: Bench) -> None:
    path = begin_all(bench)
    assert "missing" not in bench.ana.recover().data
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((*lines[:1], *lines[2:])))
    found = bench.ana.recover()
    assert (found.ids, found.data["missing"]) == (("r", "m", "p"), 1)
    bench.ana.call_begin("next", "tool", "read")
    assert bench.ana.recover().data["missing"] == 1


def test_recovery_shows_no_more_than_any_other_read(bench: Bench) -> None:
    bench.as_(thread="secret").append("p1", "user", "hello", private=True)
    bench.as_(thread="secret").call_begin("hidden", "search", "read")
    bench.as_(agent="planner").call_begin("planned", "search", "read")
    bench.ana.call_begin("open", "search", "read")
    assert bench.ana.recover().ids == ("planned", "open")
    assert bench.as_(agent="planner").recover().ids == ("planned", "open")
    assert bench.as_(agent="mailer").recover().ids == ("open",)
    assert bench.as_(thread="secret").recover().ids == ("hidden", "planned", "open")
    assert bench.as_("ben").recover().ids == ()


def test_what_was_forgotten_and_what_ended_long_ago_leaves_the_log(bench: Bench) -> None:
    bench.ana.append("m1", "user", "hello")
    bench.ana.call_begin("old", "search", "read")
    bench.ana.call_end("old", "done")
    bench.ana.call_begin("open", "search", "read")
    bench.as_(thread="t2").call_begin("other", "search", "read")
    [path] = bench.root.glob("*/events.log")
    path.with_suffix(".torn").write_bytes(b"half a line")
    bench.ana.forget(thread="main")
    assert bench.ana.recover().ids == ("other",)
    assert b"old" not in path.read_bytes()
    bench.as_(thread="t2").call_end("other", "failed")
    bench.advance(days=89)
    bench.ana.expire()
    assert b"other" in path.read_bytes()
    assert not path.with_suffix(".torn").exists()
    bench.ana.call_begin("late", "search", "read")
    bench.advance(days=1)
    assert bench.ana.expire().data["removed"]["events"] == 2
    assert b"other" not in path.read_bytes()
    assert (bench.ana.recover().ids, "missing" in bench.ana.recover().data) == (("late",), False)


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
    found = bench.ana.recover(verified).data
    assert {name: found[name] for name in LISTS} == expected
    assert {call: one["kind"] for call, one in found["calls"].items()} == CALLS


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
    for action in ("x" * 81, "", "write /home/ana/letter.txt", "tell Ana", "/etc/passwd"):
        with pytest.raises(Refused, match="the tool's name"):
            bench.ana.call_begin("odd", action, "read")
    bench.ana.forget_all()
    assert not path.exists()
    assert bench.ana.recover().ids == ()


def test_a_whole_line_that_was_never_committed_counts_for_nothing(bench: Bench) -> None:
    path = begin_all(bench)
    committed = path.read_bytes()
    bench.ana.call_end("p", "done")
    uncommitted = path.read_bytes()[len(committed) :]
    bench.ana.forget_all()
    begin_all(bench)
    path.write_bytes(path.read_bytes() + uncommitted)
    assert bench.ana.recover().ids == ("r", "w", "m", "p")
    bench.ana.call_begin("next", "tool", "read")
    assert bench.ana.recover().ids == ("r", "w", "m", "p", "next")
    assert path.with_suffix(".torn").read_bytes() == uncommitted


def test_a_log_that_lost_its_end_says_so(bench: Bench) -> None:
    path = begin_all(bench)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    found = bench.ana.recover()
    assert (found.ids, found.data["missing"]) == (("r", "w", "m"), 1)
