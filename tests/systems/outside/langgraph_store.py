"""The adapter that puts LangGraph's SqliteStore under test: one namespace a user, one key a record, no model, no vectors.

Without an index the store's `search` ignores its query, so recall is emulated: all items of the namespace, ranked by shared
words. Its times are the machine's, in whole seconds: they are left out of items, and records of one second come in any order.
As a program it speaks JSON lines, so that it can run in an environment of its own.
"""

from __future__ import annotations

import json
import sys
import uuid
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from langgraph.store.sqlite import SqliteStore

from memgauge.errors import InputError
from memgauge.protocol import Manifest, Receipt, Request, unsupported
from memgauge.records import Scope

PAGE = 1000


class LangGraphStore:
    """Eight verbs of the protocol on put, get, search and delete."""

    def __init__(self) -> None:
        self._opened: Any = None
        self._store: SqliteStore

    def call(self, request: Request) -> Receipt:
        verb = getattr(self, f"do_{request.op}", None)
        if verb is None:
            return unsupported(request.op)
        if request.op not in ("describe", "open", "close") and not request.scope.user:
            return Receipt(status="refused", reason="user is missing")
        receipt: Receipt = verb(request)
        return receipt

    def do_describe(self, request: Request) -> Receipt:
        verbs = dict.fromkeys(("open", "close", "append", "remember", "correct", "forget", "list"), "native")
        manifest = Manifest(
            name="langgraph-sqlite",
            versions={name: version(name) for name in ("langgraph", "langgraph-checkpoint-sqlite")},
            verbs={**verbs, "recall": "emulated", "forget_all": "emulated"},
            scope={"user": "enforced", "tenant": "enforced", "project": "none", "agent": "none", "thread": "none"},
            threads=True,
            processes=True,
            durable=True,
        )
        return Receipt(status="ok", data={"manifest": manifest.to_json()})

    def do_open(self, request: Request) -> Receipt:
        self._opened = SqliteStore.from_conn_string(str(Path(request.args["root"]) / "store.db"))
        self._store = self._opened.__enter__()
        self._store.setup()
        return Receipt(status="ok")

    def do_close(self, request: Request) -> Receipt:
        if self._opened is not None:
            self._opened.__exit__(None, None, None)
        self._opened = None
        return Receipt(status="ok")

    def do_append(self, request: Request) -> Receipt:
        if request.args.get("private"):
            return Receipt(status="unsupported", reason="no private threads")
        return self.put(request, request.args["message_id"], "message")

    def do_remember(self, request: Request) -> Receipt:
        if bent := sorted(set(request.args) & {"expires_at", "agents"}):
            return Receipt(status="unsupported", reason=f"cannot honour {', '.join(bent)}")
        return self.put(request, uuid.uuid4().hex, "fact")

    def do_correct(self, request: Request) -> Receipt:
        found = self._store.get(namespace(request.scope), request.args["id"]) if "id" in request.args else None
        if found is None:
            return Receipt(status="refused" if "id" in request.args else "unsupported", reason="no such record")
        return self.put(request, found.key, found.value["kind"])

    def do_forget(self, request: Request) -> Receipt:
        key = request.args.get("id", request.args.get("message_id"))
        if key is None:
            return Receipt(status="unsupported", reason="forgets by id only")
        if self._store.get(namespace(request.scope), key) is None:
            return Receipt(status="refused", reason="no such record")
        self._store.delete(namespace(request.scope), key)
        return Receipt(status="ok", ids=(key,), data={"removed": {"store": 1}, "backups": []})

    def do_forget_all(self, request: Request) -> Receipt:
        items = self.everything(request.scope)
        for item in items:
            self._store.delete(namespace(request.scope), item.key)
        return Receipt(status="ok", data={"removed": {"store": len(items)}})

    def do_list(self, request: Request) -> Receipt:
        kinds = {"facts": ("fact",), "messages": ("message",), "all": ("fact", "message")}.get(request.args.get("kind", "facts"))
        if kinds is None:
            return Receipt(status="unsupported", reason=f"no {request.args['kind']} here")
        start = request.args.get("offset", 0)
        items = [item for item in reversed(self.everything(request.scope)) if item.value["kind"] in kinds]
        return answer(items[start:][: request.args.get("limit", len(items))])

    def do_recall(self, request: Request) -> Receipt:
        words = set(request.args["query"].casefold().split())
        scored = [(len(words & set(item.value["text"].casefold().split())), item) for item in self.everything(request.scope)]
        hits = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return answer([item for _, item in hits[: request.args.get("k", 5)]])

    def put(self, request: Request, key: str, kind: str) -> Receipt:
        self._store.put(namespace(request.scope), key, {"kind": kind, "text": request.args["text"]})
        return Receipt(status="ok", ids=(key,))

    def everything(self, scope: Scope) -> list[Any]:
        """All items of the user, newest first, page by page."""
        found: list[Any] = []
        while len(page := self._store.search(namespace(scope), limit=PAGE, offset=len(found))) == PAGE:
            found += page
        return found + page


def namespace(scope: Scope) -> tuple[str, ...]:
    """Labels of a namespace may be neither empty nor hold a full stop, as a mail address does: they are percent-encoded."""
    return ("memgauge", *(quote(label, safe="").replace(".", "%2E") for label in (scope.tenant, scope.user)))


def answer(items: list[Any]) -> Receipt:
    return Receipt(status="ok", data={"items": [{"id": item.key, **item.value} for item in items]})


def main() -> None:
    system = LangGraphStore()
    for text in sys.stdin:
        line = json.loads(text)
        try:
            receipt = system.call(Request.from_json(line))
        except InputError as error:
            receipt = Receipt(status="error", reason=str(error))
        sys.stdout.write(json.dumps({"id": line["id"], **receipt.to_json()}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
