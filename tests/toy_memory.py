"""A small honest memory for tests of the harness: a dict, written to one JSON file. Imports nothing of the reference memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memgauge.protocol import Manifest, Receipt, Request, unsupported
from memgauge.tokens import PER_MESSAGE, PER_REQUEST, counter

VERBS = ("append", "append_many", "end_turn", "remember", "forget", "forget_all", "correct", "list", "recall", "context", "doc_write", "doc_read")


class ToyMemory:
    """Keeps what is remembered per user; a prompt holds the application's texts, all facts, the thread, and the message."""

    manifest = Manifest(
        name="toy", verbs=dict.fromkeys(VERBS, "native"), scope={"user": "enforced"}, clock="argument", durable=True, threads=False, processes=False
    )

    def __init__(self) -> None:
        self.path: Path | None = None
        self.state: dict[str, Any] = {"facts": [], "messages": [], "documents": {}, "next": 1}

    def call(self, request: Request) -> Receipt:
        if request.op == "describe":
            return Receipt(status="ok", data={"manifest": self.manifest.to_json()})
        if request.op == "open":
            self.path = Path(request.args["root"]) / "toy.json"
            if self.path.exists():
                self.state = json.loads(self.path.read_text())
            return Receipt(status="ok")
        if request.op == "close":
            return Receipt(status="ok")
        if not self.manifest.supports(request.op):
            return unsupported(request.op)
        if not request.scope.user:
            return Receipt(status="refused", reason="a user is needed")
        receipt: Receipt = getattr(self, request.op)(request)
        self.save()
        return receipt

    def save(self) -> None:
        assert self.path is not None
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.state))
        new.replace(self.path)

    def owner(self, request: Request) -> str:
        return f"{request.scope.tenant}/{request.scope.user}"

    def facts(self, request: Request) -> list[dict[str, Any]]:
        return [fact for fact in self.state["facts"] if fact["owner"] == self.owner(request)]

    def append(self, request: Request) -> Receipt:
        self.state["messages"].append({"owner": self.owner(request), "thread": request.scope.thread, **request.args})
        return Receipt(status="ok", ids=(request.args["message_id"],))

    def append_many(self, request: Request) -> Receipt:
        for message in request.args["messages"]:
            self.state["messages"].append({"owner": self.owner(request), "thread": request.scope.thread, **message})
        return Receipt(status="ok")

    def end_turn(self, request: Request) -> Receipt:
        return Receipt(status="ok", data={"saved": []})

    def remember(self, request: Request) -> Receipt:
        record = f"rec-{self.state['next']}"
        self.state["next"] += 1
        self.state["facts"].append({"id": record, "owner": self.owner(request), "text": request.args["text"]})
        return Receipt(status="ok", ids=(record,))

    def forget(self, request: Request) -> Receipt:
        gone = [fact for fact in self.facts(request) if fact["id"] == request.args.get("id")]
        if not gone:
            return Receipt(status="refused", reason="no such record")
        self.state["facts"] = [fact for fact in self.state["facts"] if fact not in gone]
        return Receipt(status="ok", ids=(gone[0]["id"],))

    def forget_all(self, request: Request) -> Receipt:
        mine = self.facts(request)
        self.state["facts"] = [fact for fact in self.state["facts"] if fact not in mine]
        self.state["messages"] = [m for m in self.state["messages"] if m["owner"] != self.owner(request)]
        return Receipt(status="ok")

    def correct(self, request: Request) -> Receipt:
        for fact in self.facts(request):
            if fact["id"] == request.args["id"]:
                fact["text"] = request.args["text"]
                return Receipt(status="ok", ids=(fact["id"],))
        return Receipt(status="refused", reason="no such record")

    def items(self, request: Request) -> list[dict[str, Any]]:
        return [{"id": fact["id"], "kind": "fact", "text": fact["text"], "section": "recall"} for fact in self.facts(request)]

    def list(self, request: Request) -> Receipt:
        return Receipt(status="ok", data={"items": self.items(request)})

    def recall(self, request: Request) -> Receipt:
        return Receipt(status="ok", data={"items": self.items(request)[: request.args.get("k", 5)]})

    def context(self, request: Request) -> Receipt:
        count = counter()
        budget = request.args["budget"]
        left = budget["window"] - budget.get("reserve", 0) - PER_REQUEST
        fixed = [{"role": "system", "content": text} for text in request.args.get("application", ())]
        current = {"role": "user", "content": request.args["text"]}
        left -= sum(count(m["content"]) + PER_MESSAGE for m in (*fixed, current))
        said = [
            {"role": m["role"], "content": m["text"]}
            for m in self.state["messages"]
            if m["owner"] == self.owner(request) and m["thread"] == request.scope.thread
        ]
        memory = [{"role": "user", "content": json.dumps({"text": item["text"]})} for item in self.items(request)]
        window: list[dict[str, Any]] = []
        for message in reversed([*memory, *said]):
            left -= count(message["content"]) + PER_MESSAGE
            if left < 0:
                break
            window.insert(0, message)
        return Receipt(status="ok", data={"items": self.items(request), "messages": [*fixed, *window, current], "left_out": [], "degraded": []})

    def doc_write(self, request: Request) -> Receipt:
        document = self.state["documents"].get(request.args["name"], {"revision": 0, "text": ""})
        if document["revision"] != request.args["expected"]:
            return Receipt(status="conflict", conflict={"expected": request.args["expected"], "actual": document["revision"]})
        self.state["documents"][request.args["name"]] = {"revision": document["revision"] + 1, "text": request.args["text"]}
        return Receipt(status="ok", revision=document["revision"] + 1)

    def doc_read(self, request: Request) -> Receipt:
        document = self.state["documents"].get(request.args["name"], {"revision": 0, "text": ""})
        return Receipt(status="ok", revision=document["revision"], data={"text": document["text"]})
