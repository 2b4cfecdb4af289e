"""A store that does not open again is a failure of what should be there, and no proof of what should be away."""

from __future__ import annotations

import pytest

from memgauge.evaluators import judge
from memgauge.records import Verdict
from tests.evaluators.build import ANA, History, expect, item, plan

DOWN = {"status": "error", "reason": "the store is not open"}
WHY = "open raised ValueError: /store/toy.json is damaged"


def judged(*, after_kill: bool = False, content: str = "synthetic") -> dict[str, Verdict]:
    h = History()
    h.listing("before", item("ana lives in Ghent"))
    if after_kill:
        acknowledged = [{"op": "remember", "args": {"text": "x"}, "ids": ["fact-2"]}]
        h.add(
            "kill",
            "crash",
            scope=ANA,
            receipt={"status": "ok"},
            data={"killed": {"at": 3}, "acknowledged": acknowledged, "reopened": False, "reason": WHY},
        )
    else:
        h.add("reopen", "again", receipt={"status": "error", "reason": WHY})
    h.call("after", "list", status="error", reason="the store is not open")
    checks = [
        expect("present", "after", "old_home", id="present"),
        expect("deleted", "after", "old_home", proof=("seen", "before"), id="deleted"),
        expect("unchanged", "after", since="before", id="unchanged"),
        *([expect("durable", "after", id="durable")] if after_kill else []),
    ]
    return {v.check: v for v in judge(plan(*checks, content=content), h.entries).verdicts}


@pytest.mark.parametrize("after_kill", [False, True])
def test_what_should_be_there_fails_and_what_should_be_away_is_unscored(after_kill: bool):
    verdicts = judged(after_kill=after_kill)
    where = "kill crash" if after_kill else "reopen again"
    assert verdicts["present"].outcome == "fail"
    assert verdicts["present"].witness == f"after {where} the store did not open again: {WHY}"
    assert verdicts["unchanged"].outcome == "fail"
    assert verdicts["deleted"].outcome == "unscored"
    if after_kill:
        assert verdicts["durable"].outcome == "fail"


def test_a_private_scenario_keeps_the_systems_words_to_itself():
    assert judged(content="private")["present"].witness == "after reopen again the store did not open again"


def test_an_error_of_any_other_call_stays_an_error():
    h = History()
    h.add("reopen", "again")
    h.call("after", "list", status="error", reason="broken pipe")
    verdict = judge(plan(expect("present", "after", "old_home")), h.entries).verdicts[0]
    assert verdict.outcome == "error"
