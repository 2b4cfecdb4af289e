"""What the receipt of a write tells, where a question may not tell it."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.evaluators import judge
from memgauge.records import Verdict
from tests.evaluators.build import ANA, History, expect, item, plan

BEN = {"tenant": "default", "user": "ben", "thread": "main"}
SECRET = "I live in Ghent."


def ruled(kind: str, *writes: dict[str, Any], proof: tuple[str, str] = ("seen", "before"), scope: dict[str, str] = ANA, **first: Any) -> Verdict:
    """The verdict on a clean list, asked by `scope` after ana told the fact, it was seen, and these writes were made."""
    h = History()
    h.call("told", "remember", {"text": SECRET}, ids=["fact-1"], **first)
    h.listing("before", item(SECRET))
    for n, write in enumerate(writes):
        h.call(f"w{n}", **write)
    h.call("after", "list", scope=scope, data={"items": [item("The cat is called Plum.")]})
    check = expect(kind, "after", "old_home", proof=proof)
    return judge(plan(check, tells={"told": "old_home"}), h.entries).verdicts[0]


FORGET = {"op": "forget", "args": {"id": "fact-1"}}
SIMILAR = {"op": "remember", "args": {"text": "I live somewhere."}, "notices": [f"similar: {SECRET}"]}


def test_a_notice_to_another_user_leaks():
    verdict = ruled("leak", {**SIMILAR, "scope": BEN}, scope=BEN, proof=("seen_by", "before"))
    assert verdict.outcome == "fail"
    assert verdict.witness == 'notices in the remember of step w0 states old_home ("Ghent"), which belongs to another scope'


@pytest.mark.parametrize(
    "write",
    [
        {**SIMILAR, "scope": ANA},
        {"op": "remember", "args": {"text": SECRET}, "scope": BEN, "notices": [f"saved: {SECRET}"]},
        {"op": "remember", "args": {"text": "tea"}, "scope": BEN, "notices": ["saved: tea"]},
    ],
    ids=["the owner's own", "an echo", "something else"],
)
def test_what_the_owner_or_the_writer_itself_said_is_no_leak(write: dict[str, Any]):
    assert ruled("leak", write, scope=BEN, proof=("seen_by", "before")).outcome == "pass"


def test_a_corner_of_the_same_user_is_told_nothing():
    b = {**ANA, "project": "b"}
    assert ruled("leak", {**SIMILAR, "scope": b}, scope=b).outcome == "fail"
    other = {**ANA, "thread": "t2"}
    assert ruled("leak", SIMILAR, scope=other).outcome == "pass"
    assert ruled("leak", {**SIMILAR, "scope": other}, scope=other).outcome == "fail"


def test_a_receipt_after_the_forget_brings_it_back():
    assert ruled("deleted", FORGET, SIMILAR).outcome == "fail"
    assert ruled("deleted", SIMILAR, FORGET).outcome == "pass"
    assert ruled("deleted", {**FORGET, "notices": [f"forgotten: {SECRET}"]}).outcome == "pass"


def test_a_secret_is_not_even_echoed():
    refused = ruled("never_stored", status="refused", reason=f"not saved: {SECRET}")
    assert (refused.outcome, refused.witness.split(" states")[0]) == ("fail", "reason in the remember of step told")
    assert ruled("never_stored").outcome == "pass"


def test_after_a_withdrawal_no_receipt_tells():
    off = {"op": "set_access", "args": {"consent": False}}
    on = {"op": "set_access", "args": {"consent": True}}
    assert ruled("not_permitted", off, SIMILAR).outcome == "fail"
    assert ruled("not_permitted", SIMILAR, off).outcome == "pass"
    assert ruled("not_permitted", off, on, SIMILAR, off).outcome == "pass"
