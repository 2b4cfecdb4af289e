"""Kill the process in the middle of writes, then open the store again and see what is there."""

from __future__ import annotations

import random
import threading
from typing import Any

from memgauge.errors import SystemFault
from memgauge.protocol import Request
from memgauge.records import Json, Scope, Step
from memgauge.runner.aftermath import look_after
from memgauge.runner.session import Session, Unsupported, ask
from memgauge.runner.spawned import Spawned, spawned

TRACED = "reference"
"""The built-in system that can be killed at a counted point of its own (configuration `trace: {kill_at: N}`)."""
POINTS_PER_WRITE = 20
"""Points that a seeded choice assumes per write, as counted on the reference: begin, its statements, commit, committed, acknowledge."""
LONGEST_DELAY_S = 0.004
"""Upper bound of the seeded delay after which a black box is killed: the time of a write with its sync, as measured here."""


def kill_while_writing(session: Session, step: Step, seed: int) -> Json:
    """Play the ops of a step, one by one, in a second process that is killed with SIGKILL on the way.

    Returns {acknowledged, unknown, declined, killed, reopened, after}: ops that were answered ok, the one under way when the process
    ended, those answered otherwise; where it was killed; whether the store opened again; what a reader finds then (see `look_after`).
    `killed` is {at} for a counted point, or {during, delay_ms, sampled: true} for a black box; `reached` is false when all
    ops were done before, and the kill came after the last answer. The session is closed meanwhile, and open afterwards
    unless the store does not open or be read again, which is a finding and no fault of the case: `reopened` is false, `reason` says why.
    Raises Unsupported for a store behind a server that no command kills, since the death of a client shows nothing of it.
    """
    if session.is_shared and not session.server.can_be_killed:
        raise Unsupported("only its client could be killed: give the kill command of the server behind it (lifecycle)")
    draw = random.Random(f"{seed}/{step.id}")
    ops: list[Json] = [{"i": i, "op": op["op"], "args": dict(op.get("args", {}))} for i, op in enumerate(step.args["ops"], 1)]
    session.hang_up()
    if session.spec.target == TRACED:
        at = step.args.get("at") or 1 + draw.randrange(POINTS_PER_WRITE * len(ops))
        child = spawned(session, trace={"kill_at": at})
        killed: Json = {"at": at}
        target, delay = 0, 0.0
    else:
        child = spawned(session)
        target, delay = 1 + draw.randrange(len(ops)), draw.uniform(0, LONGEST_DELAY_S)
        killed = {"during": target, "delay_ms": round(delay * 1000, 3), "sampled": True}
    result = _play(session, child, ops, step.scope, target, delay)
    killed["reached"] = bool(result["unknown"])
    try:
        session.open()
        after = look_after(session, [(o["op"], o["args"], step.scope) for o in ops])
    except SystemFault as fault:
        session.abandon()
        return {**result, "killed": killed, "reopened": False, "reason": str(fault).replace(str(session.root), ""), "after": []}
    return {**result, "killed": killed, "reopened": True, "after": after}


def _play(session: Session, child: Spawned, ops: list[Json], scope: Scope, target: int, delay: float) -> dict[str, Any]:
    """`target`: number of the op during which a timer kills the child; 0 for none."""
    result: dict[str, Any] = {"acknowledged": [], "unknown": [], "declined": []}
    timer: threading.Timer | None = None
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
                timer = threading.Timer(delay, strike)
                timer.start()
            try:
                request = Request(op=op["op"], now=session.now(), scope=session.wire_scope(scope), args=op["args"], idempotency_key=f"kill-{op['i']}")
                answer = ask(child.system, request)
            except SystemFault:
                result["unknown"].append(op)
                break
            told: Json = {key: answer[key] for key in ("ids", "revision", "reason") if key in answer}
            result["acknowledged" if answer["status"] == "ok" else "declined"].append({**op, "status": answer["status"], **told})
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()
        child.kill()
        if session.server.can_be_killed and not struck:
            session.server.kill(session.root)
    return result
