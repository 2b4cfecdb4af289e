"""Faults of forgetting: what the user removed is still somewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from memgauge.clock import parse_duration, parse_instant
from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Item, Wrapper, items_of, saboteur, serve_also, shares_word, texts_written, with_items

_KEPT = "P30D"


class Ghosts(Wrapper):
    """Serves what was in a list before a forget and is gone after it."""

    paths: tuple[str, ...] = ("recall", "context")

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.ghosts: list[tuple[str, Item]] = []

    def call(self, request: Request) -> Receipt:
        if request.op in ("forget", "forget_all"):
            before = self._all(request)
            receipt = self.inner.call(request)
            after = {str(item.get("text")) for item in self._all(request)}
            self.ghosts += [(request.scope.user, item) for item in before if str(item.get("text")) not in after]
            return receipt
        receipt = self.inner.call(request)
        if request.op in self.paths:
            query = str(request.args.get("query", request.args.get("text", "")))
            mine = [item for user, item in self.ghosts if user == request.scope.user]
            return serve_also(receipt, request.op, [g for g in mine if not query or shares_word(query, str(g.get("text")))])
        return receipt

    def _all(self, request: Request) -> list[Item]:
        return items_of(self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None)))


@saboteur("forgotten-in-recall", rows="A19", classes="deletion", kinds="deleted")
class ForgottenInRecall(Ghosts):
    """Removed from the table, still in the index: recall and prompt serve it."""


@saboteur("forgotten-in-list", rows="A19", classes="deletion", kinds="deleted")
class ForgottenInList(Ghosts):
    """Recall is clean, the plain list still shows it."""

    paths = ("list",)


@saboteur("forgotten-in-export", rows="A19 A20", classes="deletion", kinds="deleted")
class ForgottenInExport(Ghosts):
    """Only the export still has it."""

    paths = ("export",)


@saboteur("forget-says-ok", rows="A19", classes="deletion", kinds="deleted residue")
class ForgetSaysOk(Wrapper):
    """Forgetting is acknowledged and not done."""

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok") if request.op in ("forget", "forget_all") else self.inner.call(request)


@saboteur("forget-keeps-source", rows="A19", classes="deletion", kinds="deleted residue count")
class ForgetKeepsSource(Wrapper):
    """The record goes, the message it came from stays."""

    def call(self, request: Request) -> Receipt:
        if request.op == "forget":
            request = replace(request, args={**request.args, "keep_source": True})
        return self.inner.call(request)


@saboteur("no-erase", rows="A19", classes="deletion", kinds="residue", quiet=True)
class NoErase(Wrapper):
    """The bytes are never erased after a forget."""

    def call(self, request: Request) -> Receipt:
        if request.op == "forget":
            request = replace(request, args={**request.args, "erase": False})
        return self.inner.call(request)


@saboteur("side-log", rows="A24 A19", classes="deletion", kinds="residue", quiet=True)
class SideLog(Wrapper):
    """Every written text also goes to a log that nothing ever cleans."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._log: Path | None = None

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            self._log = Path(str(request.args["root"])) / "operations.log"
        elif self._log is not None and (texts := texts_written(request)):
            with self._log.open("a", encoding="utf-8") as log:
                log.writelines(f"{request.now} {text}\n" for _, text in texts)
        return self.inner.call(request)


class _Bin(Wrapper):
    """States that what is deleted is erased within 30 days: every written text lies in a bin beside the store until then."""

    empties = True

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._bin: Path | None = None

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "describe":
            manifest = receipt.data["manifest"]
            verbs = {**manifest["verbs"], "expire": "native"}
            return replace(receipt, data={**receipt.data, "manifest": {**manifest, "verbs": verbs, "clock": "argument", "erase_within": _KEPT}})
        if request.op == "open":
            self._bin = Path(str(request.args["root"])) / "bin.log"
        elif self._bin is not None and (texts := texts_written(request)):
            with self._bin.open("a", encoding="utf-8") as file:
                file.writelines(f"{request.now} {json.dumps(text)}\n" for _, text in texts)
        elif self._bin is not None and request.op == "expire":
            if self.empties and self._bin.exists():
                end = parse_instant(request.now) - parse_duration(_KEPT)
                lines = self._bin.read_text(encoding="utf-8").splitlines(keepends=True)
                self._bin.write_text("".join(line for line in lines if parse_instant(line.partition(" ")[0]) > end), encoding="utf-8")
            return Receipt(status="ok") if receipt.status == "unsupported" else receipt
        return receipt


@saboteur("bin-never-emptied", rows="A19 A22", classes="deletion", kinds="residue", quiet=True, twin="side-log")
class BinNeverEmptied(_Bin):
    """States 30 days for its deletions, and the job that should then erase does nothing."""

    empties = False


@saboteur("bin-emptied-in-time", rows="A19 A22", harmless=True)
class BinEmptiedInTime(_Bin):
    """States 30 days for its deletions, and erases when they are over."""


@saboteur("forget-all-users", rows="A19", classes="deletion leak", kinds="present count")
class ForgetAllUsers(Wrapper):
    """A scoped wipe empties every user's store."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._seen: set[tuple[str, str]] = set()

    def call(self, request: Request) -> Receipt:
        if request.scope.user:
            self._seen.add((request.scope.tenant, request.scope.user))
        receipt = self.inner.call(request)
        if request.op == "forget_all" and receipt.ok:
            for tenant, user in sorted(self._seen):
                self.inner.call(replace(request, scope=replace(request.scope, tenant=tenant, user=user), idempotency_key=None))
        return receipt


@saboteur("relearns", rows="A19 A13", classes="deletion consolidation", kinds="deleted")
class Relearns(Ghosts):
    """Maintenance brings back what was forgotten."""

    paths = ()

    def call(self, request: Request) -> Receipt:
        receipt = super().call(request)
        if request.op in ("consolidate", "rebuild", "expire", "import", "end_turn"):
            for user, ghost in self.ghosts:
                if user == request.scope.user and ghost.get("text"):
                    self.inner.call(replace(request, op="remember", args={"text": ghost["text"]}, idempotency_key=None))
        return receipt


@saboteur("import-revives", rows="A20 A19", classes="deletion exchange", kinds="deleted", quiet=True)
class ImportRevives(Ghosts):
    """An import does not look at what was forgotten."""

    paths = ()

    def call(self, request: Request) -> Receipt:
        receipt = super().call(request)
        if request.op == "import" and receipt.ok:
            for user, ghost in self.ghosts:
                if user == request.scope.user and ghost.get("text"):
                    self.inner.call(replace(request, op="remember", args={"text": ghost["text"]}, idempotency_key=None))
        return receipt


@saboteur("expiry-late", rows="A4 A22", classes="time", kinds="expired", quiet=True)
class ExpiryLate(Wrapper):
    """Expiry is off by one second: an item is still served at the instant it ends."""

    def call(self, request: Request) -> Receipt:
        from datetime import timedelta

        from memgauge.clock import format_instant

        if request.op in ("recall", "context", "list"):
            request = replace(request, now=format_instant(parse_instant(request.now) - timedelta(seconds=1)))
        return self.inner.call(request)


@saboteur("expiry-forgotten", rows="A9 A22", classes="time", kinds="expired")
class ExpiryForgotten(Wrapper):
    """The end of a record is accepted and not kept."""

    def call(self, request: Request) -> Receipt:
        if request.op == "remember":
            request = replace(request, args={k: v for k, v in request.args.items() if k != "expires_at"})
        return self.inner.call(request)


@saboteur("history-serves-forgotten", rows="A19", classes="deletion", kinds="deleted")
class HistoryServesForgotten(Ghosts):
    """The chain of revisions still shows the removed text."""

    paths = ("history",)

    def call(self, request: Request) -> Receipt:
        receipt = super().call(request)
        if request.op == "history" and not receipt.ok:
            mine = [item for user, item in self.ghosts if user == request.scope.user and item.get("id") == request.args.get("id")]
            return with_items(Receipt(status="ok"), mine) if mine else receipt
        return receipt
