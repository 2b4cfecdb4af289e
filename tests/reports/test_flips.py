from __future__ import annotations

import random

from memgauge.reports.flips import ALPHA, Repeats, fall


def _fails(generator: random.Random, share: float, runs: int) -> int:
    return sum(generator.random() < share for _ in range(runs))


def _gate(generator: random.Random, *, loss: float, broken: int, scenarios: int = 150, runs: int = 5) -> bool:
    made = {}
    for number in range(scenarios):
        after = runs if number < broken else _fails(generator, loss, runs)
        made[f"s{number}"] = Repeats(runs_before=runs, fails_before=_fails(generator, loss, runs), runs_after=runs, fails_after=after)
    return fall(made).real


def test_a_memory_that_loses_three_captures_of_a_hundred_does_not_turn_the_gate_red() -> None:
    generator = random.Random(11)
    assert sum(_gate(generator, loss=0.03, broken=0) for _ in range(20)) <= 1


def test_a_real_regression_in_five_scenarios_is_found_through_the_noise() -> None:
    generator = random.Random(12)
    assert sum(_gate(generator, loss=0.03, broken=5) for _ in range(20)) >= 19


def test_with_nothing_changed_the_false_alarms_stay_below_what_is_promised() -> None:
    generator, rounds = random.Random(13), 150
    for loss in (0.03, 0.3):
        alarms = sum(_gate(generator, loss=loss, broken=0, scenarios=40) for _ in range(rounds))
        assert alarms <= rounds * ALPHA + 5


def test_one_scenario_that_always_fails_now_is_named() -> None:
    scenarios = {f"s{n}": Repeats(runs_before=5, fails_before=0, runs_after=5, fails_after=0) for n in range(100)}
    scenarios["lost"] = Repeats(runs_before=5, fails_before=0, runs_after=5, fails_after=5)
    found = fall(scenarios)
    assert found.worse == ("lost",)
    assert found.overall < ALPHA / 2


def test_many_scenarios_that_fall_a_little_are_found_together() -> None:
    scenarios = {f"s{n}": Repeats(runs_before=3, fails_before=0, runs_after=3, fails_after=1) for n in range(12)}
    found = fall(scenarios)
    assert found.worse == ()
    assert found.real


def test_getting_better_is_no_fall() -> None:
    better = {f"s{n}": Repeats(runs_before=5, fails_before=5, runs_after=5, fails_after=0) for n in range(20)}
    assert not fall(better).real
    assert fall({}).overall == 1.0
    assert not next(iter(better.values())).fell
