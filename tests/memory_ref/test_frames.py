"""When one statement says another anew, and what a sentence asks to forget: from the words alone."""

from __future__ import annotations

import pytest

from memgauge.memory_ref import forgetting, frames

ANEW = [
    ("The quota is 40 a day.", "The quota has been raised to 65 a day."),
    ("The seminar is at 9:15.", "No, wait, the seminar is at 10:45."),
    ("The boat is called Heron.", "We renamed the boat to Kittiwake."),
    ("I water the ferns twice a week.", "I no longer water the ferns."),
    ("Mein Büro ist im dritten Stock.", "Mein Büro ist jetzt im fünften Stock."),
    ("Notre chat dort dans le salon.", "Notre chat dort maintenant dans le grenier."),
    ("Мой офис на Садовой.", "Мой офис теперь на Лесной."),
    ("私は神戸に住んでいます。", "今は奈良に住んでいます。"),
    ("我在长城公司工作。", "我现在在东方公司工作。"),
]
OTHERS = [
    ("The quota of the shop is 40 a day.", "The quota of the café is now 65 a day."),
    ("Maria's shift starts at 9:15.", "Paolo's shift now starts at 10:45."),
    ("The boat is called Heron.", "The boat is now in Oban."),
    ("I live in Oban.", "My cousin lives in Mull now."),
    ("We ship to Norway for 12 euros.", "We now ship to Iceland for 18 euros."),
    ("Invoice 311 is paid.", "Invoice 312 is now paid."),
    ("In 2023 I walked 800 km.", "In 2024 I now walked 950 km."),
    ("His bike is red.", "My bike is now blue."),
    ("I use Vim at work.", "I now swim at noon."),
]


@pytest.mark.parametrize(("old", "new"), ANEW)
def test_the_same_with_another_value(old: str, new: str) -> None:
    assert frames.marked(new)
    assert not frames.marked(old)
    assert frames.says_anew(new, old)


@pytest.mark.parametrize(("old", "new"), OTHERS)
def test_another_subject_replaces_nothing(old: str, new: str) -> None:
    assert not frames.says_anew(new, old)


def test_what_comes_on_top_marks_no_change() -> None:
    assert not frames.marked("I now also have a boat called Heron.")
    assert not frames.marked("The boat is called Heron.")


@pytest.mark.parametrize(
    ("clause", "what", "everything"),
    [
        ("Please forget my locker number.", "my locker number", False),
        ("Forget what I told you about Oban", "Oban", True),
        ("Can you delete everything you know about my boat?", "my boat", True),
        ("Don't store where I park.", "where I park", False),
        ("Remove the boat from your memory", "the boat", False),
        ("Vergiss bitte meine Adresse.", "meine Adresse", False),
        ("Oublie mon adresse.", "mon adresse", False),
        ("忘掉我的地址。", "我的地址", False),
    ],
)
def test_a_wish_to_forget(clause: str, what: str, everything: bool) -> None:
    assert forgetting.wish(clause) == (what, everything)


@pytest.mark.parametrize(
    "clause",
    ["Don't forget my locker number.", "Forget it.", "Forget about it.", "I forget my keys all the time.", "Forget my question.",
     "Forget my budget for a second.", "Vergiss nicht meine Adresse.", "N'oublie pas mon adresse.", "Remove the comma from the sentence."],
)  # fmt: skip
def test_no_wish_to_forget(clause: str) -> None:
    assert forgetting.wish(clause) is None
