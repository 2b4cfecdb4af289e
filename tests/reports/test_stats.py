from __future__ import annotations

import random

import pytest

from memgauge.reports.stats import MIN_SCENARIOS, bootstrap, difference, holm, mcnemar, quantile, wilson


def test_a_perfect_score_has_an_interval_with_width() -> None:
    assert wilson(20, 20).low == pytest.approx(0.839, abs=0.001)
    assert wilson(20, 20).high == 1.0
    assert wilson(100, 100).low == pytest.approx(0.963, abs=0.001)
    assert wilson(0, 20).low == 0.0


def test_wilson_agrees_with_scipy() -> None:
    from scipy.stats import binomtest

    for passed, scored in ((3, 10), (71, 80), (1, 2)):
        other = binomtest(passed, scored).proportion_ci(method="wilson")
        assert (wilson(passed, scored).low, wilson(passed, scored).high) == pytest.approx((other.low, other.high))


def test_wilson_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="scored"):
        wilson(0, 0)


def test_the_bootstrap_is_the_same_in_any_order_and_says_nothing_of_few() -> None:
    values = [1.0, 0.0, -1.0, 1.0] * 10
    assert bootstrap(values) == bootstrap(sorted(values))
    assert bootstrap([1.0] * (MIN_SCENARIOS - 1)) is None


def test_an_interval_of_no_effect_contains_zero_about_as_often_as_it_says() -> None:
    generator, missed, rounds = random.Random(3), 0, 60
    for _ in range(rounds):
        interval = bootstrap([generator.choice((-1.0, 0.0, 1.0)) for _ in range(30)])
        assert interval is not None
        missed += interval.excludes_zero
    assert missed <= 8  # 3 expected of 60 at 95 %; 9 or more would have a chance of 0.3 %


def test_a_difference_says_in_words_what_it_cannot_say() -> None:
    few = difference([1.0, 0.0])
    assert few is not None
    assert few.words == "+50 points, 2 scenarios: n too small for an interval"
    none = difference([1.0, -1.0] * 20)
    assert none is not None
    assert "could be none" in none.words
    clear = difference([1.0] * 18 + [0.0] * 2)
    assert clear is not None
    assert (clear.won, clear.lost) == (18, 0)
    assert clear.words.startswith("+90 points [+")
    assert difference([]) is None


def test_mcnemar_needs_six_pairs() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 0) > 0.05 > mcnemar(6, 0)
    assert mcnemar(3, 9) == mcnemar(9, 3)


def test_holm_keeps_order_and_never_lowers_a_p() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == ()


def test_a_quantile_is_a_value_that_occurred() -> None:
    assert quantile([1.0, 2.0, 3.0, 100.0], 0.95) == 100.0
    assert quantile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert quantile([], 0.5) is None
