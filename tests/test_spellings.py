"""Forms of one value."""

from __future__ import annotations

import pytest

from memgauge.anchors import fold
from memgauge.spellings import forms, grouped


@pytest.mark.parametrize("value", ["lyon", "c++", "31 march or so", "99:10", "1,2,3", "maple", "45 march", "the 14 of march", "thirty", "one"])
def test_the_value_itself_comes_first(value: str) -> None:
    assert forms(value)[0] == value


@pytest.mark.parametrize("value", ["lyon", "maple-6854-harbor", "99:10", "45 march", "one", "seven", "northwind", "two of us"])
def test_what_is_no_value_of_a_known_sort_has_one_form(value: str) -> None:
    assert forms(value) == (value,)


@pytest.mark.parametrize("value", ["14 march", "march 14th", "840 euros", "14:35", "07:40", "1,900", "thirty-eight", "maple lane 14"])
def test_forms_are_folded_and_different(value: str) -> None:
    found = forms(value)
    assert len(found) > 3 or value == "thirty-eight"
    assert all(fold(form) == form for form in found if not form.startswith(" "))
    assert len(set(found)) == len(found)


def test_a_number_is_found_under_any_grouping_and_not_within_a_longer_one() -> None:
    card = grouped("4539 1488 0343 6467")
    assert card is not None
    for text in ("4539148803436467", "4539-1488-0343-6467", "card (4539) 1488.0343.6467!"):
        assert card.search(text), text
    for text in ("14539148803436467", "45391488034364671", "9 4539148803436467", "4539 1488 0343 646"):
        assert not card.search(text), text
    assert grouped("123") is None
    assert grouped("14:35") is None
    assert grouped("ab 1234") is None
