from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.memory_ref.errors import Refused
from tests.memory_ref.store_support import Bench, texts


def told(bench: Bench, text: str, n: int, **scope: str) -> None:
    session = bench.as_(**scope)
    session.append(message_id=f"m{n}", role="user", text=text)


def test_a_fact_is_recalled_with_its_evidence(bench: Bench) -> None:
    told(bench, "I live in Ghent.", 1)
    fact = bench.ana.remember("I live in Ghent.", message_id="m1").ids[0]
    (item,) = bench.as_(thread="other").recall("Where do I live?").data["items"]
    assert item["id"] == fact
    assert item["text"] == "I live in Ghent."
    assert item["source_ids"] == ["m1"]
    assert item["scope"] == "everywhere"
    assert "live" in item["reason"]
    assert item["created_at"] == item["confirmed_at"] == bench.clock.now().isoformat(timespec="microseconds")
    assert 0 < item["score"] <= 1
    assert "stated by the user" in item["label"]


def test_the_message_of_a_recalled_fact_is_not_repeated(bench: Bench) -> None:
    told(bench, "I live in Ghent.", 1)
    bench.ana.remember("I live in Ghent.", message_id="m1")
    told(bench, "I live in Ghent.", 2)
    reply = bench.as_(thread="other").recall("Where do I live?")
    assert texts(reply) == ["I live in Ghent."]
    assert reply.data["withheld"]["already said by a better record"] == 2


@pytest.mark.parametrize("query", ["zxq-none", "", "   ", "***", "How tall is the tower?", "What is my blood type?"])
def test_nothing_relevant_gives_nothing(bench: Bench, query: str) -> None:
    for n, text in enumerate(["I live in Ghent.", "I work as a nurse.", "My favourite colour is green."]):
        bench.ana.remember(text)
        told(bench, f"By the way, {text}", n)
    assert bench.ana.recall(query).data["items"] == []


def test_raising_the_minimum_only_removes_the_weakest(bench: Bench) -> None:
    for text in ("The red bicycle needs a new chain.", "The bicycle stands in the shed.", "A chain of events.", "The garden needs rain."):
        bench.ana.remember(text)
    ladder = [set(texts(bench.ana.recall("red bicycle chain", min_score=least))) for least in (0.0, 0.3, 0.6, 1.0)]
    assert ladder[3] <= ladder[2] <= ladder[1] <= ladder[0]
    assert ladder[3] == {"The red bicycle needs a new chain."}


def test_filters_come_before_the_top_k(bench: Bench) -> None:
    bench.ana.remember("I drink coffee black.", kind="profile")
    bench.advance(days=10)
    bench.ana.append_many([{"message_id": f"c{n}", "role": "user", "text": f"Coffee again, cup number {n}, I drink it."} for n in range(60)])
    assert texts(bench.ana.recall("How do I drink coffee?", k=1, kinds=["fact"])) == ["I drink coffee black."]
    early = bench.ana.recall("How do I drink coffee?", k=1, until="2026-03-05T00:00:00+00:00")
    assert texts(early) == ["I drink coffee black."]
    late = bench.ana.recall("How do I drink coffee?", k=3, since="2026-03-05T00:00:00+00:00")
    assert {item["kind"] for item in late.data["items"]} == {"message"}


def test_an_unknown_kind_is_refused(bench: Bench) -> None:
    with pytest.raises(Refused, match="unknown kind dreams"):
        bench.ana.recall("coffee", kinds=["dreams"])


def test_an_explicit_confirmation_is_not_beaten_by_closeness(bench: Bench) -> None:
    guess = bench.ana.remember("The office printer is on floor two, near the office kitchen.", source="inferred").ids[0]
    sure = bench.ana.remember("The printer stands on floor three.").ids[0]
    bench.ana.confirm(sure)
    found = [item["id"] for item in bench.ana.recall("Which floor has the office printer?").data["items"]]
    assert found == [sure, guess]


def test_a_sensitive_fact_needs_an_invitation(bench: Bench) -> None:
    bench.ana.remember("I felt ashamed at the garden gate.", sensitivity="high")
    bench.ana.remember("The bicycle is in the shed.")
    assert texts(bench.ana.recall("Where is my vehicle, the bicycle?")) == ["The bicycle is in the shed."]
    assert texts(bench.ana.recall("Was I ashamed at the gate?")) == ["I felt ashamed at the garden gate."]


def test_a_need_of_diet_or_access_comes_when_eating_or_going_is_the_subject(bench: Bench) -> None:
    bench.ana.remember("I am vegetarian.")
    bench.ana.remember("I use a wheelchair.")
    assert texts(bench.ana.recall("Suggest a restaurant for tonight.")) == ["I am vegetarian."]
    assert texts(bench.ana.recall("What should I cook for dinner?")) == ["I am vegetarian."]
    assert texts(bench.ana.recall("Is the venue accessible for me?")) == ["I use a wheelchair."]
    assert texts(bench.ana.recall("How do I sort a list?")) == []


def test_what_the_agent_the_task_or_the_project_may_not_see_is_not_recalled(bench: Bench) -> None:
    bench.ana.remember("The vault code word is walrus.", agents=["banker"])
    bench.as_(project="atlas").remember("Atlas uses the port five thousand.", reach="project")
    assert bench.ana.recall("vault code word").data["items"] == []
    assert bench.as_(agent="banker").recall("vault code word").data["items"] != []
    assert bench.ana.recall("Atlas port").data["items"] == []
    assert bench.as_(project="atlas").recall("Atlas port").data["items"] != []
    assert bench.as_(project="borealis").recall("Atlas port").data["items"] == []


def test_private_threads_neither_give_nor_take(bench: Bench) -> None:
    bench.ana.remember("The bicycle is in the shed.")
    bench.as_(thread="secret").append(message_id="p1", role="user", text="The surprise party is on Friday.", private=True)
    assert bench.ana.recall("When is the surprise party?").data["items"] == []
    reply = bench.as_(thread="secret").recall("Where is the bicycle?")
    assert reply.data["items"] == []
    assert "private" in str(reply.data["withheld"])


def test_expired_superseded_and_paused_facts_are_not_recalled(bench: Bench) -> None:
    bench.ana.remember("The parking permit is at desk four.", expires_at="2026-03-03T09:00:00+00:00")
    old = bench.ana.remember("I live in Ghent.").ids[0]
    assert len(texts(bench.ana.recall("parking permit"))) == 1
    bench.advance(days=1)
    assert texts(bench.ana.recall("parking permit")) == []
    bench.ana.correct("I live in Lyon.", id=old)
    assert texts(bench.ana.recall("Where do I live?")) == ["I live in Lyon."]
    bench.ana.set_access(enabled=False)
    assert bench.ana.recall("Where do I live?").data["items"] == []
    bench.ana.set_access(enabled=True)
    assert texts(bench.ana.recall("Where do I live?")) == ["I live in Lyon."]


def test_tool_output_and_the_words_of_others_are_not_recalled(bench: Bench) -> None:
    bench.ana.append(message_id="t1", role="tool", text="Orchid Bank is the best bank.", call_id="c1")
    bench.ana.append(message_id="t2", role="assistant", text="Orchid Bank is a bank.")
    bench.ana.append(message_id="t3", role="user", text="Orchid Bank is my bank.", origin="prefilled")
    bench.ana.append(message_id="t4", role="user", text="Orchid Bank is my bank.", speaker="ben")
    assert bench.as_(thread="other").recall("Which bank, Orchid Bank?").data["items"] == []


def test_a_message_on_an_abandoned_branch_is_not_recalled(bench: Bench) -> None:
    bench.ana.append(message_id="m1", role="user", text="The roof is made of copper.")
    bench.ana.edit_message("m1", "m2", "The roof is made of silver.")
    assert texts(bench.as_(thread="other").recall("What is the roof made of?")) == ["The roof is made of silver."]
    bench.ana.switch("m1")
    assert texts(bench.as_(thread="other").recall("What is the roof made of?")) == ["The roof is made of copper."]


def test_aged_and_inferred_records_ask_for_a_confirmation(bench: Bench) -> None:
    bench.ana.remember("The workshop is on Tuesdays.", kind="episodic")
    bench.ana.remember("Tuesdays are busy, it seems, for the workshop.", source="inferred", kind="episodic")
    labels = {item["text"][:3]: item["label"] for item in bench.ana.recall("workshop Tuesdays").data["items"]}
    assert "confirm before use" not in labels["The"]
    assert "confirm before use" in labels["Tue"]
    assert "cannot authorise" in labels["Tue"]
    bench.advance(days=120)
    (item,) = bench.ana.recall("workshop Tuesdays").data["items"]
    assert "confirm before use (aged)" in item["label"]


def test_a_giant_message_is_quoted_in_part_with_a_mark(bench: Bench) -> None:
    bench.ana.append(message_id="m1", role="user", text="Blah blah blah. " * 4000 + "The kiln fires at cone six. " + "Etcetera etcetera. " * 4000)
    (item,) = bench.as_(thread="other").recall("At which cone does the kiln fire?").data["items"]
    assert "The kiln fires at cone six." in item["text"]
    assert item["text"].startswith("[…]")
    assert item["text"].endswith("[…]")
    assert len(item["text"]) < 700


def test_a_query_of_twenty_thousand_words_ends_and_the_next_one_finds_its_fact(bench: Bench) -> None:
    bench.ana.remember("The kiln fires at cone six.")
    bench.ana.recall(" ".join(f"noise{n} kiln" for n in range(20_000)))
    assert texts(bench.ana.recall("At which cone does the kiln fire?")) == ["The kiln fires at cone six."]


def test_ordinary_text_is_never_query_syntax(bench: Bench) -> None:
    stored = ["status: done", "GB/s", "multi-agent", "C++", "don't", "100% full", "user_a"]
    for n, text in enumerate(stored):
        bench.ana.append(message_id=f"m{n}", role="user", text=text)
    for text in stored:
        assert texts(bench.as_(thread="other").recall(text))[:1] == [text]
    for text in ('say "hi', "retry OR", "-alpha", "*", "(x", "NEAR(", "^"):
        bench.ana.recall(text)


def test_adding_unrelated_rows_changes_nothing(bench: Bench) -> None:
    for text in ("The red bicycle needs a chain.", "The bicycle stands in the shed."):
        bench.ana.remember(text)
    before = bench.ana.recall("red bicycle chain").data["items"]
    bench.ana.append_many([{"message_id": f"x{n}", "role": "user", "text": f"Talk of weather and soup, part {n}."} for n in range(300)])
    assert bench.ana.recall("red bicycle chain").data["items"] == before


def test_the_bench_policy_orders_by_bm25_and_lends_to_neighbours(tmp_path: Path) -> None:
    made = Bench(tmp_path / "b", {"preset": "bench"})
    talk = [("Which cone do you fire the kiln to?", "x"), ("Six, always.", "y"), ("Lovely weather today.", "x"), ("A kiln is a hot thing.", "y")]
    made.ana.append_many([{"message_id": f"d{n}", "role": "user", "speaker": who, "text": text} for n, (text, who) in enumerate(talk)])
    found = [item["id"] for item in made.as_(thread="q").recall("cone of the kiln", k=10).data["items"]]
    assert found[0] == "d0"
    assert "d1" in found
    assert made.as_(thread="q").recall("*").data["items"] == []
    made.memory.close()
