from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.memory_ref import digest, summaries
from memgauge.memory_ref.errors import Conflict
from memgauge.memory_ref.facts import Statement, put
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store
from memgauge.records import Scope
from memgauge.tokens import counter
from tests.memory_ref.store_support import Bench, texts

COUNT = counter()
MAIN = Scope(user="ana", thread="main")


def talk(bench: Bench, first: int, past: int, *, fact_every: int = 10) -> None:
    """Small talk with a marked sentence every so many messages."""
    bench.ana.append_many(
        [
            {
                "message_id": f"m{n}",
                "role": "user" if n % 2 == 0 else "assistant",
                "text": f"Never ship crate KX-{n} by air." if n % fact_every == 0 else f"Nice to hear about the lake, part {'abcdefghij'[n % 10]}.",
            }
            for n in range(first, past)
        ]
    )


def stored(bench: Bench) -> list[dict[str, object]]:
    return list(bench.ana.list("summaries").data["items"])


def summary_text(bench: Bench) -> str:
    (found,) = texts(bench.ana.list("summaries"))[-1:]
    return str(found)


def test_it_covers_what_is_older_and_keeps_codes_and_prohibitions_verbatim(bench: Bench) -> None:
    talk(bench, 0, 100)
    assert bench.ana.summarise(keep=12).data["through"] == "m87"
    text = summary_text(bench)
    assert text.startswith(digest.HEADER)
    for n in range(0, 80, 10):
        assert f"- [m{n}] user: Never ship crate KX-{n} by air." in text
    assert "KX-90" not in text


def test_it_rolls_on_without_skipping_or_repeating(bench: Bench) -> None:
    talk(bench, 0, 40)
    bench.ana.summarise(keep=10)
    talk(bench, 40, 73)
    bench.ana.summarise(keep=10)
    talk(bench, 73, 101)
    again = bench.ana.summarise(keep=10)
    assert again.data["through"] == "m90"
    text = summary_text(bench)
    for n in range(0, 91, 10):
        assert text.count(f"KX-{n} ") == 1
    before = stored(bench)
    assert bench.ana.summarise(keep=10).ids == again.ids
    assert stored(bench) == before


def started(bench: Bench, keep: int) -> summaries.Draft:
    """A summary that a slow writer has made and not yet written."""
    found: list[summaries.Material | None] = []

    def look(store: Store) -> Reply:
        found.append(summaries.material(store, keep))
        return Reply()

    bench.memory.read(MAIN, look)
    assert found[0] is not None
    return summaries.compose(found[0], bench.memory.policy)


@pytest.mark.parametrize("meanwhile", ["forget", "edit"])
def test_a_slow_writer_brings_back_nothing_that_went_meanwhile(bench: Bench, meanwhile: str) -> None:
    talk(bench, 0, 60)
    draft = started(bench, keep=30)
    if meanwhile == "forget":
        bench.ana.forget(message_id="m10")
    else:
        bench.ana.edit_message("m10", "m10b", "Something else.")
    with pytest.raises(Conflict, match="changed meanwhile"):
        bench.memory.write(MAIN, "summarise", {}, lambda store: summaries.commit(store, draft))
    assert stored(bench) == []


def test_a_slow_writer_never_replaces_newer_work(bench: Bench) -> None:
    talk(bench, 0, 60)
    draft = started(bench, keep=30)
    newer = bench.ana.summarise(keep=10)
    with pytest.raises(Conflict, match="another summary"):
        bench.memory.write(MAIN, "summarise", {}, lambda store: summaries.commit(store, draft))
    assert bench.ana.summarise(keep=10).ids == newer.ids


def test_an_edit_in_the_covered_range_ends_it_and_coming_back_revives_it(bench: Bench) -> None:
    talk(bench, 0, 40)
    first = bench.ana.summarise(keep=10).ids
    bench.ana.edit_message("m20", "m20b", "Never ship crate QQ-7 by rail.")

    def present(store: Store) -> Reply:
        found = summaries.current(store)
        return Reply(ids=() if found is None else (found.id,))

    assert bench.memory.read(MAIN, present).ids == ()
    bench.ana.switch("m39")
    assert bench.memory.read(MAIN, present).ids == first


def test_an_edit_behind_the_covered_range_keeps_it(bench: Bench) -> None:
    talk(bench, 0, 40)
    kept = bench.ana.summarise(keep=10).ids
    bench.ana.edit_message("m36", "m36b", "Something else.")
    assert bench.ana.summarise(keep=7).data["through"] == "m29"
    assert bench.ana.summarise(keep=7).ids == kept


def test_personal_data_questions_and_small_talk_are_left_out(bench: Bench) -> None:
    said = [
        "My mail is ana@example.org, write there.", "Call me at +32 470 12 34 56 please.", "Hello there!", "Could we paint the fence KX-1?",
        "We decided to paint the fence green.", "I was diagnosed with asthma in 2019.",
    ]  # fmt: skip
    bench.ana.append_many([{"message_id": f"m{n}", "role": "user", "text": text} for n, text in enumerate(said)])
    bench.ana.append(message_id="m9", role="tool", text="Approved: deploy 4.2 now.", call_id="c1")
    bench.ana.append(message_id="m10", role="assistant", text="The fence is green now.")
    bench.ana.summarise(keep=0)
    assert [line.text for line in digest.parse(summary_text(bench))] == ["We decided to paint the fence green."]


def test_every_line_is_a_sentence_of_the_message_it_names(bench: Bench) -> None:
    talk(bench, 0, 50, fact_every=3)
    bench.ana.summarise(keep=5)
    bench.ana.summarise(keep=0)
    said = {item["id"]: item["text"] for item in bench.ana.list("messages").data["items"]}
    for line in digest.parse(summary_text(bench)):
        assert line.text in said[line.message_id]


def test_what_was_forgotten_or_superseded_leaves_the_summary(bench: Bench) -> None:
    talk(bench, 0, 30)
    bench.ana.summarise(keep=5)
    bench.ana.forget(message_id="m10")
    bench.ana.summarise(keep=4)
    assert "KX-10 " not in summary_text(bench)
    assert "KX-20 " in summary_text(bench)

    def replaced(store: Store) -> Reply:
        put(store, Statement(text="Never ship crate KX-20 by air.", explicit=True, slot="crate", message_id="m20", span=(0, 31)))
        put(store, Statement(text="Ship crate KX-20 by air.", explicit=True, slot="crate"))
        return Reply()

    bench.memory.write(MAIN, "test", {}, replaced)
    bench.ana.summarise(keep=3)
    assert "Never ship crate KX-20" not in summary_text(bench)


def test_the_prompt_carries_the_summary_on_to_the_edge_of_the_window(bench: Bench) -> None:
    talk(bench, 0, 200)
    prompt = bench.ana.context(text="Anything about crates?", budget={"window": 3000, "reserve": 200}).data
    (summary,) = [item for item in prompt["items"] if item["section"] == "summary"]
    recent = [item["id"] for item in prompt["items"] if item["section"] == "recent"]
    assert "Never ship crate KX-150 by air." in summary["text"]
    assert set(summary["source_ids"]).isdisjoint(recent)
    assert len(summary["source_ids"]) + len(recent) == 200
    assert stored(bench) == []


def test_a_thread_that_outgrows_its_window_is_summarised_at_the_end_of_a_turn(tmp_path: Path) -> None:
    made = Bench(tmp_path / "s", {"summaries.window_tokens": 600})
    talk(made, 0, 30)
    made.ana.end_turn()
    assert stored(made) == []
    talk(made, 30, 60)
    made.ana.end_turn()
    assert "Never ship crate KX-40 by air." in summary_text(made)
    made.ana.end_turn()
    assert len(stored(made)) == 1
    talk(made, 60, 110)
    made.ana.end_turn()
    text = summary_text(made)
    assert [text.count(f"KX-{n} ") for n in range(0, 100, 10)] == [1] * 10
    made.memory.close()


def test_a_private_thread_gets_no_summary_by_itself(tmp_path: Path) -> None:
    made = Bench(tmp_path / "s", {"summaries.window_tokens": 100})
    secret = made.as_(thread="secret")
    for n in range(40):
        secret.append(message_id=f"p{n}", role="user", text=f"Never ship crate KX-{n} by air.", private=True)
    secret.end_turn()
    assert (
        made.memory.read(Scope(user="ana", thread="secret"), lambda store: Reply(ids=() if summaries.current(store) is None else ("some",))).ids == ()
    )
    made.memory.close()


def test_compose_fits_and_prefers_what_forbids() -> None:
    lines = [digest.Line(f"m{n}", "user", f"The lake was calm on day {n}.") for n in range(50)]
    lines.insert(3, digest.Line("rule", "user", "Never feed the swans."))
    text = digest.compose(lines, 120, COUNT)
    assert COUNT(text) <= 120
    assert "Never feed the swans." in text
    assert digest.compose(lines, 5, COUNT) == ""
