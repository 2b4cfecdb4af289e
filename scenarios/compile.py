"""A scenario and a seed to a case plan: everything drawn, written out and numbered, so that any system can be put through it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memgauge.records import CasePlan, Fact, Scope, Step
from memgauge.scenarios import step_keys
from memgauge.scenarios import steps as kinds
from memgauge.scenarios.calls import CallStep, call_args
from memgauge.scenarios.drawing import Drawing, case_random
from memgauge.scenarios.expect import Absent
from memgauge.scenarios.filler import conversation, reply
from memgauge.scenarios.judging import Expectations
from memgauge.scenarios.scenario import Scenario
from memgauge.scenarios.step_keys import Budget, TellingStep

DEFAULT_ACTOR = "ana"
DEFAULT_THREAD = "main"
_SCOPE_KEYS = ("thread", "project", "agent", "task", "tenant")


def compile_case(scenario: Scenario, seed: int = 0) -> CasePlan:
    """The plan of a scenario for one seed. Raises InputError for what only shows when values are drawn (see `references`)."""
    return _Compiler(scenario, seed).plan()


class _Compiler:
    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.spec = scenario.spec
        self.scenario = scenario
        self.drawing = Drawing.make(seed, scenario.id, self.spec.values)
        self.steps: list[Step] = []
        self.expectations = Expectations(self._args)
        self.told: dict[str, str] = {}
        self.messages = 0
        self.asked_after: set[str] = set()
        self.message_of: dict[str, str] = {}

    def plan(self) -> CasePlan:
        for index, step in enumerate(self.spec.steps):
            self._step(index, step)
        facts = {name: self._fact(name) for name in self.spec.facts}
        spec = self.spec
        plan = CasePlan(
            scenario=spec.id, version=spec.version, title=spec.title, seed=self.drawing.seed, steps=tuple(self.steps), facts=facts,
            expectations=tuple(self.expectations.made), rows=tuple(spec.rows), tags=tuple(spec.tags), catalogue=tuple(spec.catalogue),
            language=spec.language, source=spec.source, content=spec.content, shape=self._shape(), start=spec.start or "",
            needs_memory=spec.needs_memory, lane=spec.lane, config=spec.config, path=self.scenario.path,
        )  # fmt: skip
        return replace(plan, digest=_digest(plan))

    def _step(self, index: int, step: Any) -> None:
        name = step.id or f"{kinds.kind_of(step)}-{index + 1}"
        base: dict[str, Any] = {"scope": self._scope(step), "line": self._line(index)}
        match step:
            case kinds.SayStep():
                self._say(name, base, step)
            case kinds.AskStep():
                self._ask(name, base, step)
            case kinds.FillerStep():
                self._filler(name, base, step.filler)
            case kinds.AdvanceStep():
                target = self.drawing.fill(step.advance)
                self._add(name, "advance", base, args={"to" if target[:1].isdigit() else "by": target})
            case kinds.ReopenStep():
                self._add(name, "reopen", base, args={"root": step.reopen.root} if isinstance(step.reopen, kinds.OtherRoot) else {})
            case kinds.ScanStep():
                self._add(name, "scan", base, args={"facts": step.scan})
                self.expectations.checks(name, step.expect)
            case kinds.KillStep():
                ops = [{"op": op.op, "args": self._args(op.args)} for op in step.kill.ops]
                at = {} if step.kill.at is None else {"at": step.kill.at}
                self._telling(name, "kill", base, step, args={"ops": ops} | at)
            case kinds.RaceStep():
                self._race(name, base, step)
            case CallStep():
                self._call(name, base, step)

    def _add(self, name: str, kind: Any, base: Mapping[str, Any], **rest: Any) -> None:
        self.steps.append(Step(id=name, kind=kind, **base, **rest))

    def _telling(self, name: str, kind: Any, base: Mapping[str, Any], step: TellingStep, **rest: Any) -> None:
        self._add(name, kind, base, tells=tuple(step.tells), save_as=step.save_as or "", idempotency_key=step.key or "", **rest)
        self.expectations.checks(name, step.expect)

    def _say(self, name: str, base: Mapping[str, Any], step: kinds.SayStep) -> None:
        text = self.drawing.wording(step.say, f"say:{name}")
        extra = {key: self._argument(key, value) for key in ("speaker", "origin", "private", "parent") if (value := getattr(step, key)) is not None}
        self._tell(step.tells, text)
        args = {"message_id": self._message(name), "role": "user", "text": text} | extra
        self._add(name, "call", base, op="append", args=args, tells=tuple(step.tells))
        answer = (
            self.drawing.wording(step.reply, f"reply:{name}") if step.reply is not None else reply(self.spec.language, self._random(f"reply:{name}"))
        )
        self._add(
            f"{name}.reply", "call", base, op="append", args={"message_id": self._message(f"{name}.reply"), "role": "assistant", "text": answer}
        )
        self._add(f"{name}.end", "call", base, op="end_turn", args={"ok": step.ok}, tells=tuple(step.tells), save_as=step.save_as or "")
        self.expectations.checks(f"{name}.end", step.expect)

    def _ask(self, name: str, base: Mapping[str, Any], step: kinds.AskStep) -> None:
        text = self.drawing.wording(step.ask, f"ask:{name}")
        calls = [(path, name if path == step.via[0] else f"{name}@{path}", "" if path == step.via[0] else f"@{path}") for path in step.via]
        for path, call, _ in calls:
            op, args = self._read(path, text, step)
            self._add(call, "call", base, op=op, args=args)
        self.expectations.ask(step, calls)
        self.expectations.checks(name, step.expect)
        for entry in step.absent:
            if entry.why == "deleted" and entry.control is None:
                self._ask_after(name, base, entry)

    def _ask_after(self, name: str, base: Mapping[str, Any], forgotten: Absent) -> None:
        """What was forgotten is asked for by the name of its record too, once: its past and its sources are read paths like any other."""
        record = next((step.save_as for step in reversed(self.steps) if forgotten.fact in step.tells and step.save_as), None)
        if record is None or forgotten.fact in self.asked_after:
            return
        self.asked_after.add(forgotten.fact)
        for op in ("history", "explain"):
            at = f"@{op}-{record}"
            self._add(name + at, "call", base, op=op, args={"id": f"${record}"})
            self.expectations.add("deleted", name + at, at=at, facts=(forgotten.fact,), proof=forgotten.proof)

    def _read(self, path: str, text: str, step: kinds.AskStep) -> tuple[str, dict[str, Any]]:
        amount = {} if step.k is None else {"k": step.k}
        if path == "context":
            args: dict[str, Any] = {"text": text, "budget": step.budget.model_dump(exclude_none=True)} | amount
            if step.application is not None:
                args["application"] = self.drawing.fill_all(step.application)
            if step.client_history is not None:
                args["client_history"] = self.drawing.fill_all(step.client_history)
            return "context", args
        if path == "recall":
            return "recall", {"query": text} | amount
        op, _, kind = path.partition("-")
        return op, {"kind": kind} if kind else {}

    def _filler(self, name: str, base: Mapping[str, Any], near: kinds.Near) -> None:
        lines = conversation(
            near.messages,
            self._random(f"filler:{name}"),
            topics=near.topics,
            near=[self.drawing.fill(text) for text in near.near],
            language=near.language or self.spec.language,
        )
        messages = [{"message_id": self._message(f"{name}.{n}"), "role": role, "text": text} for n, (role, text) in enumerate(lines, start=1)]
        self._add(name, "call", base, op="append_many", args={"messages": messages})

    def _race(self, name: str, base: Mapping[str, Any], step: kinds.RaceStep) -> None:
        race = step.concurrently
        if race.ops is not None:
            ops = [
                {"op": op.op, "args": self._args(op.args), "times": op.times, "scope": self._writer(base["scope"], op).to_json()} for op in race.ops
            ]
            args: dict[str, Any] = {"how": race.how, "ops": ops}
        else:
            args = {"writers": race.writers, "how": race.how, "times": race.times, "op": race.op, "args": self._args(race.args)}
        if race.scopes is not None:
            args["scopes"] = [replace(base["scope"], user=self._actor(actor).user).to_json() for actor in race.scopes]
        self._telling(name, "concurrently", base, step, args=args)

    def _call(self, name: str, base: Mapping[str, Any], step: CallStep) -> None:
        args = self._args(call_args(step))
        if step.op == "append":
            args = {"message_id": self._message(name), **args}
        elif step.op == "append_many":
            args = {"messages": [{"message_id": self._message(f"{name}.{n}"), **line} for n, line in enumerate(args["messages"], start=1)]}
        elif step.op == "edit_message":
            args = {"new_id": self._message(name), **args}
        elif step.op == "context":
            args = {"budget": Budget().model_dump(exclude_none=True), **args}
        texts = [line["text"] for line in args["messages"]] if step.op == "append_many" else [str(args.get("text", args.get("bundle", "")))]
        self._tell(step.tells, *texts)
        self._telling(name, "call", base, step, op=step.op, args=args)

    def _args(self, args: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self._argument(key, value) for key, value in args.items()}

    def _argument(self, key: str, value: Any) -> Any:
        """Filled, and `#step` replaced by the message that step made."""
        if isinstance(value, str) and value.startswith("#") and value[1:] in self.message_of:
            return self.message_of[value[1:]]
        if isinstance(value, list):
            return [self._argument(key, part) for part in value]
        if isinstance(value, Mapping):
            return self._args(value)
        return self.drawing.fill_all(value)

    def _message(self, name: str) -> str:
        self.messages += 1
        self.message_of[name] = f"m{self.messages}"
        return self.message_of[name]

    def _tell(self, facts: Sequence[str], *texts: str) -> None:
        for fact in facts:
            self.told.setdefault(fact, texts[0] if len(texts) == 1 else "\n".join(texts))

    def _fact(self, name: str) -> Fact:
        spec = self.spec.facts[name]
        fill = self.drawing.fill
        return Fact(
            id=name,
            anchors=tuple(self.drawing.spellings(group) for group in spec.anchors),
            text=fill(spec.text) if spec.text is not None else self.told.get(name, ""),
            claim=tuple(map(fill, spec.claim)),
            not_if=tuple(map(fill, spec.not_if)),
            like=tuple(map(fill, spec.like)),
            unlike=tuple(map(fill, spec.unlike)),
            replaces=spec.replaces,
            language=spec.language or self.spec.language,
        )

    def _scope(self, step: step_keys.Step) -> Scope:
        scope = self._actor(step.as_ or DEFAULT_ACTOR)
        given = {key: self.drawing.fill(value) for key in _SCOPE_KEYS if (value := getattr(step, key)) is not None}
        scope = replace(scope, **given)
        return scope if scope.thread is not None else replace(scope, thread=DEFAULT_THREAD)

    def _actor(self, name: str) -> Scope:
        actor = self.spec.actors.get(name)
        return Scope(user=name) if actor is None else Scope(**self.drawing.fill_all(actor.model_dump(exclude_none=True)))

    def _writer(self, scope: Scope, op: kinds.RacingOp) -> Scope:
        user = self._actor(op.as_).user if op.as_ is not None else scope.user
        return replace(scope, user=user, thread=self.drawing.fill(op.thread) if op.thread is not None else scope.thread)

    def _random(self, purpose: str) -> Any:
        return case_random(self.drawing.seed, self.spec.id, purpose)

    def _line(self, index: int) -> int:
        return self.scenario.document.marks.get(("steps", index), (0, 0))[0]

    def _shape(self) -> str:
        """Class, steps in order (repeats folded) and checks: scenarios that differ only in words have one shape."""
        words: list[str] = []
        for step in self.spec.steps:
            kind = kinds.kind_of(step)
            if not words or words[-1] != kind:
                words.append(kind)
        checks = sorted({e.kind for e in self.expectations.made})
        return f"{self.scenario.class_}: {' '.join(words)}: {' '.join(checks)}"


def _digest(plan: CasePlan) -> str:
    """sha256 over what the case does and expects; equal digests are the same case whatever file they stand in."""
    body = [
        plan.scenario, plan.version, plan.seed, plan.start, plan.config,
        [[s.id, s.kind, s.op, s.scope.to_json(), s.args, s.save_as, s.idempotency_key, s.tells] for s in plan.steps],
        [[f.id, f.anchors, f.text, f.claim, f.not_if, f.replaces] for f in plan.facts.values()],
        [[e.id, e.kind, e.step, e.facts, [e.proof.kind, e.proof.ref] if e.proof else None, e.params] for e in plan.expectations],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
