from __future__ import annotations

import itertools
import random

import pytest

from memgauge.anchors import fold, stands_in
from memgauge.errors import InputError
from memgauge.scenarios.filler import vocabulary
from memgauge.scenarios.pools import POOLS, draw
from memgauge.scenarios.stems import STOP_WORDS
from memgauge.tokens import counter

SPELLINGS = [(name, value, fold(form)) for name, values in POOLS.items() for value in values for form in value]


@pytest.mark.parametrize("name", POOLS)
def test_token_lengths_differ_by_one_at_most(name: str) -> None:
    count = counter()
    lengths = {count(f" {value[0]}") for value in POOLS[name]}
    assert max(lengths) - min(lengths) <= 1
    assert len(POOLS[name]) >= 5


def test_no_value_stands_inside_another() -> None:
    inside = [(a[2], b[2]) for a, b in itertools.permutations(SPELLINGS, 2) if a[1] != b[1] and stands_in(a[2], b[2])]
    assert inside == []


def test_no_value_stands_in_filler_or_stop_words() -> None:
    filler = fold(vocabulary())
    assert [text for _, _, text in SPELLINGS if stands_in(text, filler) or text in STOP_WORDS] == []


def test_draws_are_distinct_and_follow_the_random_source() -> None:
    wanted = dict.fromkeys("abcdef", "city")
    drawn = draw(wanted, random.Random(1))
    assert len(set(drawn.values())) == len(wanted)
    assert drawn == draw(wanted, random.Random(1))
    assert drawn != draw(wanted, random.Random(2))


def test_unknown_and_used_up_pools_are_named() -> None:
    with pytest.raises(InputError, match="unknown pool 'citty'") as raised:
        draw({"a": "citty"}, random.Random(0))
    assert raised.value.hint == 'did you mean "city"?'
    with pytest.raises(InputError, match="has only 1 values"):
        draw({"a": ["x"], "b": ["x"]}, random.Random(0))
