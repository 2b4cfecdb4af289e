"""Play the steps of one plan on one system and keep the history.

Time: the clock starts at the plan's `start`. Every step but `advance` takes one second, whether the system could do it or not,
so that `now` at a step follows from the plan alone. Both answers to a question asked twice carry the same `now`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memgauge.clock import parse_duration, parse_instant, wall_ms
from memgauge.errors import SystemFault
from memgauge.protocol import VERBS
from memgauge.records import CasePlan, Entry, EntryType, Json, Scope, Step
from memgauge.runner import guard, period
from memgauge.runner.kill import kill_while_writing
from memgauge.runner.names import MESSAGE_OPS, Names, UnknownName, is_write, listing
from memgauge.runner.prompts import PromptMeter
from memgauge.runner.race import race
from memgauge.runner.scan import scan_surfaces
from memgauge.runner.session import Session, Unsupported
from memgauge.runner.visible import Visibility

STORE = "store"
"""Folder of a case in which its first store lies; a reopen may name another beside it."""
STEP_TIME = timedelta(seconds=1)
_BACK = Step(id="back to the root of a judged step", kind="reopen")
_UNASKED: Json = {"unasked": True}
_DOWN: Json = {"status": "error", "reason": "the store is not open"}
_ENTRY_TYPES: Mapping[str, EntryType] = {"call": "call", "scan": "scan", "kill": "kill", "concurrently": "race"}


class Player:
    """Plays the steps of a plan on a session that is not open yet.

    `budgets`: what a control adds to the budget object, by step id. `encoding`: by which prompts are counted.
    `seed` decides the schedules of races and the moments of kills. Raises SystemFault naming the step.
    """

    def __init__(self, plan: CasePlan, session: Session, *, budgets: Mapping[str, Json], encoding: str, seed: int) -> None:
        self.plan = plan
        self.session = session
        self.history: list[Entry] = []
        self._roots = session.root.parent
        self._budgets = budgets
        self._seed = seed
        self._names = Names(plan)
        self._meter = PromptMeter(encoding)
        self._ask_twice = {e.step for e in plan.expectations if e.kind == "prefix" and not e.params.get("since")}
        self._unsettled = False
        self._visibility = Visibility(plan)
        self._root_of: dict[str, str] = {}
        self._within: Json = {}

    def play(self) -> None:
        self.session.open()
        if guard.destructive(self.plan) or self.session.is_shared:
            guard.prove_empty(self.session, self.plan)
        for index, step in enumerate(self.plan.steps):
            try:
                self._step(index, step)
            except SystemFault as fault:
                raise type(fault)(f"step {step.id or index}: {fault}", hint=fault.hint) from fault
            if step.kind != "advance":
                self.session.clock.advance(STEP_TIME)

    def let_pass(self) -> bool:
        """Let the deletion periods pass that the system states, and do the steps again that are judged when they are over (see
        `memgauge.runner.period`). Whether there were any. Raises SystemFault naming the step."""
        passed = timedelta()
        waits = period.periods(self.plan, self.session.manifest) if self.session.is_open else []
        for within, length, steps in waits:
            self.session.clock.advance(length - passed)
            passed = length
            self._within = {"within": within}
            if doubt := period.blind(self.session.manifest, told=self.session.server.can_be_purged):
                self._within["blind"] = doubt
            for root in dict.fromkeys(self._root_of[step.id] for step in steps if step.id in self._root_of):
                self._look_again(root, [step for step in steps if self._root_of.get(step.id) == root])
        self._within = {}
        return bool(waits)

    def _look_again(self, root: str, steps: list[Step]) -> None:
        if self.session.root.name != root:
            self._record("reopen", _BACK, args={"root": root}, receipt=self._reopen(replace(_BACK, args={"root": root})))
        self._purge()
        for step in steps:
            index = self.plan.steps.index(step)
            before = self.plan.steps[max(0, index - 1)]
            if before.kind == "reopen" and self.session.is_open:
                self._record("reopen", before, args={"root": root}, receipt=self._reopen(replace(before, args={"root": root})))
            if self.session.is_open:
                try:
                    self._step(index, step)
                except SystemFault as fault:
                    raise type(fault)(f"step {step.id}, after the deletion period: {fault}", hint=fault.hint) from fault

    def _purge(self) -> None:
        """The job that erases, for every user who deleted something."""
        self.session.server.purge(self.session.root, self.session.now())
        for scope in period.deleters(self.plan.steps):
            step = Step(id=f"{period.JOB} when the deletion period is over", kind="call", op=period.JOB, scope=scope)
            if self.session.is_open and self.session.supports(step.op) and not guard.permitted(self.session, step.op):
                self._record("call", step, receipt=self._answer(step, {}))

    def diagnose(self, step: Step) -> None:
        """One extra read after a failure, kept as a diagnosis of the check that is the step's id. Never raises SystemFault:
        the verdict stands, whatever becomes of the search for its cause."""
        try:
            answer = self._answer(step, dict(step.args)) if self.session.supports(step.op) else _refusal(f"no verb {step.op}")
        except SystemFault as fault:
            answer = {"status": "error", "reason": str(fault)}
        self._record("diagnosis", step, args=step.args, receipt=answer)

    def _step(self, index: int, step: Step) -> None:
        if step.kind not in ("advance", "reopen") and not self.session.is_open:
            self._record(_ENTRY_TYPES[step.kind], step, args=step.args, receipt=_DOWN)
            return
        self._root_of[step.id] = self.session.root.name
        match step.kind:
            case "call":
                self._call(index, step)
            case "advance":
                if "to" in step.args:
                    self.session.clock.set(parse_instant(str(step.args["to"])))
                else:
                    self.session.clock.advance(parse_duration(str(step.args["by"])))
                self._record("advance", step, args=step.args)
            case "reopen":
                self._record("reopen", step, args=step.args, receipt=self._reopen(step))
            case "scan":
                self._settle(step)
                needles = [self.plan.facts[name] for name in step.args["facts"]]
                self._record("scan", step, args=step.args, data=scan_surfaces(self.session, needles, self.plan, step.scope, self._records()))
            case "concurrently" | "kill":
                self._process_step(step)

    def _reopen(self, step: Step) -> Json:
        """Close, and open the same root or the one the step names. A store that does not open again is a finding: the case
        goes on, and what follows finds no store."""
        root = self._roots / (str(step.args.get("root") or "") or STORE)
        root.mkdir(exist_ok=True)
        self.session.close()
        self.session.root = root
        try:
            self.session.open()
        except SystemFault as fault:
            self.session.abandon()
            return {"status": "error", "reason": str(fault).replace(str(self._roots), "")}
        return {}

    def _call(self, index: int, step: Step) -> None:
        try:
            args = self._names.resolve(step.args, self._list)
        except UnknownName as unknown:
            self._record("call", step, args=step.args, receipt=_refusal(str(unknown)), data=_UNASKED)
            return
        if step.op == "context" and step.id in self._budgets:
            args = {**args, "budget": {**args["budget"], **self._budgets[step.id]}}
        missing = "" if self.session.supports(step.op) else f"no verb {step.op}"
        if reason := missing or guard.permitted(self.session, step.op):
            self._record("call", step, args=args, receipt=_refusal(reason), data=_UNASKED)
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
            answer = self.session.call(step.op, step.scope, args, step=step.id, key=key)
            self.session.timings += self._visibility.read(step, answer)
            return answer
        self._unsettled = True
        asked = wall_ms()
        answer = self.session.call(step.op, step.scope, args, step=step.id, key=key)
        self._visibility.told(step, answer, asked)
        return answer

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
            self._record(kind, step, args=step.args, data=run(self.session, step, self._seed), receipt={"status": "ok"})
        except Unsupported as lacking:
            self._record(kind, step, args=step.args, receipt=_refusal(str(lacking)))

    def _settle(self, step: Step) -> None:
        """Wait until reads see writes, where the system says that they lag; part of the history, since a lie about it is a finding."""
        if not self._unsettled or self.session.manifest.reads_see_writes == "now":
            return
        self._unsettled = False
        answer = self.session.call("settle", Scope(), {}, step=step.id)
        self._visibility.settled(wall_ms())
        self._record("call", Step(id=f"settle before {step.id}", kind="call", op="settle"), receipt=answer)

    def _records(self) -> dict[str, list[str]]:
        """By fact the ids that the system gave where it was told."""
        given = {entry.step: entry.receipt.get("ids", ()) for entry in self.history if entry.op not in MESSAGE_OPS}
        found: dict[str, list[str]] = {}
        for step in self.plan.steps:
            for fact in step.tells:
                found.setdefault(fact, []).extend(map(str, given.get(step.id, ())))
        return found

    def _list(self, scope: Scope) -> list[Mapping[str, Any]]:
        return listing(self.session.call("list", scope, {}, step="names")) if self.session.supports("list") else []

    def _record(
        self, kind: EntryType, step: Step, *, args: Mapping[str, Any] | None = None, receipt: Json | None = None, data: Json | None = None
    ) -> None:
        self.history.append(
            Entry(
                n=len(self.history), type=kind, step=step.id, now=self.session.now(), op=step.op,
                scope=step.scope.to_json() if step.op else {}, args=args or {}, receipt=receipt or {}, data={**(data or {}), **self._within},
            )
        )  # fmt: skip


def _refusal(reason: str) -> Json:
    return {"status": "unsupported", "reason": reason}
