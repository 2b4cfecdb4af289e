"""Writing scenarios: a table of incidents to files, a case of a run to a file, and what `try` says about one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.cli import run_command
from memgauge.cli.incidents import read_incidents
from memgauge.errors import InputErrors
from memgauge.scenarios import builtin, compile_case, load, pinned

HEADING = "said,changed,asked,expected,never,ticket\n"
MOVED = '"I live at Elm Road 4.","We moved. New address: Birch Lane 9.",Where should the parcel go?,Birch Lane 9,Elm Road 4,4711\n'
Call = Callable[..., tuple[int, list[dict[str, object]], str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """A command in an empty folder: its exit code, its JSON lines and its text."""
    monkeypatch.chdir(tmp_path)

    def run(*argv: object) -> tuple[int, list[dict[str, object]], str]:
        capsys.readouterr()
        code = run_command([*map(str, argv), "--json"])
        told = capsys.readouterr()
        return code, [json.loads(line) for line in told.out.splitlines()], told.err

    return run


def test_a_table_becomes_one_file_a_row_and_all_load(call: Call, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text(HEADING + MOVED + '"Remember that my dentist is Dr Holm.",,Who is my dentist?,Dr Holm,,\n')
    assert call("new", "--from-table", "i.csv", "--to", "own")[0] == 0
    assert sorted(path.name for path in (tmp_path / "own").iterdir()) == ["4711.yaml", "row-3.yaml"]
    loaded = {scenario.id: compile_case(scenario, 0) for scenario in load([tmp_path / "own"])}
    assert sorted(loaded) == ["incident/4711", "incident/row-3"]
    assert {plan.content for plan in loaded.values()} == {"private"}
    assert {e.kind for e in loaded["incident/4711"].expectations} == {"present", "stale", "sufficient", "budget"}
    assert call("new", "--from-table", "i.csv", "--to", "own")[0] == 2


def test_rows_that_cannot_be_scenarios_are_all_named_and_nothing_is_written(call: Call, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text(HEADING + MOVED + "I live in Oslo.,,Where do I live?,Oslo,Elm Road 4,2\n,,Who?,,,3\n")
    code, _, told = call("new", "--from-table", "i.csv", "--to", "own")
    assert code == 2
    assert [line.split(": ")[1] for line in told.splitlines()] == ["i.csv:3", "i.csv:4"]
    assert not (tmp_path / "own").exists()


def test_equal_tickets_get_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text(HEADING + MOVED + MOVED)
    assert [incident.id for incident in read_incidents(tmp_path / "i.csv")] == ["incident/4711", "incident/4711-row-3"]


@pytest.mark.parametrize("table", ["said,asked\nx,y\n", HEADING, HEADING + "x,,,,,\n"])
def test_a_table_without_columns_or_rows_is_refused(call: Call, tmp_path: Path, table: str) -> None:
    (tmp_path / "i.csv").write_text(table)
    assert call("new", "--from-table", "i.csv")[0] == 2


def test_fault_of_a_row_keeps_the_hint(tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text(HEADING + "I live in Oslo.,,Where do I live?,Oslo,Elm Road 4,2\n")
    with pytest.raises(InputErrors, match="proves nothing") as caught:
        read_incidents(tmp_path / "i.csv")
    assert caught.value.errors[0].hint == "say it first, word for word"


@pytest.mark.parametrize("seed", [0, 5])
def test_a_pinned_case_says_what_was_drawn(seed: int, tmp_path: Path) -> None:
    scenario = next(one for one in builtin() if one.id == "supersession/moved-city")
    plan = compile_case(scenario, seed)
    (tmp_path / "kept.yaml").write_text(pinned(scenario, plan, "incident/kept"), encoding="utf-8")
    kept = compile_case(load([tmp_path / "kept.yaml"])[0], 0)
    assert {name: fact.anchors for name, fact in kept.facts.items()} == {name: fact.anchors for name, fact in plan.facts.items()}
    told = [[step.args["text"] for step in one.steps if step.tells and "text" in step.args] for one in (plan, kept)]
    assert told[0] == told[1]
    assert [(e.kind, e.facts) for e in kept.expectations] == [(e.kind, e.facts) for e in plan.expectations]


@pytest.mark.parametrize("argv", [("new",), ("new", "a/b", "--from-table", "x.csv"), ("new", "no-class"), ("try", "nowhere.yaml")])
def test_what_says_too_little_is_one_line(call: Call, argv: tuple[str, ...]) -> None:
    code, _, told = call(*argv)
    assert (code, len(told.splitlines())) == (2, 1)


def test_try_says_what_would_be_caught_and_what_missed(call: Call, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text(HEADING + MOVED)
    call("new", "--from-table", "i.csv")
    code, lines, told = call("try", "4711.yaml")
    assert code == 0
    systems = {str(line["system"]): line["holds"] for line in lines if line["type"] == "system"}
    assert systems == {"reference": True, "off": False, "embed-all": False}
    caught = {str(line["name"]) for line in lines if line["type"] == "saboteur" and line["caught"]}
    assert {"stale-beside-new", "captures-nothing"} <= caught
    assert "reworded" not in caught
    assert "would miss   stale-in-list" in told


def test_try_says_why_a_scenario_passes_without_memory(call: Call, tmp_path: Path) -> None:
    text = {"id": "incident/here", "facts": {"hue": {"anchors": ["purple"], "like": ["It is purple."], "unlike": ["It is big."]}}}
    steps = [{"say": "The door is purple.", "tells": ["hue"]}, {"ask": "What about the door?", "needs": ["hue"]}]
    (tmp_path / "here.yaml").write_text(json.dumps({**text, "steps": steps}))
    _, lines, told = call("try", "here.yaml")
    assert "passes with memory off: the answer stands in the recent window" in told
    assert {line["system"] for line in lines if line["type"] == "system" and line["holds"]} >= {"reference", "off"}


def test_a_table_that_is_no_csv_is_one_line(call: Call, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text('said,"changed"x,asked\n', encoding="utf-8")
    code, _, told = call("new", "--from-table", "i.csv")
    assert code == 2
    assert "i.csv:1: not a CSV table" in told
