"""A user's own Python memory: a class with plain functions. Three of them (write, search, delete) are enough; the manifest follows from which exist.

```python
class Mine(SimpleMemory):
    def write(self, user, text): ...          # store; may return an id
    def search(self, user, query, k): ...     # texts, (text, score) pairs, or dicts with text, id, score
    def delete(self, user, id): ...           # False when there is no such record
```
Optional: open(root, config), close(), settle(), list(user), update(user, id, text), delete_user(user), history(user, id),
append(user, role, text), context(user, text, budget), purge(user), surfaces().
A function may name further parameters and is given them: now (datetime),
tenant, agent, project, thread, task, scope, kind, role, message_id, private, application, expires_at, agents, reach, sensitivity.
A corner of the scope that no function names is `none` in the manifest; a limit that `write` does not name is answered `unsupported`.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from memgauge.clock import parse_instant
from memgauge.errors import SystemFault
from memgauge.protocol import Determinism, Manifest, Receipt, Request, Support, unsupported
from memgauge.records import Json


class SimpleMemory:
    """Base class. Override what the memory has; what is left alone counts as absent.

    `threads` and `processes` say whether several may write at once; `determinism`: exact, seeded, or stochastic; `erase_within`, as P30D,
    after which time `purge` has erased what was deleted (see `Manifest`).
    """

    name = ""
    version = ""
    threads = False
    processes = False
    determinism: Determinism = "exact"
    erase_within: ClassVar[str | Mapping[str, str]] = ""

    def write(self, user: str, text: str) -> Any:
        raise NotImplementedError

    def search(self, user: str, query: str, k: int) -> Any:
        raise NotImplementedError

    def delete(self, user: str, id: str) -> Any:
        raise NotImplementedError


_FUNCTIONS: Mapping[str, str] = {
    "remember": "write", "recall": "search", "forget": "delete", "list": "list", "correct": "update", "forget_all": "delete_user",
    "history": "history", "append": "append", "context": "context", "settle": "settle", "expire": "purge", "surfaces": "surfaces",
}  # fmt: skip
"""Verb of the protocol → function of the class."""
_ALL_IT_LISTS = ("kind", "facts")
"""The kind that `list` shows when none is asked for: a memory of plain statements has no other."""
CORNERS = ("tenant", "agent", "project", "thread", "task")
LIMITS = ("expires_at", "agents", "private", "reach", "sensitivity", "until")
"""Arguments that limit who may see something or for how long: passing them over would break a promise."""


def looks_simple(found: object) -> bool:
    """Whether an object has a function a simple memory would have."""
    return any(_function(found, name) is not None for name in ("write", "search"))


def _function(memory: object, name: str) -> Callable[..., Any] | None:
    """The function of this name, unless it is missing or is the base class's empty one."""
    found = getattr(memory, name, None)
    if not callable(found) or getattr(found, "__func__", None) is getattr(SimpleMemory, name, ()):
        return None
    return found  # type: ignore[no-any-return]


class SimpleSystem:
    """A simple memory as a system: picks the function, gives it what its signature asks for, makes a receipt of what it returns.

    Raises SystemFault naming the function when it returns something no receipt can be made of.
    """

    def __init__(self, memory: object, name: str = "") -> None:
        self._memory = memory
        self._name = str(getattr(memory, "name", "") or name or type(memory).__name__)
        self._functions = {op: found for op, function in _FUNCTIONS.items() if (found := _function(memory, function)) is not None}
        self._asked = {op: _parameters(found) for op, found in self._functions.items()}
        self._ids: dict[tuple[str, str], str] = {}

    def call(self, request: Request) -> Receipt:
        match request.op:
            case "describe":
                return Receipt(status="ok", data={"manifest": self._manifest().to_json()})
            case "open" | "close":
                return self._life(request)
        function = self._functions.get(request.op)
        if function is None:
            return Receipt(status="ok") if request.op == "settle" else unsupported(request.op)
        if not request.scope.user and request.op not in ("settle", "surfaces"):
            return Receipt(status="refused", reason="a user is needed")
        if request.op in ("forget", "correct") and "id" not in request.args:
            found = self._only_match(request)
            if isinstance(found, Receipt):
                return found
            request = Request(op=request.op, now=request.now, scope=request.scope, args={**request.args, "id": found})
        if limit := self._beyond(request):
            return Receipt(status="unsupported", reason=f"{_FUNCTIONS[request.op]} takes no {limit}, so it cannot be kept to")
        try:
            returned = function(**self._arguments(request))
        except NotImplementedError:
            return unsupported(request.op)
        return returned if isinstance(returned, Receipt) else self._receipt(request, returned)

    def _beyond(self, request: Request) -> str:
        """The first argument that limits who may see something, or for how long, and that the function does not ask for."""
        wanted = self._asked[request.op]
        limits = (*LIMITS, "kind") if request.op == "list" else LIMITS
        given = {name for name in limits if request.args.get(name) and (name, request.args[name]) != _ALL_IT_LISTS}
        return next((name for name in limits if name in given and wanted is not None and name not in wanted), "")

    def _life(self, request: Request) -> Receipt:
        function = _function(self._memory, request.op)
        if function is not None:
            offered = {"root": Path(request.args["root"]), "config": dict(request.args.get("config", {}))} if request.op == "open" else {}
            wanted = _parameters(function)
            function(**{key: value for key, value in offered.items() if wanted is None or key in wanted})
        return Receipt(status="ok")

    def _manifest(self) -> Manifest:
        verbs: dict[str, Support] = dict.fromkeys(self._functions, "native")
        asked = {name for parameters in self._asked.values() for name in parameters or ()}
        named = [part for part in CORNERS if {part, "scope"} & asked]
        unnamed = [] if None in self._asked.values() else [part for part in CORNERS if part not in named]  # **more may use them or not
        return Manifest(
            name=self._name,
            versions={"version": str(version)} if (version := getattr(self._memory, "version", "")) else {},
            verbs=verbs,
            scope={"user": "enforced", **dict.fromkeys(named, "enforced"), **dict.fromkeys(unnamed, "none")},
            clock="argument" if "now" in asked else "none",
            threads=bool(getattr(self._memory, "threads", False)),
            processes=bool(getattr(self._memory, "processes", False)),
            determinism=getattr(self._memory, "determinism", "exact"),
            durable=_function(self._memory, "open") is not None,
            erase_within=getattr(self._memory, "erase_within", ""),
        )

    def _arguments(self, request: Request) -> Json:
        scope, args = request.scope, request.args
        offered: Json = {part: getattr(scope, part) for part in ("tenant", "user", "agent", "project", "thread", "task")}
        offered |= {"now": parse_instant(request.now), "scope": scope, "kind": args.get("kind"), "private": bool(args.get("private", False))}
        offered |= {"message_id": args.get("message_id"), "role": args.get("role", "user"), "application": list(args.get("application", ()))}
        offered |= {key: args[key] for key in ("id", "text", "query", "budget") if key in args}
        offered |= {name: args.get(name) for name in LIMITS if name != "private"}
        offered["k"] = int(args.get("k", 5))
        wanted = self._asked[request.op]
        return {key: value for key, value in offered.items() if key in wanted} if wanted is not None else offered

    def _receipt(self, request: Request, returned: Any) -> Receipt:
        op, user = request.op, request.scope.user
        if op in ("recall", "list", "history"):
            return Receipt(status="ok", data={"items": [self._item(op, user, hit) for hit in self._rows(op, returned)]})
        if op == "surfaces":
            return Receipt(status="ok", data={"surfaces": self._rows(op, returned)})
        if op == "context":
            messages = self._rows(op, returned)
            if not all(isinstance(m, Mapping) and {"role", "content"} <= set(m) for m in messages):
                raise SystemFault(f"{self._name}.context must return a list of {{role, content}}")
            return Receipt(status="ok", data={"items": [], "messages": [dict(m) for m in messages], "left_out": [], "degraded": []})
        if op in ("forget", "correct") and returned is False:
            return Receipt(status="refused", reason=f"no record {request.args['id']}")
        ids = self._ids_of(op, returned)
        if op == "remember":
            self._ids.update({(user, str(request.args["text"])): record for record in ids[:1]})
        return Receipt(status="ok", ids=ids or ((str(request.args["id"]),) if op in ("forget", "correct") else ()))

    def _ids_of(self, op: str, returned: Any) -> tuple[str, ...]:
        if returned is None or isinstance(returned, bool):
            return ()
        if isinstance(returned, (str, int)):
            return (str(returned),)
        if isinstance(returned, Mapping) and "id" in returned:
            return (str(returned["id"]),)
        if isinstance(returned, (list, tuple)) and all(isinstance(part, (str, int)) for part in returned):
            return tuple(str(part) for part in returned)
        raise SystemFault(f"{self._name}.{_FUNCTIONS[op]} returned a {type(returned).__name__}", hint="return an id, a list of ids, or nothing")

    def _rows(self, op: str, returned: Any) -> list[Any]:
        if returned is None:
            return []
        if isinstance(returned, (str, bytes, Mapping)) or not hasattr(returned, "__iter__"):
            raise SystemFault(
                f"{self._name}.{_FUNCTIONS[op]} returned a {type(returned).__name__}",
                hint="return a list of texts, (text, score) pairs or dicts with text",
            )
        return list(returned)

    def _item(self, op: str, user: str, hit: Any) -> Json:
        if isinstance(hit, str):
            item: Json = {"text": hit}
        elif isinstance(hit, Mapping) and isinstance(hit.get("text"), str):
            item = dict(hit)
        elif isinstance(hit, (list, tuple)) and len(hit) == 2 and isinstance(hit[0], str) and isinstance(hit[1], (int, float)):
            item = {"text": hit[0], "score": float(hit[1])}
        else:
            raise SystemFault(f"{self._name}.{_FUNCTIONS[op]} returned the hit {hit!r:.80}", hint="a text, a (text, score) pair, or a dict with text")
        text = item["text"]
        known = item.get("id", self._ids.get((user, text)))
        item["id"] = str(known) if known is not None else "text-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return {"kind": "fact", **item}

    def _only_match(self, request: Request) -> str | Receipt:
        """The one record a query finds: the only hit, or the only one with all its words."""
        query = request.args.get("query")
        if query is None or "recall" not in self._functions:
            return Receipt(status="unsupported", reason="only records named by id can be changed")
        hits = self.call(Request(op="recall", now=request.now, scope=request.scope, args={"query": query, "k": 20})).data["items"]
        words = str(query).casefold().split()
        whole = [hit for hit in hits if all(word in hit["text"].casefold() for word in words)]
        if len(chosen := whole or hits) == 1:
            return str(chosen[0]["id"])
        return Receipt(status="refused", reason="nothing found" if not chosen else f"{len(chosen)} records match, one is needed")


def _parameters(function: Callable[..., Any]) -> frozenset[str] | None:
    """Names of the parameters a function takes; None when it takes any."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return frozenset(p.name for p in parameters)
