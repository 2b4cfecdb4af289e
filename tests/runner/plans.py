"""Hand-made plans and a judge small enough to be right by reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memgauge.protocol import Manifest, MemorySystem
from memgauge.records import CasePlan, Entry, Expectation, Fact, Judgement, Scope, Step, Verdict
from memgauge.systems.load import open_system
from memgauge.systems.spec import SystemSpec

ANA = Scope(user="ana", thread="main")
BUDGET = {"window": 4000, "reserve": 500}
FACT = Fact(id="town", anchors=(("Ghent",),), text="I live in Ghent.")


def call(step: str, op: str, /, scope: Scope = ANA, *, save_as: str = "", tells: tuple[str, ...] = (), **args: Any) -> Step:
    return Step(id=step, kind="call", op=op, scope=scope, args=args, save_as=save_as, tells=tells)


def ask(id: str, text: str = "Which town do I live in?", scope: Scope = ANA, **args: Any) -> Step:
    return call(id, "context", scope, text=text, budget=BUDGET, **args)


def plan(name: str, *steps: Step, expectations: tuple[Expectation, ...] | None = None, **parts: Any) -> CasePlan:
    """A plan whose only check, unless others are given, is that the step `after` shows the fact `town`."""
    checks = expectations if expectations is not None else (Expectation(id="c1", kind="present", step="after", facts=("town",)),)
    return CasePlan(scenario=f"test/{name}", version=1, title=name, seed=0, steps=steps, facts={"town": FACT}, expectations=checks, **parts)


def told(name: str, text: str = "I live in Ghent.", question: str = "Which town do I live in?") -> CasePlan:
    """One message, one fact, one question in another thread."""
    return plan(
        name,
        call("m", "append", message_id="m1", role="user", text=text),
        call("r", "remember", text="I live in Ghent.", tells=("town",)),
        ask("after", question, Scope(user="ana", thread="other")),
    )


def judge(plan: CasePlan, history: Sequence[Entry], manifest: Manifest, assembled_by: str) -> Judgement:
    """`present` by plain search in the rendered messages; any other kind passes when its step was answered ok."""
    verdicts = []
    for e in plan.expectations:
        entry = next((entry for entry in history if entry.step == e.step and entry.type != "diagnosis"), None)
        shown = entry is not None and "Ghent" in str(entry.receipt.get("data", {}).get("messages", ""))
        good = shown if e.kind == "present" else entry is not None and entry.status == "ok"
        lost = "stored" if any(entry.type == "diagnosis" for entry in history) else ""
        verdicts.append(
            Verdict(
                check=e.id,
                kind=e.kind,
                step=e.step,
                outcome="pass" if good else "fail",
                witness="" if good else "missing",
                lost_at="" if good else lost,
            )
        )
    return Judgement(verdicts=tuple(verdicts))


def diagnose(plan: CasePlan, history: Sequence[Entry], judgement: Judgement) -> list[Step]:
    return [call(v.check, "list") for v in judgement.verdicts if v.outcome == "fail"]


def opener(spec: SystemSpec) -> MemorySystem:
    return open_system(spec)


TOY = SystemSpec(name="toy", kind="python", target="tests.toy_memory:ToyMemory")
FAULTY = SystemSpec(name="faulty", kind="python", target="tests.runner.faulty:Faulty")
