"""Faults of isolation: one scope's data reaches another."""

from __future__ import annotations

from dataclasses import replace

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.records import Scope
from memgauge.saboteurs.base import Wrapper, saboteur, serve_also, shares_word, texts_written

_READS = ("recall", "context")


class _Everybody(Wrapper):
    """Keeps what every scope wrote, to serve it where it does not belong."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.written: list[tuple[Scope, str]] = []

    def call(self, request: Request) -> Receipt:
        self.written += [(request.scope, text) for role, text in texts_written(request) if role == "user"]
        receipt = self.inner.call(request)
        if request.op in self.paths and receipt.ok:
            query = str(request.args.get("query", request.args.get("text", "")))
            strange = [text for scope, text in self.written if self.foreign(scope, request.scope) and (not query or shares_word(query, text))]
            return serve_also(receipt, request.op, [{"id": f"x-{n}", "kind": "fact", "text": text} for n, text in enumerate(strange[:3])])
        return receipt

    paths: tuple[str, ...] = _READS

    def foreign(self, theirs: Scope, ours: Scope) -> bool:
        raise AssertionError("a leak says whose data it serves")


@saboteur("leak-users", rows="A4", classes="leak", kinds="leak")
class LeakUsers(_Everybody):
    """Recall searches the items of all users."""

    def foreign(self, theirs: Scope, ours: Scope) -> bool:
        return theirs.user != ours.user


@saboteur("leak-in-list", rows="A4", classes="leak", kinds="leak")
class LeakInList(_Everybody):
    """Recall is scoped, the plain list is not."""

    paths = ("list",)

    def foreign(self, theirs: Scope, ours: Scope) -> bool:
        return theirs.user != ours.user


@saboteur("leak-in-export", rows="A20 A4", classes="leak", kinds="leak", quiet=True)
class LeakInExport(LeakInList):
    """The export carries the neighbours' items."""

    paths = ("export",)


@saboteur("leak-in-errors", rows="A4", classes="leak", kinds="leak", quiet=True)
class LeakInErrors(_Everybody):
    """A refusal about a foreign id quotes the foreign text."""

    paths = ()

    def call(self, request: Request) -> Receipt:
        receipt = super().call(request)
        if receipt.ok or request.op not in ("forget", "correct", "history", "explain", "confirm"):
            return receipt
        quoted = [text for scope, text in self.written if scope.user != request.scope.user]
        return replace(receipt, reason=f"{receipt.reason}: {quoted[-1]}") if quoted else receipt


@saboteur("project-bleed", rows="A4 A9", classes="leak", kinds="leak")
class ProjectBleed(Wrapper):
    """Projects of one user are not kept apart."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, scope=replace(request.scope, project=None)))


@saboteur("agent-bleed", rows="A4 A9", classes="leak", kinds="leak not_permitted", quiet=True)
class AgentBleed(Wrapper):
    """The list of agents that may see a record is dropped when it is written."""

    def call(self, request: Request) -> Receipt:
        if request.op == "remember":
            request = replace(request, args={k: v for k, v in request.args.items() if k != "agents"})
        return self.inner.call(request)


@saboteur("private-kept", rows="A2 A4", classes="leak", kinds="leak not_captured never_stored")
class PrivateKept(Wrapper):
    """A private thread is treated like any other."""

    def call(self, request: Request) -> Receipt:
        args = {k: v for k, v in request.args.items() if k != "private"}
        if "messages" in args:
            args["messages"] = [{k: v for k, v in m.items() if k != "private"} for m in args["messages"]]
        return self.inner.call(replace(request, args=args))


@saboteur("user-folded", rows="A4", classes="leak", kinds="leak", quiet=True)
class UserFolded(Wrapper):
    """User ids are trimmed and lower-cased, so look-alikes share a store."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, scope=replace(request.scope, user=request.scope.user.strip().lower())))


@saboteur("tenant-ignored", rows="A4", classes="leak", kinds="leak", quiet=True)
class TenantIgnored(Wrapper):
    """The same user name of two tenants is one user."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, scope=replace(request.scope, tenant="default")))


@saboteur("cache-across-users", rows="A4 A14", classes="leak", kinds="leak")
class CacheAcrossUsers(Wrapper):
    """The context is cached by the question alone."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._cache: dict[str, Receipt] = {}

    def call(self, request: Request) -> Receipt:
        if request.op not in _READS:
            return self.inner.call(request)
        key = request.op + str(request.args.get("query", request.args.get("text", "")))
        if key not in self._cache:
            receipt = self.inner.call(request)
            if not receipt.ok:
                return receipt
            self._cache[key] = receipt
        return self._cache[key]
