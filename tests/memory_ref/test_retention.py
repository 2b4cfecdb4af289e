from __future__ import annotations

from tests.memory_ref.store_support import Bench, texts


def test_sweeping_changes_disk_use_and_no_answer(bench: Bench) -> None:
    bench.ana.remember("The fair with Zanzibarites is on", expires_at="2026-03-03T00:00:00+00:00")
    bench.ana.remember("I live in Ghent")
    bench.advance(days=2)
    before = bench.ana.list(kind="all").data
    assert b"zanzibarite" in bench.bytes()
    assert bench.ana.expire().data["removed"]["facts"] == 1
    assert bench.ana.list(kind="all").data == before
    assert b"zanzibarite" not in bench.bytes()


def test_what_was_swept_is_not_quoted_from_its_message_nor_read_again(bench: Bench) -> None:
    bench.ana.append("m1", "user", "I live in Ghent.")
    bench.ana.end_turn()
    bench.ana.append("m2", "user", "I moved to Lyon.")
    bench.ana.end_turn()
    bench.advance(days=80)
    bench.ana.confirm(bench.ana.list().ids[0])
    bench.advance(days=300)
    bench.ana.expire()
    assert bench.ana.list(include=["superseded"]).data["total"] == 1
    bench.ana.rebuild()
    assert texts(bench.as_(thread="t2").recall("where do I live")) == ["I moved to Lyon"]
    assert texts(bench.ana.list()) == ["I moved to Lyon"]


def test_the_audit_chain_ends_after_its_retention(bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    bench.ana.remember("I live in Lyon")
    bench.advance(days=366)
    bench.ana.expire()
    assert texts(bench.ana.list(include=["superseded"])) == ["I live in Lyon"]
    assert b"ghent" not in bench.bytes()


def test_notes_and_reviews_end(bench: Bench) -> None:
    bench.ana.note_add("Watered the beans")
    bench.ana.remember("I live in Ghent")
    bench.ana.remember("I live in Rome", source="inferred")
    bench.advance(days=91)
    assert texts(bench.ana.list(kind="notes")) == []
    bench.ana.expire()
    assert b"beans" not in bench.bytes()
    assert b"rome" not in bench.bytes()


def test_a_lapsed_subscription_keeps_for_its_period_and_no_longer(bench: Bench) -> None:
    bench.ana.append("m1", "user", "Good morning")
    bench.ana.remember("I live in Ghent")
    bench.ana.set_access(subscribed=False)
    bench.advance(days=89)
    bench.ana.expire()
    assert texts(bench.ana.list()) == ["I live in Ghent"]
    bench.advance(days=1)
    bench.ana.expire()
    assert texts(bench.ana.list(kind="all")) == ["Good morning"]
    assert b"ghent" not in bench.bytes()


def test_coming_back_in_time_stops_the_lapse(bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    bench.ana.set_access(subscribed=False)
    bench.advance(days=80)
    bench.ana.set_access(subscribed=True)
    bench.advance(days=80)
    bench.ana.expire()
    assert texts(bench.ana.list()) == ["I live in Ghent"]
