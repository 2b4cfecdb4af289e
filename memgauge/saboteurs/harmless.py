"""Changes that break no promise. A suite that fails one of these judges wording, not memory."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from memgauge.protocol import Receipt, Request
from memgauge.saboteurs.base import Wrapper, items_of, saboteur

_REWORDINGS = (
    (re.compile(r"\bI live in\b"), "The user's home is in"), (re.compile(r"\bI moved to\b"), "The user relocated to"),
    (re.compile(r"\bI work at\b"), "The user is employed at"), (re.compile(r"\bMy\b"), "The user's"), (re.compile(r"\bmy\b"), "the user's"),
    (re.compile(r"\bI prefer\b"), "The user has a preference for"), (re.compile(r"\bI am\b"), "The user is"), (re.compile(r"\bI'm\b"), "The user is"),
    (re.compile(r"\bI\b"), "the user"), (re.compile(r"\bour\b"), "the team's"), (re.compile(r"\bOur\b"), "The team's"),
)  # fmt: skip


@saboteur("reworded", rows="B8", harmless=True)
class Reworded(Wrapper):
    """Remembered statements come back in the third person, as an extracting memory would word them; values are kept."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op not in ("recall", "context") or not receipt.ok:
            return receipt
        changed: dict[str, str] = {}
        items: list[dict[str, Any]] = []
        for item in items_of(receipt):
            text = str(item.get("text", ""))
            if item.get("kind") == "fact" and item.get("section") not in ("recent", "current", "application"):
                changed[text] = reword(text)
                item = {**item, "text": changed[text]}
            items.append(dict(item))
        data = {**receipt.data, "items": items}
        if "messages" in data:
            data["messages"] = [*({**m, "content": _swap(str(m["content"]), changed)} for m in data["messages"][:-1]), data["messages"][-1]]
        return replace(receipt, data=data)


def reword(text: str) -> str:
    """The statement in the third person."""
    for pattern, other in _REWORDINGS:
        text = pattern.sub(other, text)
    return text


def _swap(content: str, changed: dict[str, str]) -> str:
    for old, new in changed.items():
        for ascii_only in (False, True):
            content = content.replace(_escaped(old, ascii_only), _escaped(new, ascii_only))
    return content


def _escaped(text: str, ascii_only: bool) -> str:
    """The text as it stands inside a JSON string with `<` escaped."""
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1].replace("<", "\\u003c")


@saboteur("other-ids", rows="B8", harmless=True)
class OtherIds(Wrapper):
    """Record ids look different: opaque, long, and in no order."""

    def call(self, request: Request) -> Receipt:
        if isinstance(request.args.get("id"), str):
            request = replace(request, args={**request.args, "id": request.args["id"].removeprefix("rec_").split("_")[0]})
        receipt = self.inner.call(request)
        if "items" not in receipt.data:
            return replace(receipt, ids=tuple(_other(i) for i in receipt.ids))
        items = [{**i, "id": _other(str(i["id"]))} if "id" in i else i for i in items_of(receipt)]
        return replace(receipt, ids=tuple(_other(i) for i in receipt.ids), data={**receipt.data, "items": items})


def _other(record_id: str) -> str:
    return f"rec_{record_id}_{sum(map(ord, record_id)) * 7919 % 100000:05d}"
