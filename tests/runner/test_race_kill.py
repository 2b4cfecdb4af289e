from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memgauge.records import CaseId, Entry, Scope, Step
from memgauge.runner.case import CaseResult, CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import ANA, call, judge, opener, plan


def system(name: str) -> SystemSpec:
    module = "tests.toy_memory" if name == "ToyMemory" else "tests.runner.shared"
    return SystemSpec(name=name, kind="python", target=f"{module}:{name}")


def play(root: Path, spec: SystemSpec, *steps: Step, seed: int = 0) -> CaseResult:
    the_plan = plan("race", *steps, expectations=(), lane="process")
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system=spec.name, arm="on", seed=seed), plan=the_plan, spec=spec)
    return run_case(work, Tools(open_system=opener, judge=judge), RunOptions(), root)


def race(how: str, **args: Any) -> Step:
    given = {"writers": 4, "how": how, "times": 5, "op": "remember", "args": {"text": "Shelf {writer} holds box {turn}."}, **args}
    return Step(id="race", kind="concurrently", scope=ANA, args={k: v for k, v in given.items() if v is not None})


def shown(entry: Entry) -> list[str]:
    return sorted(item["text"] for read in entry.data["after"] for item in read["receipt"]["data"]["items"])


@pytest.mark.parametrize("how", ["threads", "processes"])
def test_every_acknowledged_write_of_a_race_is_noted_and_read_back(tmp_path: Path, how: str) -> None:
    result = play(tmp_path, system("Safe"), race(how))
    assert not result.error
    entry = result.history[0]
    assert (entry.type, entry.status, entry.data["how"], entry.data["writers"]) == ("race", "ok", how, 4)
    assert [(e["writer"], e["i"]) for e in entry.data["events"]] == [(w, t) for w in range(1, 5) for t in range(1, 6)]
    assert {e["status"] for e in entry.data["events"]} == {"ok"}
    assert shown(entry) == sorted(e["args"]["text"] for e in entry.data["events"])
    assert shown(entry)[0] == "Shelf 1 holds box 1."


def test_lost_updates_show_in_the_history(tmp_path: Path) -> None:
    entry = play(tmp_path, system("Losing"), race("processes")).history[0]
    acknowledged = {e["args"]["text"] for e in entry.data["events"] if e["status"] == "ok"}
    assert len(set(shown(entry)) & acknowledged) < len(acknowledged)


def test_writers_may_each_do_something_else_for_someone_else(tmp_path: Path) -> None:
    ben = Scope(user="ben")
    ops = [
        {"op": "remember", "args": {"text": "A{turn}"}, "times": 2},
        {"op": "doc_write", "args": {"name": "d", "text": "x", "expected": 0}, "scope": ben.to_json()},
    ]
    entry = play(tmp_path, system("Safe"), race("threads", ops=ops, writers=None, op=None, args=None, times=None)).history[0]
    assert [(e["writer"], e["op"], e["args"].get("text")) for e in entry.data["events"]] == [
        (1, "remember", "A1"),
        (1, "remember", "A2"),
        (2, "doc_write", "x"),
    ]
    assert [(r["op"], r["scope"]["user"]) for r in entry.data["after"]] == [("list", "ana"), ("doc_read", "ben")]


def test_a_system_that_claims_nothing_is_not_raced(tmp_path: Path) -> None:
    result = play(tmp_path, system("ToyMemory"), race("threads"), call("l", "list"))
    assert [e.status for e in result.history] == ["unsupported", "ok"]
    assert "threads" in result.history[0].receipt["reason"]


OPS: list[Mapping[str, Any]] = [{"op": "remember", "args": {"text": f"Fact number {n}."}} for n in range(1, 7)]
KILL = Step(id="crash", kind="kill", scope=ANA, args={"ops": OPS})


def test_what_was_acknowledged_before_a_kill_is_read_back(tmp_path: Path) -> None:
    for seed in range(2):
        result = play(tmp_path / str(seed), system("Safe"), call("r", "remember", text="Before."), KILL, call("l", "list"), seed=seed)
        assert not result.error
        data = result.history[1].data
        done = [op["args"]["text"] for op in data["acknowledged"]]
        assert data["killed"]["sampled"] is True
        assert data["killed"]["reached"] == bool(data["unknown"])
        assert data["reopened"] is True
        assert len(done) + len(data["unknown"]) <= len(OPS)
        assert set(done) | {"Before."} <= set(shown(result.history[1])) <= {op["args"]["text"] for op in OPS} | {"Before."}
        assert result.history[2].status == "ok"


def test_a_store_that_does_not_open_again_is_a_finding_and_not_a_broken_case(tmp_path: Path) -> None:
    outcomes = [play(tmp_path / str(seed), system("Torn"), KILL, call("l", "list"), seed=seed) for seed in range(3)]
    assert not any(result.error for result in outcomes)
    torn = [result for result in outcomes if result.history[0].data["reopened"] is False]
    assert torn
    for result in torn:
        assert "JSONDecodeError" in result.history[0].data["reason"]
        assert result.history[0].data["after"] == []
        assert result.history[1].receipt == {"status": "error", "reason": "the store is not open"}


def test_a_reopen_that_fails_is_recorded_and_what_follows_finds_no_store(tmp_path: Path) -> None:
    reopen = Step(id="again", kind="reopen")
    result = play(tmp_path, system("Stuck"), call("r", "remember", text="I live in Ghent."), reopen, call("l", "list"))
    assert not result.error
    assert [entry.status for entry in result.history] == ["ok", "error", "error"]
    assert result.history[1].receipt["reason"].startswith("open raised ValueError: /store/toy.json is damaged")
    assert result.history[2].receipt["reason"] == "the store is not open"
