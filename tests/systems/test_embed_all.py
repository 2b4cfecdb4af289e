from __future__ import annotations

from pathlib import Path

import numpy as np

from memgauge.records import Scope
from memgauge.systems.block import OPENING
from memgauge.systems.embed_all import EmbedAll, embed
from tests.systems.asking import ANA, BEN, ask, close, opened, prompt, say, texts

OTHER = Scope(user="ana", thread="other")


def test_vectors_are_of_length_one_and_near_where_spelling_is() -> None:
    a, b, c = embed("My dentist is in Harbour Road"), embed("the dentists of harbour road"), embed("Bananas ripen on the shelf")
    assert np.isclose(np.linalg.norm(a), 1.0)
    assert float(a @ b) > 0.4 > 0.2 > float(a @ c)
    assert not embed("").any() or np.isclose(np.linalg.norm(embed("")), 1.0)
    assert (embed("Café") == embed("CAFE\u0301")).all()


def test_the_nearest_come_first_and_only_those_of_the_user(tmp_path: Path) -> None:
    system = opened(EmbedAll(), tmp_path)
    ask(system, "remember", text="My dentist is Dr Moss.")
    say(system, 1, "The bakery opens at six.", OTHER)
    ask(system, "remember", BEN, text="My dentist is Dr Reed.")
    assert texts(ask(system, "recall", query="Who is my dentist?", k=2)) == ["My dentist is Dr Moss.", "The bakery opens at six."]
    assert len(texts(ask(system, "recall", query="dentist", k=1))) == 1
    assert texts(ask(system, "list")) == ["My dentist is Dr Moss.", "The bakery opens at six."]
    close(system)


def test_the_prompt_holds_what_is_near_and_not_twice_what_is_recent(tmp_path: Path) -> None:
    system = opened(EmbedAll(), tmp_path)
    ask(system, "remember", text="My dentist is Dr Moss.")
    say(system, 1, "I have toothache, who is my dentist?", ANA)
    shown = prompt(system, "So who is my dentist?")
    assert shown[0].startswith(OPENING)
    assert "Dr Moss" in shown[0]
    assert "toothache" not in shown[0]
    assert shown[1:] == ["I have toothache, who is my dentist?", "So who is my dentist?"]
    close(system)


def test_what_is_forgotten_is_gone_from_answers_and_files_also_after_a_reopen(tmp_path: Path) -> None:
    system = opened(EmbedAll(), tmp_path)
    record = say(system, 1, "The code is quoxing.").ids[0]
    ask(system, "remember", text="The gate is green.")
    assert ask(system, "forget", id=record).ok
    assert ask(system, "forget", id=record).status == "refused"
    close(system)
    again = opened(EmbedAll(), tmp_path)
    assert texts(ask(again, "list")) == ["The gate is green."]
    assert prompt(again, "The code?", ANA)[-1] == "The code?"
    assert not any(b"quoxing" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert ask(again, "remember", text="New.").ids == ("row-3",)
    close(again)


def test_forgetting_by_words_needs_exactly_one(tmp_path: Path) -> None:
    system = opened(EmbedAll(), tmp_path)
    for town in ("Ghent", "Lyon"):
        ask(system, "remember", text=f"My town is {town}.")
    assert ask(system, "forget", query="town").status == "refused"
    assert ask(system, "correct", query="town ghent", text="My town is Bern.").ok
    assert texts(ask(system, "list")) == ["My town is Bern.", "My town is Lyon."]
    assert ask(system, "forget_all").ok
    assert texts(ask(system, "list")) == []
    close(system)
