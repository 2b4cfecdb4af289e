from __future__ import annotations

import random

import pytest

from memgauge.errors import InputError
from memgauge.scenarios.filler import conversation


def test_alternates_and_holds_the_near_misses_in_order() -> None:
    near = ["My uncle lives abroad.", "Nobody lives there."]
    lines = conversation(31, random.Random(3), near=near)
    assert [role for role, _ in lines] == ["user" if i % 2 == 0 else "assistant" for i in range(31)]
    assert [text for role, text in lines if text in near] == near


def test_same_seed_same_text_and_five_hundred_are_varied() -> None:
    lines = conversation(500, random.Random(5))
    assert lines == conversation(500, random.Random(5))
    assert lines != conversation(500, random.Random(6))
    assert len({text for role, text in lines if role == "user"}) > 200


def test_topics_restrict_and_are_checked() -> None:
    said = [text for role, text in conversation(20, random.Random(1), topics=["garden"]) if role == "user"]
    assert all(any(word in text for word in ("tomatoes", "hedge", "compost", "snails", "roses", "lawn")) for text in said)
    with pytest.raises(InputError, match="unknown filler topic"):
        conversation(4, random.Random(0), topics=["gardn"])


def test_near_misses_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="do not fit"):
        conversation(2, random.Random(0), near=["a", "b"])
