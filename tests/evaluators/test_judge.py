"""The entry point: order of outcomes, proofs, and that a verdict hangs on its own history line."""

from __future__ import annotations

import pickle

import pytest

from memgauge.evaluators import judge
from memgauge.protocol import Manifest
from memgauge.records import Verdict
from tests.evaluators.build import History, expect, item, plan


def one(history: History, *expectations, **more) -> Verdict:
    return judge(plan(*expectations, **more.pop("plan", {})), history.entries, **more).verdicts[0]


def moved(after: list, before: list | None = None) -> History:
    h = History()
    h.say("s1", "I live in Ghent.")
    h.context("before", items=[item("ana lives in Ghent")] if before is None else before)
    h.say("s2", "I moved to Lyon.")
    h.context("after", items=after, thread="t3")
    return h


def test_a_stale_item_fails_with_its_alias_and_rule():
    verdict = one(
        moved([item("lives in Ghent", "fact-1"), item("moved to Lyon", "fact-2")]), expect("stale", "after", "old_home", proof=("seen", "before"))
    )
    assert (verdict.outcome, verdict.proof) == ("fail", "held")
    assert verdict.witness == 'item-1 (recall) in the context of step after states old_home ("Ghent"), which new_home replaced, without saying so'


def test_absent_passes_only_with_its_proof():
    check = expect("stale", "after", "old_home", proof=("seen", "before"))
    new = [item("moved to Lyon", "fact-2")]
    assert one(moved(new), check).outcome == "pass"
    unproved = one(moved(new, before=[]), check)
    assert (unproved.outcome, unproved.reason, unproved.proof) == ("unscored", "no proof: before", "not held")


def test_present_and_sufficient():
    good = moved([item("moved to Lyon", "fact-2")])
    both = moved([item("moved to Lyon", "fact-2"), item("lives in Ghent", "fact-1")])
    none = moved([])
    outcomes = [
        [one(h, expect(kind, "after", "new_home", **more)).outcome for h in (good, both, none)]
        for kind, more in (("present", {}), ("sufficient", {"misleading": ["old_home"]}))
    ]
    assert outcomes == [["pass", "pass", "fail"], ["pass", "fail", "fail"]]


def test_a_listed_item_that_is_not_rendered_is_not_present():
    h = moved([])
    h.context("late", items=[item("moved to Lyon")], messages=[])
    assert one(h, expect("present", "late", "new_home")).outcome == "fail"


def test_an_unlisted_line_counts():
    h = moved([])
    h.context("late", messages=[{"role": "system", "content": "Known:\n- ana lives in Ghent"}])
    verdict = one(h, expect("stale", "late", "old_home", proof=("seen", "before")))
    assert verdict.outcome == "fail"
    assert verdict.witness.startswith("line 2 of message 1")


def test_verbatim_turns_are_conversation_for_stale_and_not_for_deleted():
    h = moved([])
    h.context("same", thread="main", messages=[{"role": "user", "content": "I live in Ghent."}])
    assert one(h, expect("stale", "same", "old_home", proof=("seen", "before"))).outcome == "pass"
    assert one(h, expect("deleted", "same", "old_home", proof=("seen", "before"))).outcome == "fail"


def test_budget():
    for tokens, outcome in (([1589], "pass"), ([1594], "fail")):
        h = History()
        h.context("p", messages=[], tokens=tokens)
        assert one(h, expect("budget", "p")).outcome == outcome
    h = History()
    h.context("p", status="refused", reason="too big")
    assert one(h, expect("budget", "p")).outcome == "fail"
    h = History()
    h.context("p", status="refused", reason="too big", seen={"fixed_tokens": 1700})
    assert one(h, expect("budget", "p")).outcome == "pass"


def test_receipt():
    h = History()
    h.call("w", "doc_write", status="conflict", reason="revision 2, not 1")
    assert one(h, expect("receipt", "w", status=["conflict"])).outcome == "pass"
    assert one(h, expect("receipt", "w", status=["ok"])).outcome == "fail"
    assert one(h, expect("receipt", "w", status=["conflict"], reason_has="locked")).outcome == "fail"


def test_errors_missing_steps_and_missing_verbs_are_never_passes():
    h = moved([])
    h.call("broken", "list", status="error", reason="boom")
    h.call("cannot", "list", status="unsupported")
    for step, outcome in (("broken", "error"), ("cannot", "unsupported"), ("never", "error")):
        assert one(h, expect("stale", step, "old_home", proof=("seen", "before"))).outcome == outcome


def test_a_leak_in_an_error_text_is_a_leak():
    h = moved([])
    h.call("broken", "list", status="error", reason="cannot read 'ana lives in Ghent'")
    assert one(h, expect("leak", "broken", "old_home", proof=("seen_by", "before"))).outcome == "fail"


def test_assembled_checks_do_not_apply_to_a_recall_only_store():
    h = moved([])
    assert one(h, expect("budget", "after"), assembled_by="harness").outcome == "not_applicable"
    assert one(h, expect("sufficient", "after"), assembled_by="harness").outcome == "pass"


def test_deleted_without_a_verb_to_delete_is_unsupported():
    h = moved([])
    h.call("del", "forget", status="unsupported")
    h.context("late", items=[item("lives in Ghent")])
    verdict = one(h, expect("deleted", "late", "old_home", proof=("seen", "before")))
    assert (verdict.outcome, verdict.reason) == ("unsupported", "no verb forget")


def test_the_judge_can_be_sent_to_a_worker():
    assert pickle.loads(pickle.dumps(judge)) is judge


@pytest.mark.parametrize("kind", ["present", "sufficient"])
def test_an_answer_without_retrieval_that_nothing_broke_is_a_failure_whatever_is_in_it(kind: str):
    h = History()
    h.context("after", items=[item("The cat is called Plum.")], data={"degraded": ["recall"]})
    found = judge(plan(expect(kind, "after", "cat")), h.entries).verdicts[0]
    assert (found.outcome, found.value) == ("fail", 0.0)
    assert "degraded retrieval" in found.witness


@pytest.mark.parametrize(
    ("claims", "args", "unasked", "outcomes"),
    [
        ("native", {"id": "fact-1"}, False, ("fail", "fail")),
        ("emulated", {"id": "fact-1"}, False, ("unsupported", "unsupported")),
        ("native", {"id": "fact-1", "keep_source": True}, False, ("unsupported", "unsupported")),
        ("native", {"id": "$home"}, True, ("unsupported", "unsupported")),
    ],
)
def test_a_verb_that_is_native_in_name_only_excuses_nothing(claims, args, unasked, outcomes):
    h = History()
    h.listing("before", item("ana lives in Ghent"))
    h.call("gone", "forget", args, status="unsupported", reason="not today", seen={"unasked": True} if unasked else None)
    h.listing("after", item("ana lives in Ghent"))
    checks = (expect("receipt", "gone", status=["ok"]), expect("deleted", "after", "old_home", proof=("seen", "before")))
    manifest = Manifest(name="m", verbs={"forget": claims, "list": "native"})
    assert tuple(v.outcome for v in judge(plan(*checks), h.entries, manifest).verdicts) == outcomes


@pytest.mark.parametrize(("status", "outcome"), [("unsupported", "unsupported"), ("ok", "fail")])
def test_a_refusal_that_hangs_on_an_access_state_needs_one(status: str, outcome: str):
    h = History()
    h.call("off", "set_access", {"enabled": False}, status=status)
    h.call("write", "remember", {"text": "The cat is called Plum."})
    assert judge(plan(expect("receipt", "write", status=["refused"])), h.entries).verdicts[0].outcome == outcome
