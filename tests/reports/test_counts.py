"""One run, five outputs, the same numbers: terminal and Markdown, JSON, HTML, JUnit, DuckDB, whatever happened in the run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge.events import CaseFinished, RunFinished
from memgauge.records import OUTCOMES, Judgement, Outcome
from memgauge.reports import html, junit, markdown, store
from memgauge.reports.counts import Counts
from memgauge.reports.folder import RunFolder, read_run
from memgauge.reports.screen import first_screen, plain
from memgauge.reports.summary import RunSummary, summarise
from tests.reports.conftest import finish, make_plan, make_verdict, standard_events, started

KINDS = ("sufficient", "stale", "present")


def _run(folder: Path, cases: Iterable[CaseFinished]) -> RunSummary:
    handler, listed = RunFolder(folder), list(cases)
    for event in (started(len(listed)), *listed, RunFinished(status="complete")):
        handler.handle(event)
    return summarise(read_run(folder))


def _told(summary: RunSummary) -> dict[str, dict[str, int]]:
    """What each output says of the treatment arm, by the names of `Counts`."""
    treated = [check for check in read_run(summary.run.folder).checks if check.arm == "on"]
    names = ("planned", "scored", "passed", "failed", "error", "unsupported", "not_applicable", "skip", "unscored")
    told = {"the lines": Counts.of(treated).to_json()}
    systems = [system["checks"] for system in summary.to_json()["systems"]]
    told["json"] = {name: sum(system[name] for system in systems) for name in names}
    sums = ", ".join(f"coalesce(sum({name}), 0)::BIGINT" for name in names)
    told["duckdb"] = dict(zip(names, store.query(summary.run.folder, f"SELECT {sums} FROM outcomes WHERE arm = 'on'").rows[0], strict=True))
    xml = ElementTree.fromstring(junit.render(summary))
    tests = xml.findall(".//testcase")
    kinds = [test[0].get("type", "") if len(test) and test[0].tag == "skipped" else test[0].tag if len(test) else "passed" for test in tests]
    told["junit"] = {"planned": len(tests), "passed": kinds.count("passed"), "failed": kinds.count("failure"), "error": kinds.count("error")}
    told["junit"] |= {name: kinds.count(name) for name in ("unsupported", "not_applicable", "skip", "unscored")}
    told["junit attributes"] = {"planned": int(xml.get("tests", 0)), "failed": int(xml.get("failures", 0)), "error": int(xml.get("errors", 0))}
    page = html.render(summary)
    listed = re.findall(r'<tr data-class="[^"]*" data-kind="([a-z_]+)">', page)
    told["html rows"] = {name: listed.count({"passed": "pass", "failed": "fail"}.get(name, name)) for name in names[2:]} | {"planned": len(listed)}
    said = re.search(r"(\d+) checks: (\d+) passed, (\d+) failed, (\d+) broke", page)
    assert said
    told["html words"] = dict(zip(("planned", "passed", "failed", "error"), map(int, said.groups()), strict=True))
    told["html classes"] = _cells(page, "classes")
    told["html kinds"] = _cells(page, "kinds")
    for name, text in (("markdown", markdown.render(summary)), ("terminal", " ".join(" ".join(plain(first_screen(summary), 10_000)).split()))):
        scored = [tuple(map(int, found)) for found in re.findall(r"scored (\d+) of (\d+) planned", text)]
        told[name] = {"scored": sum(one for one, _ in scored), "planned": sum(other for _, other in scored)}
        failed = re.search(r"(\d+) failed checks?\b" if name == "markdown" else r"(\d+) checks? failed", text)
        told[name]["failed"] = int(failed[1]) if failed else 0
    return told


def _cells(page: str, section: str) -> dict[str, int]:
    """Passed and scored of the column `on` of a table, and planned where all of a row is told."""
    body = page[page.index(f'<section id="{section}">') :]
    body = body[: body.index("</section>")]
    cells = re.findall(r'<td data-label="(?:[^"]* · )?on">(.*?)</td>', body, re.DOTALL)
    found = [re.search(r">(\d+)/(\d+)</span>", cell) for cell in cells]
    planned = 0
    for cell, rate in zip(cells, found, strict=True):
        of = re.search(r">of (\d+)<", cell)
        planned += int(of[1]) if of else int(rate[2]) if rate else 0
    return {"passed": sum(int(rate[1]) for rate in found if rate), "scored": sum(int(rate[2]) for rate in found if rate), "planned": planned}


def _agree(summary: RunSummary) -> None:
    told = _told(summary)
    right = told["the lines"]
    wrong = {output: {name: (said[name], right[name]) for name in said if said[name] != right[name]} for output, said in told.items()}
    assert {output: differing for output, differing in wrong.items() if differing} == {}


def test_the_standard_run(standard_run: Path) -> None:
    _agree(summarise(read_run(standard_run)))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_alone(tmp_path: Path, outcome: Outcome) -> None:
    _agree(_run(tmp_path / "run", [finish(make_plan("recall/home", ["sufficient"]), [outcome])]))


def test_private_cases_count_like_any(tmp_path: Path) -> None:
    plan = make_plan("incident/private", KINDS, content="private")
    _agree(_run(tmp_path / "run", [finish(plan, ["fail", "unscored", "unsupported"]), finish(plan, ["pass", "pass", "skip"], repeat=1)]))


def test_cases_that_broke_count_as_planned_and_never_as_scored(tmp_path: Path) -> None:
    plan = make_plan("recall/home", KINDS)
    half = Judgement(verdicts=(make_verdict(plan.expectations[0], "pass"),))
    cases = [
        finish(plan, ["pass"] * 3, error="SystemFault: it died"),
        finish(plan, ["pass"] * 3, repeat=1, judgement=half),
        finish(plan, ["error"] * 3, repeat=2),
    ]
    made = _run(tmp_path / "run", cases)
    _agree(made)
    assert made.systems[0].counts.error == 8


def test_repeats_seeds_and_systems_count_one_by_one(tmp_path: Path) -> None:
    plan = make_plan("recall/home", KINDS)
    outcomes: list[list[Outcome]] = [["pass", "fail", "pass"], ["fail", "fail", "unscored"], ["pass", "not_applicable", "pass"]]
    cases = [
        finish(plan, ends, system=system, repeat=repeat, seed=seed)
        for system in ("one", "two")
        for seed in (0, 7)
        for repeat, ends in enumerate(outcomes)
    ]
    made = _run(tmp_path / "run", cases)
    _agree(made)
    assert made.identity.count("seed") == 1


def test_a_run_without_cases(tmp_path: Path) -> None:
    _agree(_run(tmp_path / "run", []))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["on", "off", "recent-equal"]), st.lists(st.sampled_from(OUTCOMES), min_size=3, max_size=3)), max_size=8))
def test_any_run(tmp_path_factory: pytest.TempPathFactory, ends: list[tuple[str, list[Outcome]]]) -> None:
    cases = [finish(make_plan(f"class{n % 3}/s{n}", KINDS), outcomes, arm=arm) for n, (arm, outcomes) in enumerate(ends)]  # type: ignore[arg-type]
    _agree(_run(tmp_path_factory.mktemp("any") / "run", cases))


def test_what_is_not_listed_is_still_counted(standard_run: Path, monkeypatch: pytest.MonkeyPatch, write_run: Callable[..., Path]) -> None:
    monkeypatch.setattr(junit, "MAX_TESTS", 4)
    monkeypatch.setattr(html, "MAX_CHECKS", 3)
    monkeypatch.setattr(html, "MAX_FILES", 1)
    made = summarise(read_run(standard_run))
    xml = ElementTree.fromstring(junit.render(made))
    counts = made.systems[0].counts
    assert len(xml.findall(".//testcase")) == 4
    assert len(xml.findall(".//failure")) == counts.failed
    assert int(xml.get("tests", 0)) == counts.planned
    left = [int(str(found.get("value")).split()[0]) for found in xml.findall(".//property[@name='not listed']")]
    assert sum(left) == counts.planned - 4
    page = html.render(made)
    assert f"{counts.planned - 3} more: <code>memgauge query" in page
    assert "1 more failed cases are not laid open here" in page


def test_the_main_cause_keeps_its_number_where_not_all_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memgauge.reports.counting.LISTED", 2)
    cases = [finish(make_plan(f"recall/s{n}", ["sufficient"]), ["fail"]) for n in range(5)]
    made = _run(tmp_path / "run", cases)
    assert (made.failures, len(made.failed), made.to_json()["left_out"]["failed"]) == (5, 2, 3)
    assert "5 failed, 1 cause: 5 × ranked in recall" in "\n".join(plain(first_screen(made)))
    _agree(made)


def test_the_order_of_cases_changes_no_number(tmp_path: Path) -> None:
    cases = [event for event in standard_events() if isinstance(event, CaseFinished)]
    one, two = _run(tmp_path / "one", cases), _run(tmp_path / "two", reversed(cases))
    assert one.to_json() | {"run": ""} == two.to_json() | {"run": ""}
