"""A saboteur is a memory with one planted fault. It shows that the scenarios and evaluators notice.

Each declares the requirement rows it breaks, the scenario classes in which it must be caught, and the check kinds that must
fail there. Caught means just that: an error, another class or another kind of check does not count. All are wrappers over the
protocol, so they can be put round any system: `reference+NAME`, `mine+NAME`; those `of` one system need its configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.registry import Registry

Item = Mapping[str, Any]


class Wrapper:
    """Hands every request through. A saboteur overrides what it spoils."""

    def __init__(self, inner: MemorySystem) -> None:
        self.inner = inner

    def call(self, request: Request) -> Receipt:
        return self.inner.call(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saboteur:
    """One fault. `quiet`: fails in at most two classes and passes at least 95 % of all checks. `harmless`: must fail nothing.
    `twin` names the saboteur that is caught by exactly the same checks, when that is meant. `of`: the only system it can be put on."""

    name: str
    doc: str
    rows: tuple[str, ...]
    classes: tuple[str, ...]
    kinds: tuple[str, ...]
    make: Callable[[MemorySystem], MemorySystem]
    quiet: bool = False
    harmless: bool = False
    twin: str | None = None
    of: str = ""


SABOTEURS: Registry[Saboteur] = Registry("saboteur")


def saboteur(
    name: str,
    *,
    rows: str,
    classes: str = "",
    kinds: str = "",
    quiet: bool = False,
    harmless: bool = False,
    twin: str | None = None,
    of: str = "",
) -> Callable[[type[Wrapper]], type[Wrapper]]:
    """Register a wrapper class; `rows`, `classes` and `kinds` are words parted by blanks, the docstring is the description."""

    def keep(cls: type[Wrapper]) -> type[Wrapper]:
        doc = " ".join((cls.__doc__ or "").split())
        parts = (tuple(rows.split()), tuple(classes.split()), tuple(kinds.split()))
        SABOTEURS.add(
            name,
            Saboteur(name=name, doc=doc, rows=parts[0], classes=parts[1], kinds=parts[2], make=cls, quiet=quiet, harmless=harmless, twin=twin, of=of),
        )
        return cls

    return keep


def with_items(receipt: Receipt, items: Iterable[Item]) -> Receipt:
    """The receipt with other items in its data."""
    return replace(receipt, data={**receipt.data, "items": list(items)})


def items_of(receipt: Receipt) -> list[Item]:
    return list(receipt.data.get("items", ()))


def add_to_prompt(receipt: Receipt, items: Iterable[Item], role: str = "user") -> Receipt:
    """The context with more recalled items, listed and rendered, before the current message."""
    extra = [{"section": "recall", "kind": "fact", **item} for item in items]
    if not extra or "messages" not in receipt.data:
        return receipt
    messages = list(receipt.data["messages"])
    block = {"role": role, "content": "\n".join(str(item["text"]) for item in extra)}
    return replace(receipt, data={**receipt.data, "items": [*items_of(receipt), *extra], "messages": [*messages[:-1], block, *messages[-1:]]})


def serve_also(receipt: Receipt, op: str, items: Iterable[Item]) -> Receipt:
    """The answer of a read with more items in it, as that read gives them."""
    if not receipt.ok:
        return receipt
    if op == "context":
        return add_to_prompt(receipt, items)
    return with_items(receipt, [*items_of(receipt), *items])


def texts_written(request: Request) -> list[tuple[str, str]]:
    """(role, text) of all that a write brings in."""
    args = request.args
    if request.op == "append":
        return [(str(args.get("role", "user")), str(args.get("text", "")))]
    if request.op == "append_many":
        return [(str(m.get("role", "user")), str(m.get("text", ""))) for m in args.get("messages", ())]
    if request.op in ("remember", "note_add", "pin", "goal_add", "correct"):
        return [("user", str(args.get("text", "")))]
    return []


def shares_word(query: str, text: str) -> bool:
    """Whether two texts share a word of four letters or more."""
    words = {w.strip(".,?!;:'\"").casefold() for w in query.split()}
    return any(len(w) >= 4 and w in text.casefold() for w in words)
