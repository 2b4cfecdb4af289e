"""The walk over the texts of a JSON value."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memgauge.texts import texts_in

VALUE = {"a": ["one", {"b": "two"}, 3, None, True], "c": ("three", ""), "d": '{"e": ["four", "[\\"five\\"]"]}'}


def test_strings_and_keys_in_order() -> None:
    assert list(texts_in(VALUE)) == ["a", "one", "b", "two", "c", "three", "", "d", VALUE["d"]]


def test_without_keys() -> None:
    assert list(texts_in(VALUE, keys=False)) == ["one", "two", "three", "", VALUE["d"]]


def test_json_inside_strings_is_walked_to_the_bottom() -> None:
    assert list(texts_in(VALUE, unpack=True)) == ["a", "one", "b", "two", "c", "three", "", "d", "e", "four", "five"]


def test_what_only_looks_like_json_stays_a_text() -> None:
    for text in ("{not json", "[1, 2", "  {", "[" * 100_000):
        assert list(texts_in(text, unpack=True)) == [text]


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_the_texts_do_not_depend_on_a_way_through_json(value: object) -> None:
    assert list(texts_in(value)) == list(texts_in(json.loads(json.dumps(value))))
