"""The placebo is as long as what it stands for, and keeps to the window."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from memgauge.systems.off import Off
from memgauge.systems.placebo import SMALL_TALK, small_talk
from memgauge.tokens import count_messages, counter
from tests.systems.asking import ask, close, opened, prompt, say

WINDOW = {"window": 2000, "reserve": 200}


def remarks(number: int) -> list[str]:
    return list(itertools.islice(small_talk(), number))


@pytest.mark.parametrize("tokens", [9, 15, 60, 137, 400, 900])
def test_it_is_as_long_as_asked_and_never_longer(tmp_path: Path, tokens: int) -> None:
    off, count = opened(Off(), tmp_path), counter()
    say(off, 1, "hello")
    plain = count_messages(prompt(off, "now", budget=WINDOW), count)
    with_it = count_messages(prompt(off, "now", budget={**WINDOW, "placebo": {"tokens": tokens, "texts": remarks(200)}}), count)
    assert tokens - 4 <= with_it - plain <= tokens
    close(off)


def test_it_stays_within_the_window_and_takes_nothing_of_the_conversation(tmp_path: Path) -> None:
    off, count = opened(Off(), tmp_path), counter()
    for n in range(30):
        say(off, n, f"Message number {n} about the garden.")
    small = {"window": 400, "reserve": 50}
    plain = prompt(off, "now", budget=small)
    full = prompt(off, "now", budget={**small, "placebo": {"tokens": 5000, "texts": remarks(900)}})
    assert count_messages(full, count) <= 350
    assert full[-len(plain) :] == plain
    close(off)


def test_its_items_are_listed_as_they_are_rendered(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    receipt = ask(off, "context", text="now", budget={**WINDOW, "placebo": {"tokens": 60, "texts": ["I own a <red> kite.", *remarks(9)]}})
    items = receipt.data["items"]
    assert items[0]["text"] == "I own a <red> kite."
    assert receipt.data["messages"][0]["content"] == "\n".join(item["text"] for item in items)
    close(off)


def test_too_few_tokens_for_a_word_give_none(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    assert prompt(off, "now", budget={**WINDOW, "placebo": {"tokens": 4, "texts": remarks(5)}}) == ["now"]
    close(off)


def test_small_talk_never_ends_and_never_repeats() -> None:
    many = remarks(5 * len(SMALL_TALK))
    assert len(set(many)) == len(many)
