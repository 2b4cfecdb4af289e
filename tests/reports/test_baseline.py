from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from memgauge.errors import CannotDecide, InputError
from memgauge.events import CaseFinished, RunFinished
from memgauge.records import Outcome
from memgauge.reports import baseline
from memgauge.reports.folder import read_run
from memgauge.reports.run import Run
from tests.reports.conftest import finish, make_plan, started

WriteRun = Callable[..., Path]
MakeRun = Callable[..., Run]


@pytest.fixture
def run_of(write_run: WriteRun) -> MakeRun:
    names = iter(range(1000))

    def make(cases: Iterable[CaseFinished], **parts: object) -> Run:
        cases = list(cases)
        return read_run(write_run([started(len(cases), **parts), *cases, RunFinished(status="complete")], f"run-{next(names)}"))

    return make


def cases(*outcomes: Outcome, kinds: tuple[str, ...] = ("sufficient",), **parts: object) -> list[CaseFinished]:
    return [finish(make_plan(f"recall/s{n}", kinds, **parts), [outcome] * len(kinds)) for n, outcome in enumerate(outcomes)]


def _set(run: Run, folder: Path, name: str = "main") -> Path:
    return baseline.write(baseline.make(run, name, "first", date="2026-11-30"), folder)


def test_a_baseline_is_read_back_and_has_one_short_line_a_check(run_of: MakeRun, tmp_path: Path) -> None:
    path = _set(run_of(cases("pass", "fail")), tmp_path / "baselines")
    text = path.read_text().splitlines()
    assert text[-2:] == [
        '{"id":"recall/s0[mine]#0::sufficient-1","kind":"sufficient","outcome":"pass","k":1,"n":1}',
        '{"id":"recall/s1[mine]#0::sufficient-1","kind":"sufficient","outcome":"fail","k":0,"n":1}',
    ]
    assert '"reason":"first"' in text[0]
    read = baseline.read("main", tmp_path / "baselines")
    assert [point.outcome for point in read.points.values()] == ["pass", "fail"]
    assert read.tokens["tokens_total[mine]"]["p95"] == 900
    assert baseline.write(read, tmp_path / "again").read_bytes() == path.read_bytes()
    assert "ms" not in path.read_text()


def test_an_edited_scenario_touches_only_the_second_file(run_of: MakeRun, tmp_path: Path) -> None:
    one = _set(run_of(cases("pass", "pass")), tmp_path / "one")
    two = _set(run_of([*cases("pass"), *cases("pass", "pass", digest="edited")[1:]], run="other"), tmp_path / "two")
    assert one.read_text().splitlines()[1:] == two.read_text().splitlines()[1:]
    before, after = (baseline.hashes_path(path).read_text().splitlines() for path in (one, two))
    assert sum(line not in before for line in after) == 1


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_reason_is_needed(run_of: MakeRun, reason: str) -> None:
    with pytest.raises(InputError, match="a reason is needed"):
        baseline.make(run_of(cases("pass")), "main", reason, date="2026-11-30")


def test_a_run_that_is_not_whole_is_refused(run_of: MakeRun, write_run: WriteRun) -> None:
    with pytest.raises(InputError, match="1 cases broke"):
        baseline.make(run_of(cases("pass", "error")), "main", "why", date="2026-11-30")
    cut = read_run(write_run([started(5), *cases("pass"), RunFinished(status="interrupted")], "cut"))
    with pytest.raises(InputError, match="interrupted"):
        baseline.make(cut, "main", "why", date="2026-11-30")
    with pytest.raises(InputError, match="no check"):
        baseline.make(run_of([]), "main", "why", date="2026-11-30")


def test_every_check_is_in_one_group_of_the_difference(run_of: MakeRun) -> None:
    old = baseline.make(run_of(cases("pass", "pass", "fail", "pass", "pass")), "main", "why", date="2026-11-30")
    changes = baseline.difference(
        old, run_of([*cases("pass", "fail", "pass", "unsupported"), finish(make_plan("recall/new", ["sufficient"]), ["pass"])])
    )
    assert changes.regressed == ("recall/s1[mine]#0::sufficient-1", "recall/s3[mine]#0::sufficient-1")
    assert changes.fixed == ("recall/s2[mine]#0::sufficient-1",)
    assert changes.missing == ("recall/s4[mine]#0::sufficient-1",)
    assert changes.new == ("recall/new[mine]#0::sufficient-1",)
    assert (changes.unchanged, changes.not_comparable) == (1, ())
    assert changes.words == "2 regressed, 1 fixed, 1 new, 1 missing"


def test_what_makes_checks_not_comparable_is_named_and_nothing_else(run_of: MakeRun) -> None:
    old = baseline.make(run_of(cases("pass", "pass")), "main", "why", date="2026-11-30")
    edited = baseline.difference(old, run_of([*cases("pass"), *cases("pass", "fail", digest="edited")[1:]]))
    assert edited.not_comparable == ("recall/s1[mine]#0::sufficient-1",)
    assert edited.notes == ("scenario edited: recall/s1",)
    bumped = baseline.difference(replace(old, checks={"sufficient": 0}), run_of(cases("pass", "pass")))
    assert len(bumped.not_comparable) == 2
    assert "evaluator sufficient has version 1, the baseline 0" in bumped.notes[0]
    other = baseline.difference(old, run_of(cases("pass", "pass"), tokenizer={"name": "cl100k_base"}))
    assert other.not_comparable == ()
    assert "token numbers are not comparable" in other.notes[0]


def test_only_named_checks_are_adopted(run_of: MakeRun) -> None:
    old = baseline.make(run_of(cases("pass", "pass")), "main", "why", date="2026-11-30")
    new = baseline.make(run_of(cases("fail", "fail")), "main", "later", date="2026-12-01")
    mixed = baseline.adopt(old, new, ["recall/s1[mine]#0::sufficient-1"])
    assert [point.outcome for point in mixed.points.values()] == ["pass", "fail"]
    assert mixed.header["reason"] == "later"
    with pytest.raises(InputError, match="no check 'x'"):
        baseline.adopt(old, new, ["x"])


def test_an_upgrade_touches_only_the_checks_of_the_evaluator_that_changed(run_of: MakeRun, tmp_path: Path) -> None:
    kinds = ("sufficient", "leak")
    old = baseline.make(run_of(cases("pass", "pass", kinds=kinds)), "main", "why", date="2026-11-30")
    old = replace(old, checks={**old.checks, "leak": 0})
    rescored = baseline.make(run_of(cases("fail", "fail", "pass", kinds=kinds)), "main", "rescored", date="2026-12-01")
    before, after = baseline.write(old, tmp_path / "old"), baseline.write(baseline.migrate(old, rescored), tmp_path / "new")
    changed = [line for line in after.read_text().splitlines()[1:] if line not in before.read_text().splitlines()]
    assert len(changed) == 2
    assert all("leak-1" in line for line in changed)
    assert baseline.difference(baseline.read(str(after), tmp_path), run_of(cases("fail", "fail", "pass", kinds=kinds))).not_comparable == ()


def test_no_baseline_cannot_be_decided_and_a_broken_one_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(CannotDecide, match="there is no baseline 'main'") as caught:
        baseline.read("main", tmp_path)
    assert "memgauge baseline set" in caught.value.hint
    (tmp_path / "main.hashes.jsonl").write_text('{"checks": {}}\n')
    for text, says in (("", "empty"), ('{"format": 9}\n', "format 9"), ('{"format": 1}\n', "not a baseline"), ("{", "not JSON"),
                       ('{"format": 1, "baseline": "main"}\n{"id": "a", "kind": "x", "outcome": "great", "k": 1, "n": 1}\n', "great")):  # fmt: skip
        (tmp_path / "main.jsonl").write_text(text)
        with pytest.raises(InputError, match=says):
            baseline.read("main", tmp_path)


def test_a_change_cannot_bless_itself(run_of: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*args: str) -> None:
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *args], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    _set(run_of(cases("pass")), Path("baselines"))
    git("add", "baselines")
    git("commit", "-q", "-m", "baseline")
    _set(run_of(cases("fail")), Path("baselines"))
    assert next(iter(baseline.read("main", Path("baselines")).points.values())).outcome == "fail"
    assert next(iter(baseline.read("git:main", Path("baselines")).points.values())).outcome == "pass"
    for wrong in ("git:nowhere", "git:main:other", "git:--help"):
        with pytest.raises(CannotDecide, match="git has no"):
            baseline.read(wrong, Path("baselines"))


def test_a_diff_fits_on_a_page(run_of: MakeRun) -> None:
    old = baseline.make(run_of(cases(*["pass"] * 90)), "main", "why", date="2026-11-30")  # type: ignore[list-item]
    text = baseline.diff_markdown(baseline.difference(old, run_of(cases(*["fail"] * 80))))  # type: ignore[list-item]
    lines = text.splitlines()
    assert len(lines) == baseline.DIFF_LINES
    assert lines[0].startswith("**80 regressed, 10 missing**")
    assert lines[-1] == "- 52 more"


def test_other_rulings_of_people_make_a_scenario_not_comparable_and_are_named(run_of: MakeRun, tmp_path: Path) -> None:
    ruled = run_of(cases("pass", "pass"), labels={"recall/s0": "abc", "of/another-suite": "d"})
    _set(ruled, tmp_path)
    old = baseline.read("main", tmp_path)
    assert old.labels == {"recall/s0": "abc"}
    assert baseline.difference(old, ruled).words == "nothing"
    for now in ({}, {"recall/s0": "xyz"}):
        changes = baseline.difference(old, run_of(cases("pass", "fail"), labels=now))
        assert changes.not_comparable == ("recall/s0[mine]#0::sufficient-1",)
        assert changes.regressed == ("recall/s1[mine]#0::sufficient-1",)
        assert changes.notes == ("rulings in labels.yaml are others: recall/s0",)
    again = run_of(cases("pass", "pass"))
    adopted = baseline.adopt(old, baseline.make(again, "main", "ruled anew", date="2026-11-30"), ["recall/s0[mine]#0::sufficient-1"])
    assert baseline.difference(adopted, again).words == "nothing"
