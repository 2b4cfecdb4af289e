"""Any receipt becomes units: nothing a system says is out of sight where a fact must be nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.evaluators import judge
from memgauge.evaluators.case import Case
from tests.evaluators.build import ANA, History, expect, item, plan

SECRET = "ana lives in Ghent"


def leaks(kind: str = "leak", **receipt: Any) -> str:
    op = receipt.pop("op", "list")
    args = receipt.pop("args", {})
    h = History()
    h.listing("before", item(SECRET))
    h.call("after", op, args, **receipt)
    return judge(plan(expect(kind, "after", "old_home", proof=("seen_by", "before"))), h.entries).verdicts[0].outcome


@pytest.mark.parametrize(
    "receipt",
    [
        {"data": {"items": [{"text": SECRET}]}},
        {"data": {"items": [{"text": "a place", "reason": SECRET}]}},
        {"data": {"items": [{"text": "a place", "source_ids": ["lives-in-ghent-7"]}]}},
        {"data": {"items": [{"text": "a place", "Ghent": 1}]}},
        {"data": {"items": [], "note": {"deep": [SECRET]}}},
        {"data": {"bundle": {"facts": [{"body": SECRET}]}}, "op": "export"},
        {"data": {"text": "# Ana\n- lives in Ghent"}, "op": "doc_read"},
        {"data": {"messages": [{"message_id": "m1", "text": SECRET}]}, "op": "explain"},
        {"data": {"saved": [{"id": "x", "text": SECRET, "outcome": "PERSIST"}]}, "op": "end_turn"},
        {"ids": ["ghent"]},
        {"notices": [f"saved: {SECRET}"]},
        {"status": "refused", "reason": f"'{SECRET}' is not yours"},
        {"status": "conflict", "conflict": {"expected": 1, "actual": SECRET}},
        {"status": "error", "reason": SECRET},
    ],
)
def test_a_leak_is_seen_wherever_it_stands(receipt: dict[str, Any]):
    assert leaks(**receipt) == "fail"


@pytest.mark.parametrize(
    "receipt",
    [
        {"data": {"items": []}},
        {"status": "refused", "reason": "not yours"},
        {"op": "recall", "args": {"query": "Does ana live in Ghent?"}, "data": {"items": [], "why": "nothing for 'Does ana live in Ghent?'"}},
        {"data": {"items": [{"text": "a place", "created_at": "Ghent"}]}},
    ],
)
def test_an_answer_without_it_is_clean(receipt: dict[str, Any]):
    assert leaks(**receipt) == "pass"


def test_the_number_of_an_id_is_no_value():
    from memgauge.records import Fact

    h = History()
    fact = Fact(id="age", anchors=(("12",),))
    h.listing("before", item("she is 12"))
    h.listing("after", item("a place", "fact-12"))
    asked = plan(expect("leak", "after", "age", proof=("seen_by", "before")), facts={"age": fact})
    assert judge(asked, h.entries).verdicts[0].outcome == "pass"


def test_pending_proves_no_absence():
    assert leaks(status="pending", data={"items": []}) == "unscored"


def test_a_listed_item_that_is_not_rendered_is_a_leak_and_not_present():
    h = History()
    h.listing("before", item(SECRET))
    h.context("after", items=[item(SECRET)], messages=[])
    checks = [expect("leak", "after", "old_home", proof=("seen_by", "before")), expect("present", "after", "old_home")]
    assert [v.outcome for v in judge(plan(*checks), h.entries).verdicts] == ["fail", "fail"]


def test_an_item_that_calls_itself_recent_is_a_turn_only_if_it_was_said_in_that_thread():
    for said, outcome in ((True, "pass"), (False, "fail")):
        h = History()
        if said:
            h.say("s1", SECRET)
        h.listing("before", item(SECRET))
        turn = item(SECRET, "m1", "recent")
        h.context("after", items=[turn], messages=[{"role": "user", "content": f"earlier: {SECRET}"}], thread="main")
        verdict = judge(plan(expect("stale", "after", "old_home", proof=("seen", "before"))), h.entries).verdicts[0]
        assert verdict.outcome == outcome


def test_a_label_counts_only_where_it_is_rendered():
    shown, hidden = ({"label": "superseded", "text": SECRET}, {"text": SECRET})
    for rendered, outcome in ((shown, "pass"), (hidden, "fail")):
        h = History()
        h.listing("before", item(SECRET))
        content = {"role": "user", "content": __import__("json").dumps(rendered)}
        h.context("after", items=[item(SECRET, label="superseded", status="superseded")], messages=[content])
        verdict = judge(plan(expect("stale", "after", "old_home", proof=("seen", "before"))), h.entries).verdicts[0]
        assert verdict.outcome == outcome


def test_a_list_may_show_a_goal_that_says_it_is_done_and_a_prompt_may_not():
    h = History()
    goal = {**item(SECRET, "goal-1", "goals", kind="goal"), "status": "active"}
    h.listing("before", goal)
    h.call("done", "goal_update", {"id": "goal-1", "status": "done"})
    h.listing("list", {**goal, "status": "done"})
    h.listing("still", goal)
    h.context("after", items=[{**goal, "status": "done"}])
    checks = [expect("goal_done", step, "old_home", proof=("seen", "before")) for step in ("list", "still", "after")]
    assert [v.outcome for v in judge(plan(*checks), h.entries).verdicts] == ["pass", "fail", "fail"]


def test_aliases_follow_first_sight_and_do_not_move_when_answers_are_looked_at():
    h = History()
    h.listing("one", item("a", "z9"), item("b", "y8"))
    h.listing("two", item("b", "y8"), item("c", "x7"))
    case = Case(plan(), h.entries)
    two = case.answer(h.entries[1]).items()
    assert [case.alias(unit) for unit in two] == ["item-2", "item-3"]


@pytest.mark.parametrize(
    ("proof", "eyes", "outcome"),
    [
        (("seen", "same"), {"thread": "main"}, "pass"),  # the turn was visible in the very thread that is asked again
        (("seen", "same"), {"thread": "t9"}, "unscored"),  # a turn of another thread proves nothing here
        (("seen_by", "same"), {"thread": "t9"}, "pass"),  # its owner saw it
        (("seen", "late"), {"thread": "main"}, "unscored"),  # what comes later proves nothing
    ],
)
def test_what_a_proof_must_have_seen(proof: tuple[str, str], eyes: dict[str, str], outcome: str):
    h = History()
    h.say("s1", "I live in Ghent.")
    h.context("same", messages=[{"role": "user", "content": "I live in Ghent."}], items=[], thread="main")
    h.call("gone", "forget", {"query": "home"})
    h.context("after", **eyes)
    h.listing("late", item(SECRET))
    verdict = judge(plan(expect("deleted", "after", "old_home", proof=proof)), h.entries).verdicts[0]
    assert verdict.outcome == outcome
    assert ANA["thread"] == "main"


def test_an_answer_in_the_wrong_shape_breaks_no_judge():
    for data in ({"items": "none"}, {"items": [1, None]}, {"messages": "x", "items": {}}, {"messages": [None, {"role": "user"}], "items": [{}]}):
        h = History()
        h.listing("before", item(SECRET))
        h.call("after", "context", {"text": "Hm?"}, data=data)
        kinds = [expect("present", "after", "cat"), expect("stale", "after", "old_home", proof=("seen", "before"))]
        assert [v.outcome for v in judge(plan(*kinds), h.entries).verdicts] == ["fail", "pass"]


def stale(*messages: dict[str, Any], said: int = 30) -> str:
    h = History()
    h.say("old", "I live in Ghent.")
    for n in range(said):
        h.say(f"s{n}", f"Row {n} of the garden.")
    h.context("before", items=[item(SECRET)])
    h.call("new", "correct", {"query": "home", "text": "I moved to Lyon."})
    h.context("after", thread="main", messages=list(messages))
    return judge(plan(expect("stale", "after", "old_home", proof=("seen", "before"))), h.entries).verdicts[0].outcome


def test_old_words_served_as_old_messages_are_memory():
    old, row = {"role": "user", "content": "I live in Ghent."}, {"role": "user", "content": "Row 29 of the garden."}
    assert stale(row) == "pass"
    assert stale(old, row) == "fail"
    assert stale(row, old) == "fail"
    assert stale(old, {"role": "user", "content": "Row 0 of the garden."}, said=1) == "pass"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "", "calls": [{"id": "z", "name": "m", "arguments": {"x": SECRET}}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "z", "function": {"name": "m", "arguments": '{"x": "ana lives in Ghent"}'}}]},
        {"role": "user", "name": "lives-in-ghent", "content": "Hello."},
        {"role": "user", "content": '{"label": "ana lives in Ghent", "text": "see above"}'},
        {"role": "user", "content": "Row 29 [ana lives in Ghent] of the garden."},
    ],
    ids=["calls", "tool_calls", "name", "label", "brackets"],
)
def test_a_stale_value_has_no_hiding_place_in_a_prompt(message: dict[str, Any]):
    assert stale(message) == "fail"


def test_edits_and_switches_make_the_branch():
    h = History()
    for n in range(1, 5):
        h.call(f"s{n}", "append", {"message_id": f"m{n}", "role": "user", "text": f"Row {n}."})
    h.call("edit", "edit_message", {"message_id": "m3", "new_id": "m5", "text": "Row 5."})
    h.call("reply", "append", {"message_id": "m6", "role": "assistant", "text": "Row 6."})
    now = h.context("now", thread="main")
    h.call("back", "switch", {"message_id": "m4"})
    back = h.context("then", thread="main")
    case = Case(plan(), h.entries)
    assert [m["text"] for m in case.branch(now)] == ["Row 1.", "Row 2.", "Row 5.", "Row 6."]
    assert [m["text"] for m in case.branch(back)] == ["Row 1.", "Row 2.", "Row 3.", "Row 4."]
