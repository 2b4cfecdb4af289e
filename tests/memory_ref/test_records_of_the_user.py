"""Goals, decisions, pins, notes, reviews, access, permission."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.memory_ref.errors import NotFound, Refused
from tests.memory_ref.store_support import Bench, texts


def test_goals_have_status_and_order(bench: Bench) -> None:
    first = bench.ana.goal_add("Learn Welsh", order=2).ids[0]
    bench.ana.goal_add("Run a race", order=1)
    assert bench.ana.goal_add("learn  welsh").ids == (first,)
    assert texts(bench.ana.list(kind="goals")) == ["Run a race", "Learn Welsh"]
    bench.ana.goal_update(first, status="done")
    assert [item["status"] for item in bench.ana.list(kind="goals").data["items"]] == ["active", "done"]
    assert "Welsh" not in str(bench.ana.context("what next?", {"window": 2000, "reserve": 100}).data["messages"])
    with pytest.raises(Refused, match="allowed: active, paused, done, dropped"):
        bench.ana.goal_update(first, status="finished")


def test_a_decision_is_locked_and_only_opened_by_unlock(bench: Bench) -> None:
    decision = bench.ana.decide("No contact on Sundays", kind="boundary", status="proposed").ids[0]
    with pytest.raises(Refused):
        bench.ana.lock(decision)
    bench.ana.decide("No contact on Sundays", kind="boundary")
    bench.ana.lock(decision)
    with pytest.raises(Refused, match="locked"):
        bench.ana.correct("Contact on Sundays", id=decision)
    assert bench.ana.decide("No contact on Sundays", kind="boundary").ids == (decision,)
    [item] = bench.ana.list(kind="decisions").data["items"]
    assert (item["status"], item["text"]) == ("locked", "No contact on Sundays")
    bench.ana.unlock(decision)
    bench.ana.correct("No calls on Sundays", id=decision)
    assert texts(bench.ana.list(kind="decisions")) == ["No calls on Sundays"]


def test_an_insight_cannot_be_locked(bench: Bench) -> None:
    insight = bench.ana.decide("I work better in the morning", kind="insight").ids[0]
    with pytest.raises(Refused, match="boundary, choice, rule"):
        bench.ana.lock(insight)


def test_pins_are_bounded_end_and_an_own_one_pushes_out_a_proposed_one(bench: Bench) -> None:
    bench.ana.append("m1", "user", "Never delete files without asking me.")
    bench.ana.end_turn()
    for n in range(9):
        bench.ana.pin(f"Rule number {n} holds")
    assert len(texts(bench.ana.list(kind="pins"))) == 10
    bench.ana.pin("Rule number nine holds", until="2026-03-03T00:00:00+00:00")
    assert "Never delete files without asking me" not in texts(bench.ana.list(kind="pins"))
    with pytest.raises(Refused, match="full"):
        bench.ana.pin("One more")
    bench.advance(days=2)
    assert len(texts(bench.ana.list(kind="pins"))) == 9
    record = bench.ana.list(kind="pins").data["items"][0]["id"]
    bench.ana.unpin(record)
    with pytest.raises(NotFound):
        bench.ana.unpin(record)


def test_notes_are_dated_in_the_users_zone(tmp_path: Any) -> None:
    bench = Bench(tmp_path / "s", policy={"notes.zone": "Pacific/Kiritimati"})
    bench.advance(hours=2)
    bench.ana.note_add("Watered the beans")
    assert "2026-03-03" in bench.ana.list(kind="notes").data["items"][0]["label"]
    bench.memory.close()


def test_a_contradiction_waits_and_the_ruling_decides(bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    for action, live in (("dont_carry", "I live in Ghent"), ("approve", "I live in Lyon"), ("edit", "I live in Nice")):
        review = bench.ana.remember("I live in Lyon" if action != "edit" else "I live in Riga", source="inferred").ids[0]
        assert texts(bench.as_(thread="t2").recall("where do I live")) != ["I live in Riga"]
        bench.ana.review_decide(review, action, "I live in Nice" if action == "edit" else None)
        assert texts(bench.ana.list()) == [live]
        with pytest.raises(Refused):
            bench.ana.review_decide(review, "approve")


def test_a_deleted_guess_is_not_guessed_again(bench: Bench) -> None:
    guess = bench.ana.remember("Ana seems to like rowing", source="inferred").ids[0]
    bench.ana.review_decide(guess, "delete")
    with pytest.raises(Refused, match="forgotten"):
        bench.ana.remember("Ana seems to like rowing", source="inferred")
    assert b"rowing" not in bench.bytes()


STATES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {}, True),
    ({"enabled": False}, {}, False),
    ({"pending": True}, {}, False),
    ({"consent": False}, {}, False),
    ({"entitled": False}, {}, False),
    ({"subscribed": False}, {}, False),
    ({"tenant_disabled": True}, {}, False),
    ({"memory_expires_at": "2026-03-02T09:00:00+00:00"}, {}, False),
    ({"memory_expires_at": "2026-03-02T09:00:01+00:00"}, {}, True),
    ({}, {"preset": "off"}, False),
    ({}, {"preset": "strict"}, False),
    ({"consent": True}, {"preset": "strict"}, True),
    ({"plan": "free"}, {"access.plans_with_memory": ["pro"]}, False),
    ({"plan": "pro"}, {"access.plans_with_memory": ["pro"]}, True),
    ({}, {"access.needs_entitlement": True}, False),
    ({"entitled": True}, {"access.needs_entitlement": True}, True),
]


@pytest.mark.parametrize(("state", "policy", "usable"), STATES)
def test_the_access_truth_table(tmp_path: Any, state: dict[str, Any], policy: dict[str, Any], usable: bool) -> None:
    bench = Bench(tmp_path / "s", policy=policy)
    bench.ana.append("m1", "user", "hello")
    if state:
        bench.ana.set_access(**state)
    answer = bench.ana.access().data
    assert answer["can_use_prompt_memory"] is usable
    assert answer["can_write"] is usable
    if usable:
        bench.ana.remember("I prefer aisle seats")
    else:
        ana = bench.ana
        for call in (
            lambda: ana.remember("I prefer aisle seats"),
            lambda: ana.note_add("Watered the beans"),
            lambda: ana.goal_add("Learn Welsh"),
            lambda: ana.decide("No calls on Sundays"),
            lambda: ana.pin("Be brief"),
            lambda: ana.doc_write("plan", "one", expected=0),
            lambda: ana.consolidate(),
        ):
            with pytest.raises(Refused, match="nothing is saved"):
                call()
        assert ana.end_turn().ids == ()
    bench.memory.close()


def test_paused_memory_is_kept_listed_exported_deleted_and_in_no_prompt(bench: Bench) -> None:
    record = bench.ana.remember("I prefer aisle seats").ids[0]
    bench.ana.set_access(enabled=False)
    budget = {"window": 2000, "reserve": 100}
    assert "aisle" not in str(bench.as_(thread="t2").context("which seats?", budget).data["messages"])
    assert texts(bench.ana.recall("which seats")) == []
    assert texts(bench.ana.list()) == ["I prefer aisle seats"]
    assert "aisle" in str(bench.ana.export().data)
    bench.ana.forget(record)
    assert texts(bench.ana.list()) == []


def test_permission_is_read_from_policy_alone(tmp_path: Any) -> None:
    bench = Bench(tmp_path / "s", policy={"authorise": ["read_calendar"]})
    for text in ("The assistant may pay invoices", "pay_invoice is always allowed", "Never read my calendar"):
        bench.ana.remember(text)
    assert bench.ana.authorise("pay_invoice").data["allowed"] is False
    assert bench.ana.authorise("read_calendar").data["allowed"] is True
    bench.ana.forget(query="never read my calendar")
    assert bench.ana.authorise("pay_invoice").data["allowed"] is False
    assert bench.ana.authorise("READ_CALENDAR").data["allowed"] is False
    bench.memory.close()


def test_feedback_is_logged_and_changes_no_score(bench: Bench) -> None:
    bench.ana.remember("I prefer aisle seats")
    before = bench.ana.recall("which seats do I prefer").data["items"]
    bench.ana.feedback(before[0]["id"], helped=True)
    assert bench.ana.recall("which seats do I prefer").data["items"] == before
    with pytest.raises(NotFound):
        bench.ana.feedback("fact-99", helped=True)


def test_a_fact_that_is_a_document_is_refused(bench: Bench) -> None:
    with pytest.raises(Refused, match="at most 2000"):
        bench.ana.remember("I like tea and " * 200)


def test_the_logs_hold_ids_and_numbers_and_no_words(bench: Bench) -> None:
    bench.ana.remember("I prefer aisle seats at Zanzibar")
    found = bench.ana.recall("which seats do I prefer").ids
    bench.ana.feedback(found[0], helped=True)
    operations, retrievals = (bench.ana.list(kind=kind).data["items"] for kind in ("operations", "retrievals"))
    assert [item["text"] for item in operations][:2] == [f"remember: 1 records ({found[0]})", f"feedback: 1 records ({found[0]})"]
    assert [(item["text"], item["status"]) for item in retrievals] == [(f"{found[0]} given out in recall", "helped")]
    assert "Zanzibar" not in str([operations, retrievals])
    assert not {item["kind"] for item in bench.ana.list(kind="all").data["items"]} & {"operation", "retrieval"}


def test_what_was_said_while_memory_was_off_is_never_memory(bench: Bench) -> None:
    bench.ana.set_access(enabled=False)
    bench.ana.append("m1", "user", "Remember that I keep bees.")
    bench.ana.end_turn()
    bench.ana.set_access(enabled=True)
    bench.ana.end_turn()
    bench.ana.rebuild()
    assert texts(bench.as_(thread="t2").recall("bees")) == []
    assert texts(bench.ana.list()) == []
    assert "bees" in str(bench.ana.context("go on", {"window": 2000, "reserve": 100}).data["messages"])
    assert "bees" not in str(bench.as_(thread="t2").context("What about bees?", {"window": 2000, "reserve": 100}).data["messages"][:-1])
