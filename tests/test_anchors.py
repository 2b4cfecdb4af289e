from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.anchors import LONG_ITEM, Match, Matcher, fold, occurrences, sentences, stands_in
from memgauge.records import Fact

LONG = "Some words about the garden and the long road. " * 6


def fact(*anchors: str | tuple[str, ...], **parts: object) -> Fact:
    groups = tuple(group if isinstance(group, tuple) else (group,) for group in anchors)
    return Fact(id="f", anchors=groups, **parts)  # type: ignore[arg-type]


def match(wanted: Fact, text: str, *others: Fact) -> Match:
    return Matcher({one.id: one for one in (wanted, *others)}).match(wanted.id, text)


@pytest.mark.parametrize(
    ("anchor", "text"),
    [
        ("Lyon", "so: LYON!"),
        ("Lyon", "_Lyon_ and **bold**"),
        ("Lyon", "Ly\u200eo\u00adn"),
        ("Lyon", "我住在Lyon市"),
        ("Lyon", "Lyon에서 살아요"),
        ("7731", "密码是7731です"),
        ("7731", "codes 8842,7731 and so on"),
        ("34", "٣٤ عاما"),
        ("12", "am 12.03.2026 um 12:30"),
        ("2026", "am 12.03.2026"),
        ("900", "pay 900."),
        ("900", "900, not more"),
        ("1,900", "owes 1,900 to Ben"),
        ("C++", "likes C++, really"),
        ("don't", "don’t"),
        ("Elm-Road", "elm\u2011road"),
        ("İstanbul", "istanbul"),
        ("Istanbul", "İSTANBUL"),
        ("Isparta", "ısparta"),
        ("Straße", "STRASSE"),
        ("été", "e\u0301te\u0301".upper()),
        ("東京", "東京都に住む"),
        ("サーバー", "このサーバーは"),
        ("서울", "서울에서 살아요"),
        ("กรุงเทพ", "อยู่กรุงเทพครับ"),
        ("دمشق", "أسكن بدمشق"),
        ("قاهرة", "والقاهرة جميلة"),
        ("دمشق", "دِمَشْق"),
        ("חיפה", "אני גר בחיפה"),
        ("दिल्ली", "मैं दिल्ली में"),
        ("Elm Road 4", "Elm\n   Road\u00a04"),
    ],
)
def test_a_value_is_found(anchor: str, text: str) -> None:
    assert match(fact(anchor), text) is Match.YES


@pytest.mark.parametrize(
    ("anchor", "text"),
    [
        ("Go", "Django"),
        ("ana", "banana"),
        ("ana", "ana_b and x_ana"),
        ("12", "2012"),
        ("12", "12.5 kg"),
        ("900", "owes 1,900"),
        ("1", "1,900"),
        ("Elm Road 4", "Elm Road 42"),
        ("Elm Road 4", "Elm Road 4b"),
        ("दिल", "दिल्ली"),
        ("น", "นี้"),
        ("울", "서울"),
        ("شق", "دمشق"),
        ("a", "á"),
        ("", "x"),
        ("   ", "x"),
        ("\u200b", "x"),
        ("Lyon", ""),
    ],
)
def test_a_piece_of_something_longer_is_not_found(anchor: str, text: str) -> None:
    assert match(fact(anchor), text) is Match.NO


def test_every_group_is_needed_and_any_spelling_will_do() -> None:
    wanted = fact(("Köln", "Cologne"), "Plum")
    assert match(wanted, "Plum lives in Cologne") is Match.YES
    assert match(wanted, "Plum lives here") is Match.NO
    assert match(fact(), "anything") is Match.NO


def test_in_a_long_item_all_anchors_stand_in_one_sentence() -> None:
    wanted = fact("Plum", "Ghent")
    apart = "The cat is called Plum. We live in Ghent."
    assert len(apart) <= LONG_ITEM
    assert match(wanted, apart) is Match.YES
    assert match(wanted, LONG + apart) is Match.NO
    assert match(wanted, LONG + "Plum lives in Ghent.") is Match.YES
    assert match(wanted, LONG + "\n- Plum\n- Ghent") is Match.NO


@pytest.mark.parametrize("anchor", ["St. Gallen", "Dr. Okafor", "Elm Road 4", "No. 7", "What? Bar"])
def test_a_break_inside_the_value_is_no_break(anchor: str) -> None:
    assert match(fact(anchor), LONG + f"I am at {anchor.replace(' 4', chr(10) + '4')} now. " + LONG) is Match.YES


def test_an_abbreviation_ends_no_sentence() -> None:
    assert match(fact("Okafor", "dentist"), LONG + "My dentist is Dr. Okafor. " + LONG) is Match.YES


def test_a_wording_turns_the_match_off_only_in_its_own_sentence() -> None:
    wanted = fact("Ghent", not_if=("used to", "not any more", "from Ghent"))
    for text in ("I used to live in Ghent.", "I moved from Ghent.", "I lived in Ghent. Not any more."):
        assert match(wanted, text) is Match.DENIED, text
        assert match(wanted, LONG + text) is Match.DENIED, text
    for text in ("I used to play tennis. I live in Ghent.", "I live in Ghent. I used to play tennis but my knee is not what it was."):
        assert match(wanted, text) is Match.YES, text
        assert match(wanted, LONG + text) is Match.YES, text
    assert match(wanted, "I used to live in Ghent. I live in Ghent again.") is Match.YES


def test_old_and_new_value_are_not_stale_only_in_one_sentence() -> None:
    old, new = fact("Ghent"), Fact(id="new", anchors=(("Lyon",),), replaces="f")
    assert match(old, "moved: Ghent, now Lyon", new) is Match.DENIED
    assert match(old, "Lives in Ghent. Lives in Lyon.", new) is Match.YES
    assert match(old, "city: Ghent\ncity: Lyon", new) is Match.YES
    assert match(new, "Lives in Ghent. Lives in Lyon.", old) is Match.YES


def test_a_claim_is_asked_of_a_short_item_or_of_the_sentence() -> None:
    wanted = fact("Ghent", claim=("live", "lives", "home"))
    assert match(wanted, "Ghent is big. I live there.") is Match.YES
    assert match(wanted, "Ghent is big.") is Match.UNSURE
    assert match(wanted, LONG + "Ghent is big. I live elsewhere, far from it.") is Match.UNSURE
    assert match(wanted, LONG + "Ghent is big. My home is Ghent.") is Match.YES


def test_sentences() -> None:
    assert sentences("One. Two! “Three?” Four… five\n- six\n* seven\n\neight") == [
        "one.",
        "two!",
        '"three?"',
        "four...",
        "five",
        "six",
        "seven",
        "eight",
    ]
    assert sentences("今日は。雨です！はい") == ["今日は。", "雨です!", "はい"]
    assert sentences("") == sentences(" \n ") == []
    assert sentences("It costs 1.50 at shop.example today") == ["it costs 1.50 at shop.example today"]


def test_occurrences_are_whole_and_do_not_overlap() -> None:
    assert occurrences("a a", "a a a a b a") == 2
    assert occurrences("Go", "go django go-to") == 2
    assert occurrences("", "x") == 0


def test_folding_twice_changes_nothing() -> None:
    for text in ("İIıi ẞß ﬁ Ⅳ", "e\u0301 \u1e9b\u0323", "٣٤१२", "a\u200db \ufeff", "—–‘’“”", "\ud800", "ΑΣ σς"):
        assert fold(fold(text)) == fold(text)


def test_hostile_sizes_end() -> None:
    assert stands_in("a" * 500, "a" * 20_000) is False
    assert match(fact("x. y"), "x. " * 20_000) is Match.NO
    assert match(fact("needle"), "- " * 50_000 + "needle") is Match.YES
    assert match(fact("needle"), "x" + " " * 50_000 + "\n" * 50_000 + "needle") is Match.YES
    assert match(fact("e"), "e. " * 20_000) is Match.YES


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_any_value_that_shows_is_found_where_it_stands_alone(value: str) -> None:
    assert fold(fold(value)) == fold(value)
    expected = Match.YES if fold(value) else Match.NO
    assert match(fact(value), value) is expected
    assert match(fact(value), f"{LONG} {value} .") is expected
