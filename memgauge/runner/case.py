"""One case from its plan to its judgement: play it, judge it, look for the causes of failures, judge again."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memgauge.clock import DEFAULT_START, ManualClock, wall_ms
from memgauge.errors import MemgaugeError
from memgauge.records import CaseId, CasePlan, Entry, Json, Judgement, Outcome, Step, Verdict
from memgauge.runner.guard import ForeignRecord
from memgauge.runner.options import AssembledBy, RunOptions, Tools
from memgauge.runner.player import STORE, Player
from memgauge.runner.session import Session
from memgauge.systems.spec import SystemSpec
from memgauge.systems.without import Withholding


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWork:
    """One case to run. `budgets`: what a control adds to the budget object of a context, by step id. `without`: the kind of item that
    never reaches a prompt."""

    id: CaseId
    plan: CasePlan
    spec: SystemSpec
    budgets: Mapping[str, Json] = field(default_factory=dict)
    without: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What came of it. `stop`: the whole run must stop (the store holds foreign records)."""

    history: tuple[Entry, ...]
    judgement: Judgement
    error: str = ""
    stop: bool = False
    assembled_by: AssembledBy = "system"
    manifest: Mapping[str, Any] = field(default_factory=dict)
    timings: tuple[Json, ...] = ()
    wall_ms: float = 0.0


def run_case(work: CaseWork, tools: Tools, options: RunOptions, root: Path) -> CaseResult:
    """Run, judge, look for causes (of a treatment, not of a control), let stated deletion periods pass, judge again. Never raises:
    whatever breaks is the case's error."""
    started = wall_ms()
    plan, store = work.plan, root / STORE
    store.mkdir(parents=True)
    clock = ManualClock(plan.start or DEFAULT_START)
    opener = Withholding(tools.open_system, work.without) if work.without else tools.open_system
    session = Session(configured(work.spec, plan), opener, store, clock, namespace=f"memgauge-{secrets.token_hex(6)}-")
    player = Player(plan, session, budgets=work.budgets, encoding=options.encoding, seed=case_seed(work.id, options.seed))
    error, stop = "", False
    try:
        player.play()
        judgement = _judge(player, tools, look=work.id.arm == "on")
        session.close()
    except Exception as fault:  # noqa: BLE001 - the case boundary: one broken case never takes others along
        error, stop = error_line(fault), isinstance(fault, ForeignRecord)
        judgement = all_error(plan, error)
        session.abandon()
    return CaseResult(
        history=tuple(player.history),
        judgement=judgement,
        error=error,
        stop=stop,
        assembled_by=session.assembled_by,
        manifest=session.manifest.to_json(),
        timings=tuple(session.timings),
        wall_ms=wall_ms() - started,
    )


def configured(spec: SystemSpec, plan: CasePlan) -> SystemSpec:
    """The spec with what the plan adds to the configuration of this system, a saboteur's base included."""
    names = {spec.name, spec.name.partition("+")[0], spec.target}
    for name, changes in plan.config.items():
        if name in names:
            spec = spec.with_config(changes)
    return spec


def case_seed(case: CaseId, seed: int) -> int:
    """What decides schedules and delays of a case: the same for the same case and run seed."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{case.scenario}/{case.seed}/{case.repeat}".encode()).digest()[:8], "big")


def all_error(plan: CasePlan, line: str) -> Judgement:
    """Every check of the plan as `error` for this reason."""
    return without_score(plan, "error", line)


def without_score(plan: CasePlan, outcome: Outcome, reason: str) -> Judgement:
    """The same unscored outcome for every check of the plan."""
    return Judgement(
        verdicts=tuple(Verdict(check=e.id, kind=e.kind, outcome=outcome, reason=reason, facts=e.facts, step=e.step) for e in plan.expectations)
    )


def error_line(fault: Exception) -> str:
    if isinstance(fault, MemgaugeError):
        return " ".join(" ".join(fault.lines()).split())
    return f"harness: {type(fault).__name__}: {' '.join(str(fault).split())[:300]}"


def _judge(player: Player, tools: Tools, *, look: bool) -> Judgement:
    """`look`: whether to look for the causes of failures."""
    plan, session = player.plan, player.session
    judgement = tools.judge(plan, player.history, session.manifest, session.assembled_by)
    reads: list[Step] = []
    if tools.diagnose is not None and look and any(v.outcome == "fail" for v in judgement.verdicts):
        reads = list(tools.diagnose(plan, player.history, judgement))
    for step in reads:
        player.diagnose(step)
    waited = player.let_pass()  # last, since it moves the clock for everything that comes after it
    return tools.judge(plan, player.history, session.manifest, session.assembled_by) if reads or waited else judgement
