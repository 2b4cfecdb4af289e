from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.memory_ref.excerpts import LEFT_OUT, excerpt, sentences
from memgauge.memory_ref.question import ask


@given(st.text())
def test_sentences_lose_nothing_but_blank_pieces(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_full_stop_inside_a_word_ends_nothing() -> None:
    assert sentences("Version 4.2 is at ana@example.org now. Done") == ["Version 4.2 is at ana@example.org now. ", "Done"]
    assert sentences("京都です。東京です。") == ["京都です。", "東京です。"]


@given(st.lists(st.text(alphabet="abc é京🙂.\n ", max_size=30), max_size=20), st.integers(20, 80))
def test_an_excerpt_is_short_and_marks_what_it_leaves_out(parts: list[str], limit: int) -> None:
    text = "".join(parts)
    made = excerpt(text, ask("abc"), limit)
    if len(text) <= limit:
        assert made == text
    else:
        assert len(made) <= limit + 2 * (len(LEFT_OUT) + 1)
        assert "".join(made.replace(LEFT_OUT, "").split()) in "".join(text.split())


@pytest.mark.parametrize("text", ["x" * 5000, "word " * 2000 + "kiln " + "word " * 2000])
def test_one_endless_sentence_is_cut_between_words(text: str) -> None:
    made = excerpt(text, ask("kiln"), 100)
    assert LEFT_OUT in made
    assert len(made) < 120
    assert ("kiln" in made) == ("kiln" in text)


def test_a_sentence_without_spaces_is_cut_between_letters() -> None:
    made = excerpt("ที่นี่" * 100, ask("ที่"), 50)
    assert made.endswith(LEFT_OUT)
    assert ("ที่นี่" * 100).startswith(made.removesuffix(LEFT_OUT).strip())
