from __future__ import annotations

from memgauge.records import CasePlan, Proof
from memgauge.scenarios import Scenario, compile_case
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import parse

TEXT = """
id: supersession/moved
values: {old: city, new: city/cyrillic}
actors: {ben: {user: ben, tenant: "Acme {old}"}}
facts:
  old_home: {anchors: ["{old}"]}
  new_home: {anchors: ["{new}"], replaces: old_home}
steps:
  - say: ["I live in {old}.", "My home is {old}.", "{old} is my home."]
    id: told
    tells: [old_home]
    save_as: home
  - ask: Where is home?
    id: before
    thread: t2
    needs: [old_home]
  - filler: {messages: 3}
  - forget: {message_id: "#told"}
  - doc_write: {name: a, text: "{{plain}}", expected: 0}
    as: ben
    save_as: doc
  - doc_write: {name: a, text: two, expected: $doc.revision}
    as: ben
    key: once
    expect: {status: [conflict], reason_has: x}
  - say: Now {new}.
    tells: [new_home]
  - ask: Where is home?
    id: after
    thread: t3
    project: p
    via: [recall, context, list-notes]
    needs: [new_home]
    absent: [{fact: old_home, why: stale, seen: before, via: [context, recall]}]
    precision: 0.5
    budget: {window: 900}
"""


def scenario(text: str = TEXT) -> Scenario:
    (made,) = read(parse(text, "f.yaml"))
    return made


def by_id(plan: CasePlan) -> dict[str, object]:
    return {step.id: step for step in plan.steps}


def test_a_say_is_a_turn_and_messages_are_numbered_through() -> None:
    plan = compile_case(scenario(), 0)
    turn = plan.steps[:3]
    assert [(s.id, s.op) for s in turn] == [("told", "append"), ("told.reply", "append"), ("told.end", "end_turn")]
    assert [s.args.get("message_id") for s in turn] == ["m1", "m2", None]
    assert turn[0].tells == ("old_home",)
    assert (turn[0].save_as, turn[2].save_as) == ("", "home")
    filler = next(s for s in plan.steps if s.op == "append_many")
    assert [m["message_id"] for m in filler.args["messages"]] == ["m3", "m4", "m5"]


def test_references_placeholders_and_scopes() -> None:
    plan = compile_case(scenario(), 0)
    old = plan.facts["old_home"].anchors[0][0]
    forget = next(s for s in plan.steps if s.op == "forget")
    first, second = (s for s in plan.steps if s.op == "doc_write")
    assert forget.args == {"message_id": "m1"}
    assert (first.args["text"], second.args["expected"], second.idempotency_key) == ("{plain}", "$doc.revision", "once")
    assert (first.scope.user, first.scope.tenant, first.scope.thread) == ("ben", f"Acme {old}", "main")
    after = next(s for s in plan.steps if s.id == "after")
    assert (after.op, after.scope.user, after.scope.thread, after.scope.project) == ("recall", "ana", "t3", "p")


def test_an_ask_on_three_paths() -> None:
    plan = compile_case(scenario(), 0)
    asked = {s.id: (s.op, dict(s.args)) for s in plan.steps if s.id.startswith("after")}
    assert asked == {
        "after": ("recall", {"query": "Where is home?"}),
        "after@context": ("context", {"text": "Where is home?", "budget": {"window": 900, "reserve": 500}}),
        "after@list-notes": ("list", {"kind": "notes"}),
    }
    made = {e.id: e for e in plan.expectations if e.step.startswith("after")}
    assert set(made) == {
        "after.present.new_home", "after.present.new_home@context", "after.present.new_home@list-notes",
        "after.stale.old_home", "after.stale.old_home@context", "after.sufficient", "after.budget@context", "after.precision",
    }  # fmt: skip
    assert made["after.stale.old_home@context"].proof == Proof(kind="seen", ref="before")
    assert made["after.sufficient"].step == "after@context"
    assert made["after.sufficient"].facts == ("new_home",)
    assert made["after.sufficient"].params == {"misleading": ["old_home"]}
    assert made["after.precision"].params == {"min": 0.5, "fine": []}
    assert all(e.step in by_id(plan) for e in plan.expectations)


def test_a_receipt_short_form() -> None:
    (check,) = (e for e in compile_case(scenario(), 0).expectations if e.kind == "receipt")
    assert check.params == {"status": ["conflict"], "reason_has": "x"}


def test_seed_zero_takes_the_first_wording_and_other_seeds_vary() -> None:
    plans = [compile_case(scenario(), seed) for seed in range(8)]
    assert plans[0].steps[0].args["text"].startswith("I live in ")
    assert len({p.steps[0].args["text"] for p in plans}) > 3
    assert {len(p.steps) for p in plans} == {len(plans[0].steps)}
    assert compile_case(scenario(), 3) == plans[3]
    assert len({p.digest for p in plans}) == 8
    assert {p.shape for p in plans} == {plans[0].shape}


def test_an_anchor_that_is_a_value_has_all_its_spellings_and_the_text_is_what_was_said() -> None:
    plan = compile_case(scenario(), 2)
    (spellings,) = plan.facts["new_home"].anchors
    assert len(spellings) >= 4
    assert plan.facts["old_home"].text == plan.steps[0].args["text"]


def test_changing_one_thing_leaves_the_other_drawings() -> None:
    more = scenario(TEXT.replace("messages: 3", "messages: 9"))
    assert compile_case(more, 4).facts == compile_case(scenario(), 4).facts


def test_a_race_with_an_actor_for_each_writer() -> None:
    race = """
id: concurrency/race
lane: process
actors: {ben: {user: ben}}
steps:
  - concurrently: {how: threads, ops: [{op: note_add, args: {text: "{writer} {turn}"}, as: ben, times: 2}, {op: forget_all}]}
    id: race
    expect: [{check: no_lost_update}]
"""
    (step,) = compile_case(scenario(race), 0).steps
    assert step.kind == "concurrently"
    scope = {"tenant": "default", "user": "ben", "thread": "main"}
    assert step.args["ops"][0] == {"op": "note_add", "args": {"text": "{writer} {turn}"}, "times": 2, "scope": scope}
    assert step.args["ops"][1]["scope"]["user"] == "ana"


def test_what_was_forgotten_is_asked_for_by_its_name_too_once() -> None:
    text = """
id: deletion/one
facts:
  pin: {anchors: [Plum]}
steps:
  - remember: The cat is Plum.
    tells: [pin]
    save_as: cat
  - ask: Which cat?
    id: before
    needs: [pin]
  - forget: {id: $cat}
  - ask: Which cat?
    id: after
    absent: [{fact: pin, why: deleted, seen: before}]
  - ask: Which cat?
    id: later
    absent: [{fact: pin, why: deleted, seen: before}]
"""
    plan = compile_case(scenario(text), 0)
    extra = [(step.id, step.op, step.args) for step in plan.steps if step.op in ("history", "explain")]
    assert extra == [("after@history-cat", "history", {"id": "$cat"}), ("after@explain-cat", "explain", {"id": "$cat"})]
    judged = [(e.id, e.step, e.proof) for e in plan.expectations if "@" in e.step]
    assert judged == [(f"after.deleted.pin@{op}-cat", f"after@{op}-cat", Proof(kind="seen", ref="before")) for op in ("history", "explain")]
