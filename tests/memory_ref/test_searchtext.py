from __future__ import annotations

import sqlite3
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memgauge.memory_ref.question import ask, plain_expression
from memgauge.memory_ref.searchtext import fold, korean_stem, language_of, porter, search_text, terms, with_slot

ROOTS = "abli analogy apolog bub caress class connect control cr decis electric feud fall fizz form gener happ hop hum ident incred log motor op plaster pony possi rate relat sens sky swim tan techno trek vac will".split()  # noqa: E501, SIM905
SUFFIXES = " s es ed ing ly y ies ied ization ational ness ful able ible bly bility logy ked kked kking er est ement ion ive ize".split(" ")  # noqa: SIM905


def fts(rows: list[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')")
    connection.executemany("INSERT INTO f (rowid, x) VALUES (?, ?)", enumerate(rows, 1))
    return connection


def fts_stems(words: list[str]) -> dict[str, str]:
    connection = fts(words)
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
    return {words[doc - 1]: term for term, doc in connection.execute("SELECT term, doc FROM v")}


def test_our_porter_agrees_with_the_tokenizer_of_fts5() -> None:
    words = sorted(
        {root + suffix for root, suffix in product(ROOTS, SUFFIXES)}
        | {"as", "us", "is", "s", "ski", "trekked", "possibly", "apology", "eed", "ies", "sses", "x" * 70}
    )
    expected = fts_stems(words)
    assert {word: porter(word) for word in words} == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(alphabet="abcdefgilmnoprstuyz", min_size=1, max_size=14), min_size=1, max_size=8, unique=True))
def test_our_porter_agrees_on_any_word(words: list[str]) -> None:
    assert {word: porter(word) for word in words} == fts_stems(words)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Zoë", "zoe"), ("café", "CAFÉ"), ("İstanbul", "istanbul"), ("Iğdır", "IĞDIR"),
        ("ISPARTA", "ısparta"), ("Łódź", "lodz"), ("Straße", "STRASSE"),
        ("أحمد", "احمد"), ("مَكْتَبَة", "مكتبه"), ("שָׁלוֹם", "שלום"), ("ﬁnance", "finance"), ("ｶﾞｽ", "ガス"), ("don’t", "don't"), ("naïve", "naive"),
    ],
)  # fmt: skip
def test_spellings_that_mean_the_same_fold_to_the_same(stored: str, asked: str) -> None:
    assert fold(stored) == fold(asked)


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    once = fold(text)
    assert fold(once) == once


@given(st.text(max_size=200))
def test_any_text_can_be_indexed_and_asked_for(text: str) -> None:
    connection = fts([search_text(text)])
    expression = ask(text).expression()
    if expression:
        connection.execute("SELECT 1 FROM f WHERE f MATCH ?", (expression,)).fetchall()
    if plain := plain_expression(text):
        connection.execute("SELECT 1 FROM f WHERE f MATCH ?", (plain,)).fetchall()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
@example("\u0cbc")
def test_every_text_finds_itself_in_the_index(text: str) -> None:
    expression = ask(text).expression()
    if expression:
        assert fts([search_text(text)]).execute("SELECT 1 FROM f WHERE f MATCH ?", (expression,)).fetchone()
        assert all(concept.cover(terms(text)) > 0 for concept in ask(text).concepts)


@pytest.mark.parametrize("code", ["ZX-4417", "C++", "C#", "GB/s", "user_a", "100%", "a@b.org", "v2.3.1", "9:30", "EU"])
def test_codes_and_short_words_stay_whole(code: str) -> None:
    assert fold(code) in terms(f"It says {code}, I think.")


def test_a_code_is_not_another_code_with_a_part_in_common() -> None:
    (concept,) = ask("ZX-4418").concepts
    assert concept.cover(terms("The invoice is ZX-4417.")) == 0.0
    assert concept.cover(terms("The invoice is zx4418.")) == 1.0


def test_a_percentage_is_not_a_longer_number() -> None:
    (concept,) = ask("100%").concepts
    assert concept.cover(terms("value 1000")) == 0.0
    assert concept.cover(terms("100% full")) == 1.0


@pytest.mark.parametrize("text", ["", "   ", "*", "(", "^", '"', "—…!?", "🙂🙂", "\x00"])
def test_symbols_alone_ask_for_nothing(text: str) -> None:
    assert ask(text).expression() == ""


@pytest.mark.parametrize("text", ['say "hi', "retry OR", "-alpha", "NEAR(a b)", "content:done", "search_text: x", "a AND NOT b", "x* ^y {z}"])
def test_ordinary_text_is_never_query_syntax(text: str) -> None:
    connection = fts([search_text(text), search_text("something else entirely")])
    assert [row[0] for row in connection.execute("SELECT rowid FROM f WHERE f MATCH ?", (ask(text).expression(),))][:1] == [1]


def test_a_word_inside_a_sentence_without_spaces_is_found() -> None:
    rows = [search_text(text) for text in ("私は京都に住んでいます。", "我在上海工作。", "ฉันอาศัยอยู่ที่เชียงใหม่", "ကျွန်တော်ရန်ကုန်မှာနေတယ်")]
    connection = fts(rows)
    for n, word in enumerate(["京都", "上海", "เชียงใหม่", "ရန်ကုန်"], 1):
        hits = connection.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f)", (ask(word).expression(),)).fetchall()
        assert hits[0] == (n,), word


def test_korean_words_lose_their_particle() -> None:
    assert {korean_stem(word) for word in ("서울은", "서울에서", "서울에", "서울")} == {"서울"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where do I live?", "english"),
        ("Wo wohne ich denn?", "german"),
        ("Où est-ce que j'habite ?", "french"),
        ("Где я живу?", "russian"),
        ("xyzzy", ""),
    ],
)
def test_the_language_is_guessed_from_function_words(text: str, language: str) -> None:
    assert language_of(fold(text)) == language


def test_a_fact_is_found_by_the_words_of_its_slot() -> None:
    assert {"brother", "home"} <= terms(with_slot("Omar is in Lille now", "brother.home"))
    assert with_slot("plain", None) == "plain"
