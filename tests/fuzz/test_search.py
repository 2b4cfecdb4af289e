"""Whole campaigns: on an honest memory, on one with a known gap, on one that breaks; and that the same seed is the same campaign."""

from __future__ import annotations

import itertools
from pathlib import Path

from memgauge.fuzz import scenario_texts, search
from memgauge.fuzz.generate import Generator
from memgauge.fuzz.looks import Look, sight
from memgauge.fuzz.moves import View
from memgauge.protocol import Manifest, MemorySystem, Receipt, Request
from memgauge.scenarios import load
from memgauge.systems.load import open_system
from memgauge.systems.spec import SystemSpec
from tests.toy_memory import ToyMemory

REFERENCE = SystemSpec(name="reference", target="reference")
TOY = SystemSpec(name="toy", kind="python", target="tests.toy_memory:ToyMemory")


def toy(spec: SystemSpec) -> MemorySystem:
    return ToyMemory()


class Raises(ToyMemory):
    """Breaks when it is asked for an export of two facts or more."""

    def recall(self, request: Request) -> Receipt:
        if len(self.facts(request)) > 1:
            raise KeyError("two")
        return super().recall(request)


def test_nothing_is_found_on_the_reference() -> None:
    campaign = search(REFERENCE, open_system, seed=7, steps=120)
    assert campaign.found is None
    assert (campaign.steps, campaign.episodes) == (120, 2)
    assert campaign.acknowledged > 60


def test_a_memory_without_an_end_of_facts_is_found_and_can_be_told_to_be_known() -> None:
    first, again = (search(TOY, toy, seed=0, steps=300).found for _ in range(2))
    assert first is not None
    assert first.breach.invariant == "expired"
    assert [move.op for move in first.moves] == ["remember", "advance"]
    assert first == again
    other = search(TOY, toy, seed=0, steps=300, skip=frozenset({"expired"})).found
    assert other is None or other.breach.invariant != "expired"


def test_a_memory_that_raises_has_not_answered(tmp_path: Path) -> None:
    found = search(TOY, lambda spec: Raises(), seed=0, steps=300, skip=frozenset({"expired"})).found
    assert found is not None
    assert found.breach.invariant == "answer"
    assert "KeyError" in found.breach.detail
    assert [move.op for move in found.moves if move.op != "append"] == ["remember", "remember"]
    path = tmp_path / "raises.yaml"
    path.write_text(next(scenario_texts(found)), encoding="utf-8")
    assert load([path])[0].class_ == "fuzz"


def test_only_verbs_of_the_manifest_are_drawn_and_a_seed_is_a_sequence() -> None:
    few = Manifest(name="few", verbs={"remember": "native", "forget": "native"})
    moves = list(itertools.islice(Generator("5", few, retries=False).moves(), 200))
    assert {move.op for move in moves} == {"remember", "forget"}
    assert not any("expires_at" in move.args for move in moves)
    assert moves == list(itertools.islice(Generator("5", few, retries=False).moves(), 200))


def test_turns_and_labelled_past_are_not_what_memory_holds_true() -> None:
    look = Look(view=View(), path="context", topic="brass drum")
    messages = [{"role": "user", "content": "Said before."}, {"role": "user", "content": "Known: kept."}, {"role": "user", "content": look.question}]
    seen = sight(look, {"status": "ok", "data": {"items": [], "messages": messages}}, ["Said before."])
    assert "said before" in seen.everything
    assert "said before" not in seen.memory
    assert "known: kept" in seen.memory
    assert "brass drum" not in seen.everything
    items = [{"kind": "fact", "text": "Old one.", "status": "superseded"}, {"kind": "fact", "text": "New one."}]
    listed = sight(Look(view=View(), path="list-all"), {"status": "ok", "data": {"items": items}}, ())
    assert "old one" in listed.everything
    assert "old one" not in listed.memory
