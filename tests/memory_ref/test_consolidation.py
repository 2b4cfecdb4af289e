"""Consolidation touches the lines it owns and no other byte."""

from __future__ import annotations

import random
import re
from datetime import timedelta

import pytest

from memgauge.clock import ManualClock
from memgauge.memory_ref.consolidation import fold
from memgauge.memory_ref.documents import bullet_line
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.memory import Memory, open_memory
from memgauge.records import Scope

OWN = "# Mine\r\n\r\n- likes  tea\t\r\n\r\nno newline at the end"


def test_new_lines_go_to_the_end_and_nothing_else_changes() -> None:
    made = fold(OWN, {}, {"bullet-1": "I live in Turin"})
    assert made.text == OWN + "\r\n- I live in Turin <!-- bullet-1 -->\r\n"
    assert made.written == ("bullet-1",)


def test_folding_again_changes_nothing() -> None:
    wanted = {"bullet-1": "I live in Turin", "bullet-2": "My cat is called Biscuit"}
    once = fold(OWN, {}, wanted).text
    assert fold(once, wanted, wanted).text == once


def test_an_owned_line_is_rewritten_or_removed_in_its_place() -> None:
    text = f"above\n{bullet_line('bullet-1', 'old')}\nbelow\n"
    assert fold(text, {"bullet-1": "old"}, {"bullet-1": "new"}).text == f"above\n{bullet_line('bullet-1', 'new')}\nbelow\n"
    assert fold(text, {"bullet-1": "old"}, {}).text == "above\nbelow\n"


def test_a_line_the_user_edited_is_his_and_one_he_deleted_stays_away() -> None:
    edited = "- I live in Turin, near the river <!-- bullet-1 -->\n"
    owned = {"bullet-1": "I live in Turin", "bullet-2": "My cat is called Biscuit"}
    made = fold(edited, owned, owned)
    assert made.text == edited
    assert made.left == ("bullet-2",)
    assert fold(edited, owned, {}).text == edited


def test_bullets_that_begin_alike_are_told_apart() -> None:
    owned = {"bullet-1": "one", "bullet-11": "eleven"}
    text = "".join(bullet_line(k, v) + "\n" for k, v in owned.items())
    assert fold(text, owned, {"bullet-11": "eleven"}).text == bullet_line("bullet-11", "eleven") + "\n"


@pytest.mark.parametrize("seed", range(20))
def test_bytes_outside_owned_lines_never_change(seed: int) -> None:
    rng = random.Random(seed)
    free = ["", "text", "- a bullet", "  indented\t", "日本語", "<!-- note -->", "- x <!-- bullet-99 -->"]
    owned = {f"bullet-{n}": f"fact {n}" for n in range(4)}
    lines = [rng.choice(free) for _ in range(12)] + [bullet_line(k, v) for k, v in owned.items()]
    rng.shuffle(lines)
    wanted = {k: v for k, v in owned.items() if rng.random() < 0.5} | {"bullet-7": "new"}
    made = fold("\n".join(lines), owned, wanted).text
    mine = {bullet_line(k, v) for k, v in (owned | wanted).items()}
    assert [line for line in made.split("\n") if line not in mine] in (
        [line for line in lines if line not in mine],
        [*(line for line in lines if line not in mine), ""],
    )


# --- with a store -----------------------------------------------------------------------------------------------------


class _Days:
    """A store, a clock, and one line for a whole turn of the user on a new day."""

    def __init__(self, memory: Memory, clock: ManualClock) -> None:
        self.memory, self.clock, self.n = memory, clock, 0

    def says(self, text: str, *, thread: str = "main", later: int = 1) -> None:
        self.clock.advance(timedelta(days=later))
        session = self.memory.session(Scope(user="ana", thread=thread))
        self.n += 1
        session.append(f"m{self.n}", "user", text)
        session.end_turn()

    def folds(self) -> str:
        session = self.memory.session(Scope(user="ana", thread="other"))
        session.consolidate()
        written = bool(session.list("documents").data["items"])
        return session.doc_read("consolidated").data["text"] if written else ""


@pytest.fixture
def days(tmp_path: object) -> _Days:
    clock = ManualClock()
    return _Days(open_memory(str(tmp_path), clock=clock), clock)


def test_what_was_said_on_two_days_becomes_a_line_once(days: _Days) -> None:
    days.says("Our cat is called Biscuit.")
    assert days.folds() == ""
    days.says("Our cat is called Biscuit.")
    text = days.folds()
    assert re.fullmatch(r"- Our cat is called Biscuit <!-- bullet-1-[0-9a-f]{6} -->\n", text)
    assert days.folds() == text


def test_twice_in_one_breath_is_one_mention(days: _Days) -> None:
    days.says("Our cat is called Biscuit.")
    days.says("Our cat is called Biscuit.", later=0)
    assert days.folds() == ""


def test_a_superseded_line_leaves_the_document(days: _Days) -> None:
    for _ in range(2):
        days.says("I live in Turin.")
    assert "Turin" in days.folds()
    days.says("I moved to Porto.")
    assert "Turin" not in days.folds()


def test_what_was_forgotten_is_not_folded_in_again(days: _Days) -> None:
    for _ in range(2):
        days.says("Our cat is called Biscuit.")
    session = days.memory.session(Scope(user="ana", thread="main"))
    session.forget(query="cat Biscuit")
    assert days.folds() == ""


def test_sensitive_and_ending_facts_do_not_enter_every_prompt(days: _Days) -> None:
    for _ in range(2):
        days.says("I'm allergic to shellfish.")
    days.says("My flight to Quito is on 12 June.")
    days.says("My flight to Quito is on 12 June.")
    assert days.folds() == ""


def test_a_line_the_user_deleted_is_not_written_again(days: _Days) -> None:
    for _ in range(2):
        days.says("Our cat is called Biscuit.")
    days.folds()
    session = days.memory.session(Scope(user="ana", thread="main"))
    revision = session.doc_read("consolidated").revision
    assert revision is not None
    session.doc_write("consolidated", "- my own line\n", revision)
    days.says("Our cat is called Biscuit.")
    assert days.folds() == "- my own line\n"


def test_it_is_refused_while_memory_is_off(days: _Days) -> None:
    session = days.memory.session(Scope(user="ana", thread="main"))
    session.set_access(enabled=False)
    with pytest.raises(Refused):
        session.consolidate()
