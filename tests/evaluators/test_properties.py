"""What holds for every evaluator: one line flips one check, errors improve nothing, numbers are finite, witnesses tell items apart."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest

from memgauge.checks import ABSENCE
from memgauge.evaluators import judge
from memgauge.evaluators.ruling import EVALUATORS, Ruling
from memgauge.records import Entry, Judgement
from memgauge.reports.codec import decode_plan
from tests.evaluators.build import FACTS, History, expect, item, plan
from tests.evaluators.recording import EXAMPLES
from tests.evaluators.test_examples import lines

G, L, C = item("ana lives in Ghent", "fact-1"), item("ana moved to Lyon", "fact-2"), item("the cat is called Plum", "fact-3")


def busy() -> tuple[History, list]:
    """Four questions, each with its own checks."""
    h = History()
    h.listing("before", G, C)
    checks = []
    for n in range(4):
        h.context(f"q{n}", items=[L, C], thread=f"t{n}")
        checks.append(expect("present", f"q{n}", "new_home"))
        checks.append(expect("stale", f"q{n}", "old_home", proof=("seen", "before")))
        checks.append(expect("budget", f"q{n}"))
    return h, checks


def outcomes(entries, checks) -> dict[str, str]:
    return {v.check: v.outcome for v in judge(plan(*checks), entries).verdicts}


@pytest.mark.parametrize("n", range(4))
def test_editing_one_history_line_flips_exactly_its_check(n: int):
    history, checks = busy()
    before = outcomes(history.entries, checks)
    line = history.entries[n + 1].to_json()
    line["receipt"]["data"]["items"].append(G)
    line["receipt"]["data"]["messages"].insert(0, {"role": "user", "content": G["text"]})
    edited = [*history.entries[: n + 1], Entry.from_json(line), *history.entries[n + 2 :]]
    after = outcomes(edited, checks)
    assert {check for check in after if after[check] != before[check]} == {f"q{n}:stale"}
    assert after[f"q{n}:stale"] == "fail"


def test_the_same_history_gives_the_same_judgement_whatever_the_order_of_its_lines():
    history, checks = busy()
    shuffled = history.entries[:]
    random.Random(3).shuffle(shuffled)
    assert judge(plan(*checks), shuffled) == judge(plan(*checks), history.entries)


def proven(judgement: Judgement) -> float:
    """Passed of planned."""
    return sum(verdict.outcome == "pass" for verdict in judgement.verdicts) / len(judgement.verdicts)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_an_error_in_place_of_any_answer_improves_no_rate(kind: str):
    for line in lines(kind):
        history = [Entry.from_json(entry) for entry in line["history"]]
        decoded = decode_plan(line["plan"])
        before = proven(judge(decoded, history, None, line["assembled_by"]))
        for n, entry in enumerate(history):
            failed = dataclasses.replace(entry, receipt={"status": "error", "reason": "boom"}, data={})
            after = proven(judge(decoded, [*history[:n], failed, *history[n + 1 :]], None, line["assembled_by"]))
            assert after <= before, (line["name"], n)
            if entry.step == decoded.expectations[0].step:
                without = proven(judge(decoded, [*history[:n], *history[n + 1 :]], None, line["assembled_by"]))
                assert after == without == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True])
def test_a_number_that_is_none_is_refused(value: float, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(EVALUATORS._values, "receipt", lambda case, expectation, entry: Ruling("pass", "", value))
    h = History()
    h.call("s", "list")
    with pytest.raises(ValueError, match="finite"):
        judge(plan(expect("receipt", "s", status=["ok"])), h.entries)


@pytest.mark.parametrize("kind", ABSENCE)
def test_two_broken_items_have_two_witnesses(kind: str):
    witnesses = set()
    for n in (1, 2, 3):
        h = History()
        h.listing("before", *(item(f"ana lives in Ghent {m}", f"fact-{m}") for m in (1, 2, 3)), C)
        h.context("after", items=[item(f"ana lives in Ghent {n}", f"fact-{n}"), C])
        proof = ("control", "cat") if kind in ("never_stored", "not_captured", "injected") else ("seen", "before")
        verdict = judge(plan(expect(kind, "after", "old_home", proof=proof)), h.entries).verdicts[0]
        assert verdict.outcome == "fail"
        assert f"item-{n} " in verdict.witness
        witnesses.add(verdict.witness)
    assert len(witnesses) == 3


def test_two_missing_facts_have_two_witnesses():
    h = History()
    h.context("after", items=[C])
    verdicts = judge(plan(*(expect("present", "after", fact, id=fact) for fact in ("old_home", "new_home"))), h.entries).verdicts
    assert len({v.witness for v in verdicts}) == 2


def test_a_private_scenario_shows_no_value_in_its_witness():
    h = History()
    h.context("after", items=[G])
    checks = [expect("present", "after", "new_home"), expect("stale", "after", "old_home", proof=("seen", "x"), id="s")]
    for verdict in judge(plan(*checks, content="private"), h.entries).verdicts:
        assert verdict.outcome == "fail"
        assert not any(word in verdict.witness for word in ("Lyon", "Ghent", "lives"))


def test_facts_are_known():
    assert set(FACTS) == {"old_home", "new_home", "cat"}
