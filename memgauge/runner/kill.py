"""Kill the process in the middle of writes, then open the store again and see what is there."""

from __future__ import annotations

import random
import threading
import time

from memgauge.errors import SystemFault
from memgauge.protocol import Request
from memgauge.records import Json, Scope, Step
from memgauge.runner.aftermath import look_after
from memgauge.runner.session import Session, Unsupported, ask
from memgauge.runner.spawned import Spawned, spawned

TRACED = "reference"
"""The built-in system that can be killed at a counted point of its own (configuration `trace: {kill_at: N, after: K}`)."""
POINTS_PER_WRITE = 20
"""Points that a seeded choice assumes per write, as counted on the reference: begin, its statements, commit, committed, acknowledge."""
SHORTEST_WRITE_S = 0.004
"""Seconds that a write of a black box is taken to last at least, as one with its sync does here. The longest of those before tells more."""


def kill_while_writing(session: Session, step: Step, seed: int) -> Json:
    """Play the ops of a step, one by one, in a second process that is killed with SIGKILL on the way.

    Returns {acknowledged, unknown, declined, killed, reopened, after}: ops that were answered ok, the one under way when the process
    ended, those answered otherwise; where it was killed; whether the store opened again; what a reader finds then (see `look_after`).
    `killed` is {during, at} for a point counted from the first answers on, {at} for one that the step names, or {during, delay_ms,
    sampled: true} for a black box; `reached` is false when all ops were done before, and the kill came after the last answer. Where
    there are several ops a seeded kill never comes in the first: something is acknowledged that can be lost. The session is closed
    meanwhile, and open afterwards unless the store does not open or be read again, which is a finding and no fault of the case:
    `reopened` is false, `reason` says why.
    Raises Unsupported for a store behind a server that no command kills, since the death of a client shows nothing of it.
    """
    if session.is_shared and not session.server.can_be_killed:
        raise Unsupported("only its client could be killed: give the kill command of the server behind it (lifecycle)")
    draw = random.Random(f"{seed}/{step.id}")
    ops: list[Json] = [{"i": i, "op": op["op"], "args": dict(op.get("args", {}))} for i, op in enumerate(step.args["ops"], 1)]
    session.hang_up()
    during = draw.randint(min(2, len(ops)), len(ops))
    if session.spec.target == TRACED:
        at = step.args.get("at")
        killed: Json = {"at": at} if at else {"during": during, "at": 1 + draw.randrange(POINTS_PER_WRITE)}
        child = spawned(session, trace={"kill_at": killed["at"], "after": killed.get("during", 1) - 1})
        result, _ = _play(session, child, ops, step.scope)
    else:
        result, delay = _play(session, spawned(session), ops, step.scope, during, draw.random())
        killed = {"during": during, "delay_ms": round(delay * 1000, 3), "sampled": True}
    killed["reached"] = bool(result["unknown"])
    try:
        session.open()
        after = look_after(session, [(o["op"], o["args"], step.scope) for o in ops])
    except SystemFault as fault:
        session.abandon()
        return {**result, "killed": killed, "reopened": False, "reason": str(fault).replace(str(session.root), ""), "after": []}
    return {**result, "killed": killed, "reopened": True, "after": after}


def _play(
    session: Session, child: Spawned, ops: list[Json], scope: Scope, target: int = 0, share: float = 0.0
) -> tuple[dict[str, list[Json]], float]:
    """The ops by what became of them, and the delay in seconds. `target`: number of the op during which a timer kills the child, 0 for
    none; `share`: after which part of the time that the longest of those before took."""
    result: dict[str, list[Json]] = {"acknowledged": [], "unknown": [], "declined": []}
    timer: threading.Timer | None = None
    longest, delay = SHORTEST_WRITE_S, 0.0
    struck = False

    def strike() -> None:
        nonlocal struck
        struck = True
        if session.server.can_be_killed:
            session.server.kill(session.root)
        child.strike()

    try:
        child.open()
        for op in ops:
            if not session.manifest.supports(op["op"]):
                result["declined"].append({**op, "status": "unsupported"})
                continue
            if op["i"] == target:
                delay = share * longest
                timer = threading.Timer(delay, strike)
                timer.start()
            started = time.monotonic()
            try:
                request = Request(op=op["op"], now=session.now(), scope=session.wire_scope(scope), args=op["args"], idempotency_key=f"kill-{op['i']}")
                answer = ask(child.system, request)
            except SystemFault:
                result["unknown"].append(op)
                break
            longest = max(longest, time.monotonic() - started)
            told: Json = {key: answer[key] for key in ("ids", "revision", "reason") if key in answer}
            result["acknowledged" if answer["status"] == "ok" else "declined"].append({**op, "status": answer["status"], **told})
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()
        child.kill()
        if session.server.can_be_killed and not struck:
            session.server.kill(session.root)
    return result, delay
