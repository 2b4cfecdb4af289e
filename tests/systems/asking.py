"""Short ways to ask a system in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memgauge.protocol import MemorySystem, Receipt, Request, check_answer
from memgauge.records import Scope

NOW = "2026-03-02T09:00:00+00:00"
ANA = Scope(user="ana", thread="main")
BEN = Scope(user="ben", thread="main")
BUDGET = {"window": 4000, "reserve": 500}


def ask(system: MemorySystem, op: str, /, scope: Scope = ANA, **args: Any) -> Receipt:
    receipt = system.call(Request(op=op, now=NOW, scope=scope, args=args))
    check_answer(op, receipt)
    return receipt


def opened(system: MemorySystem, root: Path, **config: Any) -> MemorySystem:
    root.mkdir(parents=True, exist_ok=True)
    assert system.call(Request(op="describe", now=NOW)).ok
    assert system.call(Request(op="open", now=NOW, args={"root": str(root), "config": config})).ok
    return system


def close(system: MemorySystem) -> None:
    assert system.call(Request(op="close", now=NOW)).ok


def say(system: MemorySystem, number: int, text: str, scope: Scope = ANA, role: str = "user", **args: Any) -> Receipt:
    return ask(system, "append", scope, message_id=f"m{number}", role=role, text=text, **args)


def prompt(system: MemorySystem, text: str = "Well?", scope: Scope = ANA, budget: dict[str, Any] | None = None, **args: Any) -> list[str]:
    """Contents of the rendered messages."""
    return [m["content"] for m in ask(system, "context", scope, text=text, budget=budget or BUDGET, **args).data["messages"]]


def texts(receipt: Receipt) -> list[str]:
    return [item["text"] for item in receipt.data["items"]]
