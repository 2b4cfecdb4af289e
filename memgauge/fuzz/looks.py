"""One read of a memory, and which parts of its answer count as what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memgauge.fuzz.moves import View
from memgauge.fuzz.words import question
from memgauge.records import Json

BUDGETS = ((260, 60), (600, 100), (2000, 400), (4000, 500))
"""Windows and reserves in turn: the smallest holds a question and a few lines, the largest a short conversation."""
PAST = ("superseded", "expired", "rejected", "outdated", "former")
"""Statuses with which a list may show what no longer holds."""
LIST_KINDS = {"list": "facts", "list-all": "all", "list-messages": "messages", "list-goals": "goals"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A read to make: `path` is context, recall, export, document, or one of LIST_KINDS; `topic` is asked by, or names the document."""

    view: View
    path: str
    topic: str = ""

    @property
    def op(self) -> str:
        return {"document": "doc_read"}.get(self.path, self.path.partition("-")[0])

    @property
    def question(self) -> str:
        return question(self.topic) if self.path in ("context", "recall") else ""

    @property
    def budget(self) -> dict[str, int]:
        window, reserve = BUDGETS[len(self.topic) % len(BUDGETS)]
        return {"window": window, "reserve": reserve}

    def arguments(self) -> Json:
        match self.path:
            case "context":
                return {"text": self.question, "budget": self.budget}
            case "recall":
                return {"query": self.question, "k": 20}
            case "document":
                return {"name": self.topic}
        return {"kind": LIST_KINDS[self.path]} if self.path in LIST_KINDS else {}


@dataclass(frozen=True, slots=True)
class Sight:
    """What an answer showed, folded: everything in it but the question, and what memory holds to be true now."""

    everything: str
    memory: str


def sight(look: Look, receipt: Mapping[str, Any], turns: Iterable[str]) -> Sight:
    """`turns` are the messages said in the thread of the view: where they stand verbatim in a prompt they are conversation.

    A list may show messages, finished goals and labelled past values; those are not what memory holds to be true now.
    """
    asked = look.question
    everything = _text(receipt, asked)
    data = receipt.get("data", {})
    if look.path == "context":
        said = set(turns)
        items = [item for item in _rows(data.get("items")) if item.get("section") != "recent" and item.get("text") not in said]
        messages = [_without(str(message.get("content", "")), (asked, *said)) for message in _rows(data.get("messages"))]
        return Sight(everything, _text([items, messages], asked))
    if "items" in data:
        live = [item for item in _rows(data["items"]) if not _past(item) and (look.path == "recall" or item.get("kind") not in ("message", "goal"))]
        return Sight(everything, _text(live, asked))
    return Sight(everything, everything)


def _past(item: Mapping[str, Any]) -> bool:
    said = f"{item.get('status') or ''} {item.get('label') or ''}".casefold()
    return any(word in said for word in PAST)


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, "") if part else text
    return text


def _text(value: object, asked: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return (text.replace(asked, "") if asked else text).casefold()


def _rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []
