from __future__ import annotations

import random

import pytest

from memgauge.reports.stats import MIN_TEMPLATES, bootstrap, difference, holm, mcnemar, quantile, wilson


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
    values = [[1.0], [0.0], [-1.0], [1.0]] * 10
    assert bootstrap(values) == bootstrap(sorted(values))
    assert bootstrap([[1.0]] * (MIN_TEMPLATES - 1)) is None


def test_what_rises_and_falls_together_counts_once() -> None:
    alone, together = bootstrap([[1.0], [0.0], [-1.0]] * 20), bootstrap([[1.0] * 4, [0.0] * 4, [-1.0] * 4] * 5)
    assert alone is not None
    assert together is not None
    assert together.high - together.low > 1.8 * (alone.high - alone.low)


def test_equal_values_have_an_interval_with_width() -> None:
    same, all_won = bootstrap([[0.0]] * 40), bootstrap([[1.0]] * 40)
    assert same is not None
    assert all_won is not None
    assert (same.low, same.high) == pytest.approx((-0.088, 0.088), abs=0.001)
    assert (all_won.low, all_won.high) == pytest.approx((0.824, 1.0), abs=0.001)


def test_an_interval_of_no_effect_contains_zero_about_as_often_as_it_says() -> None:
    generator, missed, rounds = random.Random(3), 0, 60
    for _ in range(rounds):
        interval = bootstrap([[generator.choice((-1.0, 0.0, 1.0))] for _ in range(30)])
        assert interval is not None
        missed += interval.excludes_zero
    assert missed <= 8  # 3 expected of 60 at 95 %; 9 or more would have a chance of 0.3 %


def _by_scenario(values: list[float]) -> dict[str, float]:
    return {f"recall/s{n}": value for n, value in enumerate(values)}


def test_a_difference_says_in_words_what_it_cannot_say() -> None:
    few = difference(_by_scenario([1.0, 0.0]))
    assert few is not None
    assert few.words == "+50 points, 2 scenarios: n too small for an interval"
    none = difference(_by_scenario([1.0, -1.0] * 20))
    assert none is not None
    assert "could be none" in none.words
    clear = difference(_by_scenario([1.0] * 18 + [0.0] * 2))
    assert clear is not None
    assert (clear.won, clear.lost) == (18, 0)
    assert clear.words.startswith("+90 points [+")
    assert difference({}) is None


def test_few_that_differ_to_one_side_are_no_difference_yet() -> None:
    few = difference(_by_scenario([1.0] * 5 + [0.0] * 5))
    assert few is not None
    assert few.interval is not None
    assert few.interval.excludes_zero
    assert (few.clear, few.p) == (False, 0.0625)
    assert "could be none" in few.words


def test_mcnemar_is_the_exact_binomial_test() -> None:
    from scipy.stats import binomtest

    for won, lost in ((6, 0), (3, 9), (20, 31), (7, 7)):
        assert mcnemar(won, lost) == pytest.approx(binomtest(won, won + lost).pvalue)


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
