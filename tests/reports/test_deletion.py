"""What the reports say of a deletion: how deep it was looked at, against which period, and what nobody could examine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgauge.events import RunFinished
from memgauge.records import Entry, Judgement, Outcome
from memgauge.reports import show, store
from memgauge.reports.casefile import open_case
from memgauge.reports.evidence import claims, surfaces
from memgauge.reports.folder import read_run
from memgauge.reports.run import CheckLine, Run
from memgauge.reports.safety import topics
from tests.reports.conftest import finish, make_history, make_plan, make_verdict, started

Depths = Mapping[str, Outcome]
WriteRun = Callable[..., Path]


def ended(name: str, outcome: Outcome, depths: Depths, within: str = "", **parts: Any) -> Any:
    """A case with one read path that is clean at once, and one look at what is left."""
    plan = make_plan(f"deletion/{name}", ("deleted", "residue"))
    api, left = plan.expectations
    verdicts = (make_verdict(api, "pass", depths={"api": "pass"}), make_verdict(left, outcome, depths=depths, within=within))
    return finish(plan, ["pass", outcome], judgement=Judgement(verdicts=verdicts), **parts)


def run_of(write_run: WriteRun, *cases: Any) -> Run:
    return read_run(write_run([started(len(cases)), *cases, RunFinished(status="complete")]))


def safety(write_run: WriteRun, *cases: Any) -> str:
    (topic,) = topics(run_of(write_run, *cases).checks)
    return topic.words


def test_a_look_counts_for_every_depth_it_reached(write_run: WriteRun) -> None:
    clean = ended("a", "pass", {"rows": "pass", "bytes": "pass"})
    dirty = ended("b", "fail", {"rows": "pass", "bytes": "fail"})
    assert safety(write_run, clean, dirty) == "deletion api 2/2, rows 2/2, bytes 1/2, vectors not examined"


def test_a_place_nobody_could_examine_is_counted_and_never_clean(write_run: WriteRun) -> None:
    seen = ended("a", "pass", {"rows": "pass", "vectors": "unscored"})
    blind = ended("b", "unscored", {"rows": "unscored", "vectors": "unscored"})
    assert safety(write_run, seen, blind) == "deletion api 2/2, rows 1/1 (1 not examined), vectors and bytes not examined (1 NOT PROVEN)"


def test_the_period_stands_beside_each_depth_once_one_is_stated(write_run: WriteRun) -> None:
    late = ended("a", "pass", {"rows": "pass", "bytes": "pass"}, "P30D")
    assert safety(write_run, late) == "deletion api 1/1 at once, rows 1/1 within P30D, bytes 1/1 within P30D, vectors not examined"


def test_periods_that_differ_between_checks_are_both_said(write_run: WriteRun) -> None:
    late, soon = ended("a", "pass", {"bytes": "pass"}, "P30D"), ended("b", "fail", {"bytes": "fail"})
    assert "bytes 1/2 at once or within P30D" in safety(write_run, late, soon)


def test_the_evidence_says_at_which_depth_and_against_which_period(write_run: WriteRun) -> None:
    run = run_of(write_run, ended("a", "pass", {"rows": "pass", "bytes": "unscored"}, "P30D"))
    (claim,) = claims(run.checks)["tested"]
    assert {grade: (counts["passed"], counts["judged"]) for grade, counts in claim["grades"].items()} == {
        "api": (1, "at once"), "rows": (1, "within P30D"), "bytes": (0, "at once"),
    }  # fmt: skip
    untested = {line["claim"]: line["why"] for line in claims(run.checks)["not_tested"]}
    assert untested["deletion, bytes"] == untested["deletion, vectors"] == "not examined"


def test_the_view_has_a_row_for_each_depth_and_period(write_run: WriteRun) -> None:
    run = run_of(write_run, ended("a", "pass", {"rows": "pass", "bytes": "pass"}, "P30D"), ended("b", "fail", {"rows": "pass", "bytes": "fail"}))
    found = store.query(run.folder, "SELECT grade, within, planned, scored, passed FROM deletion_completion ORDER BY ALL")
    assert found.rows == (("api", "", 2, 2, 2), ("bytes", "", 1, 1, 0), ("bytes", "P30D", 1, 1, 1), ("rows", "", 1, 1, 1), ("rows", "P30D", 1, 1, 1))


def test_show_names_every_place_and_what_was_done_when_the_period_was_over(write_run: WriteRun) -> None:
    places = [
        {"name": "root folder", "kind": "files", "examined": True, "bytes": 12},
        {"name": "points", "kind": "http", "examined": False, "bytes": 0, "reason": "HTTP 500 Internal Server Error"},
    ]
    scan = Entry(n=3, type="scan", step="ask", now="2026-03-02T09:00:00+00:00", args={"facts": ["home"]}, data={"surfaces": places, "needles": []})
    again = replace(scan, n=4, now="2026-04-01T09:00:00+00:00", data={**scan.data, "within": "P30D"})
    case = ended("a", "pass", {"bytes": "pass", "vectors": "unscored"}, "P30D", history=(*make_history(), scan, again))
    run = run_of(write_run, case)
    text = " ".join(" ".join(show.lines(open_case(run, run.cases[0]))).split())
    assert "surfaces: root folder (files, 12 bytes), points (http, not examined: HTTP 500 Internal Server Error)" in text
    before, after = text.split("WHEN THE DELETION PERIOD WAS OVER")
    assert "2026-04-01" not in before
    assert "2026-04-01" in after
    assert "residue-1 (residue, judged within P30D, bytes pass, vectors not examined)" in after


def test_the_evidence_of_a_private_case_counts_its_places_and_says_none_of_their_words(write_run: WriteRun) -> None:
    places = [
        {"name": "Ghent notes", "kind": "sql", "depth": "rows", "examined": True, "bytes": 12, "named": True},
        {"name": "points", "kind": "http", "depth": "vectors", "examined": False, "bytes": 0, "reason": "no table Ghent"},
    ]
    scan = Entry(n=3, type="scan", step="ask", now="2026-03-02T09:00:00+00:00", data={"surfaces": places, "needles": []})
    case = ended("a", "pass", {"rows": "pass"}, "P30D", history=(*make_history(), scan))
    run = run_of(write_run, replace(case, plan=replace(case.plan, content="private")))
    looked = surfaces(run)["looked_into"]
    assert [(row["kind"], row["scans"], row["examined"]) for row in looked] == [("sql", 1, 1), ("http", 1, 0)]
    assert not any("Ghent" in file.read_text() for file in run.folder.rglob("*") if file.suffix in (".jsonl", ".json"))
    assert run.checks[1].depths == {"rows": "pass"}


@pytest.mark.parametrize("part", ["depths", "within"])
def test_a_check_of_an_older_run_has_no_such_part(write_run: WriteRun, part: str) -> None:
    line = run_of(write_run, ended("a", "pass", {"bytes": "pass"})).checks[1].to_json()
    del line[part]
    old = CheckLine.from_json(line)
    assert not getattr(old, part)
    assert topics([replace(old, depths={})])[0].words == "deletion bytes 1/1, api and rows and vectors not examined"
