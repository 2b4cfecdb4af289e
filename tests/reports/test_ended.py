"""Which cases of an earlier sitting a run keeps: one thing that is not as it was, and it runs again, under the name of that thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgauge.errors import InputError
from memgauge.events import RunFinished
from memgauge.records import Arm, CaseId
from memgauge.reports import ended, jsonl
from memgauge.reports.folder import RunFolder, read_run
from tests.reports.conftest import finish, make_plan, started

WriteRun = Callable[..., Path]

NOW: dict[str, Any] = {
    "memgauge": "0.1.0", "python": "3.11.7", "packages": {"duckdb": "2.0"}, "tokenizer": {"name": "cl100k_base", "sha256": "a"}, "seed": 0,
    "labels": {}, "scenarios": {"recall/home": "d" * 16, "recall/other": "d" * 16},
    "systems": [{"name": "mine", "config": {"k": 5}, "adapter": "aa"}, {"name": "yours", "config": {}, "adapter": "bb"}],
}  # fmt: skip
ARMS: tuple[Arm, ...] = ("on", "off", "recent-equal")


@pytest.fixture
def found(write_run: WriteRun) -> tuple[ended.EndedCase, ...]:
    """Two scenarios on two systems and three arms."""
    plans = [make_plan("recall/home"), make_plan("recall/other")]
    events = [finish(plan, ["pass", "fail"], system=system, arm=arm) for plan in plans for system in ("mine", "yours") for arm in ARMS]
    return ended.of_run(read_run(write_run([started(12), *events, RunFinished(status="complete")])))


def test_everything_stays_where_nothing_changed(found: tuple[ended.EndedCase, ...]) -> None:
    kept = ended.kept(found, NOW, NOW, retry=True)
    assert sorted(kept.cases, key=lambda one: one.case.id) == sorted(found, key=lambda one: one.case.id)
    assert (kept.broke, kept.again) == ((), {})
    assert tuple(ended.EndedCase.from_json(one.to_json()) for one in found) == found


@pytest.mark.parametrize(
    ("change", "named", "again"),
    [
        ({"memgauge": "0.2.0"}, "version of memgauge", 12),
        ({"python": "3.12.0"}, "version of Python", 12),
        ({"packages": {"duckdb": "2.1"}}, "versions of packages", 12),
        ({"tokenizer": {"name": "o200k_base", "sha256": "b"}}, "tokenizer", 12),
        ({"seed": 1}, "seed", 12),
        ({"scenarios": NOW["scenarios"] | {"recall/home": "e" * 16}}, "scenario edited", 6),
        ({"labels": {"recall/home": "abc"}}, "rulings in labels.yaml", 6),
        ({"systems": [NOW["systems"][0] | {"config": {"k": 6}}, NOW["systems"][1]]}, "configuration of mine", 6),
        ({"systems": [NOW["systems"][0], NOW["systems"][1] | {"adapter": "cc"}]}, "adapter (its source) of yours", 6),
    ],
)
def test_one_difference_is_named_and_nothing_it_touches_is_reused(
    found: tuple[ended.EndedCase, ...], change: dict[str, Any], named: str, again: int
) -> None:
    kept = ended.kept(found, NOW, NOW | change)
    assert kept.again == {named: again}
    assert len(kept.cases) == 12 - again


def test_an_evaluator_of_another_version_is_a_difference(found: tuple[ended.EndedCase, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ended.CHECKS, "stale", replace(ended.CHECKS["stale"], version=99))  # type: ignore[arg-type]
    assert ended.kept(found, NOW, NOW).again == {"version of an evaluator": 12}


def test_a_broken_case_runs_again_only_on_request_and_its_control_follows(write_run: WriteRun) -> None:
    plan, half = make_plan("recall/home"), make_plan("recall/other")
    events = [
        finish(plan, ["error", "error"], error="OSError: busy"), finish(plan, ["pass", "pass"], arm="off"),
        finish(plan, ["skip", "skip"], arm="recent-equal"), finish(half, ["fail", "error"]), finish(half, ["pass", "pass"], arm="off"),
    ]  # fmt: skip
    found = ended.of_run(read_run(write_run([started(6), *events, RunFinished(status="complete")])))
    assert ended.kept(found, NOW, NOW).again == {}
    kept = ended.kept(found, NOW, NOW, retry=True)
    assert kept.again == {ended.BROKE: 1, "their treatment runs again": 1}
    assert [one.case.id for one in kept.broke] == ["recall/home[mine]#0.0"], "a case with a failed check is never tried again"


def test_a_killed_run_is_read_up_to_the_line_that_was_cut_off(tmp_path: Path, found: tuple[ended.EndedCase, ...]) -> None:
    path = tmp_path / ended.PARTIAL
    path.write_text("".join(f"{jsonl.dumps(one.to_json())}\n" for one in found) + '{"case": {"id"')
    assert ended.of_partial(tmp_path) == found
    path.write_text('{"case": 1}\n')
    with pytest.raises(InputError, match=r"partial\.jsonl:1"):
        ended.of_partial(tmp_path)


def test_tries_are_kept_apart_and_numbered(tmp_path: Path) -> None:
    plan = make_plan("recall/home")
    broken = finish(plan, ["error", "error"], error="OSError: busy")
    folder = RunFolder(tmp_path / "r")
    for event in (started(1), finish(plan, ["pass", "pass"], tries=(broken, broken)), RunFinished(status="complete")):
        folder.handle(event)
    run = read_run(tmp_path / "r")
    assert (len(run.cases), run.cases[0].outcome, run.manifest["retried"]) == (
        1,
        "pass",
        [str(CaseId(scenario="recall/home", system="mine", arm="on", seed=0))],
    )
    tries = list(jsonl.read_lines(tmp_path / "r" / "attempts.jsonl"))
    assert [line["case"]["history"] for line in tries] == [f"attempts/recall--home.mine.on.try{number}.jsonl" for number in (1, 2)]
    assert all((tmp_path / "r" / line["case"]["history"]).is_file() for line in tries)


def test_a_run_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "r")
    folder.handle(started(1))
    with pytest.raises(InputError, match="still going on"):
        RunFolder(tmp_path / "r", resumed=ended.Kept(cases=()))
    folder.handle(RunFinished(status="interrupted"))
    RunFolder(tmp_path / "r", resumed=ended.Kept())
