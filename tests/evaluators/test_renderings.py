"""How a value may be dressed: what still states a fact, what no longer does, and what tells it to whom it must not be told."""

from __future__ import annotations

import pytest

from memgauge.evaluators import judge
from memgauge.records import Fact
from tests.evaluators.build import History, expect, item, plan


def fact(name: str, text: str, *anchors: str | tuple[str, ...], **more: object) -> Fact:
    groups = tuple(group if isinstance(group, tuple) else (group,) for group in anchors)
    return Fact(id=name, anchors=groups, text=text, **more)  # type: ignore[arg-type]


FACTS = {
    one.id: one
    for one in (
        fact("old", "I live in Lisbon.", "Lisbon", not_if=("from Lisbon",)),
        fact("home", "I moved to Geneva.", "Geneva", replaces="old"),
        fact("brother", "My brother lives in Oslo.", "Oslo", not_if=("I live",)),
        fact("wohnort", "Ich wohne in Bremen.", "Bremen", language="de"),
        fact("logement", "J'habite à Nantes.", "Nantes", language="fr"),
        fact("casa", "Vivo en Toledo.", "Toledo", language="es"),
        fact("kazan", "Я живу в Казани.", ("Казань", "Казани", "Kazan"), language="ru"),
        fact("sapporo", "札幌に住んでいます。", ("札幌", "Sapporo"), language="ja"),
        fact("street", "My address is Maple Lane 14.", "Maple Lane 14"),
        fact("code", "My gate code is 7731.", "7731"),
        fact("card", "My card is 4539 1488 0343 6467.", "4539 1488 0343 6467"),
        fact("date", "The dentist is on 14 March.", "14 March"),
        fact("wedding", "The wedding is on 12 September.", "12 September"),
        fact("deposit", "The deposit is 840 euros.", "840 euros"),
        fact("train", "My train goes at 14:35.", "14:35"),
        fact("bus", "The bus leaves at 07:40.", "07:40"),
        fact("boots", "My boots are size thirty-eight.", "thirty-eight"),
        fact("rent", "The rent is 1,900 a month.", "1,900"),
        fact("doctor", "I must not eat meatballs any more.", "meatballs"),
        fact("dentist", "My dentist is Müller.", "Müller"),
        fact("request", "Could you book Clearwater for the party?", "Clearwater"),
        fact("mail", "My mail address is ana@post.example.", "ana@post.example"),
    )
}


def outcome(kind: str, name: str, text: str) -> str:
    h = History()
    h.say("told", FACTS[name].text)
    h.context("before", items=[item(FACTS[name].text)])
    h.context("after", items=[item(text)])
    proof = None if kind == "present" else ("seen", "before")
    return judge(plan(expect(kind, "after", name, proof=proof), facts=FACTS, tells={"told": name}), h.entries).verdicts[0].outcome


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("home", "Lives in Geneva, not in Lisbon."),
        ("home", "Not in Lisbon but in Geneva."),
        ("home", "Home: Geneva (no car, and not far from the lake)."),
        ("home", "I don't like the noise, but I live in Geneva."),
        ("home", "| home | Geneva |"),
        ("home", '```\nhome = "Geneva"\n```'),
        ("home", '{"home": "Geneva"}'),
        ("home", "home_city=GENEVA"),
        ("home", "Ge\u200bne\u200bva"),
        ("home", "G&#101;neva"),
        ("home", "Ｇｅｎｅｖａ"),
        ("home", "Wohnort / home: Geneva"),
        ("home", "It's not that Ana complains. She lives in Geneva."),
        ("street", "14 Maple Lane"),
        ("street", "MAPLE LANE, 14"),
        ("street", "Maple Lane no. 14"),
        ("date", "2026-03-14"),
        ("date", "March 14"),
        ("date", "the 14th of March"),
        ("date", "14 Mar 2026"),
        ("date", "14.03.2026"),
        ("date", "3/14/2026"),
        ("wedding", "September 12th, 2026"),
        ("wedding", "Sept. 12"),
        ("deposit", "€840"),
        ("deposit", "840 EUR"),
        ("deposit", "840,00 €"),
        ("train", "2:35 pm"),
        ("train", "14h35"),
        ("bus", "7.40 a.m."),
        ("bus", "07:40:00"),
        ("boots", "boot size 38"),
        ("boots", "size thirty eight"),
        ("rent", "rent: 1900"),
        ("rent", "1.900 per month"),
        ("code", "٧٧٣١"),
        ("doctor", "No meatballs for Ana."),
        ("doctor", "Ana does not eat meatballs."),
        ("dentist", "M&uuml;ller"),
        ("dentist", "M\\u00fcller"),
        ("dentist", "Mu\u0308ller"),
        ("request", "Could you book Clearwater?"),
        ("kazan", "Lives in Kazan"),
        ("mail", "mailto:ana@post.example"),
    ],
)
def test_in_another_dress_the_fact_is_still_there(name: str, text: str):
    assert outcome("present", name, text) == "pass"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("home", "The user does not live in Geneva."),
        ("home", "Geneva is not where I live."),
        ("home", "Ana isn’t in Geneva any more."),
        ("home", "Ana no longer lives in Geneva."),
        ("home", "I used to live in Geneva."),
        ("home", "Does Ana live in Geneva?"),
        ("home", '"Do I live in Geneva?" she asked.'),
        ("wohnort", "Ana wohnt nicht in Bremen."),
        ("logement", "Ana n'habite pas à Nantes."),
        ("casa", "Ana no vive en Toledo."),
        ("kazan", "Он не живёт в Казани"),
        ("sapporo", "札幌には住んでいません。"),
        ("street", "Maple Lane 41"),
        ("street", "Maple Lane 14b"),
        ("code", "17731"),
        ("date", "14 May"),
        ("date", "4 March"),
        ("wedding", "2026-12-09"),
        ("deposit", "84 euros"),
        ("deposit", "840 dollars"),
        ("train", "2:35 am"),
        ("bus", "17:40"),
        ("boots", "size 83"),
        ("boots", "at 10:38"),
        ("rent", "11,900"),
        ("mail", "ana@post.example.org"),
        ("mail", "jo.ana@post.example"),
    ],
)
def test_what_is_denied_asked_or_another_value_is_not_there(name: str, text: str):
    assert outcome("present", name, text) == "fail"


@pytest.mark.parametrize(
    "text", ["Ana no longer lives in Lisbon.", "Ana does not live in Lisbon any more.", "Moved from Lisbon to Geneva.", "Home: Geneva, not Lisbon"]
)
def test_a_denied_value_is_not_stale(text: str):
    assert outcome("stale", "old", text) == "pass"


@pytest.mark.parametrize("kind", ["deleted", "leak", "never_stored", "not_permitted", "off_branch", "off_topic"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("old", "Ana does not live in Lisbon."),
        ("old", "Ana used to live in Lisbon."),
        ("old", "Moved from Lisbon to Geneva."),
        ("old", "Does Ana live in Lisbon?"),
        ("code", "gate 77-31"),
        ("card", "4539148803436467"),
        ("card", "4539-1488-0343-6467"),
        ("date", "2026-03-14"),
        ("boots", "size 38"),
        ("train", "at 2:35 p.m."),
    ],
)
def test_who_must_not_be_told_a_value_is_told_it_by_a_denial_or_another_form_too(kind: str, name: str, text: str):
    assert outcome(kind, name, text) == "fail"


def test_a_wording_that_makes_it_another_fact_excuses_even_there():
    assert outcome("leak", "brother", "I live in Oslo.") == "pass"


def test_the_day_of_a_record_is_not_a_date_that_was_told():
    h = History()
    h.say("told", FACTS["date"].text)
    h.context("before", items=[item(FACTS["date"].text)])
    h.context("after", items=[item("The cat is called Plum.", label="fact, stated, 2026-03-14, everywhere")])
    e = expect("deleted", "after", "date", proof=("seen", "before"))
    assert judge(plan(e, facts=FACTS, tells={"told": "date"}), h.entries).verdicts[0].outcome == "pass"
