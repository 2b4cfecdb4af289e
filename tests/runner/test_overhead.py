"""What the harness itself costs for one operation, beside a system that does nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from memgauge.clock import ManualClock
from memgauge.protocol import Manifest, Receipt, Request
from memgauge.records import CasePlan
from memgauge.runner.player import Player
from memgauge.runner.session import Session
from memgauge.systems.spec import SystemSpec
from memgauge.tokens import DEFAULT_ENCODING
from tests.runner.plans import ANA, call, plan

BOUND_US = 100.0


class Nothing:
    """Answers at once."""

    manifest = Manifest(name="nothing", verbs={"remember": "native", "recall": "native"})
    items = Receipt(status="ok", data={"items": [{"id": f"r{i}", "kind": "fact", "text": f"The fact number {i}."} for i in range(5)]})

    def call(self, request: Request) -> Receipt:
        if request.op == "describe":
            return Receipt(status="ok", data={"manifest": self.manifest.to_json()})
        return self.items if request.op == "recall" else Receipt(status="ok", ids=("r1",))


def best_of(function: Callable[[], object], times: int = 7) -> float:
    """Processor seconds of the quickest of several goes; the machine has other work as well."""
    found = []
    for _ in range(times):
        start = time.process_time()
        function()
        found.append(time.process_time() - start)
    return min(found)


def played(the_plan: CasePlan, root: Path) -> None:
    session = Session(SystemSpec(name="nothing"), lambda _: Nothing(), root, ManualClock(), "")
    Player(the_plan, session, budgets={}, encoding=DEFAULT_ENCODING, seed=0).play()


def test_an_operation_in_process_costs_at_most_100_microseconds(tmp_path: Path) -> None:
    steps = [call(f"s{i}", "remember" if i % 2 else "recall", text="x", query="y") for i in range(400)]
    full, empty = plan("full", *steps, expectations=()), plan("empty", expectations=())
    each = (best_of(lambda: played(full, tmp_path)) - best_of(lambda: played(empty, tmp_path))) / len(steps)
    assert each * 1e6 <= BOUND_US, f"{each * 1e6:.0f} µs"


def test_a_call_costs_the_same_however_many_went_before(tmp_path: Path) -> None:
    session = Session(SystemSpec(name="nothing"), lambda _: Nothing(), tmp_path, ManualClock(), "")
    session.open()
    early = best_of(lambda: [session.call("remember", ANA, {"text": "x"}) for _ in range(100)])
    for _ in range(3000):
        session.call("remember", ANA, {"text": "x"})
    late = best_of(lambda: [session.call("remember", ANA, {"text": "x"}) for _ in range(100)])
    assert late < 2.5 * early
