"""What a statement is about: the slot, the value, and whose it is."""

from __future__ import annotations

import pytest

from memgauge.memory_ref.phrasing import same_value, words
from memgauge.memory_ref.slot_makers import Reading
from memgauge.memory_ref.slots import read, read_slot


def _read(text: str) -> Reading:
    found = read(text, "ana")
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I live in Turin.", "home", "Turin"),
        ("I'm based in Turin", "home", "Turin"),
        ("my partner and I live in Turin", "home", "Turin"),
        ("Turin is my new home", "home", "Turin"),
        ("Just moved to Turin!", "home", "Turin"),
        ("ana lives in Turin", "home", "Turin"),
        ("The user lives in Turin", "home", "Turin"),
        ("I work for Initech as an analyst", "work", "Initech"),
        ("I'm a nurse at Initech", "work", "Initech"),
        ("I got hired by Initech", "work", "Initech"),
        ("I work as a midwife", "role", "midwife"),
        ("My name's Ana", "name", "Ana"),
        ("Please call me Bo", "name", "Bo"),
        ("our database is Postgres", "database", "Postgres"),
        ("We use Postgres for the database", "database", "Postgres"),
        ("My favourite colour is green", "preference:colour", "green"),
        ("I'd rather have short answers", "preference:answer", "short answers"),
        ("For travel, I prefer trains", "preference:travel", "trains"),
        ("My dog's name is Rex", "dog.name", "Rex"),
        ("I'm allergic to nuts", "allergy:nut", "nuts"),
        ("My brother lives in Quito", "brother.home", "Quito"),
        ("ana's brother works at Initech", "brother.work", "Initech"),
        ("My wife's birthday is 3 May", "wife.birthday", "3 May"),
        ("My wife is a doctor", "wife.role", "doctor"),
        ("Initech moved to Turin", "initech.home", "Turin"),
        ("The deadline for the grant is Friday", "date:grant", "Friday"),
        ("The grant is due on Friday", "date:grant", "on Friday"),
        ("The spare key is under the mat", "spare key.place", "the mat"),
    ],
)
def test_statements_are_read(text: str, slot: str, value: str) -> None:
    found = _read(text)
    assert (found.slot, found.value) == (slot, value)


@pytest.mark.parametrize(
    "text",
    [
        "I'm a bit tired",
        "My code is broken",
        "My head is killing me",
        "My guess is a leak",
        "call me later",
        "I moved to the next question",
        "I run Initech's choir",
        "I left the office",
        "I have a question",
        "I like how you put it",
        "I love it",
        "This is my favourite",
        "The weather is nice",
        "Thanks, that's great",
    ],
)
def test_small_talk_has_no_slot(text: str) -> None:
    assert read_slot(text) is None


@pytest.mark.parametrize(
    ("text", "retires"),
    [
        ("I no longer live in Turin", "Turin"),
        ("I don't work at Initech any more", "Initech"),
        ("I'm not vegetarian anymore", "vegetarian"),
        ("I stopped working at Initech", "Initech"),
        ("We sold the red van", "red van"),
        ("Our database is MySQL now, not Postgres", "Postgres"),
        ("We switched from Jenkins to Buildkite", "Jenkins"),
        ("I changed jobs", "*"),
    ],
)
def test_a_change_says_what_is_over(text: str, retires: str) -> None:
    found = _read(text)
    assert found.change
    assert found.retires == retires


@pytest.mark.parametrize("text", ["I live in Turin", "I still live in Turin", "I also work at Globex", "I prefer tea to coffee"])
def test_a_plain_statement_is_no_change(text: str) -> None:
    assert not _read(text).change


def test_the_facts_of_others_are_not_the_users() -> None:
    assert not _read("Initech moved to Turin").own
    assert _read("My brother moved to Turin").slot != _read("I moved to Turin").slot


def test_values_are_compared_by_their_words() -> None:
    assert same_value("the blue van", "a Blue van.")
    assert same_value("van", "blue van")
    assert not same_value("blue van", "red van")
    assert not same_value("", "van")
    assert words("The Nuts") == "nuts"
