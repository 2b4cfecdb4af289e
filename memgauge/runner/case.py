"""Play one plan on one system and have it judged.

Time: the clock starts at the plan's `start`. Every step but `advance` takes one second, whether the system could do it or not,
so that `now` at a step follows from the plan alone. Both answers to a question asked twice carry the same `now`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from memgauge.clock import DEFAULT_START, ManualClock, parse_duration, wall_ms
from memgauge.errors import MemgaugeError, SystemFault
from memgauge.protocol import VERBS
from memgauge.records import CaseId, CasePlan, Entry, EntryType, Json, Judgement, Outcome, Scope, Step, Verdict
from memgauge.runner import guard
from memgauge.runner.kill import kill_while_writing
from memgauge.runner.names import Names, UnknownName, is_write, listing
from memgauge.runner.options import AssembledBy, RunOptions, Tools
from memgauge.runner.prompts import PromptMeter
from memgauge.runner.race import race
from memgauge.runner.scan import scan_surfaces
from memgauge.runner.session import Session, Unsupported
from memgauge.systems.spec import SystemSpec

STEP_TIME = timedelta(seconds=1)
_DOWN: Json = {"status": "error", "reason": "the store did not open after the kill"}
_ENTRY_TYPES: Mapping[str, EntryType] = {"call": "call", "scan": "scan", "kill": "kill", "concurrently": "race"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWork:
    """One case to run. `recent_extra`: for the recent-equal arm, tokens by step id that memory injected there."""

    id: CaseId
    plan: CasePlan
    spec: SystemSpec
    recent_extra: Mapping[str, int] = field(default_factory=dict)


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
    """Run, judge, look for causes (of a treatment, not of a control), judge again. Never raises: whatever breaks is the case's error."""
    started = wall_ms()
    player = Player(work, tools, options, root)
    error, stop = "", False
    try:
        player.play()
        judgement = _judge(player, tools)
        player.session.close()
    except Exception as fault:  # noqa: BLE001 - the case boundary: one broken case never takes others along
        error, stop = error_line(fault), isinstance(fault, guard.ForeignRecord)
        judgement = all_error(work.plan, error)
        player.session.abandon()
    return CaseResult(
        history=tuple(player.history),
        judgement=judgement,
        error=error,
        stop=stop,
        assembled_by=player.session.assembled_by,
        manifest=player.session.manifest.to_json(),
        timings=tuple(player.session.timings),
        wall_ms=wall_ms() - started,
    )


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


def _judge(player: Player, tools: Tools) -> Judgement:
    plan, session = player.plan, player.session
    judgement = tools.judge(plan, player.history, session.manifest, session.assembled_by)
    if tools.diagnose is None or player.is_control or not any(v.outcome == "fail" for v in judgement.verdicts):
        return judgement
    reads = list(tools.diagnose(plan, player.history, judgement))
    for step in reads:
        player.diagnose(step)
    return tools.judge(plan, player.history, session.manifest, session.assembled_by) if reads else judgement


class Player:
    """Plays the steps of one plan and keeps the history."""

    def __init__(self, work: CaseWork, tools: Tools, options: RunOptions, root: Path) -> None:
        self.plan = work.plan
        self.history: list[Entry] = []
        self.is_control = work.id.arm != "on"
        self._work = work
        self._tools = tools
        self._options = options
        self._clock = ManualClock(work.plan.start or DEFAULT_START)
        self._case_root = root
        namespace = f"memgauge-{secrets.token_hex(6)}-"
        self.session = Session(configured(work.spec, work.plan), tools.open_system, self._root(), self._clock, namespace)
        self._names = Names(work.plan)
        self._meter = PromptMeter(options.encoding)
        self._ask_twice = {e.step for e in work.plan.expectations if e.kind == "prefix" and not e.params.get("since")}
        self._unsettled = False
        self._seed = int.from_bytes(hashlib.sha256(f"{options.seed}/{work.id.scenario}/{work.id.seed}/{work.id.repeat}".encode()).digest()[:8], "big")

    def play(self) -> None:
        self.session.open()
        if guard.destructive(self.plan) or self.session.manifest.isolation != "fresh_store":
            guard.prove_empty(self.session, self.plan)
        for index, step in enumerate(self.plan.steps):
            try:
                self._step(index, step)
            except SystemFault as fault:
                raise type(fault)(f"step {step.id or index}: {fault}", hint=fault.hint) from fault
            if step.kind != "advance":
                self._clock.advance(STEP_TIME)

    def _root(self, step: Step | None = None) -> Path:
        """The folder of a reopen: the one it names, else the first. Made when it is new."""
        root = self._case_root / (str(step.args.get("root") or "") or "store" if step else "store")
        root.mkdir(parents=True, exist_ok=True)
        return root

    def diagnose(self, step: Step) -> None:
        """One extra read after a failure, kept as a diagnosis of the check that is the step's id."""
        answer = self._answer(step, self._names.resolve(step.args, self._list)) if self.session.supports(step.op) else _refusal(f"no verb {step.op}")
        self._record("diagnosis", step, args=step.args, receipt=answer)

    def _step(self, index: int, step: Step) -> None:
        if step.kind not in ("advance", "reopen") and not self.session.is_open:
            self._record(
                _ENTRY_TYPES[step.kind], step, args=step.args, receipt={"status": "error", "reason": "the store did not open after the kill"}
            )
            return
        match step.kind:
            case "call":
                self._call(index, step)
            case "advance":
                self._clock.advance(parse_duration(str(step.args["by"])))
                self._record("advance", step, args=step.args)
            case "reopen":
                self.session.reopen(self._root(step))
                self._record("reopen", step, args=step.args)
            case "scan":
                self._settle(step)
                needles = [self.plan.facts[name] for name in step.args["facts"]]
                self._record("scan", step, args=step.args, data=scan_surfaces(self.session, needles, self.plan, step.scope))
            case "concurrently" | "kill":
                self._process_step(step)

    def _call(self, index: int, step: Step) -> None:
        try:
            args = self._names.resolve(step.args, self._list)
        except UnknownName as unknown:
            self._record("call", step, args=step.args, receipt=_refusal(str(unknown)))
            return
        if step.op == "context" and step.id in self._work.recent_extra:
            args = {**args, "budget": {**args["budget"], "recent_extra": self._work.recent_extra[step.id]}}
        missing = "" if self.session.supports(step.op) else f"no verb {step.op}"
        if reason := missing or guard.permitted(self.session, step.op):
            self._record("call", step, args=args, receipt=_refusal(reason))
            return
        answer = self._answer(step, args, key=step.idempotency_key or (f"{self.plan.scenario}/{index}" if is_write(step.op) else None))
        self._names.learn(step, answer)
        self._meter.note(step.op, step.scope, args, answer)
        data: Json = {}
        if step.op == "context":
            data = self._meter.measure(step.scope, args, answer)
            if step.id in self._ask_twice:
                data["again"] = self._answer(step, args)
        self._record("call", step, args=args, receipt=answer, data=data)

    def _answer(self, step: Step, args: Json, key: str | None = None) -> Json:
        if VERBS[step.op].effect == "read":
            self._settle(step)
        else:
            self._unsettled = True
        return self.session.call(step.op, step.scope, args, step=step.id, key=key)

    def _process_step(self, step: Step) -> None:
        try:
            step = replace(step, args=self._names.resolve(step.args, self._list))
        except UnknownName as unknown:
            self._record("call", step, args=step.args, receipt=_refusal(str(unknown)))
            return
        kind = _ENTRY_TYPES[step.kind]
        run = race if kind == "race" else kill_while_writing
        self._unsettled = True
        try:
            self._record(kind, step, args=step.args, data=run(self.session, step, self._tools.open_system, self._seed), receipt={"status": "ok"})
        except Unsupported as lacking:
            self._record(kind, step, args=step.args, receipt=_refusal(str(lacking)))

    def _settle(self, step: Step) -> None:
        """Wait until reads see writes, where the system says that they lag; part of the history, since a lie about it is a finding."""
        if not self._unsettled or self.session.manifest.reads_see_writes == "now":
            return
        self._unsettled = False
        answer = self.session.call("settle", Scope(), {}, step=step.id)
        self._record("call", Step(id=f"settle before {step.id}", kind="call", op="settle"), receipt=answer)

    def _list(self, scope: Scope) -> list[Mapping[str, Any]]:
        return listing(self.session.call("list", scope, {}, step="names")) if self.session.supports("list") else []

    def _record(
        self, kind: EntryType, step: Step, *, args: Mapping[str, Any] | None = None, receipt: Json | None = None, data: Json | None = None
    ) -> None:
        self.history.append(
            Entry(
                n=len(self.history), type=kind, step=step.id, now=self.session.now(), op=step.op,
                scope=step.scope.to_json() if step.op else {}, args=args or {}, receipt=receipt or {}, data=data or {},
            )
        )  # fmt: skip


def configured(spec: SystemSpec, plan: CasePlan) -> SystemSpec:
    """The spec with what the plan adds to the configuration of this system, a saboteur's base included."""
    names = {spec.name, spec.name.partition("+")[0], spec.target}
    for name, changes in plan.config.items():
        if name in names:
            spec = spec.with_config(changes)
    return spec


def _refusal(reason: str) -> Json:
    return {"status": "unsupported", "reason": reason}
