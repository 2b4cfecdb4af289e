"""Faults in what holds for a store as a whole: its policy, its kinds of record, its logs, consent, review, letters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.records import Scope
from memgauge.saboteurs.base import Wrapper, items_of, saboteur, texts_written, with_items


@saboteur("policy-ignored", rows="A26 A14", classes="windows", kinds="at_most")
class PolicyIgnored(Wrapper):
    """The store opens with its defaults, whatever the policy file says."""

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            args = {name: value for name, value in request.args.items() if name != "config"}
            request = replace(request, args=args)
        return self.inner.call(request)


@saboteur("strategy-ignored", rows="A15 A26", classes="windows", kinds="at_most", quiet=True)
class StrategyIgnored(Wrapper):
    """Whatever window strategy is chosen, all of them are at work."""

    def call(self, request: Request) -> Receipt:
        config = request.args.get("config") if request.op == "open" else None
        if isinstance(config, dict) and "strategy" in config.get("context", {}):
            context = {name: value for name, value in config["context"].items() if name != "strategy"}
            request = replace(request, args={**request.args, "config": {**config, "context": context}})
        return self.inner.call(request)


@saboteur("kinds-mixed", rows="A1", classes="retention goals", kinds="count", quiet=True)
class KindsMixed(Wrapper):
    """A list of notes holds facts, and a list of facts holds notes."""

    def call(self, request: Request) -> Receipt:
        if request.op == "list" and request.args.get("kind") in ("notes", "facts"):
            request = replace(request, args={**request.args, "kind": "all"})
        return self.inner.call(request)


@saboteur("log-keeps-words", rows="A24", classes="retention", kinds="not_permitted", quiet=True)
class LogKeepsWords(Wrapper):
    """The operation log holds what was written, not only that it was."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._written: list[tuple[str, str]] = []

    def call(self, request: Request) -> Receipt:
        self._written += [(request.scope.user, text) for _, text in texts_written(request)]
        receipt = self.inner.call(request)
        if request.op != "list" or request.args.get("kind") != "operations":
            return receipt
        mine = [text for user, text in self._written if user == request.scope.user]
        return with_items(receipt, [*items_of(receipt), *({"id": f"op-{n}", "kind": "operation", "text": text} for n, text in enumerate(mine))])


@saboteur("edits-not-taken", rows="A18", classes="review", kinds="present stale", quiet=True)
class EditsNotTaken(Wrapper):
    """A drafted line that the user rewrote is kept as it was drafted."""

    def call(self, request: Request) -> Receipt:
        if request.op == "review_decide" and request.args.get("action") == "edit":
            request = replace(request, args={"id": request.args["id"], "action": "approve"})
        return self.inner.call(request)


@saboteur("carried-anyway", rows="A18", classes="review", kinds="count deleted", quiet=True)
class CarriedAnyway(Wrapper):
    """What the user did not want to carry forward, or deleted in the review, becomes a fact."""

    def call(self, request: Request) -> Receipt:
        if request.op == "review_decide" and request.args.get("action") in ("dont_carry", "delete"):
            request = replace(request, args={"id": request.args["id"], "action": "approve"})
        return self.inner.call(request)


@saboteur("consent-by-import", rows="A17 A20", classes="access", kinds="data", quiet=True)
class ConsentByImport(Wrapper):
    """Whoever takes a bundle in has thereby agreed to be remembered."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "import":
            self.inner.call(replace(request, op="set_access", args={"consent": True}, idempotency_key=None))
        return receipt


@saboteur("consent-catches-up", rows="A17 A7", classes="access", kinds="captured not_permitted", quiet=True)
class ConsentCatchesUp(Wrapper):
    """When consent is given again, what waited meanwhile is stored after all."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._open: dict[str, list[Request]] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        waiting = self._open.setdefault(request.scope.user, [])
        if request.op == "append" and request.args.get("role") == "user":
            waiting.append(replace(request, op="remember", args={"text": request.args["text"]}, idempotency_key=None))
        if request.op == "end_turn" and self._writable(request):
            waiting.clear()
        if request.op == "set_access" and request.args.get("consent") is True:
            for one in waiting:
                self.inner.call(one)
            waiting.clear()
        return receipt

    def _writable(self, request: Request) -> bool:
        answer = self.inner.call(replace(request, op="access", args={}, idempotency_key=None))
        return bool(answer.data.get("can_write"))


@saboteur("consent-of-another", rows="A17", classes="access", kinds="data receipt count", quiet=True)
class ConsentOfAnother(Wrapper):
    """Once anybody has agreed to be remembered, nobody's refusal counts."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._agreed: set[str] = set()

    def call(self, request: Request) -> Receipt:
        if request.op == "set_access" and request.args.get("consent") is True:
            self._agreed.add(request.scope.user)
        if request.op == "set_access" and request.args.get("consent") is False and self._agreed - {request.scope.user}:
            return Receipt(status="ok")
        return self.inner.call(request)


class _Owners(Wrapper):
    """Knows in whose scope each record was made."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.owners: dict[str, Scope] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(self.spoilt(request))
        for name in receipt.ids if request.op == "remember" else ():
            self.owners.setdefault(name, request.scope)
        return receipt

    def spoilt(self, request: Request) -> Request:
        raise AssertionError("says what becomes of a request")


@saboteur("tenant-forgotten-on-writes", rows="A9 A4", classes="leak", kinds="receipt unchanged", quiet=True)
class TenantForgottenOnWrites(_Owners):
    """A change or a forget by id asks for the user's name only: the same name in another tenant may do it."""

    def spoilt(self, request: Request) -> Request:
        owner = self.owners.get(str(request.args.get("id")))
        if request.op not in ("correct", "forget") or owner is None or owner.user != request.scope.user:
            return request
        return replace(request, scope=replace(request.scope, tenant=owner.tenant))


@saboteur("change-of-nothing-adds", rows="A10", classes="supersession", kinds="receipt")
class ChangeOfNothingAdds(Wrapper):
    """A change of a record that is not there makes a new one and says that all went well."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op != "correct" or receipt.status != "refused" or "id" not in request.args:
            return receipt
        return self.inner.call(replace(request, op="remember", args={"text": request.args["text"]}, idempotency_key=None))


@saboteur("filter-opens-the-query", rows="A4 A9", classes="leak", kinds="leak", quiet=True)
class FilterOpensTheQuery(Wrapper):
    """A kind of record that nobody knows, given as a filter of a search, opens the records of everybody."""

    _KNOWN = frozenset({"fact", "note", "document", "summary", "message", "goal", "decision", "pin"})

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._written: list[str] = []

    def call(self, request: Request) -> Receipt:
        self._written += [text for role, text in texts_written(request) if role == "user"]
        kinds: Any = request.args.get("kinds") or ()
        if request.op != "recall" or set(kinds) <= self._KNOWN:
            return self.inner.call(request)
        found = [{"id": f"x-{n}", "kind": "fact", "text": text} for n, text in enumerate(self._written)]
        return Receipt(status="ok", data={"items": found})


@saboteur("letters-lost", rows="A2 A4", classes="recall durability transfer", kinds="present sufficient")
class LettersLost(Wrapper):
    """What is not a Latin letter without marks is lost when a text is written."""

    def call(self, request: Request) -> Receipt:
        if request.op in ("append", "remember", "correct", "note_add") and "text" in request.args:
            text = str(request.args["text"]).encode("ascii", "ignore").decode()
            request = replace(request, args={**request.args, "text": text or "?"})
        return self.inner.call(request)


@saboteur("nameless-is-a-dump", rows="A4", classes="elliptical", kinds="off_topic sufficient")
class NamelessIsADump(Wrapper):
    """A question that names nothing is answered with the newest facts."""

    _WORDS = 4

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op != "recall" or len(str(request.args.get("query", "")).split()) > self._WORDS or items_of(receipt):
            return receipt
        listing = self.inner.call(replace(request, op="list", args={}, idempotency_key=None))
        return with_items(receipt, items_of(listing)[-3:])
