from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.cli.conversations import scenario_text
from memgauge.errors import InputError
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import parse

EXPORT = Path(__file__).parents[1] / "chats" / "data" / "chatgpt.json"
ASK = "What is my rent budget?"


def text(*which: str, expect: tuple[str, ...] = ("1,350",), never: tuple[str, ...] = ("1,100",)) -> str:
    return scenario_text("incident/rent", EXPORT, which, ASK, expect, never)[0]


def test_a_conversation_becomes_a_private_scenario_that_loads() -> None:
    written = text("lisbon")
    [scenario] = read(parse(written, "rent.yaml"))
    assert scenario.spec.content == "private"
    assert scenario.spec.start == "2025-01-15T10:00:40Z"
    assert "Noted, 1,350 euros. That also opens up Santos." in written
    assert text("1") == written


def test_what_was_left_out_is_said_without_its_words() -> None:
    _, left = scenario_text("incident/rent", EXPORT, ["1"], ASK, ["1,350"], [])
    assert "6 × system message" in left


def test_conversations_are_joined_in_the_order_of_their_times() -> None:
    assert text("gluten", "lisbon").index("Pickle") < text("gluten", "lisbon").index("coeliac")


@pytest.mark.parametrize(
    ("which", "never", "words"),
    [
        ((), (), "holds 6 conversations"),
        (("nowhere",), (), "0 conversations match 'nowhere'"),
        (("n",), (), "conversations match 'n'"),
        (("7",), (), "0 conversations match '7'"),
        (("lisbon",), ("1,200",), "stands in nothing that was said"),
        (("lisbon",), ("1,350",), "nothing is said after it"),
    ],
)
def test_what_cannot_be_written_is_one_clear_line(which: tuple[str, ...], never: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        text(*which, never=never)
