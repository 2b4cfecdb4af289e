"""Whatever is typed, reading it ends soon, raises nothing, and quotes no more than was said."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.memory_ref.dates import find_dates
from memgauge.memory_ref.screen import screen
from memgauge.memory_ref.slots import read
from memgauge.memory_ref.utterance import clauses
from tests.memory_ref.test_dates import SAID
from tests.memory_ref.words import POLICY, captured

PIECES = (
    "I",
    "we",
    "my",
    "our",
    "the",
    "live",
    "moved",
    "work",
    "at",
    "in",
    "to",
    "is",
    "are",
    "not",
    "no longer",
    "any more",
    "now",
    "prefer",
    "password",
    "pin",
    "code",
    "key",
    "remember",
    "that",
    "never",
    "always",
    "don't",
    "what if",
    "if",
    "said",
    "Turin",
    "Initech",
    "1234",
    "4111 1111 1111 1111",
    "tomorrow",
    "31 February",
    "in 9999 years",
    "on Friday",
    "called",
    "from",
    "and",
    "but",
    ",",
    ".",
    "?",
    "!",
    ";",
    ":",
    "\n",
    '"',
    "'",
    "`",
    "```",
    ">",
    "<memory>",
    "[removed]",
    "私",
    "é",
    "😀",
    "\u0000",
    "\ud800",
)
TEXT = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))


@given(TEXT)
@settings(max_examples=400, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    found = captured(text, known=["I live in Turin.", "I work at Initech."])
    assert all(ruling.reason for _, ruling in found)
    read(text, "ana")
    find_dates(text, SAID)
    for clause in clauses(text):
        first, past = clause.span
        assert text[first:past] == clause.text


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_screening_is_stable_and_tells_where_it_cut(text: str) -> None:
    found = screen(text, POLICY)
    assert screen(found.text, POLICY).text == found.text
    for passage in found.removed:
        first, past = passage.span
        assert 0 <= first < past <= len(text)


UNITS = ["I live in ", "my a's ", "is my ", "not ", "password is ", "a1", "remember that ", "1 "]
UNITS += ['"', "and I ", "A.B.", "!?", "no longer ", "```", "<a>", "im "]


@pytest.mark.parametrize("unit", UNITS)
def test_long_repetitions_take_no_time(unit: str) -> None:
    text = (unit * 6000)[:6000]
    start = time.process_time()
    captured(text)
    screen(text, POLICY)
    assert time.process_time() - start < 2
