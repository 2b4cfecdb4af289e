"""Annotations: at most ten, worst first, and no text of a run is a command to GitHub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memgauge.events import RunFinished
from memgauge.reports import annotations
from memgauge.reports.folder import read_run
from memgauge.reports.summary import summarise
from tests.reports.conftest import finish, make_plan, make_verdict, started


def _rendered(write_run: Callable[..., Path], *cases: object) -> list[str]:
    folder = write_run([started(len(cases)), *cases, RunFinished(status="complete")])
    return annotations.render(summarise(read_run(folder))).splitlines()


def test_at_most_ten_the_worst_first_and_the_rest_counted(write_run: Callable[..., Path]) -> None:
    cases = [finish(make_plan(f"recall/s{n:02}", ["sufficient"], path=f"scenarios/s{n:02}.yaml"), ["fail"]) for n in range(30)]
    lines = _rendered(write_run, *cases, finish(make_plan("leak/x", ["leak"]), ["fail"]), finish(make_plan("leak/y"), ["error"] * 2, error="it hung"))
    assert len(lines) == annotations.MOST
    assert "it hung" in lines[0]
    assert "leak/x" in lines[1]
    assert lines[-1].endswith("23 more failures: the step summary has them")
    assert "file=scenarios/s00.yaml,title=" in lines[2]


def test_a_built_in_scenario_names_no_file_and_text_is_no_command(write_run: Callable[..., Path]) -> None:
    from memgauge.records import Judgement

    plan = make_plan("recall/a", ["sufficient"], path="builtin@1/recall--a.yaml")
    verdict = make_verdict(plan.expectations[0], "fail", witness="50%\r\n::set-output name=x::\x1b[31mred")
    lines = _rendered(write_run, finish(plan, ["fail"], judgement=Judgement(verdicts=(verdict,))))
    assert len(lines) == 1
    assert lines[0].startswith("::error title=recall/a[mine]%3A sufficient-1::50%25%0D%0A::set-output name=x::red")


def test_a_run_that_holds_has_none(write_run: Callable[..., Path]) -> None:
    assert _rendered(write_run, finish(make_plan("recall/a"), ["pass", "pass"])) == []
