"""Which clause says the opposite of a value in it."""

from __future__ import annotations

import pytest

from memgauge.denial import asks, has_own_sense, turns


@pytest.mark.parametrize(
    ("sentence", "language", "wanted"),
    [
        ("ana does not live in x", "en", True),
        ("ana lives in x, not in y", "en", False),
        ("not in y but in x", "en", False),
        ("it isn't x", "en", True),
        ("x is nobody's secret", "en", False),
        ("a knot near x", "en", False),
        ("she used to live in x", "en", True),
        ("ana wohnt nicht in x", "de", True),
        ("ana wohnt nicht in y, sondern in x", "de", False),
        ("ana n'habite pas à x", "fr", True),
        ("ana ya no vive en x", "es", True),
        ("room no 5 at x", "en", False),
        ("она не живёт в x", "ru", True),
        ("xには住んでいません", "ja", True),
        ("ana x'de yaşamıyor", "tr", True),
        ("ana nie mieszka w x", "pl", False),
        ("is it x?", "en", True),
        ("هل هو x؟", "ar", True),
    ],
)
def test_a_clause_with_the_value_turns_it(sentence: str, language: str, wanted: bool) -> None:
    assert turns(lambda clause: "x" in clause, sentence, language) is wanted


def test_a_question_ends_in_its_mark_whatever_closes_behind_it() -> None:
    assert asks('"do i live here?"')
    assert not asks("what? no.")


@pytest.mark.parametrize("statement", ["i must not eat x", "avoid x", "no x for me", "could you book x?", "kein x bitte", "without x"])
def test_what_was_told_as_a_denial_may_be_told_so_again(statement: str) -> None:
    assert has_own_sense(statement, "de")
    assert not has_own_sense("i live in x", "de")
