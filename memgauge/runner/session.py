"""One system under test during one case: opening, closing, calling, and turning whatever goes wrong into a SystemFault."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from memgauge.clock import ManualClock, format_instant, wall_ms
from memgauge.errors import InputError, MemgaugeError, SystemFault
from memgauge.protocol import VERBS, Manifest, MemorySystem, Receipt, Request, check_answer
from memgauge.records import Json, Scope
from memgauge.runner.options import AssembledBy, Opener
from memgauge.systems.assembler import Assembler
from memgauge.systems.faults import describe
from memgauge.systems.parting import let_go
from memgauge.systems.server import Server
from memgauge.systems.spec import SystemSpec


class Unsupported(Exception):
    """The system does not say that it can do this; the step is recorded so, and the case goes on."""


class Session:
    """Calls of one case on one root folder.

    Scopes of a system whose stores are not the harness's own (`isolation: namespace`) get `namespace` before every user id,
    so that no case can meet the data of another or of a customer; histories show the ids of the plan.
    Every method raises SystemFault when the system raises, dies, hangs, or answers outside the protocol.
    """

    def __init__(self, spec: SystemSpec, opener: Opener, root: Path, clock: ManualClock, namespace: str) -> None:
        self.spec = spec
        self.root = root
        self.clock = clock
        self.timings: list[Json] = []
        self.assembled_by: AssembledBy = "system"
        self.opener = opener
        self.server = Server(spec)
        self._namespace = namespace
        self._next_call = 0.0
        self._held = contextlib.ExitStack()
        self._assembler = Assembler(spec.assemble)
        self._system: MemorySystem | None = None
        self.manifest = Manifest(name=spec.name)

    def open(self) -> None:
        """Make the system, ask what it can do, and open it on the root. Continues what the root holds.

        Raises InputError for a system that cannot be made or refuses its configuration.
        """
        self.server.start(self.root)
        raw = self.opener(self.spec)
        self._system = raw
        answer = self._ask(Request(op="describe", now=self.now()))
        declared = Manifest.from_json(answer.get("data", {}).get("manifest"))
        if self.spec.erase_within:
            declared = replace(declared, erase_within=self.spec.erase_within)
        self._system, self.manifest, by_harness = self._assembler.around(raw, declared)
        self.assembled_by = "harness" if by_harness else "system"
        answer = self._ask(Request(op="open", now=self.now(), args={"root": str(self.root), "config": dict(self.spec.config)}))
        if answer["status"] == "refused":
            raise InputError(f"{self.spec.name} refused to open: {answer.get('reason', 'no reason given')}")
        if answer["status"] != "ok":
            raise SystemFault(f"open: {answer['status']}: {answer.get('reason', 'no reason given')}")

    def close(self) -> None:
        """Close the system, and stop the server behind it."""
        try:
            self.hang_up()
        finally:
            self.server.stop(self.root)

    def hang_up(self) -> None:
        """Close the system and leave the server behind it running, for others that use it."""
        if self._system is not None:
            try:
                self._ask(Request(op="close", now=self.now()))
            finally:
                self._system = None
                self._held.close()

    def abandon(self) -> None:
        """Part with a system that has already faulted: kill a child, give an object one chance to let go of its files."""
        if self._system is not None:
            let_go(self._system, self.now())
            self._system = None
            self._held.close()
        with contextlib.suppress(SystemFault):
            self.close()

    def read_bytes(self, path: Path) -> bytes:
        """A file of the store. It stays open until the system is closed: closing any handle of a file drops the POSIX locks
        that this process, and so SQLite in it, holds on the file."""
        return self._held.enter_context(path.open("rb")).read()

    def now(self) -> str:
        return format_instant(self.clock.now())

    def wire_scope(self, scope: Scope) -> Scope:
        """The scope as the system sees it."""
        if self.manifest.isolation == "fresh_store" or not scope.user:
            return scope
        return replace(scope, user=self._namespace + scope.user)

    def request(self, op: str, scope: Scope, args: Json, key: str | None = None) -> Request:
        """The request as it goes out. The file of a backup lies below the root, whatever path the plan gives."""
        if op == "backup" and "path" in args:
            path = Path(str(args["path"]))
            args = {**args, "path": str(self.root / path.relative_to(path.anchor))}
        return Request(op=op, now=self.now(), scope=self.wire_scope(scope), args=args, idempotency_key=key)

    def call(self, op: str, scope: Scope, args: Json, *, step: str = "", key: str | None = None) -> Json:
        """The receipt of one call as JSON: a copy that the system can no longer change."""
        self._pace()
        started = wall_ms()
        answer = self._ask(self.request(op, scope, args, key))
        self.timings.append({"step": step, "op": op, "ms": round(wall_ms() - started, 3)})
        return answer

    def _pace(self) -> None:
        """Keep to the requests a minute that the manifest allows, shared among the cases that may run at once."""
        if self.manifest.requests_per_minute:
            time.sleep(max(0.0, self._next_call - time.monotonic()))
            self._next_call = time.monotonic() + 60.0 * self.manifest.max_parallel / self.manifest.requests_per_minute

    def supports(self, op: str) -> bool:
        return self.manifest.supports(op) or VERBS[op].effect == "control"

    @property
    def is_shared(self) -> bool:
        """Whether cases may meet in one store: a hosted one, or a server of the user's own."""
        return self.manifest.isolation == "namespace" or self.server.exists

    @property
    def is_open(self) -> bool:
        return self._system is not None

    @property
    def system(self) -> MemorySystem:
        """The open system itself, for threads that race on it."""
        if self._system is None:
            raise SystemFault("the system is not open")
        return self._system

    def _ask(self, request: Request) -> Json:
        return ask(self.system, request)


def ask(system: MemorySystem, request: Request) -> Json:
    """One call and its receipt as plain JSON. Raises SystemFault for anything else, with the kind and place of an exception."""
    try:
        receipt = system.call(request)
    except MemgaugeError as error:
        raise error if isinstance(error, SystemFault) else SystemFault(f"{request.op}: {error}") from error
    except (Exception, SystemExit) as error:
        raise SystemFault(f"{request.op} raised {describe(error)}") from error
    if not isinstance(receipt, Receipt):
        raise SystemFault(f"{request.op} answered with a {type(receipt).__name__}, not a Receipt")
    check_answer(request.op, receipt)
    try:
        answer: dict[str, Any] = json.loads(json.dumps(receipt.to_json(), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise SystemFault(f"{request.op} answered with what JSON cannot hold: {error}") from None
    return answer
