"""Small builders of plans and histories, so that a test shows only what it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memgauge.records import CasePlan, Entry, Expectation, Fact, Proof, Step

NOW = "2026-03-01T09:00:00+00:00"
ANA = {"tenant": "default", "user": "ana", "thread": "main"}
OLD = Fact(id="old_home", anchors=(("Ghent",),), text="I live in Ghent.", not_if=("used to", "from ghent"))
NEW = Fact(id="new_home", anchors=(("Lyon",),), text="I moved to Lyon.", replaces="old_home")
CAT = Fact(id="cat", anchors=(("Plum",),), text="The cat is called Plum.")
FACTS = {fact.id: fact for fact in (OLD, NEW, CAT)}


def item(text: str, id: str = "fact-1", section: str = "recall", **more: Any) -> dict[str, Any]:
    return {"id": id, "kind": "fact", "text": text, "section": section, **more}


def fence(*lines: Mapping[str, Any] | str) -> str:
    inner = [line if isinstance(line, str) else json.dumps(line).replace("<", "\\u003c") for line in lines]
    return "\n".join(["<memory>", *inner, "</memory>"])


def fenced(*items: Mapping[str, Any]) -> dict[str, Any]:
    """A memory message as a careful system renders it: one JSON object on a line, between markers."""
    return {"role": "user", "content": fence(*({"label": i.get("label", "fact"), "text": i["text"]} for i in items))}


class History:
    """Entries in order. Each method adds one and gives it back."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def call(self, step: str, op: str, args: Mapping[str, Any] | None = None, *, scope: Mapping[str, Any] | None = None, status: str = "ok",
             data: Mapping[str, Any] | None = None, seen: Mapping[str, Any] | None = None, **receipt: Any) -> Entry:  # fmt: skip
        answer = {"status": status, **({"data": dict(data)} if data is not None else {}), **receipt}
        return self.add("call", step, op, args or {}, scope or ANA, answer, seen or {})

    def add(self, type: Any, step: str, op: str = "", args: Mapping[str, Any] | None = None, scope: Mapping[str, Any] | None = None,
            receipt: Mapping[str, Any] | None = None, data: Mapping[str, Any] | None = None) -> Entry:  # fmt: skip
        entry = Entry(
            n=len(self.entries) + 1, type=type, step=step, now=NOW, op=op, scope=scope or {}, args=args or {}, receipt=receipt or {}, data=data or {}
        )
        self.entries.append(entry)
        return entry

    def say(self, step: str, text: str, *, role: str = "user", scope: Mapping[str, Any] | None = None) -> Entry:
        return self.call(step, "append", {"message_id": f"m{len(self.entries) + 1}", "role": role, "text": text}, scope=scope)

    def context(self, step: str, *, items: Sequence[Mapping[str, Any]] = (),
                messages: Sequence[Mapping[str, Any]] | None = None,
                text: str = "Where to?", thread: str = "t2", window: int = 2000,
                tokens: Sequence[int] | None = None, **more: Any) -> Entry:  # fmt: skip
        rendered = [*(messages if messages is not None else [fenced(*items)] if items else []), {"role": "user", "content": text}]
        args = {"text": text, "budget": {"window": window, "reserve": 400}, **more.pop("args", {})}
        counts = list(tokens) if tokens is not None else [max(1, len(str(m["content"])) // 4) for m in rendered]
        status = more.pop("status", "ok")
        data = {"items": list(items), "messages": rendered, **more.pop("data", {})} if status == "ok" else {}
        return self.call(step, "context", args, scope={**ANA, "thread": thread}, status=status, data=data,
                         seen={"tokens": counts, "tokens_total": sum(counts), "fixed_tokens": 30, **more.pop("seen", {})}, **more)  # fmt: skip

    def listing(self, step: str, *items: Mapping[str, Any], op: str = "list", **args: Any) -> Entry:
        return self.call(step, op, args, data={"items": list(items)})


def expect(kind: str, step: str, *facts: str, proof: tuple[str, str] | None = None, id: str = "", **params: Any) -> Expectation:
    given = Proof(kind=proof[0], ref=proof[1]) if proof else None  # type: ignore[arg-type]
    return Expectation(id=id or f"{step}:{kind}", kind=kind, step=step, facts=facts, proof=given, params=params)


def plan(*expectations: Expectation, facts: Mapping[str, Fact] | None = None, tells: Mapping[str, str] | None = None, **more: Any) -> CasePlan:
    """A plan whose steps are just those the expectations and `tells` (step → fact) name."""
    steps = [Step(id=step, kind="call", op="append", tells=(fact,)) for step, fact in (tells or {}).items()]
    return CasePlan(
        scenario="example/one", version=1, title="An example", seed=0, steps=tuple(steps), facts=facts or FACTS, expectations=expectations, **more
    )
