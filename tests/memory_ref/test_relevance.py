from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.memory_ref.policy import load_policy
from memgauge.memory_ref.question import MAX_CONCEPTS, ask
from memgauge.memory_ref.relevance import decay, match_all, score
from memgauge.memory_ref.searchtext import terms
from tests.memory_ref.questions import TABLE

MINIMUM = load_policy().recall.min_score
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

WORDS = ["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "hazel"]
UNRELATED = ["orbit", "piston", "quartz", "ribbon", "saddle", "turbine"]
sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
other = st.lists(st.sampled_from(UNRELATED), min_size=1, max_size=6).map(" ".join)


def relevances(question: str, texts: list[str]) -> dict[str, float]:
    found = match_all(ask(question), {str(n): (text, terms(text)) for n, text in enumerate(texts)})
    return {key: match.relevance for key, match in found.items()}


@pytest.mark.parametrize(("language", "facts", "question", "wanted"), TABLE)
def test_a_question_finds_the_fact_that_answers_it_and_nothing_for_another_subject(
    language: str, facts: list[str], question: str, wanted: int | None
) -> None:
    found = {key: value for key, value in relevances(question, facts).items() if value >= MINIMUM}
    if wanted is None:
        assert found == {}
    else:
        assert max(found, key=lambda key: (found[key], key == str(wanted)), default=None) == str(wanted)


@settings(max_examples=200, deadline=None)
@given(question=sentence, texts=st.lists(sentence, min_size=2, max_size=6), more=st.lists(other, max_size=30))
def test_unrelated_rows_swap_nothing_and_carry_nothing_over_the_minimum(question: str, texts: list[str], more: list[str]) -> None:
    before = relevances(question, texts)
    after = relevances(question, texts + more)
    assert after == before


@given(question=sentence, texts=st.lists(sentence, min_size=1, max_size=6))
def test_relevance_is_a_share(question: str, texts: list[str]) -> None:
    for value in relevances(question, texts).values():
        assert 0 < value <= 1
    assert relevances(question, [question])["0"] == pytest.approx(1.0)


@given(question=sentence, text=sentence, word=st.sampled_from(WORDS))
def test_a_record_that_holds_more_of_the_question_is_never_less_relevant(question: str, text: str, word: str) -> None:
    alone = relevances(question, [text]).get("0", 0.0)
    both = relevances(question, [text, f"{text} {word}"])
    assert both.get("1", 0.0) >= both.get("0", 0.0)
    assert (alone == 0) == (both.get("0", 0.0) == 0)


def test_a_question_about_me_lowers_what_is_about_my_brother() -> None:
    found = relevances("Where do I live?", ["I live in Ghent.", "My brother lives in Oslo."])
    assert found["0"] > MINIMUM > 0.5 * found["1"]
    assert found["1"] < found["0"]


def test_a_question_of_stop_words_needs_all_of_them() -> None:
    assert relevances("don't", ["don't", "do it"]) == {"0": 1.0}
    assert relevances("What is it?", ["It is raining.", "What a day it was."]) == {}


def test_a_very_long_text_is_bounded_to_its_rarest_known_words() -> None:
    text = " ".join(f"word{n}" for n in range(20_000))
    bounded = ask(text).bounded(lambda term: 2 if term == "word7" else int(term in {f"word{n}" for n in range(100, 300)}))
    assert len(bounded.concepts) == MAX_CONCEPTS
    assert "word7" not in {concept.word for concept in bounded.concepts}
    assert bounded.dropped == 20_000 - MAX_CONCEPTS


def test_age_halves_down_to_the_floor_and_a_date_in_the_future_is_no_age() -> None:
    assert decay(timedelta(days=30), 30, 0.25) == pytest.approx(0.5)
    assert decay(timedelta(days=3000), 30, 0.25) == 0.25
    assert decay(timedelta(days=-400), 30, 0.25) == 1.0


def test_a_deadline_rots_and_a_preference_does_not() -> None:
    (match,) = match_all(ask("amber"), {"0": ("amber", terms("amber"))}).values()
    policy = load_policy().recall
    old = NOW - timedelta(days=200)
    deadline = score(match, kind="episodic", trust="stated", reach="user", since=old, now=NOW, policy=policy)
    preference = score(match, kind="profile", trust="stated", reach="user", since=old, now=NOW, policy=policy)
    assert preference.value > 3 * deadline.value


def test_every_factor_stands_in_the_reason() -> None:
    (match,) = match_all(ask("amber birch"), {"0": ("amber", terms("amber"))}).values()
    made = score(match, kind="message", trust="message", reach="project", since=NOW - timedelta(days=3), now=NOW, policy=load_policy().recall)
    for word in ("amber", "relevance", "age", "3 d", "trust", "message", "scope", "project"):
        assert word in made.reason
    assert made.value == pytest.approx(match.relevance * 0.5 ** (3 / 30) * 0.6 * 0.95)
