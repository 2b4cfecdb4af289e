"""`list rows` and `list catalogue`: no gap, and a status that comes from a selftest and not from a tag."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memgauge.cli.coverage import failure_lines, newest_matrix, row_lines
from memgauge.errors import InputError
from memgauge.scenarios import builtin, compile_case
from memgauge.scenarios.promises import failures, rows

TESTS = Path(__file__).parent.parent
PLANS = [compile_case(scenario, 0) for scenario in builtin()]


def test_every_row_has_tests_that_exist_scenarios_and_saboteurs() -> None:
    lines = row_lines(PLANS, None)
    assert [line["name"] for line in lines] == [f"A{n}" for n in range(1, 27)]
    for line in lines:
        assert all(line[what] for what in ("scenarios", "saboteurs", "tests")), line["name"]
        assert line["status"] == "claimed"
        assert [t for t in line["tests"] if not (TESTS.parent / t).is_file()] == []


def test_every_row_that_a_scenario_names_is_listed() -> None:
    known = {row.name for row in rows()}
    assert {name for plan in PLANS for name in plan.rows if name.startswith("A")} <= known


def test_every_known_failure_is_staged_or_says_why_not() -> None:
    lines = failure_lines(PLANS)
    counts = {"A": 6, "B": 5, "C": 5, "D": 6, "E": 4, "F": 4, "G": 4, "H": 4, "I": 4, "J": 4, "K": 3, "L": 3, "M": 3}
    assert [line["name"] for line in lines] == [f"{letter}{n}" for letter, most in counts.items() for n in range(1, most + 1)]
    assert [line["name"] for line in lines if bool(line["scenarios"]) == bool(line["reason"])] == []
    assert {name for plan in PLANS for name in plan.catalogue} <= {entry.name for entry in failures()}


def write(folder: Path, *lines: object) -> Path:
    folder.mkdir(parents=True)
    path = folder / "selftest.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def test_the_status_is_that_of_the_last_selftest(tmp_path: Path) -> None:
    by = ["goals/finished-goal::after.goal_done.goal", "goals/finished-goal::again.goal_done.goal"]
    matrix = write(tmp_path / "one", {"name": "goal-zombie", "by": by}, {"name": "memory-authorises", "by": []})
    lines = {line["name"]: line for line in row_lines(PLANS, newest_matrix(tmp_path, "selftest.jsonl"))}
    assert matrix.exists()
    assert (lines["A12"]["status"], lines["A12"]["failed"]) == ("shown", {"goal-zombie": by[:1]})
    assert (lines["A25"]["status"], lines["A25"]["failed"]) == ("not caught", {})
    assert lines["A16"]["status"] == "claimed"


def test_a_row_without_scenarios_is_a_gap() -> None:
    assert {line["status"] for line in row_lines([], None)} == {"gap"}


def test_a_broken_matrix_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names its saboteur"):
        row_lines(PLANS, write(tmp_path / "run", {"name": "leak-users"}))


def test_without_a_selftest_there_is_no_matrix(tmp_path: Path) -> None:
    assert newest_matrix(tmp_path, "selftest.jsonl") is None
