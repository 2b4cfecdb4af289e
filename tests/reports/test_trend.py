"""A trend over runs: in order, per system, with flips of what is comparable and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.events import RunFinished
from memgauge.records import Outcome
from memgauge.reports import trend
from tests.reports.conftest import finish, make_plan, started

WriteRun = Callable[..., Path]


def _run(write_run: WriteRun, name: str, outcomes: dict[str, Outcome], digest: str = "d") -> Path:
    cases = [finish(make_plan(f"recall/{one}", ["sufficient"], digest=digest), [outcome]) for one, outcome in outcomes.items()]
    return write_run([started(len(cases)), *cases, RunFinished(status="complete")], name)


def test_runs_are_told_in_order_with_their_flips(write_run: WriteRun) -> None:
    second = _run(write_run, "20260302-b", {"a": "fail", "b": "pass", "c": "pass"})
    first = _run(write_run, "20260301-a", {"a": "pass", "b": "fail"})
    stops = trend.trend([second, first])
    assert [(s.folder, s.passed, s.scored, s.compared, s.fell, s.rose) for s in stops] == [
        ("20260301-a", 1, 2, None, 0, 0),
        ("20260302-b", 2, 3, 2, 1, 1),
    ]
    text = "\n".join(trend.lines(stops))
    assert "1 fell, 1 rose (2 of 3 comparable)" in text
    assert stops[0].to_json().get("compared") is None


def test_an_edited_scenario_is_not_compared(write_run: WriteRun) -> None:
    runs = [_run(write_run, "1", {"a": "pass"}), _run(write_run, "2", {"a": "fail"}, digest="e")]
    assert trend.lines(trend.trend(runs))[-1].endswith("nothing is comparable")


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such run folder"):
        trend.trend([tmp_path / "none"])
