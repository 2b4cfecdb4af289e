"""The noise floor: measured from repeats, shown beside the flips, and no rule may be tighter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import CannotDecide, InputError
from memgauge.events import CaseFinished
from memgauge.reports import gate, noise
from memgauge.reports.noise import Noise
from memgauge.reports.run import Run
from tests.reports.conftest import STOCHASTIC
from tests.reports.test_gate import REGRESSIONS, TODAY, Bench, _case

FLAKY = "recall/a[mine]#0::sufficient-1"


@pytest.fixture
def bench(write_run: Callable[..., Path], tmp_path: Path) -> Bench:
    return Bench(write_run, tmp_path)


def _repeated(bench: Bench, passes: int, of: int = 5) -> Run:
    cases = [_case("a", "pass" if n < passes else "fail", repeat=n, manifest=STOCHASTIC) for n in range(of)]
    return bench.run(*cases, *(_case("b", "pass", repeat=n, manifest=STOCHASTIC) for n in range(of)), repeats=of)


def _judged(bench: Bench, run: Run, old: object, rule: str, floor: Noise) -> gate.GateVerdict:
    return gate.judge(run, bench.file(rule), old, today=TODAY, noises=[floor])  # type: ignore[arg-type]


def test_flips_are_estimated_over_all_pairs_of_repeats(bench: Bench) -> None:
    floor = noise.measure(_repeated(bench, 3), "mine")
    assert (floor.checks, floor.flipping) == (2, {FLAKY: ("pass", "pass", "pass", "fail", "fail")})
    assert floor.flips == pytest.approx(6 / 10), "of the ten pairs of five repeats six differ"
    assert noise.measure(_repeated(bench, 5), "mine").flips == 0


def test_it_is_read_back_as_it_was_written(bench: Bench, tmp_path: Path) -> None:
    floor = noise.measure(_repeated(bench, 3), "mine", date="2026-11-30")
    path = noise.write(floor, tmp_path / "baselines")
    assert noise.read(path) == floor
    path.write_text(json.dumps(floor.to_json() | {"flipping": {FLAKY: "ppppp"}}))
    with pytest.raises(InputError, match="did not flip"):
        noise.read(path)


def test_without_repeats_or_with_broken_cases_there_is_no_floor(bench: Bench) -> None:
    with pytest.raises(CannotDecide, match="between repeats"):
        noise.measure(bench.run(_case("a", "pass")), "mine")
    with pytest.raises(CannotDecide, match="broke"):
        noise.measure(bench.run(_case("a", "pass"), _case("a", "error", repeat=1, error="SystemFault: hung"), repeats=2), "mine")


def test_the_gate_shows_the_floor_beside_the_flips_and_refuses_a_tighter_rule(bench: Bench) -> None:
    floor = noise.measure(_repeated(bench, 3), "mine")
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    verdict = _judged(bench, bench.run(_case("a", "fail"), _case("b", "pass")), old, REGRESSIONS, floor)
    assert verdict.exit_code == 4
    assert "tighter than the noise floor" in verdict.rows[0].cause
    assert "0.6 flips of 2 checks expected between two runs with nothing changed" in verdict.notes[0]
    assert verdict.notes[0].endswith("seen 1.0")
    assert _judged(bench, bench.run(_case("a", "fail"), _case("b", "pass")), old, "{id: r, rule: no_regressions, max: 1}", floor).exit_code == 0


def test_more_than_the_floor_explains_is_violated_although_the_rule_is_tighter(bench: Bench) -> None:
    floor = noise.measure(_repeated(bench, 3), "mine")
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    assert _judged(bench, bench.run(_case("a", "fail"), _case("b", "fail")), old, REGRESSIONS, floor).exit_code == 1


def test_one_run_of_a_stochastic_memory_is_held_against_its_measured_floor(bench: Bench) -> None:
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    run = bench.run(_case("a", "pass", manifest=STOCHASTIC), _case("b", "fail", manifest=STOCHASTIC))
    rule = "{id: r, rule: no_regressions, max: 1}"
    assert gate.judge(run, bench.file(rule), old, today=TODAY).exit_code == 4, "nothing is known of its noise"
    assert _judged(bench, run, old, rule, noise.measure(_repeated(bench, 3), "mine")).exit_code == 0


def test_checks_of_one_scenario_fall_together(bench: Bench) -> None:
    def repeat(n: int, lost: bool) -> CaseFinished:
        return _case("a", "fail" if lost else "pass", repeat=n, kinds=("sufficient", "present", "rank"), manifest=STOCHASTIC)

    floor = noise.measure(bench.run(*(repeat(n, n == 0) for n in range(5)), repeats=5), "mine")
    assert len(floor.flipping) == 3
    assert floor.flips == pytest.approx(3 * 0.4)
    assert noise.most_falls([floor], floor.flipping) == 3, "one in five pairs loses all three, never one or two"
    assert noise.most_failures([floor], floor.flipping, repeats=2) == 6
    assert noise.most_falls([floor], ()) == 0


def test_repeated_runs_are_tested_and_not_refused(bench: Bench) -> None:
    floor, old_run = noise.measure(_repeated(bench, 3), "mine"), _repeated(bench, 3)
    old = gate.baselines.make(old_run, "main", "why", date="2026-11-30")
    assert _judged(bench, _repeated(bench, 3), old, REGRESSIONS, floor).exit_code == 0


@pytest.mark.parametrize(("least", "code"), [(0.9, 4), (0.7, 4), (0.5, 0)])
def test_a_floor_above_what_noise_leaves_is_refused(bench: Bench, least: float, code: int) -> None:
    floor = noise.measure(_repeated(bench, 3), "mine")
    old = bench.baseline(_case("a", "pass"), _case("b", "pass"))
    run = bench.run(_case("a", "pass"), _case("b", "pass"))
    assert _judged(bench, run, old, f"{{id: f, rule: floor, kind: sufficient, min: {least}}}", floor).exit_code == code
