"""Falls beyond chance: the promised share of false alarms, and what is found through the noise."""

from __future__ import annotations

import random
from math import comb

import pytest

from memgauge.reports.flips import ALPHA, Fall, Repeats, enough, fall


def _side(generator: random.Random, turns: int, loss: float, runs: int, broken: bool) -> tuple[tuple[bool, ...], ...]:
    """Checks of a scenario hang on its turns, each of which may be lost; one more is broken for good or not at all."""
    told = [[generator.random() < loss for _ in range(turns)] for _ in range(runs)]
    return tuple((*(lost[check % turns] for check in range(4)), broken) for lost in told)


def _scenarios(generator: random.Random, *, loss: float, broken: int = 0, scenarios: int = 60, runs: int = 5) -> dict[str, Repeats]:
    made = {}
    for number in range(scenarios):
        turns = generator.randint(1, 6)
        before = _side(generator, turns, loss, runs, False)
        made[f"s{number}"] = Repeats(before, _side(generator, turns, loss, runs, number < broken))
    return made


def _steady(before: bool, after: bool, runs: int = 5) -> Repeats:
    return Repeats(((before,),) * runs, ((after,),) * runs)


def test_a_memory_that_loses_three_captures_of_a_hundred_does_not_turn_the_gate_red() -> None:
    generator = random.Random(11)
    assert sum(bool(fall(_scenarios(generator, loss=0.03)).worse) for _ in range(20)) <= 1


def test_a_real_regression_in_five_scenarios_is_found_through_the_noise() -> None:
    generator = random.Random(12)
    falls = [fall(_scenarios(generator, loss=0.03, broken=5)) for _ in range(20)]
    assert sum(bool(found.worse) for found in falls) >= 19
    named = [name for found in falls for name in found.worse]
    assert sum(int(name[1:]) < 5 for name in named) >= 90, "and the right ones are named"
    assert len(named) <= 110


@pytest.mark.parametrize("loss", [0.03, 0.2])
def test_with_nothing_changed_the_false_alarms_stay_below_what_is_promised(loss: float) -> None:
    generator, rounds = random.Random(13), 150
    alarms = sum(bool(fall(_scenarios(generator, loss=loss, scenarios=30)).worse) for _ in range(rounds))
    assert alarms <= rounds * ALPHA + 5


def test_one_scenario_that_always_fails_now_is_named_among_many_that_never_do() -> None:
    scenarios = {f"s{n}": _steady(False, False) for n in range(100)}
    found = fall(scenarios | {"lost": _steady(False, True)})
    assert (found.alone, found.together) == (("lost",), ("lost",))
    assert found.p == pytest.approx(1 / comb(10, 5))


def test_what_fell_is_found_beside_what_rose_in_the_same_scenario() -> None:
    swapped = Repeats(((True, False),) * 5, ((False, True),) * 5)
    found = fall({"swapped": swapped})
    assert found.worse == {"swapped"}
    assert found.p == pytest.approx(2 / comb(10, 5)), "the other way round would have been as large a fall"


def test_many_scenarios_that_fall_a_little_are_found_together() -> None:
    one_of_five = Repeats(((False,),) * 5, ((True,), *((False,),) * 4))
    found = fall({f"s{n}": one_of_five for n in range(12)})
    assert found.alone == ()
    assert found.together
    assert found.p == pytest.approx(0.5**12)


def test_getting_better_is_no_fall() -> None:
    assert not fall({f"s{n}": _steady(True, False) for n in range(20)}).worse
    assert fall({}) == Fall(alone=(), together=(), p=1.0)


def test_of_very_many_ways_to_deal_some_are_drawn_and_the_answer_is_the_same_each_time() -> None:
    generator = random.Random(3)
    noisy = {"s": Repeats(*(tuple(tuple(generator.random() < 0.4 for _ in range(12)) for _ in range(12)) for _ in range(2)))}
    assert fall(noisy) == fall(noisy)
    gone = {"s": Repeats(noisy["s"].before, ((True,) * 12,) * 12)}
    assert fall(gone).p < 0.001


def test_how_many_repeats_are_enough() -> None:
    assert [enough(n, n) for n in (1, 3, 4, 5)] == [False, False, False, True]
    assert enough(10, 3)
    assert not enough(5, 1)
