"""Faults of the second time: of a second user, a second correction, a second way of asking, or a store that is opened again."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Item, Wrapper, items_of, saboteur, serve_also, shares_word, with_items
from memgauge.saboteurs.corners import Reopened, whose
from memgauge.saboteurs.deletion import Ghosts
from memgauge.saboteurs.staleness import OldValues

_CORNERS = ("reach", "agents")
_WRITE_S = 0.004
"""Seconds that a write takes longer: twice the longest pause between the calls of a racing writer."""


@saboteur("stale-for-the-second", rows="A10 A9", classes="supersession", kinds="stale sufficient", quiet=True)
class StaleForTheSecond(OldValues):
    """A correction takes the old value away for the first user of a store only."""

    paths = ("recall", "context", "list")

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._first: tuple[str, str] | None = None

    def call(self, request: Request) -> Receipt:
        user = request.scope.tenant, request.scope.user
        if request.scope.user and self._first is None:
            self._first = user
        return self.inner.call(request) if user == self._first else super().call(request)


@saboteur("second-correction-lost", rows="A10", classes="supersession", kinds="present stale sufficient", quiet=True)
class SecondCorrectionLost(Wrapper):
    """A record that was corrected once is corrected no more, and says that it was."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._done: dict[str, Receipt] = {}

    def call(self, request: Request) -> Receipt:
        if request.op == "correct" and (earlier := self._done.get(str(request.args.get("id")))):
            return earlier
        receipt = self.inner.call(request)
        if request.op == "correct" and receipt.ok:
            self._done.update(dict.fromkeys(receipt.ids, receipt))
        return receipt


@saboteur("correction-leaves-its-corner", rows="A9 A10", classes="leak", kinds="leak", quiet=True)
class CorrectionLeavesItsCorner(Wrapper):
    """A record of one project, task or agent is everybody's from its first correction on."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._kept: set[str] = set()

    def call(self, request: Request) -> Receipt:
        if request.op == "correct" and request.args.get("id") in self._kept:
            self.inner.call(replace(request, op="forget", args={"id": request.args["id"]}, idempotency_key=None))
            scope = replace(request.scope, project=None, task=None, agent=None)
            return self.inner.call(replace(request, op="remember", scope=scope, args={"text": request.args["text"]}))
        receipt = self.inner.call(request)
        if request.op == "remember" and any(request.args.get(name, "user") != "user" for name in _CORNERS):
            self._kept.update(receipt.ids)
        return receipt


@saboteur("key-of-another", rows="A9 A21", classes="concurrency", kinds="receipt present count", quiet=True)
class KeyOfAnother(Wrapper):
    """A key is known for the whole store: another user's request under it gets the first one's answer and is not done."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._answers: dict[str, Receipt] = {}

    def call(self, request: Request) -> Receipt:
        key = request.idempotency_key
        if key is None:
            return self.inner.call(request)
        if key not in self._answers:
            self._answers[key] = self.inner.call(request)
        return self._answers[key]


@saboteur("forgotten-until-reopened", rows="A19 A22", classes="deletion", kinds="deleted", quiet=True)
class ForgottenUntilReopened(Reopened):
    """What was forgotten is back when the store is opened again, from an image it is loaded from."""

    def call(self, request: Request) -> Receipt:
        if request.op == "forget":
            before = {str(item.get("text")) for item in self._listed(request)}
            receipt = super().call(request)
            now = {str(item.get("text")) for item in self._listed(request)}
            self.opened[self.root] += [(whose(request), text) for text in sorted(before - now)]
            return receipt
        receipt = super().call(request)
        if not self.again or request.op not in ("recall", "context"):
            return receipt
        question = str(request.args.get("query", request.args.get("text", "")))
        back = [text for who, text in self.opened[self.root] if who == whose(request) and shares_word(question, text)]
        return serve_also(receipt, request.op, [{"id": f"image-{n}", "kind": "fact", "text": text} for n, text in enumerate(back)])

    def _listed(self, request: Request) -> list[Item]:
        return items_of(self.inner.call(replace(request, op="list", args={}, idempotency_key=None)))


@saboteur("forget-by-words-says-ok", rows="A19", classes="deletion", kinds="deleted", quiet=True)
class ForgetByWordsSaysOk(Wrapper):
    """Forgetting by words is acknowledged and not done; by id it is."""

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok") if request.op == "forget" and request.args.get("query") else self.inner.call(request)


@saboteur("forgotten-thread-lives-on", rows="A19 A2", classes="deletion", kinds="deleted")
class ForgottenThreadLivesOn(Ghosts):
    """A forgotten conversation is gone, what was learnt from it is not."""

    paths = ("recall", "context", "list", "export")

    def call(self, request: Request) -> Receipt:
        return self.inner.call(request) if request.op == "forget" and not request.args.get("thread") else super().call(request)


@saboteur("edit-undone-by-folding", rows="A13", classes="consolidation", kinds="document unchanged count", quiet=True)
class EditUndoneByFolding(Wrapper):
    """Consolidation writes back the lines that the user took out of the long document."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._lines: dict[str, list[str]] = {}
        self._back: dict[str, list[str]] = {}

    def call(self, request: Request) -> Receipt:
        user = request.scope.user
        if request.op in ("doc_edit", "doc_write") and request.args.get("name") == "consolidated":
            before = self.inner.call(replace(request, op="doc_read", args={"name": "consolidated"}, idempotency_key=None))
            self._lines[user] = str(before.data.get("text", "")).split("\n")
        receipt = self.inner.call(request)
        if request.op == "consolidate" and receipt.ok:
            self._back[user] = self._lines.get(user, [])
        if request.op == "doc_read" and request.args.get("name") == "consolidated" and receipt.ok:
            text = str(receipt.data.get("text", ""))
            lost = [line for line in self._back.get(user, []) if line not in text.split("\n")]
            return replace(receipt, data={**receipt.data, "text": "\n".join([text, *lost])})
        return receipt


@saboteur("reading-confirms", rows="A10 A4", classes="harm", kinds="unchanged")
class ReadingConfirms(Wrapper):
    """That a record was recalled counts as the user's saying that it is still right."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._read: dict[str, str] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op in ("recall", "context"):
            self._read |= {str(item.get("id")): request.now for item in items_of(receipt) if item.get("kind") == "fact"}
        if request.op != "list" or not receipt.ok:
            return receipt
        seen: list[Mapping[str, object]] = [
            {**item, "confirmed_at": self._read.get(str(item.get("id")), item.get("confirmed_at"))} for item in items_of(receipt)
        ]
        return with_items(receipt, seen)


@saboteur("keys-per-process", rows="A2 A21", classes="concurrency", kinds="count", quiet=True, twin="retry-doubles")
class KeysPerProcess(Reopened):
    """A key is known until the store is opened again; the same request is then another one."""

    def call(self, request: Request) -> Receipt:
        if request.idempotency_key and self.again:
            request = replace(request, idempotency_key=f"{request.idempotency_key}, once more")
        return super().call(request)


@saboteur("locks-per-process", rows="A11 A22", classes="decisions", kinds="receipt present", quiet=True)
class LocksPerProcess(Reopened):
    """A locked decision is an open one when the store is opened again."""

    def call(self, request: Request) -> Receipt:
        receipt = super().call(request)
        if request.op == "lock" and receipt.ok:
            self.opened[self.root].append((request.scope, request.args["id"]))
        if request.op == "open" and self.again:
            for scope, decision in self.opened[self.root]:
                self.inner.call(replace(request, op="unlock", scope=scope, args={"id": decision}))
        return receipt


@saboteur("goals-wake", rows="A12 A22", classes="goals", kinds="goal_done sufficient", quiet=True)
class GoalsWake(Reopened):
    """A goal that was dropped or done is active again when the store is opened again."""

    def call(self, request: Request) -> Receipt:
        receipt = super().call(request)
        if request.op == "goal_update" and receipt.ok and request.args.get("status") in ("done", "dropped"):
            self.opened[self.root].append((request.scope, request.args["id"]))
        if request.op == "open" and self.again:
            for scope, goal in self.opened[self.root]:
                self.inner.call(replace(request, op="goal_update", scope=scope, args={"id": goal, "status": "active"}))
        return receipt


@saboteur("drops-overlapping", rows="A6 A2", classes="concurrency", kinds="no_lost_update", quiet=True)
class DropsOverlapping(Wrapper):
    """A write that begins while another one of the same process is under way is acknowledged and dropped."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._writing = threading.Lock()

    def call(self, request: Request) -> Receipt:
        if request.op not in ("remember", "note_add", "append"):
            return self.inner.call(request)
        if not self._writing.acquire(blocking=False):
            return Receipt(status="ok", ids=("fact-0",))
        try:
            time.sleep(_WRITE_S)  # so that an overlap does not hang on luck
            return self.inner.call(request)
        finally:
            self._writing.release()
