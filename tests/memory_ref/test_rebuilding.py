from __future__ import annotations

from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store
from memgauge.records import Scope
from tests.memory_ref.store_support import Bench, texts


def fill(bench: Bench) -> None:
    for n, text in enumerate(("I live in Ghent.", "Remember that I prefer aisle seats.", "I moved to Lyon.", "What if we moved to Rome?")):
        bench.ana.append(f"m{n}", "user", text)
        bench.ana.end_turn()


def test_rebuilding_a_whole_store_changes_nothing_that_is_seen(bench: Bench) -> None:
    fill(bench)
    bench.ana.summarise(keep=1)
    before = [bench.ana.list(include=["superseded"]).data, bench.ana.recall("where do I live").data, texts(bench.ana.list(kind="summaries"))]
    bench.ana.rebuild()
    assert [bench.ana.list(include=["superseded"]).data, bench.ana.recall("where do I live").data, texts(bench.ana.list(kind="summaries"))] == before


def test_what_was_lost_is_read_from_the_messages_again(bench: Bench) -> None:
    fill(bench)

    def lose(store: Store) -> Reply:
        for table in ("facts", "notes", "search_rows", "edges"):
            store.database.run(f"DELETE FROM {table}")
        return Reply()

    bench.memory.write(Scope(user="ana"), "test", {}, lose)
    assert texts(bench.ana.recall("where do I live")) == []
    bench.ana.rebuild()
    assert texts(bench.ana.list()) == ["I prefer aisle seats", "I moved to Lyon"]
    assert texts(bench.ana.recall("where do I live")) == ["I moved to Lyon"]


def test_a_corrected_record_is_not_learnt_again_from_its_message(bench: Bench) -> None:
    fill(bench)
    record = next(item["id"] for item in bench.ana.list().data["items"] if "seats" in item["text"])
    bench.ana.correct("I prefer window seats", id=record)
    bench.ana.rebuild()
    assert [text for text in texts(bench.ana.list()) if "seats" in text] == ["I prefer window seats"]
