from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from memgauge.events import CaseFinished, RunFinished
from memgauge.protocol import Manifest, MemorySystem, Receipt, Request
from memgauge.records import CaseId, CasePlan
from memgauge.runner.case import CaseResult, CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.run import run
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import TOY, call, judge, plan
from tests.toy_memory import VERBS, ToyMemory

SHARED: dict[str, Any] = {
    "facts": [{"id": f"customer-{i}", "owner": "default/ana", "text": "a customer's"} for i in range(10)],
    "messages": [],
    "documents": {},
    "next": 11,
}


class Customer(ToyMemory):
    """Claims a fresh store and opens one that other people use."""

    destroyed = 0

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            self.state = SHARED
            self.path = Path(request.args["root"]) / "elsewhere.json"
            return Receipt(status="ok")
        if request.op in ("forget", "forget_all"):
            Customer.destroyed += 1
        return super().call(request)


class Namespaced(ToyMemory):
    manifest = Manifest(name="hosted", verbs=dict.fromkeys(VERBS, "native"), isolation="namespace", versions={"store": "prod-7"})


DESTROYING = plan("destroying", call("a", "remember", text="x", save_as="x"), call("f", "forget", id="$x"))


def customer(spec: SystemSpec) -> MemorySystem:
    return Customer()


def play(the_plan: CasePlan, root: Path, system: MemorySystem, spec: SystemSpec) -> CaseResult:
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system=spec.name, arm="on", seed=0), plan=the_plan, spec=spec)
    return run_case(work, Tools(open_system=lambda _: system, judge=judge), RunOptions(), root)


def test_a_store_with_foreign_records_stops_the_whole_run_before_anything_is_destroyed() -> None:
    later = plan("later", call("a", "remember", text="x"))
    events = list(run([DESTROYING, later], ["on"], [TOY], judge, None, RunOptions(in_process=True), open_system=customer))
    cases = [e for e in events if isinstance(e, CaseFinished)]
    assert [c.id.scenario for c in cases] == ["test/destroying"]
    assert "user 'ana' already had record customer-0" in cases[0].error
    assert events[-1] == RunFinished(status="error", reason=cases[0].error)
    assert Customer.destroyed == 0
    assert len(SHARED["facts"]) == 10


def test_destroying_in_a_shared_store_needs_its_id(tmp_path: Path) -> None:
    refused = play(DESTROYING, tmp_path / "1", Namespaced(), TOY)
    assert [e.status for e in refused.history] == ["ok", "unsupported"]
    assert "--allow-destructive prod-7" in refused.history[1].receipt["reason"]
    allowed = play(DESTROYING, tmp_path / "2", Namespaced(), SystemSpec(name="toy", allow=("prod-7",)))
    assert [e.status for e in allowed.history] == ["ok", "ok"]


class Hosted(Namespaced):
    """A shared service that bears one caller at a time and 1200 requests a minute, and notes when it was called."""

    manifest = Manifest(name="hosted", verbs=dict.fromkeys(VERBS, "native"), isolation="namespace", max_parallel=1, requests_per_minute=1200)


def hosted(spec: SystemSpec) -> MemorySystem:
    return Hosted()


def test_a_shared_service_is_asked_no_faster_and_by_no_more_than_it_allows() -> None:
    plans = [plan(f"p{i}", call("a", "remember", text="x"), call("b", "list"), expectations=()) for i in range(4)]
    start = time.monotonic()
    events = list(run(plans, ["on"], [TOY], judge, None, RunOptions(jobs=2), open_system=hosted))
    cases = [e for e in events if isinstance(e, CaseFinished)]
    assert [case.error for case in cases] == [""] * 4
    calls = sum(len(case.timings) for case in cases)
    assert calls >= 8
    assert all(case.wall_ms >= 50.0 * (len(case.timings) - 1) for case in cases)
    assert time.monotonic() - start >= sum(case.wall_ms for case in cases) / 1000
