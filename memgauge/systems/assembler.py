"""The application's part, for memories that only store and search: hand typed messages to `remember`, and build a plain prompt from `recall`.

The assembly, in order: the application's texts, each a system message; one user message with what was recalled, best first
(see `block`); the recent window of the thread; the current message. Recalled items may take `share` of what the fixed parts
leave of the budget. Rows made this way say
`assembled_by: harness`, and checks of the assembled prompt do not apply to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memgauge.errors import InputError, nearest
from memgauge.protocol import Manifest, MemorySystem, Receipt, Request, unsupported
from memgauge.records import Scope
from memgauge.systems.block import fit
from memgauge.systems.conversation import Budget, Json, recent


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Settings of the assembler: items asked for, their share of the rest of the budget, `best_first` or `best_last`, the label of each item."""

    k: int = 5
    share: float = 0.4
    order: str = "best_first"
    label: str = "remembered"

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Assembly:
        """From the `assemble` mapping of a project file. Raises InputError."""
        for key in options:
            if key not in cls.__slots__:
                raise InputError(f"unknown key {key!r}", where="assemble", hint=nearest(key, cls.__slots__))
        made = cls(**options)
        if made.order not in ("best_first", "best_last"):
            raise InputError(f"order {made.order!r}", where="assemble", hint="best_first or best_last")
        if not (isinstance(made.k, int) and made.k > 0 and 0 < made.share <= 1):
            raise InputError(f"k {made.k!r} must be 1 or more, share {made.share!r} above 0 and up to 1", where="assemble")
        return made


class Assembler:
    """Stands between the harness and one system for a whole case; it outlives a reopen, as an application's own chat log would.

    A message leaves the window when it, the record made of it, or everything of its user is forgotten.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._settings = Assembly.of(options)
        self._threads: dict[Scope, list[Json]] = {}
        self._private: set[Scope] = set()
        self._sources: dict[str, str] = {}

    def around(self, system: MemorySystem, manifest: Manifest) -> tuple[MemorySystem, Manifest, bool]:
        """The system with what it lacks put round it, its manifest with that marked `emulated`, and whether the prompt is assembled here."""
        added = [op for op, needed in (("context", "recall"), ("append", "remember")) if not manifest.supports(op) and manifest.supports(needed)]
        if "append" in added or ("context" in added and manifest.supports("append")):
            added += [] if manifest.supports("append_many") else ["append_many"]
        if not added:
            return system, manifest, False
        self._system, self._native = system, manifest
        return self, replace(manifest, verbs={**manifest.verbs, **dict.fromkeys(added, "emulated")}), "context" in added

    def call(self, request: Request) -> Receipt:
        match request.op:
            case "append":
                return self._append(request, request.args)
            case "append_many" if not self._native.supports("append_many"):
                for message in request.args["messages"]:
                    key = f"{request.idempotency_key}/{message['message_id']}" if request.idempotency_key else None
                    single = replace(request, op="append", args=message, now=message.get("now", request.now), idempotency_key=key)
                    receipt = self._append(single, message)
                    if not receipt.ok:
                        return receipt
                return Receipt(status="ok")
            case "append_many":
                self._threads.setdefault(request.scope, []).extend(dict(m) for m in request.args["messages"])
            case "context" if not self._native.supports("context"):
                return self._context(request)
        receipt = self._system.call(request)
        if request.op in ("forget", "forget_all") and receipt.ok:
            self._drop(request, receipt)
        return receipt

    def kill(self) -> None:
        """End a child behind it."""
        kill = getattr(self._system, "kill", None)
        if callable(kill):
            kill()

    def _append(self, request: Request, message: Mapping[str, Any]) -> Receipt:
        self._threads.setdefault(request.scope, []).append(dict(message))
        if message.get("private"):
            self._private.add(request.scope)
        if self._native.supports("append"):
            receipt = self._system.call(request)
        elif message["role"] != "user" or message.get("origin", "typed") != "typed" or request.scope in self._private:
            return Receipt(status="ok")
        else:
            receipt = self._system.call(replace(request, op="remember", args={"text": message["text"], "message_id": message["message_id"]}))
        for record in receipt.ids:
            self._sources[record] = str(message["message_id"])
        return receipt

    def _drop(self, request: Request, receipt: Receipt) -> None:
        owner = (request.scope.tenant, request.scope.user)
        named = {str(v) for v in (request.args.get("id"), request.args.get("message_id"), *receipt.ids) if v}
        gone = named | {self._sources[record] for record in named if record in self._sources}
        for scope, messages in self._threads.items():
            if (scope.tenant, scope.user) == owner:
                messages[:] = [] if request.op == "forget_all" else [m for m in messages if str(m["message_id"]) not in gone]

    def _context(self, request: Request) -> Receipt:
        if not self._native.supports("recall"):
            return unsupported("context")
        budget = Budget(request)
        if (refusal := budget.refusal()) is not None:
            return refusal
        k = int(request.args.get("k", self._settings.k))
        recalled = self._system.call(replace(request, op="recall", args={"query": request.args["text"], "k": k}, idempotency_key=None))
        if not recalled.ok:
            return recalled
        settings = self._settings
        block = fit(recalled.data.get("items", ()), budget, settings.share, settings.label, best_last=settings.order == "best_last")
        window = recent(self._threads.get(request.scope, []), budget, block.tokens)
        return budget.prompt([*block.messages, *window], block.items, block.left_out)
