"""Deletion judged against the period that a system states, by its own clock and its own job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memgauge.evaluators import diagnose, judge
from memgauge.records import CaseId, CasePlan, Entry, Expectation, Fact, Proof, Step, Verdict
from memgauge.runner.case import CaseResult, CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import ANA, call, opener, plan

CODE = Fact(id="code", anchors=(("Zanzibarite",),), text="The codename is Zanzibarite.")
TEXT = CODE.text


def the_plan(*later: Step) -> CasePlan:
    steps = (
        call("told", "remember", text=TEXT, save_as="code", tells=("code",)),
        call("before", "recall", query="codename"),
        Step(id="bytes-before", kind="scan", scope=ANA, args={"facts": ["code"]}),
        call("gone", "forget", id="$code"),
        call("after", "recall", query="codename"),
        Step(id="again", kind="reopen"),
        Step(id="bytes-after", kind="scan", scope=ANA, args={"facts": ["code"]}),
        call("told-other", "remember", text="The supplier is Greenfield."),
        *later,
    )
    checks = (
        Expectation(id="api", kind="deleted", step="after", facts=("code",), proof=Proof(kind="seen", ref="before")),
        Expectation(id="bytes", kind="residue", step="bytes-after", facts=("code",), proof=Proof(kind="bytes_seen", ref="bytes-before")),
    )
    return replace(plan("period", *steps, expectations=checks), facts={"code": CODE})


def play(root: Path, name: str, plan: CasePlan | None = None, **parts: object) -> tuple[dict[str, Verdict], CaseResult]:
    spec = SystemSpec(name=name.lower(), kind="python", target=f"tests.runner.forgetful:{name}", **parts)  # type: ignore[arg-type]
    work = CaseWork(id=CaseId(scenario="test/period", system=spec.name, arm="on", seed=0), plan=plan or the_plan(), spec=spec)
    result = run_case(work, Tools(open_system=opener, judge=judge, diagnose=diagnose), RunOptions(), root)
    assert not result.error
    return {verdict.check: verdict for verdict in result.judgement.verdicts}, result


def late(result: CaseResult) -> list[Entry]:
    return [entry for entry in result.history if "within" in entry.data]


def test_a_memory_that_keeps_to_its_period_passes(tmp_path: Path) -> None:
    verdicts, result = play(tmp_path, "Purging")
    assert {name: (v.outcome, v.within) for name, v in verdicts.items()} == {"api": ("pass", ""), "bytes": ("pass", "P30D")}
    assert verdicts["bytes"].depths == {"bytes": "pass"}
    assert [(e.op or e.type, e.now[:10]) for e in late(result)] == [("expire", "2026-04-01"), ("reopen", "2026-04-01"), ("scan", "2026-04-01")]
    in_the_case = [e.now[:10] for e in result.history if "within" not in e.data]
    assert set(in_the_case) == {"2026-03-02"}, "no step of the case sees the clock move"


@pytest.mark.parametrize("name", ["Never", "Late", "Jobless"])
def test_one_that_still_holds_it_when_the_period_is_over_fails(tmp_path: Path, name: str) -> None:
    verdicts, _ = play(tmp_path, name)
    assert verdicts["api"].outcome == "pass"
    assert (verdicts["bytes"].outcome, verdicts["bytes"].within, verdicts["bytes"].lost_at) == ("fail", "P30D", "stored")
    assert verdicts["bytes"].witness.startswith("P30D after the deletion, the period it states, code")


def test_one_that_takes_no_clock_and_has_no_job_is_not_excused(tmp_path: Path) -> None:
    verdicts, _ = play(tmp_path, "Timeless")
    assert verdicts["bytes"].outcome == "fail"
    assert "nothing told it the time (clock: none)" in verdicts["bytes"].witness


def test_one_that_states_nothing_is_judged_at_once(tmp_path: Path) -> None:
    verdicts, result = play(tmp_path, "Silent")
    assert (verdicts["bytes"].outcome, verdicts["bytes"].within) == ("fail", "")
    assert late(result) == []


def test_the_project_file_may_state_the_period_and_takes_it_away(tmp_path: Path) -> None:
    assert play(tmp_path / "a", "Silent", erase_within="P30D")[0]["bytes"].outcome == "pass"
    assert play(tmp_path / "b", "Silent", erase_within="P29D")[0]["bytes"].outcome == "fail"
    assert play(tmp_path / "c", "Purging", erase_within="PT0S")[0]["bytes"].outcome == "fail"


def test_answers_are_judged_at_once_whatever_period_is_stated_for_the_rest(tmp_path: Path) -> None:
    verdicts, _ = play(tmp_path, "Showing")
    assert (verdicts["api"].outcome, verdicts["api"].within, verdicts["bytes"].outcome) == ("fail", "", "pass")


def test_a_manifest_may_say_otherwise_of_answers(tmp_path: Path) -> None:
    verdicts, _ = play(tmp_path / "a", "Allowed")
    assert {name: (v.outcome, v.within) for name, v in verdicts.items()} == {"api": ("pass", "P30D"), "bytes": ("pass", "P30D")}
    assert verdicts["api"].depths == {"api": "pass"}


def test_each_depth_has_its_own_period(tmp_path: Path) -> None:
    verdicts, result = play(tmp_path, "Staged")
    assert {name: (v.outcome, v.within) for name, v in verdicts.items()} == {"api": ("pass", "P1D"), "bytes": ("pass", "P30D")}
    assert [(e.step, e.now[:10]) for e in late(result) if e.step in ("after", "bytes-after")] == [
        ("after", "2026-03-03"),
        ("bytes-after", "2026-04-01"),
    ]


def test_a_fact_that_is_told_again_is_no_residue(tmp_path: Path) -> None:
    again = the_plan(call("once-more", "remember", text=TEXT, tells=("code",)))
    verdicts, _ = play(tmp_path, "Purging", again)
    assert (verdicts["bytes"].outcome, verdicts["bytes"].reason) == ("unscored", "it was told again before P30D were over")


def test_a_system_without_a_deletion_to_judge_waits_for_nothing(tmp_path: Path) -> None:
    short = plan("short", call("told", "remember", text=TEXT), call("after", "recall", query="x"), expectations=())
    _, result = play(tmp_path, "Purging", short)
    assert late(result) == []


def test_the_purge_command_of_a_server_is_told_the_time(tmp_path: Path) -> None:
    note = "sh -c 'echo $MEMGAUGE_NOW >> $MEMGAUGE_ROOT/../told'"
    verdicts, _ = play(tmp_path, "Jobless", lifecycle={"reset": "true", "purge": note})
    assert (tmp_path / "told").read_text().split() == ["2026-04-01T09:00:08+00:00"]
    assert verdicts["bytes"].outcome == "fail"
