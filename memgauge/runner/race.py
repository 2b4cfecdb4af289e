"""Several writers at once on one store, in threads of this process or in processes of their own."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memgauge.errors import SystemFault
from memgauge.protocol import MemorySystem, Request
from memgauge.records import Json, Scope, Step
from memgauge.runner.aftermath import look_after
from memgauge.runner.session import Session, Unsupported, ask
from memgauge.runner.spawned import spawned

LONGEST_PAUSE_S = 0.002
"""Upper bound of the seeded pauses between the calls of a writer: long enough to mix the order, short beside a commit."""


@dataclass(slots=True, kw_only=True)
class Writer:
    """One of the racing: what it calls, how often, for whom; what came of it in `events`."""

    number: int
    op: str
    args: Mapping[str, Any]
    times: int
    scope: Scope
    pauses: list[float]
    events: list[Json] = field(default_factory=list)

    def write(self, system: MemorySystem, session: Session, start: threading.Barrier) -> None:
        """Call and note. A fault ends this writer; whether that last write took place is `unknown`."""
        start.wait()
        for turn, pause in enumerate(self.pauses, 1):
            time.sleep(pause)
            args = filled(self.args, self.number, turn)
            event: Json = {"writer": self.number, "i": turn, "op": self.op, "args": args}
            try:
                request = Request(op=self.op, now=session.now(), scope=session.wire_scope(self.scope), args=args)
                answer = ask(system, request)
            except SystemFault as fault:
                self.events.append({**event, "status": "unknown", "ids": [], "reason": str(fault)})
                return
            told: Json = {key: answer[key] for key in ("conflict", "revision", "reason") if key in answer}
            self.events.append({**event, "status": answer["status"], "ids": answer.get("ids", []), **told})


def race(session: Session, step: Step, seed: int) -> Json:
    """Let the writers of a step go at once. Returns {how, writers, events, after}: every call with its answer, sorted by
    writer and turn, and what a reader finds when all are done (see `look_after`).

    The pauses of each writer follow from the seed; how the calls interleave does not, so verdicts state invariants only.
    Raises Unsupported when the manifest does not claim what the race needs, SystemFault when a writer hangs.
    """
    how = step.args["how"]
    writers = _writers(step, seed)
    if how == "threads" and not session.manifest.threads:
        raise Unsupported("the system does not claim to be safe for threads")
    if how == "processes" and not session.manifest.processes:
        raise Unsupported("the system does not claim to be safe for several processes")
    if missing := sorted({w.op for w in writers if not session.manifest.supports(w.op)}):
        raise Unsupported(f"no verb {', '.join(missing)}")
    if how == "threads":
        _run(writers, [session.system] * len(writers), session)
    else:
        children = [spawned(session) for _ in writers]
        try:
            for child in children:
                child.open()
            _run(writers, [child.system for child in children], session)
        finally:
            for child in children:
                child.kill()
    events = [event for writer in writers for event in writer.events]
    return {"how": how, "writers": len(writers), "events": events, "after": look_after(session, [(w.op, w.args, w.scope) for w in writers])}


def filled(value: Any, writer: int, turn: int) -> Any:
    """The arguments with `{writer}` and `{turn}` replaced by their numbers."""
    if isinstance(value, str):
        return value.replace("{writer}", str(writer)).replace("{turn}", str(turn))
    if isinstance(value, Mapping):
        return {key: filled(part, writer, turn) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(part, writer, turn) for part in value]
    return value


def _writers(step: Step, seed: int) -> list[Writer]:
    args = step.args
    if "ops" in args:
        plans = [
            (o["op"], o.get("args", {}), int(o.get("times", 1)), Scope.from_json(o["scope"]) if "scope" in o else step.scope) for o in args["ops"]
        ]
    else:
        scopes = [Scope.from_json(scope) for scope in args.get("scopes", ())] or [step.scope]
        count, times = int(args["writers"]), int(args.get("times", 1))
        plans = [(args["op"], args.get("args", {}), times, scopes[i % len(scopes)]) for i in range(count)]
    writers = []
    for number, (op, op_args, times, scope) in enumerate(plans, 1):
        draw = random.Random(f"{seed}/{step.id}/{number}")
        pauses = [draw.uniform(0, LONGEST_PAUSE_S) for _ in range(times)]
        writers.append(Writer(number=number, op=op, args=op_args, times=times, scope=scope, pauses=pauses))
    return writers


def _run(writers: list[Writer], systems: list[MemorySystem], session: Session) -> None:
    start = threading.Barrier(len(writers))
    pairs = zip(writers, systems, strict=True)
    threads = [threading.Thread(target=writer.write, args=(system, session, start), daemon=True) for writer, system in pairs]
    for thread in threads:
        thread.start()
    until = time.monotonic() + session.spec.timeout_s
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    if any(thread.is_alive() for thread in threads):
        raise SystemFault(f"a writer of the race did not end within {session.spec.timeout_s:g} s")
