"""Measures: each recorded name has its row, and the numbers are what a pencil gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgauge.evaluators import judge
from memgauge.evaluators.measures import MEASURES, measure_kind
from memgauge.evaluators.measuring import tokens
from tests.evaluators.build import History, expect, item, plan

L, C, N = item("ana moved to Lyon", "fact-2"), item("the cat is called Plum", "fact-3"), item("the weather was mild", "note-1")


def measured(history: History, *checks, tells=None) -> dict[tuple[str, str], float]:
    return {(m.step, m.name): m.value for m in judge(plan(*checks, tells=tells), history.entries).measures}


def test_recall_and_precision_of_one_probe():
    h = History()
    h.listing("q", N, L, C, item("ana lives in Ghent", "fact-1"), op="recall", query="?", k=3)
    checks = [expect("present", "q", "new_home"), expect("precision", "q", "new_home", min=0.1, fine=["cat"], misleading=["old_home"])]
    found = measured(h, *checks)
    assert found["q", "recall_any@3/item"] == found["q", "recall_all@3/item"] == found["q", "recall_fraction@3/item"] == 1.0
    assert found["q", "reciprocal_rank/item"] == 0.5
    assert found["q", "precision_strict@3/item"] == 0.5
    assert found["q", "precision_labelled@3/item"] == pytest.approx(2 / 3)
    assert (found["q", "irrelevant_items"], found["q", "harmful_items"]) == (1.0, 1.0)


def test_one_long_item_pays_for_its_rest():
    text = "Ana moved to Lyon. " + "The weather was mild and the evening long. " * 10
    h = History()
    h.listing("q", item(text), op="recall", query="?")
    share = measured(h, expect("present", "q", "new_home"))["q", "precision_tokens"]
    assert 0 < share == pytest.approx(tokens("ana moved to lyon.") / tokens(text))


def test_nothing_recalled_has_recall_and_no_precision():
    h = History()
    h.listing("q", op="recall", query="?")
    found = measured(h, expect("present", "q", "new_home"))
    assert found["q", "recall_any@5/item"] == 0.0
    assert not any(name.startswith("precision") for _, name in found)


def test_tokens_of_a_prompt():
    h = History()
    h.say("s1", "I live in Ghent.")
    h.context("q", items=[L], messages=[{"role": "user", "content": "I live in Ghent."}, {"role": "user", "content": L["text"]}], thread="main",
              tokens=[5, 7, 4], seen={"injected": 11})  # fmt: skip
    found = measured(h)
    assert (found["q", "tokens_total"], found["q", "tokens_memory"], found["q", "tokens_recent"]) == (16 + 12 + 3, 11, 5)
    assert (found["q", "tokens_recalled"], found["q", "tokens_always_on"]) == (tokens(L["text"]), 0)


def test_how_soon_a_change_shows():
    h = History()
    h.say("told", "I moved to Lyon.")
    h.context("early", items=[item("ana lives in Ghent")])
    h.say("chat", "Nice weather.")
    h.context("late", items=[L])
    h.entries[-1] = replace(h.entries[-1], now="2026-03-01T09:02:00+00:00")
    found = measured(h, tells={"told": "new_home"})
    assert (found["late", "update_latency_turns"], found["late", "update_latency_s"]) == (1.0, 120.0)


def test_a_change_that_has_to_be_told_again_is_counted():
    h = History()
    h.say("told", "I moved to Lyon.")
    h.context("early", items=[item("ana lives in Ghent")])
    h.say("again", "I said I moved to Lyon.")
    assert measured(h, tells={"told": "new_home", "again": "new_home"})["told", "repeated_corrections"] == 1.0


def test_every_row_says_what_it_is_and_every_recorded_name_has_a_row():
    assert all(row.doc and row.unit and row.source for row in MEASURES.values())
    assert measure_kind("recall_fraction@7/item").unit == "share of facts"
    h = History()
    h.context("q", items=[L, C])
    for _, name in measured(h, expect("present", "q", "new_home")):
        assert measure_kind(name)
    with pytest.raises(KeyError):
        measure_kind("invented")
