"""Synthetic events: a small run with every outcome in it, made without a runner, a memory or an evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from memgauge.checks import CHECKS
from memgauge.events import CaseFinished, Event, RunFinished, RunStarted
from memgauge.records import Arm, CaseId, CasePlan, Entry, Expectation, Fact, Judgement, Outcome, Proof, Scope, Step, Verdict
from memgauge.reports.folder import RunFolder

NOW = "2026-03-02T09:00:00+00:00"
TOKENS: dict[Arm, int] = {"on": 900, "off": 500, "recent-equal": 880, "placebo": 890}


def make_plan(scenario: str, kinds: Iterable[str] = ("sufficient", "stale"), **parts: object) -> CasePlan:
    """A plan that tells one fact, asks for it, and has one check of each kind."""
    scope = Scope(user="ana", thread="main")
    steps = (
        Step(
            id="tell",
            kind="call",
            op="append",
            scope=scope,
            args={"message_id": "m1", "role": "user", "text": "I live in Ghent."},
            tells=("home",),
            line=4,
        ),
        Step(id="ask", kind="call", op="context", scope=scope, args={"text": "Where do I live?", "budget": {"window": 2000, "reserve": 400}}, line=6),
    )
    proof = Proof(kind="seen", ref="ask")
    expectations = tuple(
        Expectation(id=f"{kind}-1", kind=kind, step="ask", facts=("home",), proof=proof if CHECKS[kind].proof else None) for kind in kinds
    )
    made = CasePlan(
        scenario=scenario, version=1, title=f"Title of {scenario}", seed=0, steps=steps, expectations=expectations, digest="d" * 16,
        start=NOW, tags=("core",), rows=("A4",),
        facts={"home": Fact(id="home", anchors=(("Ghent", "Gent"),), text="I live in Ghent.", like=("I live in Ghent.",))},
    )  # fmt: skip
    return CasePlan(**{name: getattr(made, name) for name in CasePlan.__slots__} | parts)  # type: ignore[arg-type]


def make_history(text: str = "ana lives in Ghent", tokens: int = 900) -> tuple[Entry, ...]:
    """One message appended, one context with one recalled item and one left out."""
    item = {"id": "fact-1", "kind": "fact", "text": text, "section": "recall", "score": 0.8, "label": "stated", "reason": "matches live"}
    messages = [{"role": "user", "content": text}, {"role": "user", "content": "Where do I live?"}]
    data = {"items": [item], "messages": messages, "left_out": [{"id": "fact-2", "section": "recall", "reason": "no room", "tokens": 40}]}
    scope = {"tenant": "default", "user": "ana", "thread": "main"}
    said, asked = {"message_id": "m1", "text": "I live in Ghent."}, {"text": "Where do I live?"}
    return (
        Entry(n=1, type="call", step="tell", now=NOW, op="append", scope=scope, args=said, receipt={"status": "ok"}),
        Entry(n=2, type="call", step="ask", now=NOW, op="context", scope=scope, args=asked, receipt={"status": "ok", "data": data},
              data={"tokens": [7, 6], "tokens_total": tokens, "injected": tokens - 500}),
    )  # fmt: skip


def make_verdict(check: Expectation, outcome: Outcome, **parts: object) -> Verdict:
    """A verdict with the witness or the reason its outcome needs."""
    text = {"fail": {"witness": f"item-1 in recall breaks {check.kind}", "lost_at": "ranked"}, "pass": {}}.get(
        outcome, {"reason": f"because {outcome}"}
    )
    given: dict[str, object] = {"check": check.id, "kind": check.kind, "outcome": outcome, "step": check.step, "facts": check.facts, **text, **parts}
    return Verdict(**given)  # type: ignore[arg-type]


def finish(
    plan: CasePlan,
    outcomes: Iterable[Outcome],
    *,
    system: str = "mine",
    arm: Arm = "on",
    seed: int = 0,
    repeat: int = 0,
    error: str = "",
    **parts: object,
) -> CaseFinished:
    """The end of one case; `outcomes` are those of the plan's checks in order."""
    verdicts = tuple(
        make_verdict(check, outcome, proof="held" if check.proof and outcome in ("pass", "fail") else "")
        for check, outcome in zip(plan.expectations, outcomes, strict=True)
    )
    given: dict[str, object] = {
        "history": make_history(tokens=TOKENS.get(arm, 890)),
        "judgement": Judgement(verdicts=() if error else verdicts),
        "manifest": {"name": "mine", "versions": {"mine": "1.4"}, "determinism": "exact"},
        "timings": ({"op": "context", "step": "ask", "ms": 1.25},),
        "wall_ms": 12.5,
    }
    given |= parts
    return CaseFinished(id=CaseId(scenario=plan.scenario, system=system, arm=arm, seed=seed, repeat=repeat), plan=plan, error=error, **given)  # type: ignore[arg-type]


STOCHASTIC = {"name": "mine", "versions": {"mine": "1.4"}, "determinism": "stochastic"}
"""What a memory says of itself whose repeats may differ."""


def started(planned: int, **parts: object) -> RunStarted:
    """The start of a run of one system of the user's own."""
    manifest: dict[str, object] = {
        "run": "20260302-090000-abcd", "seed": 0, "repeats": 1, "suite": "builtin@1", "arms": ["on", "off", "recent-equal"],
        "systems": [{"name": "mine", "builtin": False, "config_hash": "9f3c"}],
        "tokenizer": {"name": "o200k_base"}, "versions": {"memgauge": "0.1.0", "python": "3.11"}, "argv": ["memgauge", "run"],
    }  # fmt: skip
    return RunStarted(manifest=manifest | parts, planned=planned)


def standard_events() -> list[Event]:
    """Six scenarios on three arms: most hold, one is stale, one leaks, one errs on `off`, one is unsupported, one is harmed."""
    moved = make_plan("supersession/moved-city")
    plain = make_plan("recall/home")
    other = make_plan("leak/other-user", ["leak", "present"])
    gone = make_plan("deletion/forget-home", ["deleted", "residue"])
    nothing = make_plan("restraint/small-talk", ["sufficient"], needs_memory=False)
    calm = make_plan("restraint/weather", ["sufficient"], needs_memory=False)
    cases = [
        finish(moved, ["pass", "fail"]), finish(moved, ["fail", "unscored"], arm="off"), finish(moved, ["fail", "unscored"], arm="recent-equal"),
        finish(plain, ["pass", "pass"]), finish(plain, ["fail", "unscored"], arm="off"), finish(plain, ["pass", "unscored"], arm="recent-equal"),
        finish(other, ["pass", "pass"]), finish(other, ["unscored", "unsupported"], arm="off"),
        finish(other, ["error", "error"], arm="recent-equal", error="SystemFault: it hung"),
        finish(gone, ["pass", "unsupported"]), finish(gone, ["unsupported", "unsupported"], arm="off"),
        finish(gone, ["unsupported", "unsupported"], arm="recent-equal"),
        finish(nothing, ["fail"]), finish(nothing, ["pass"], arm="off"), finish(nothing, ["pass"], arm="recent-equal"),
        finish(calm, ["pass"]), finish(calm, ["pass"], arm="off"), finish(calm, ["pass"], arm="recent-equal"),
    ]  # fmt: skip
    return [started(len(cases)), *cases, RunFinished(status="complete")]


@pytest.fixture
def write_run(tmp_path: Path) -> Callable[..., Path]:
    """Writes a run folder from events; a second call writes a second folder."""

    def write(events: Iterable[Event], name: str = "run") -> Path:
        handler = RunFolder(tmp_path / name)
        for event in events:
            handler.handle(event)
        return tmp_path / name

    return write


@pytest.fixture
def standard_run(write_run: Callable[..., Path]) -> Path:
    return write_run(standard_events())
