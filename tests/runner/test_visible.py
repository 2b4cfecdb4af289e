"""From a write to the moment reads show it: only where reads lag, only once a read has shown it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgauge.protocol import Manifest, Receipt, Request
from memgauge.records import Fact, Scope, Step
from memgauge.runner.visible import CORRECTED, WRITTEN, Visibility
from tests.runner.plans import ANA, call, plan
from tests.runner.test_case import play
from tests.toy_memory import ToyMemory

OLD = Fact(id="old", anchors=(("Ghent",),), text="I live in Ghent.")
NEW = Fact(id="new", anchors=(("Lyon",),), text="I live in Lyon.", replaces="old")


def watched() -> Visibility:

    return Visibility(replace(plan("late", expectations=()), facts={"old": OLD, "new": NEW}))


def told(fact: str, scope: Scope = ANA) -> Step:
    return call(f"tell-{fact}", "remember", scope, text="x", tells=(fact,))


def answer(*texts: str, section: str = "longterm") -> dict[str, Any]:
    return {"status": "ok", "data": {"items": [{"id": str(n), "text": text, "section": section} for n, text in enumerate(texts)]}}


def test_a_write_counts_from_its_request_to_the_settle_once_a_read_shows_it() -> None:
    seen = watched()
    seen.told(told("old"), {"status": "ok"}, 100.0)
    assert list(seen.read(call("r", "recall"), answer("I live in Ghent."))) == [], "not settled"
    seen.settled(350.0)
    assert list(seen.read(call("r", "recall"), answer("I like tea."))) == [], "about something else"
    assert list(seen.read(call("r", "recall", Scope(user="ben")), answer("I live in Ghent."))) == [], "another user's"
    assert list(seen.read(call("r", "context"), answer("I live in Ghent.", section="recent"))) == [], "not from memory"
    assert list(seen.read(call("r", "recall"), answer("I live in Ghent."))) == [{"step": "tell-old", "op": WRITTEN, "ms": 250.0}]
    assert list(seen.read(call("r", "recall"), answer("I live in Ghent."))) == [], "once"


def test_a_correction_counts_when_the_old_value_is_gone_too() -> None:
    seen = watched()
    seen.told(told("new"), {"status": "pending"}, 0.0)
    seen.settled(40.0)
    assert list(seen.read(call("r", "recall"), answer("I live in Lyon.", "I live in Ghent."))) == []
    assert [(line["op"], line["ms"]) for line in seen.read(call("r", "recall"), answer("I live in Lyon."))] == [(CORRECTED, 40.0)]


def test_what_was_refused_or_said_settled_and_is_not_listed_has_no_time() -> None:
    seen = watched()
    seen.told(told("old"), {"status": "refused"}, 0.0)
    seen.told(told("new"), {"status": "ok"}, 0.0)
    seen.settled(1.0)
    assert list(seen.read(call("l", "list"), answer())) == []
    assert list(seen.read(call("r", "recall"), answer("I live in Lyon.", "and Ghent"))) == []
    assert list(seen.read(call("r", "recall"), answer("I live in Lyon."))) == [], "the promise was not kept"


@pytest.mark.parametrize("lags", ["after_settle", "now"])
def test_it_stands_among_the_timings_of_a_case(tmp_path: Path, lags: Any) -> None:
    class Late(ToyMemory):
        manifest = Manifest(name="late", verbs={"remember": "native", "list": "native"}, reads_see_writes=lags)

        def call(self, request: Request) -> Receipt:
            if request.op == "settle":
                time.sleep(0.05)
                return Receipt(status="ok")
            return super().call(request)

    steps = (call("tell", "remember", text="I live in Ghent.", tells=("town",)), call("look", "list"))
    timed = [timing for timing in play(plan("late", *steps, expectations=()), tmp_path, Late()).timings if timing["op"] == WRITTEN]
    assert [timing["step"] for timing in timed] == (["tell"] if lags == "after_settle" else [])
    assert all(timing["ms"] >= 50 for timing in timed)
