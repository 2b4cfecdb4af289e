"""A label excuses an old value where it marks that value, and not where it speaks of others or leaves it open."""

from __future__ import annotations

import pytest

from memgauge.evaluators.marking import PAST_WORDS, says_past


@pytest.mark.parametrize("word", PAST_WORDS)
def test_every_word_marks_alone_and_with_a_day(word: str) -> None:
    assert says_past(word)
    assert says_past(f"[{word.title()}]")
    assert says_past(f"fact, {word}, 2026-01-02")
    assert says_past(f"- {word} 2026-01-02:")


@pytest.mark.parametrize(
    "label",
    [
        '{"label": "superseded", "text": "',
        '<item label="superseded">',
        "former address:",
        "(no longer true)",
        "no longer lives there",
        "replaced by Lyon",
        "superseded on 2026-01-02 by fact-12",
        "fact | expired since May",
        "this address is outdated",
        "status: historical",
        "everywhere – superseded",
    ],
)
def test_what_marks_an_item(label: str) -> None:
    assert says_past(label)


@pytest.mark.parametrize(
    "label",
    [
        "",
        "(former notes, expired offers)",
        "notes, may be outdated",
        "not superseded",
        "never expired",
        "current and former values",
        "(some of these facts are outdated)",
        "may contain former or expired facts",
        "the archive of all that was once said and is now outdated",
        "performer",
        "outdated_by",
        "fact-12",
    ],
)
def test_what_leaves_it_open(label: str) -> None:
    assert not says_past(label)
