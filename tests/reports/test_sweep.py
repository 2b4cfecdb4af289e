from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.events import RunFinished
from memgauge.records import Outcome
from memgauge.reports import html, sweep
from memgauge.reports.folder import read_run
from memgauge.reports.summary import RunSummary, summarise
from tests.reports.conftest import finish, make_history, make_plan, started

SETTINGS = {"ref@k=1": (4, 600), "ref@k=5": (12, 800), "ref@k=9": (12, 990), "ref@k=5,noise=1": (12, 800)}


@pytest.fixture
def swept(write_run: Callable[..., Path]) -> RunSummary:
    cases = []
    for system, (passing, tokens) in SETTINGS.items():
        for number in range(12):
            outcome: Outcome = "pass" if number < passing else "fail"
            cases.append(finish(make_plan(f"recall/s{number}", ["sufficient"]), [outcome], system=system, history=make_history(tokens=tokens)))
    systems = [{"name": name} for name in SETTINGS]
    return summarise(read_run(write_run([started(len(cases), systems=systems), *cases, RunFinished(status="complete")])))


def test_the_front_holds_what_nothing_beats_in_both(swept: RunSummary) -> None:
    found = sweep.sweep(swept)
    assert [setting.name for setting in found] == list(SETTINGS)
    assert [setting.front for setting in found] == [True, True, False, True]
    assert found[0].against is None
    assert found[1].against is not None
    assert found[1].against.p == pytest.approx(3 * 2 / 2**8)


def test_the_table_says_what_the_data_can_tell(swept: RunSummary) -> None:
    lines = sweep.lines(sweep.sweep(swept))
    assert lines[-1].startswith("3 settings of 3 can be told from the first")
    assert "+67 points" in lines[2]
    assert lines[1].startswith("* ref@k=1")
    assert lines[3].startswith("  ref@k=9")


def test_the_page_shows_the_price_of_each(swept: RunSummary) -> None:
    page = html.render(swept)
    assert "left is cheaper" in page
    assert "ref@k=5,noise=1" in page


def test_one_system_is_no_sweep(standard_run: Path) -> None:
    with pytest.raises(InputError, match="two sides"):
        sweep.sweep(summarise(read_run(standard_run)))
