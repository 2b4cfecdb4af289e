"""Which kinds of record earn their cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.events import CaseFinished, RunFinished
from memgauge.records import Arm, Outcome
from memgauge.reports import html
from memgauge.reports.folder import read_run
from memgauge.reports.screen import first_screen
from memgauge.reports.store import query
from memgauge.reports.summary import RunSummary, summarise
from tests.reports.conftest import finish, make_history, make_plan, started

Finish = Callable[..., RunSummary]
N = 30


def _cases(arm: Arm, failing: int, tokens: int) -> list[CaseFinished]:
    """On the first scenarios this arm fails."""
    outcomes: list[Outcome] = ["fail" if n < failing else "pass" for n in range(N)]
    plans = [make_plan(f"recall/s{n}", ["sufficient"]) for n in range(N)]
    return [finish(plan, [outcome], arm=arm, history=make_history(tokens=tokens)) for plan, outcome in zip(plans, outcomes, strict=True)]


@pytest.fixture
def summary_of(write_run: Callable[..., Path]) -> Finish:
    return lambda cases: summarise(read_run(write_run([started(len(cases)), *cases, RunFinished(status="complete")])))


@pytest.fixture
def without(summary_of: Finish) -> RunSummary:
    cases = [
        *_cases("on", 0, 900), *_cases("off", N, 500), *_cases("on-without:fact", 12, 860), *_cases("on-without:note", 2, 890),
        *_cases("on-without:goal", 0, 900),
    ]  # fmt: skip
    return summary_of(cases)


def test_each_kind_says_what_it_costs_and_whether_it_is_worth_it(without: RunSummary) -> None:
    kinds = {kind.kind: kind for kind in without.systems[0].kinds}
    assert list(kinds) == ["fact", "note", "goal"]
    assert kinds["fact"].words.startswith("fact earns its 40 tokens a turn: +40 points [")
    assert kinds["note"].words.startswith("note: cannot be told whether it earns its 10 tokens a turn: +7 points")
    assert kinds["goal"].words == "goal: never in a prompt"


def test_it_is_a_line_of_the_first_screen_and_columns_of_the_page(without: RunSummary) -> None:
    line = next(line for line in first_screen(without) if line.label == "KINDS")
    assert line.text.count(" · ") == 2
    benefit = next(line for line in first_screen(without) if line.label == "BENEFIT")
    assert "on-without:fact 18/30" in benefit.text
    page = html.render(without)
    assert "on-without:note" in page
    assert "earns its 40 tokens a turn" in page
    assert without.to_json()["systems"][0]["kinds"][0]["on_minus_without"]["won"] == 12


def test_a_view_has_every_kind(without: RunSummary) -> None:
    found = query(without.run.folder, "SELECT arm, scenarios, won FROM sufficiency_on_minus_without ORDER BY arm")
    assert found.rows == (("on-without:fact", N, 12), ("on-without:goal", N, 0), ("on-without:note", N, 2))


def test_without_such_an_arm_nothing_is_said_of_kinds(summary_of: Finish) -> None:
    made = summary_of(_cases("on", 0, 900))
    assert made.systems[0].kinds == ()
    assert "KINDS" not in [line.label for line in first_screen(made)]
