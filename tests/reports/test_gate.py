from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.events import CaseFinished, RunFinished
from memgauge.records import Outcome
from memgauge.reports import baseline, gate, gate_file, gate_markdown
from memgauge.reports.baseline import Baseline
from memgauge.reports.folder import read_run
from memgauge.reports.run import Run
from memgauge.reports.summary import summarise
from tests.reports.conftest import STOCHASTIC, finish, make_history, make_plan, started

WriteRun = Callable[..., Path]
TODAY = datetime.date(2026, 11, 30)
REGRESSIONS = "{id: no-regressions, rule: no_regressions}"


def _case(name: str, outcome: Outcome, **parts: object) -> CaseFinished:
    kinds = parts.pop("kinds", ("sufficient",))
    plan = make_plan(f"recall/{name}", kinds, digest=str(parts.pop("digest", "d")))  # type: ignore[arg-type]
    return finish(plan, [outcome] * len(plan.expectations), **parts)  # type: ignore[arg-type]


class Bench:
    """Runs, baselines and gate files for one test."""

    def __init__(self, write_run: WriteRun, folder: Path) -> None:
        self._write, self._folder, self._n = write_run, folder, 0

    def run(self, *cases: CaseFinished, status: str = "complete", **parts: object) -> Run:
        self._n += 1
        return read_run(self._write([started(len(cases), **parts), *cases, RunFinished(status=status)], f"gate-{self._n}"))  # type: ignore[arg-type]

    def baseline(self, *cases: CaseFinished, **parts: object) -> Baseline:
        return baseline.make(self.run(*cases, **parts), "main", "why", date="2026-11-30")

    def file(self, *rules: str, **parts: str) -> gate_file.GateFile:
        path = self._folder / "gate.yaml"
        listed = "".join(f"  - {rule}\n" for rule in rules)
        path.write_text("version: 1\n" + "".join(f"{name}: {text}\n" for name, text in parts.items()) + f"rules:\n{listed}")
        return gate_file.load(path)

    def judge(self, run: Run, old: Baseline | None, *rules: str, today: datetime.date = TODAY, **parts: str) -> gate.GateVerdict:
        return gate.judge(run, self.file(*rules, **parts), old, today=today)


@pytest.fixture
def bench(write_run: WriteRun, tmp_path: Path) -> Bench:
    return Bench(write_run, tmp_path)


def _status(verdict: gate.GateVerdict) -> dict[str, str]:
    return {row.id: row.status for row in verdict.rows}


def test_nothing_changed_holds_and_one_flip_does_not(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "fail"))
    assert bench.judge(bench.run(_case("a", "pass"), _case("b", "fail")), old, REGRESSIONS).exit_code == 0
    verdict = bench.judge(bench.run(_case("a", "fail"), _case("b", "pass")), old, REGRESSIONS)
    assert verdict.exit_code == 1
    assert verdict.rows[0].offending == ("recall/a[mine]#0::sufficient-1",)
    assert verdict.changes is not None
    assert verdict.changes.words == "1 regressed, 1 fixed"


@pytest.mark.parametrize("outcome", ["unsupported", "not_applicable", "unscored", "skip"])
def test_a_check_that_is_scored_no_more_has_regressed(bench: Bench, outcome: Outcome) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    assert bench.judge(bench.run(_case("a", outcome), _case("b", "pass")), old, REGRESSIONS).exit_code == 1


def test_a_check_that_is_gone_is_not_forgotten(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    verdict = bench.judge(bench.run(_case("a", "pass")), old, REGRESSIONS)
    assert verdict.exit_code == 1
    assert "1 missing" in verdict.rows[0].observed


def test_new_checks_report_and_gate_only_when_asked(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"))
    now = bench.run(_case("a", "pass"), _case("new", "fail"))
    assert bench.judge(now, old, REGRESSIONS).exit_code == 0
    assert bench.judge(now, old, "{id: r, rule: no_regressions, new: require_pass}").exit_code == 1


def test_without_a_baseline_it_cannot_be_told(bench: Bench) -> None:
    verdict = bench.judge(bench.run(_case("a", "pass")), None, REGRESSIONS)
    assert verdict.exit_code == 4
    assert "memgauge baseline set main" in verdict.rows[0].cause
    rules = "{id: safe, rule: all_pass}"
    assert bench.judge(bench.run(_case("a", "pass")), None, rules, baseline="{required: false}").exit_code == 0


def test_an_edited_scenario_is_not_comparable_by_name(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    now = bench.run(_case("a", "pass"), _case("b", "fail", digest="edited"))
    verdict = bench.judge(now, old, REGRESSIONS)
    assert (verdict.exit_code, _status(verdict)["comparable"]) == (4, "inconclusive")
    assert verdict.rows[0].cause == "scenario edited: recall/b"
    assert bench.judge(now, old, REGRESSIONS, baseline="{on_not_comparable: ignore}").exit_code == 0


def test_broken_cases_outrank_everything(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    assert bench.judge(bench.run(_case("a", "fail"), _case("b", "error")), old, REGRESSIONS).exit_code == 3
    assert bench.judge(bench.run(_case("a", "pass"), _case("b", "pass"), status="interrupted"), old, REGRESSIONS).exit_code == 3


@pytest.mark.parametrize("broken", range(1, 4))
def test_errors_never_make_a_rule_hold(bench: Bench, broken: int) -> None:
    outcomes: list[Outcome] = ["fail", "fail", "pass", "pass"]
    now = bench.run(*(_case(f"s{n}", "error" if n < broken else outcome) for n, outcome in enumerate(outcomes)))
    rules = ("{id: floor, rule: floor, kind: sufficient, min: 0.6}", "{id: all, rule: all_pass}")
    assert bench.judge(now, None, *rules, baseline="{required: false}").exit_code == 3
    assert bench.judge(now, None, *rules, baseline="{required: false}", errors="{max: 4}", population="{min_scored: 1.0}").exit_code in (1, 4)


def test_must_pass_forbids_what_has_no_score_when_asked(bench: Bench) -> None:
    now = bench.run(_case("a", "pass", kinds=("leak",)), _case("b", "unsupported", kinds=("leak",)))
    allow = "{id: safe, rule: all_pass, select: {kinds: [leak]}}"
    forbid = "{id: safe, rule: all_pass, select: {kinds: [leak]}, unscored: forbid}"
    assert bench.judge(now, None, allow, baseline="{required: false}").exit_code == 0
    assert bench.judge(now, None, forbid, baseline="{required: false}").exit_code == 1


def test_must_pass_means_every_repeat(bench: Bench) -> None:
    now = bench.run(*(_case("a", "fail" if repeat == 4 else "pass", repeat=repeat, manifest=STOCHASTIC) for repeat in range(5)))
    assert bench.judge(now, None, "{id: safe, rule: all_pass}", baseline="{required: false}").exit_code == 1


def test_a_floor_counts_scored_checks_only_and_says_of_how_many(bench: Bench) -> None:
    now = bench.run(_case("a", "pass"), _case("b", "fail"), _case("c", "unscored"))
    verdict = bench.judge(now, None, "{id: f, rule: floor, kind: sufficient, min: 0.6}", baseline="{required: false}")
    assert (verdict.exit_code, verdict.rows[0].observed) == (1, "0.500 (1/2 of 3)")
    assert bench.judge(now, None, "{id: f, rule: floor, kind: sufficient, min: 0.5}", baseline="{required: false}").exit_code == 0


def _arms(bench: Bench, won: int, even: int) -> Run:
    cases = []
    for number in range(won + even):
        cases += [_case(f"s{number}", "pass"), _case(f"s{number}", "fail" if number < won else "pass", arm="recent-equal")]
    return bench.run(*cases)


def test_memory_must_beat_the_same_tokens_of_recent_history(bench: Bench) -> None:
    rule = "{id: worth, rule: contrast, min_effect: 0.1, inconclusive: fail}"
    for won, even, code in ((20, 10, 0), (0, 40, 1), (4, 16, 4), (3, 1, 4)):
        assert bench.judge(_arms(bench, won, even), None, rule, baseline="{required: false}").exit_code == code
    verdict = bench.judge(_arms(bench, 3, 1), None, rule.replace("fail}", "warn}"), baseline="{required: false}")
    assert (verdict.exit_code, verdict.rows[0].status) == (0, "warning")
    assert "n too small" in verdict.rows[0].observed


def test_tokens_may_grow_until_both_bounds_are_passed(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"))
    rule = "{id: tokens, rule: growth, rel: 0.05, abs: 20}"
    for tokens, code in ((900, 0), (800, 0), (944, 0), (960, 1)):
        assert bench.judge(bench.run(_case("a", "pass", history=make_history(tokens=tokens))), old, rule).exit_code == code
    other = bench.run(_case("a", "pass"), tokenizer={"name": "cl100k_base"})
    assert bench.judge(other, old, rule).exit_code == 4


EXCUSE = "[{match: 'recall/a[mine]#0::sufficient-1', reason: later, owner: ann, expires: %s}]"


def test_a_new_scenario_with_a_large_prompt_is_no_growth(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"))
    run = bench.run(_case("a", "pass"), _case("b", "pass", history=make_history(tokens=9000)))
    assert _status(bench.judge(run, old, "{id: tokens, rule: growth, stat: mean, rel: 0, abs: 0}"))["tokens"] == "ok"


def test_a_known_failure_is_excused_until_its_day_and_must_go_when_it_passes(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"))
    live, over = EXCUSE % "2027-01-01", EXCUSE % "2026-11-29"
    failing, passing = bench.run(_case("a", "fail")), bench.run(_case("a", "pass"))
    rules = (REGRESSIONS, "{id: all, rule: all_pass}")
    excused = bench.judge(failing, old, *rules, exceptions=live)
    assert (excused.exit_code, excused.excused) == (0, ("recall/a[mine]#0::sufficient-1",))
    expired = bench.judge(failing, old, *rules, exceptions=over)
    assert expired.exit_code == 1
    assert "the excuse for recall/a[mine]#0::sufficient-1 ended on 2026-11-29 (ann: later)" in expired.notes
    mended = bench.judge(passing, old, *rules, exceptions=live)
    assert (mended.exit_code, _status(mended)["exceptions"]) == (1, "violated")


def test_what_matches_nothing_is_bad_input(bench: Bench) -> None:
    now = bench.run(_case("a", "pass"))
    with pytest.raises(InputError, match="matches no check"):
        bench.judge(now, None, REGRESSIONS, exceptions="[{match: nothing, reason: r, owner: o, expires: 2027-01-01}]")
    with pytest.raises(InputError, match="selects no check"):
        bench.judge(now, None, "{id: x, rule: all_pass, select: {classes: [nowhere]}}")


def test_a_suite_is_adopted_by_changing_the_gate_file(bench: Bench) -> None:
    verdict = bench.judge(bench.run(_case("a", "pass")), None, "{id: all, rule: all_pass}", suite="builtin@0", baseline="{required: false}")
    assert (verdict.exit_code, verdict.rows[0].id) == (4, "suite")


def test_one_run_of_a_stochastic_memory_decides_nothing(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass", manifest=STOCHASTIC))
    verdict = bench.judge(bench.run(_case("a", "fail", manifest=STOCHASTIC)), old, REGRESSIONS)
    assert verdict.exit_code == 4
    assert "--repeats" in verdict.rows[0].cause


@pytest.mark.parametrize(("repeats", "code"), [(4, 4), (5, 1)])
def test_so_few_repeats_that_no_fall_can_show_are_not_green(bench: Bench, repeats: int, code: int) -> None:
    def runs(outcome: Outcome) -> list[CaseFinished]:
        return [_case("a", outcome, repeat=n, manifest=STOCHASTIC) for n in range(repeats)]

    old = baseline.make(bench.run(*runs("pass"), repeats=repeats), "main", "why", date="2026-11-30")
    assert bench.judge(bench.run(*runs("fail"), repeats=repeats), old, REGRESSIONS).exit_code == code


@pytest.mark.parametrize("lost", ["unsupported", "not_applicable", "unscored"])
def test_a_stochastic_memory_that_loses_a_score_for_good_has_regressed(bench: Bench, lost: Outcome) -> None:
    def side(outcome: Outcome) -> list[CaseFinished]:
        return [_case(name, outcome if name == "a" else "pass", repeat=n, manifest=STOCHASTIC) for name in "abc" for n in range(5)]

    for held in ("pass", "fail"):
        old = baseline.make(bench.run(*side(held), repeats=5), "main", "why", date="2026-11-30")  # type: ignore[arg-type]
        verdict = bench.judge(bench.run(*side(lost), repeats=5), old, REGRESSIONS)
        assert (verdict.exit_code, verdict.rows[0].offending) == (1, ("recall/a[mine]#0::sufficient-1",))


def test_a_check_that_held_mostly_and_holds_never_now_has_regressed(bench: Bench) -> None:
    def side(passes: int) -> list[CaseFinished]:
        return [_case("a", "pass" if n < passes else "fail", repeat=n, manifest=STOCHASTIC) for n in range(10)]

    old = baseline.make(bench.run(*side(9), repeats=10), "main", "why", date="2026-11-30")
    verdict = bench.judge(bench.run(*side(0), repeats=10), old, REGRESSIONS)
    assert verdict.exit_code == 1
    assert verdict.changes is not None
    assert verdict.changes.words == "1 regressed"


def test_an_exact_memory_is_judged_by_every_flip_however_often_it_ran(bench: Bench) -> None:
    old = baseline.make(bench.run(*(_case("a", "pass", repeat=n) for n in range(3)), repeats=3), "main", "why", date="2026-11-30")
    assert bench.judge(bench.run(*(_case("a", "fail", repeat=n) for n in range(3)), repeats=3), old, REGRESSIONS).exit_code == 1
    unlike = bench.judge(bench.run(*(_case("a", "fail" if n else "pass", repeat=n) for n in range(3)), repeats=3), old, REGRESSIONS)
    assert (unlike.exit_code, unlike.rows[0].id, unlike.rows[0].status) == (4, "determinism", "warning")
    assert "taken for stochastic" in unlike.rows[0].cause


def _lossy(bench: Bench, generator: random.Random, broken: int = 0) -> Run:
    cases = []
    for number in range(40):
        for repeat in range(5):
            lost = number < broken or generator.random() < 0.03
            cases.append(_case(f"s{number}", "fail" if lost else "pass", repeat=repeat, manifest=STOCHASTIC))
    return bench.run(*cases, repeats=5)


def test_noise_does_not_turn_the_gate_red_and_a_real_fall_does(bench: Bench) -> None:
    generator = random.Random(5)
    old = baseline.make(_lossy(bench, generator), "main", "why", date="2026-11-30")
    quiet = [bench.judge(_lossy(bench, generator), old, REGRESSIONS) for _ in range(3)]
    assert [verdict.exit_code for verdict in quiet] == [0, 0, 0]
    assert any("no more than chance explains" in note for note in quiet[0].notes)
    assert quiet[0].changes is not None
    assert not quiet[0].changes.regressed
    assert quiet[0].changes.within_noise, "what flipped is said, and not as a change"
    broken = bench.judge(_lossy(bench, generator, broken=5), old, REGRESSIONS)
    assert broken.exit_code == 1
    assert "beyond chance" in broken.rows[0].cause
    assert {name.split("[")[0] for name in broken.rows[0].offending} == {f"recall/s{n}" for n in range(5)}


def test_the_verdict_is_told_and_explained(bench: Bench) -> None:
    old = bench.baseline(*(_case(f"s{n}", "pass") for n in range(9)))
    verdict = bench.judge(bench.run(*(_case(f"s{n}", "fail") for n in range(9))), old, REGRESSIONS)
    text = "\n".join(gate.lines(verdict))
    assert "VIOLATED    no-regressions" in text
    assert "4 more: --explain no-regressions" in text
    assert text.endswith("exit code 1")
    assert sum("recall/s" in line for line in gate.lines(verdict, "no-regressions")) == 9
    with pytest.raises(InputError, match="no rule 'nonsense'"):
        gate.lines(verdict, "nonsense")
    assert verdict.to_json()["rules"][0]["status"] == "violated"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version: 2\nrules: [{id: a, rule: all_pass}]", "gate.yaml:1"),
        ("version: 1\nrules: []", "rules"),
        ("version: 1\nrules: [{id: a, rule: all_pas}]", "all_pass"),
        ("version: 1\nrules: [{id: a, rule: all_pass, selct: {}}]", "select"),
        ("version: 1\nrules: [{id: a, rule: all_pass, select: {kinds: [leek]}}]", "leak"),
        ("version: 1\nrules: [{id: a, rule: floor, kind: sufficient, min: 1.5}]", "1.5"),
        ("version: 1\nrules: [{id: a, rule: all_pass}, {id: a, rule: all_pass}]", "stands twice"),
        ("version: 1\nrules: [{id: a, rule: all_pass}]\nexceptions: [{match: x, reason: r, owner: o, expires: soon}]", "is no day"),
        ("version: 1\nrules: [{id: a, rule: all_pass}]\nexceptions: [{match: x, reason: r, expires: 2027-01-01}]", "owner"),
    ],
)
def test_a_wrong_gate_file_says_where_and_what(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        gate_file.load(path)
    told = "\n".join(caught.value.lines())
    assert says in told
    assert "gate.yaml:" in told


def test_the_comment_names_the_flip_and_the_stage(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "fail"))
    now = bench.run(_case("a", "fail"), _case("b", "pass"))
    text = gate_markdown.render(bench.judge(now, old, REGRESSIONS), summarise(now))
    assert text.startswith("<!-- memgauge gate -->\n<!-- state ")
    assert "the gate is violated" in text
    assert "**regressed** `recall/a[mine]#0::sufficient-1`: item-1 in recall breaks sufficient. Lost at **ranked**." in text
    assert "`memgauge show recall/a[mine]`" in text
    assert "**fixed** `recall/b[mine]#0::sufficient-1`" in text
    assert len(gate_markdown.render(bench.judge(now, old, REGRESSIONS), summarise(now), 700).encode()) <= 700
