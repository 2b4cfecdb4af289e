"""Record names of a scenario (`$home`) to the ids a system gave: by receipt, else by looking for the fact in `list`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memgauge.anchors import Match, Matcher
from memgauge.protocol import VERBS
from memgauge.records import CasePlan, Json, Scope, Step

Lister = Callable[[Scope], list[Mapping[str, Any]]]
"""The live records of a scope, or none where the system cannot list."""

MESSAGE_OPS = ("append", "append_many", "edit_message")
"""Their receipts name messages, not records."""
_MADE: Mapping[str, str] = {"export": "bundle", "backup": "path"}
"""Verbs whose name stands for a part of their data."""


class UnknownName(Exception):
    """The system gave no record that this name could stand for."""


class Names:
    """Knows what each step under a name was given, and looks a missing record up when it is first needed.

    `$name` is the bundle of an export, the path of a backup, else a record id; `$name.revision` the revision of that receipt.
    """

    def __init__(self, plan: CasePlan) -> None:
        self._steps = {step.save_as: step for step in plan.steps if step.save_as}
        self._matcher = Matcher(plan.facts)
        self._values: dict[str, Any] = {}

    def learn(self, step: Step, receipt: Mapping[str, Any]) -> None:
        """Keep what a receipt names. Of several records, the one whose text states what the step tells."""
        if not step.save_as or receipt.get("status") not in ("ok", "pending"):
            return
        data, name = receipt.get("data", {}), step.save_as
        if receipt.get("revision") is not None:
            self._values[f"{name}.revision"] = receipt["revision"]
        if step.op in _MADE:
            self._values[name] = data.get(_MADE[step.op])
            return
        told = self._telling(step, [*data.get("saved", ()), *data.get("items", ())])
        ids = receipt.get("ids", ())
        if told is not None:
            self._values[name] = told
        elif ids and step.op not in MESSAGE_OPS:
            self._values[name] = str(ids[0])

    def resolve(self, value: Any, lister: Lister) -> Any:
        """The value with every name replaced, at any depth. Raises UnknownName."""
        if isinstance(value, str) and value.startswith("$") and value[1:].removesuffix(".revision") in self._steps:
            return self._value(value[1:], lister)
        if isinstance(value, Mapping):
            return {key: self.resolve(part, lister) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.resolve(part, lister) for part in value]
        return value

    def _value(self, name: str, lister: Lister) -> Any:
        if self._values.get(name) is None:
            step = self._steps[name.removesuffix(".revision")]
            found = self._telling(step, lister(step.scope)) if name == step.save_as and step.tells and step.op not in _MADE else None
            if found is None:
                raise UnknownName(f"nothing is known as ${name}")
            self._values[name] = found
        return self._values[name]

    def _telling(self, step: Step, items: list[Any]) -> str | None:
        for item in items:
            text = str(item.get("text", "")) if isinstance(item, Mapping) and item.get("id") else ""
            if any(self._matcher.match(fact, text) is Match.YES for fact in step.tells):
                return str(item["id"])
        return None


def is_write(op: str) -> bool:
    return VERBS[op].effect in ("write", "destroy")


def listing(receipt: Json) -> list[Mapping[str, Any]]:
    """The items of an answer; none when it is not ok or has no such list."""
    items = receipt.get("data", {}).get("items", []) if receipt.get("status") == "ok" else []
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
