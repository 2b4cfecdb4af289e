"""The reference memory as a system under test: requests in, receipts out, and nothing decided here.

`config` is a policy: `preset`, sections, dotted paths. Two keys more are for the harness. `trace: {kill_at: n, after: k}`:
the process kills itself at the n-th traced point behind its k-th acknowledgement, so that every point of a write can be tried.
`engine: {sync: false}` and the like: the store does without one of its parts, so that its loss can be noticed.
"""

from __future__ import annotations

import math
import os
import platform
import re
import signal
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import memgauge
from memgauge.clock import ManualClock, parse_instant
from memgauge.errors import InputError, StoreError, nearest
from memgauge.memory_ref.engine import STANDARD, Engine
from memgauge.memory_ref.errors import Busy, Conflict, NotFound, Refused, StorageFailed
from memgauge.memory_ref.memory import Memory, open_memory
from memgauge.memory_ref.policy import load_policy
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.session import Session
from memgauge.memory_ref.tracing import Point, Tracer, silent
from memgauge.protocol import VERBS, Manifest, Receipt, Request, unsupported

_HERE = ("describe", "open", "close", "settle")
"""Verbs of the adapter itself, which need no user; all others are methods of a session."""


class ReferenceSystem:
    """`call(request) -> receipt`. Any thread may call it."""

    def __init__(self) -> None:
        self._memory: Memory | None = None
        self._clock = ManualClock()

    def call(self, request: Request) -> Receipt:
        """Carry out one request. A failure the caller can act on is a receipt; a bug is an exception."""
        verb = VERBS.get(request.op)
        if verb is None:
            return unsupported(request.op)
        wrong = _wrong_arguments(request)
        if wrong:
            return Receipt(status="refused", reason=wrong)
        try:
            self._clock.set(parse_instant(request.now))
            if request.op in _HERE:
                return self._control(request)
            method = getattr(Session, _method(request.op), None)
            if method is None:
                return unsupported(request.op)
            session = self._opened().session(request.scope, key=request.idempotency_key)
            return _receipt(method(session, **request.args))
        except InputError as error:
            return Receipt(status="refused", reason="; ".join(error.lines()))
        except StoreError as error:
            return _failed(error)

    def _control(self, request: Request) -> Receipt:
        if request.op == "describe":
            return Receipt(status="ok", data={"manifest": _manifest().to_json()})
        if request.op == "open":
            self._close()
            self._memory = _opened(request.args, self._clock)
        elif request.op == "settle":
            self._opened()  # nothing is buffered: reads see every write that was acknowledged
        else:
            self._close()
        return Receipt(status="ok")

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def _opened(self) -> Memory:
        if self._memory is None:
            raise Refused("the memory is not open: call open first")
        return self._memory


def _opened(args: Mapping[str, Any], clock: ManualClock) -> Memory:
    config = dict(args.get("config") or {})
    trace = config.pop("trace", None)
    engine = config.pop("engine", None)
    return open_memory(Path(args["root"]), policy=load_policy(config), clock=clock, tracer=_tracer(trace), engine=_engine(engine))


def _tracer(trace: object) -> Tracer:
    if trace is None:
        return silent
    parts = {"after": 0, **trace} if isinstance(trace, Mapping) else {}
    if set(parts) != {"kill_at", "after"} or not all(isinstance(number, int) for number in parts.values()):
        raise InputError("not a trace", where="config: trace", hint="trace: {kill_at: N, after: K}; K may be left out")
    return KillAt(parts["kill_at"], after=parts["after"])


_PARTS = tuple(part.name for part in fields(Engine) if part.type == "bool")


def _engine(parts: object) -> Engine:
    if parts is None:
        return STANDARD
    if not isinstance(parts, Mapping) or not set(parts) <= set(_PARTS) or not all(isinstance(value, bool) for value in parts.values()):
        raise InputError("not the parts of a store", where="config: engine", hint=f"true or false for {', '.join(_PARTS)}")
    return Engine(**parts)


class KillAt:
    """A tracer that ends the process, without any clean-up, at the n-th point (1 is the first) behind so many acknowledgements."""

    def __init__(self, point: int, *, after: int = 0) -> None:
        self._left = point
        self._answers = after

    def __call__(self, point: Point, detail: str) -> None:
        if self._answers:
            self._answers -= point == "acknowledge"
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def _manifest() -> Manifest:
    return Manifest(
        name="reference",
        versions={"memgauge": memgauge.__version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version},
        verbs={op: "native" if op in _HERE or hasattr(Session, _method(op)) else "absent" for op in VERBS},
        scope=dict.fromkeys(("tenant", "user", "agent", "project", "thread", "task"), "enforced"),
        writes="verbatim",
        reads_see_writes="now",
        clock="argument",
        determinism="exact",
        threads=True,
        processes=True,
        durable=True,
        isolation="fresh_store",
        secure_delete=True,
    )


def _method(op: str) -> str:
    return "import_" if op == "import" else op


_ENTRIES: Mapping[str, str] = {
    "kinds": "string",
    "include": "string",
    "agents": "string",
    "application": "string",
    "messages": "object",
    "calls": "object",
}
"""What the entries of an array are; those of a claimed history may be anything."""
_HALF = re.compile("[\ud800-\udfff]")
_LARGEST = 2**63 - 1
"""The largest integer of SQLite."""
_JSON_TYPES: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, (list, tuple)),
    "any": lambda value: True,
}


def _wrong_arguments(request: Request) -> str:
    """What is wrong with the arguments by the table of verbs; empty when nothing is. Unknown ones are refused, never dropped."""
    known = VERBS[request.op].args
    for name, value in request.args.items():
        if name not in known:
            return f"{request.op} has no argument {name!r} ({nearest(name, known)})"
        if value is None and not known[name].required:
            continue
        if not _JSON_TYPES[known[name].type](value):
            return f"{request.op}: {name} must be of type {known[name].type}"
        entries = _ENTRIES.get(name, "any") if known[name].type == "array" else "any"
        if entries != "any" and not all(map(_JSON_TYPES[entries], value)):
            return f"{request.op}: {name} must hold entries of type {entries} only"
    missing = [name for name, arg in known.items() if arg.required and name not in request.args]
    if missing:
        return f"{request.op} needs {', '.join(missing)}"
    parts = {
        **request.args,
        **{f"scope {name}": value for name, value in request.scope.to_json().items()},
        "idempotency_key": request.idempotency_key,
    }
    return next((f"{request.op}: {name} {wrong}" for name, value in parts.items() if (wrong := _no_value(value))), "")


def _no_value(value: object) -> str:
    """Why something in a JSON value can be stored by no system, or empty: half a character, a number without end or out of range."""
    match value:
        case str() if not value.isascii() and _HALF.search(value):
            return "has half a character in it (a lone surrogate)"
        case bool():
            return ""
        case int() if abs(value) > _LARGEST:
            return f"is a number beyond {_LARGEST}"
        case float() if not math.isfinite(value):
            return "is no finite number"
        case Mapping():
            return next((wrong for part in value.items() for each in part if (wrong := _no_value(each))), "")
        case list() | tuple():
            return next((wrong for part in value if (wrong := _no_value(part))), "")
    return ""


def _receipt(reply: Reply) -> Receipt:
    return Receipt(
        status="ok" if reply.pending is None else "pending",
        ids=reply.ids,
        revision=reply.revision,
        notices=reply.notices,
        reason=reply.pending,
        data=reply.data,
    )


def _failed(error: StoreError) -> Receipt:
    if isinstance(error, Conflict):
        return Receipt(status="conflict", reason=str(error), conflict={"expected": error.expected, "actual": error.actual})
    if isinstance(error, (Refused, NotFound)):
        return Receipt(status="refused", reason=str(error), ids=error.candidates if isinstance(error, Refused) else ())
    return Receipt(status="error", reason=str(error), retryable=isinstance(error, (Busy, StorageFailed)) and error.retryable)
