"""The pure checkers of races and kills, on histories made at random and on the cases that are easily got wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.evaluators.races import chain_breaches
from memgauge.evaluators.units import Unit
from memgauge.evaluators.writes import Write, set_breaches, torn

FATES = st.lists(st.sampled_from(["ok", "refused", "conflict", "unknown", "error", "pending"]), min_size=1, max_size=12)


def note(n: int, status: str, op: str = "note_add", **args: Any) -> Write:
    return Write.of({"writer": n, "i": 1, "op": op, "args": {"text": f"Shelf {n} is full.", **args}, "status": status, "ids": [f"note-{n}"]})


def shown(*texts: str, kind: str = "note") -> list[Unit]:
    return [Unit(text=text, place="item", kind=kind, id=f"x-{n}") for n, text in enumerate(texts)]


def text(n: int) -> str:
    return f"Shelf {n} is full."


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(fates=FATES, kept=st.data())
def test_every_acknowledged_write_once_and_any_open_ones_is_right(fates: list[str], kept: st.DataObject):
    writes = [note(n, status) for n, status in enumerate(fates)]
    sure = [text(n) for n, status in enumerate(fates) if status == "ok"]
    maybe = [text(n) for n, status in enumerate(fates) if status in ("unknown", "error", "pending") and kept.draw(st.booleans())]
    state = shown(*kept.draw(st.permutations([*sure, *maybe])))
    assert set_breaches(writes, state) == []


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(fates=FATES, pick=st.data())
def test_one_lost_doubled_or_revived_write_is_one_breach(fates: list[str], pick: st.DataObject):
    writes = [note(n, status) for n, status in enumerate(fates)]
    sure = [n for n, status in enumerate(fates) if status == "ok"]
    never = [n for n, status in enumerate(fates) if status in ("refused", "conflict")]
    state = [text(n) for n in sure]
    if sure:
        n = pick.draw(st.sampled_from(sure))
        assert set_breaches(writes, shown(*(t for t in state if t != text(n)))) == ["an acknowledged write is not shown"]
        assert set_breaches(writes, shown(*state, text(n))) == ["a write is shown more often than it was made"]
    if never:
        assert set_breaches(writes, shown(*state, text(pick.draw(st.sampled_from(never))))) == ["a write that failed is shown"]


def test_a_number_is_no_part_of_a_longer_one():
    assert set_breaches([note(1, "ok")], shown("Shelf 11 is full.")) == ["an acknowledged write is not shown"]


def test_a_record_in_other_words_is_known_by_its_id():
    assert set_breaches([note(1, "ok")], [Unit(text="the first shelf has no room", place="item", id="note-1")]) == []


def test_a_message_and_the_fact_made_from_it_are_not_one_write_twice():
    state = [*shown("Shelf 1 is full.", kind="message"), *shown("Shelf 1 is full.", kind="fact")]
    assert set_breaches([note(1, "ok", op="append")], state) == []


def test_the_same_words_written_twice_may_be_one_record_or_two():
    writes = [note(1, "ok"), note(1, "ok")]
    assert [len(set_breaches(writes, shown(*["Shelf 1 is full."] * n))) for n in range(4)] == [1, 0, 0, 1]


def test_a_passage_edited_away_is_not_lost():
    first = Write.of({"op": "doc_edit", "args": {"name": "d", "old": "tea", "new": "green tea"}, "status": "ok"})
    second = Write.of({"op": "doc_edit", "args": {"name": "d", "old": "green tea", "new": "coffee"}, "status": "ok"})
    assert set_breaches([first, second], shown("He likes coffee.", kind="document")) == []


@pytest.mark.parametrize(("later", "state", "breaches"), [("ok", "new", 0), ("ok", "old", 1), ("unknown", "new", 0), ("unknown", "old", 0)])
def test_a_document_written_again_shows_its_last_version(later: str, state: str, breaches: int):
    writes = [Write.of({"op": "doc_write", "args": {"name": "d", "text": t}, "status": s}) for t, s in (("old", "ok"), ("new", later))]
    assert len(set_breaches(writes, shown(state, kind="document"))) == breaches


def test_half_a_write_is_torn_and_a_whole_one_is_not():
    writes = [note(1, "unknown"), note(12, "ok")]
    assert torn(writes, shown("Shelf 1 is full.", "Shelf 12 is full.", "Something else.")) == []
    assert torn(writes, shown("Shelf 1 is f")) == ["half a write is shown"]


def doc(status: str, expected: int, words: str, revision: int | None = None) -> Write:
    return Write.of({"op": "doc_write", "args": {"name": "d", "text": words, "expected": expected}, "status": status, "revision": revision})


@pytest.mark.parametrize(
    ("writes", "revision", "state", "word"),
    [
        ([doc("ok", 0, "a"), doc("ok", 1, "b"), doc("conflict", 1, "c")], 2, "b", ""),
        ([doc("ok", 0, "a"), doc("unknown", 1, "b")], 1, "a", ""),
        ([doc("ok", 0, "a"), doc("unknown", 1, "b")], 2, "b", ""),
        ([doc("ok", 1, "a"), doc("ok", 1, "b")], 3, "b", "one revision"),
        ([doc("ok", 1, "a", 2), doc("ok", 2, "b", 2)], 3, "b", "given one revision"),
        ([doc("ok", 1, "a"), doc("refused", 1, "b")], 2, "a", "no conflict"),
        ([doc("ok", 1, "a"), doc("conflict", 1, "b")], 3, "a", "does not count"),
        ([doc("ok", 1, "a"), doc("conflict", 1, "b")], 2, "b", "not shown"),
    ],
)
def test_a_chain_of_revisions(writes: list[Write], revision: int, state: str, word: str):
    wrong = chain_breaches(writes, revision, shown(state, kind="document"))
    assert (word in wrong[0]) if word else wrong == []
