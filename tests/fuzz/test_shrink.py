"""Shrinking: what is left still fails, nothing more can be left out, and the same input gives the same result."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memgauge.fuzz.shrink import shrink


@given(st.lists(st.integers(0, 30), max_size=40), st.sets(st.integers(0, 30), min_size=1, max_size=4))
def test_only_what_is_needed_is_left(steps: list[int], needed: set[int]) -> None:
    steps += sorted(needed)
    kept = shrink(steps, lambda some: needed <= set(some))
    assert sorted(kept) == sorted(needed)


@given(st.lists(st.integers(0, 9), min_size=3, max_size=25))
def test_no_single_step_can_be_left_out_of_what_needs_an_order(steps: list[int]) -> None:
    def rises(some: Sequence[int]) -> bool:
        return any(a < b for n, a in enumerate(some) for b in some[n + 1 :])

    if not rises(steps):
        return
    kept = shrink(steps, rises)
    assert rises(kept)
    assert not any(rises(kept[:n] + kept[n + 1 :]) for n in range(len(kept)))
    assert shrink(steps, rises) == kept


def test_the_tries_are_bounded() -> None:
    asked = []

    def fails(some: Sequence[int]) -> bool:
        asked.append(some)
        return 0 in some and 999 in some

    assert {0, 999} <= set(shrink(list(range(1000)), fails, tries=25))
    assert len(asked) == 25
