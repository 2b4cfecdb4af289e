"""Faults of writing: what is captured, lost, doubled, overwritten, or kept although it must not be."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Wrapper, items_of, saboteur, serve_also, shares_word, texts_written

_WRITES = ("append", "remember", "note_add", "goal_add", "pin")


class _Keeps(Wrapper):
    """Keeps words on its own account and serves them as facts."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.kept: list[tuple[tuple[str, str], str]] = []

    def call(self, request: Request) -> Receipt:
        owner = (request.scope.tenant, request.scope.user)
        self.kept += [(owner, text) for text in self.wanted(request)]
        receipt = self.inner.call(request)
        if request.op in ("recall", "context", "list"):
            query = str(request.args.get("query", request.args.get("text", "")))
            mine = [text for who, text in self.kept if who == owner]
            chosen = mine if request.op == "list" else [t for t in mine if shares_word(query, t)][:3] or mine[-1:]
            return serve_also(
                receipt, request.op, [{"id": f"k-{n}", "kind": "fact", "status": "active", "text": text} for n, text in enumerate(chosen)]
            )
        return receipt

    def wanted(self, request: Request) -> list[str]:
        raise AssertionError("says what it keeps")


@saboteur("captures-everything", rows="A7", classes="capture", kinds="captured not_captured count")
class CapturesEverything(_Keeps):
    """Every sentence of the user becomes a fact, guesses and jokes included."""

    def wanted(self, request: Request) -> list[str]:
        return [text for role, text in texts_written(request) if role == "user" and request.op.startswith("append")]


@saboteur("captures-assistant", rows="A7", classes="capture", kinds="not_captured captured")
class CapturesAssistant(_Keeps):
    """The assistant's own words are filed as the user's."""

    def wanted(self, request: Request) -> list[str]:
        return [text for role, text in texts_written(request) if role == "assistant"]


@saboteur("captures-tools", rows="A7 A8", classes="injection capture", kinds="injected not_captured")
class CapturesTools(_Keeps):
    """Tool output becomes memory."""

    def wanted(self, request: Request) -> list[str]:
        return [text for role, text in texts_written(request) if role == "tool"]


@saboteur("captures-pasted", rows="A7 A8", classes="injection capture", kinds="injected not_captured", quiet=True)
class CapturesPasted(_Keeps):
    """Pasted and prefilled text is taken for the user's own words."""

    def wanted(self, request: Request) -> list[str]:
        return [str(request.args["text"])] if request.op == "append" and request.args.get("origin") in ("pasted", "prefilled") else []


@saboteur("captures-failed-turns", rows="A7", classes="capture", kinds="not_captured captured count", quiet=True)
class CapturesFailedTurns(Wrapper):
    """Capture also runs after a reply that failed."""

    def call(self, request: Request) -> Receipt:
        if request.op == "end_turn":
            request = replace(request, args={**request.args, "ok": True})
        return self.inner.call(request)


@saboteur("captures-nothing", rows="A7", classes="capture", kinds="captured present sufficient")
class CapturesNothing(Wrapper):
    """The end of a turn is acknowledged and nothing is captured."""

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok", data={"saved": []}) if request.op == "end_turn" else self.inner.call(request)


@saboteur("keeps-secrets", rows="A8", classes="capture never-store", kinds="never_stored residue")
class KeepsSecrets(_Keeps):
    """What the never-store list cut out is kept beside."""

    def wanted(self, request: Request) -> list[str]:
        return [text for role, text in texts_written(request) if role == "user" and any(c.isdigit() for c in text)]


@saboteur("loses-every-third", rows="A6 A2", classes="durability concurrency recall", kinds="present durable no_lost_update sufficient")
class LosesEveryThird(Wrapper):
    """Every third write is acknowledged and dropped."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._n = 0

    def call(self, request: Request) -> Receipt:
        if request.op in _WRITES:
            self._n += 1
            if self._n % 3 == 0:
                return Receipt(status="ok", ids=(f"lost-{self._n}",))
        return self.inner.call(request)


@saboteur("retry-doubles", rows="A20 A2", classes="concurrency durability", kinds="count no_lost_update", quiet=True)
class RetryDoubles(Wrapper):
    """The idempotency key is ignored: a retry is a second memory."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, idempotency_key=None))


@saboteur("document-last-wins", rows="A5", classes="documents concurrency", kinds="receipt document one_winner")
class DocumentLastWins(Wrapper):
    """A document write ignores the revision it was made from."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        while receipt.status == "conflict" and request.op in ("doc_write", "doc_edit"):
            present = self.inner.call(replace(request, op="doc_read", args={"name": request.args["name"]}, idempotency_key=None))
            receipt = self.inner.call(replace(request, args={**request.args, "expected": present.revision or 0}))
        return receipt


@saboteur("edit-hits-all", rows="A5", classes="documents", kinds="receipt document unchanged", quiet=True)
class EditHitsAll(Wrapper):
    """An edit by passage replaces every occurrence, or appends when there is none."""

    def call(self, request: Request) -> Receipt:
        if request.op != "doc_edit":
            return self.inner.call(request)
        present = self.inner.call(replace(request, op="doc_read", args={"name": request.args["name"]}, idempotency_key=None))
        text = str(present.data.get("text", ""))
        old, new = str(request.args["old"]), str(request.args["new"])
        text = text.replace(old, new) if old in text else text + new
        return self.inner.call(
            replace(request, op="doc_write", args={"name": request.args["name"], "text": text, "expected": request.args["expected"]})
        )


@saboteur("not-durable", rows="A22 A21", classes="durability", kinds="present durable sufficient")
class NotDurable(Wrapper):
    """The store is another one after each opening."""

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            parent = Path(str(request.args["root"]))
            root = parent / f"session-{len(list(parent.glob('session-*'))) + 1}"
            root.mkdir(parents=True)
            request = replace(request, args={**request.args, "root": str(root)})
        return self.inner.call(request)


@saboteur("saves-at-close", rows="A21", classes="durability concurrency", kinds="durable no_lost_update")
class SavesAtClose(Wrapper):
    """Works on a copy of its store that is copied back when it is closed: a killed process leaves what was there at its opening."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._copy: tuple[Path, Path] | None = None

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            kept, live = Path(str(request.args["root"])), Path(tempfile.mkdtemp())
            self._copy = kept, live
            shutil.copytree(kept, live, dirs_exist_ok=True)
            request = replace(request, args={**request.args, "root": str(live)})
        receipt = self.inner.call(request)
        if request.op == "close" and self._copy is not None:
            kept, live = self._copy
            shutil.copytree(live, kept, dirs_exist_ok=True)
        return receipt


@saboteur("pause-ignored", rows="A17", classes="access", kinds="not_permitted")
class PauseIgnored(Wrapper):
    """Switching memory off is acknowledged and changes nothing."""

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok") if request.op == "set_access" else self.inner.call(request)


@saboteur("pause-guards-recall-only", rows="A17", classes="access", kinds="not_permitted count captured", quiet=True)
class PauseGuardsWritesNot(Wrapper):
    """While memory is off nothing is read into prompts, but capture goes on."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._state: dict[str, Any] = {}

    def call(self, request: Request) -> Receipt:
        if request.op == "set_access":
            self._state = {**self._state, **request.args}
        if request.op in ("end_turn", "remember", "append") and self._state.get("enabled") is False:
            self.inner.call(replace(request, op="set_access", args={"enabled": True}, idempotency_key=None))
            receipt = self.inner.call(request)
            self.inner.call(replace(request, op="set_access", args={"enabled": False}, idempotency_key=None))
            return receipt
        return self.inner.call(request)


@saboteur("memory-authorises", rows="A25", classes="access", kinds="allowed", quiet=True)
class MemoryAuthorises(Wrapper):
    """Permission is read from what was remembered."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "authorise":
            known = items_of(self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None)))
            words = [word for word in str(request.args["action"]).casefold().split("_") if len(word) > 2]
            allowed = any(word in str(item.get("text", "")).casefold() for item in known for word in words)
            return Receipt(status="ok", data={"allowed": allowed or receipt.data.get("allowed") is True})
        return receipt


@saboteur("wrong-provenance", rows="A23", classes="recall provenance", kinds="provenance", quiet=True)
class WrongProvenance(Wrapper):
    """An item explains itself by another message."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "explain" and receipt.ok:
            return replace(receipt, data={"messages": [{"message_id": "m0", "text": ""}]})
        return receipt


@saboteur("consolidation-rewrites", rows="A13", classes="consolidation", kinds="document unchanged present")
class ConsolidationRewrites(Wrapper):
    """Consolidation rewrites the whole document and drops what the user wrote."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "consolidate" and receipt.ok:
            for item in items_of(self.inner.call(replace(request, op="list", args={"kind": "documents"}, idempotency_key=None))):
                name = str(item.get("name", item.get("id")))
                present = self.inner.call(replace(request, op="doc_read", args={"name": name}, idempotency_key=None))
                lines = str(present.data.get("text", "")).split("\n")
                self.inner.call(
                    replace(
                        request,
                        op="doc_write",
                        args={"name": name, "text": "\n".join(lines[1:]), "expected": present.revision or 0},
                        idempotency_key=None,
                    )
                )
        return receipt


@saboteur("unlocks-decisions", rows="A11", classes="decisions", kinds="receipt data", quiet=True)
class UnlocksDecisions(Wrapper):
    """Any change of a locked decision unlocks it first."""

    def call(self, request: Request) -> Receipt:
        if request.op in ("correct", "forget", "review_decide") and "id" in request.args:
            self.inner.call(replace(request, op="unlock", args={"id": request.args["id"]}, idempotency_key=None))
        return self.inner.call(request)
