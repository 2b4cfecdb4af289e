"""Changes that break no promise. A suite that fails one of these judges wording, not memory."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
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


class _Rendered(Wrapper):
    """Renders what memory brings in another form: blocks of one JSON object a line become what `block` makes of them."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op != "context" or not receipt.ok:
            return receipt
        *before, asked = receipt.data["messages"]
        return replace(receipt, data={**receipt.data, "messages": [*map(self._other, before), asked]})

    def _other(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        first, *lines = str(message["content"]).split("\n")
        if not first.startswith("<<<") or not all(line.startswith("{") for line in lines[:-1]):
            return message
        return {**message, "content": self.block([json.loads(line) for line in lines[:-1]])}

    def block(self, items: list[dict[str, str]]) -> str:
        raise AssertionError("says how a block of items is rendered")


@saboteur("other-fence", rows="B8 A16", harmless=True)
class OtherFence(_Rendered):
    """Recalled items stand as elements of a markup, with their texts escaped for it."""

    def block(self, items: list[dict[str, str]]) -> str:
        return "\n".join(
            ["<memories>", *(f'<memory note="{html.escape(i["label"])}">{html.escape(i["text"])}</memory>' for i in items), "</memories>"]
        )


_GERMAN = {"fact, stated by the user": "Fakt vom Nutzer", "confirmed by the user": "bestätigt", "everywhere": "global"}


@saboteur("labels-in-german", rows="B8", harmless=True)
class LabelsInGerman(_Rendered):
    """The labels of items are in another language than the question, shorter; words of warning stay."""

    def block(self, items: list[dict[str, str]]) -> str:
        lines = [json.dumps({"label": _german(i["label"]), "text": i["text"]}, ensure_ascii=False).replace("<", "\\u003c") for i in items]
        return "\n".join(["<<<memory>>>", *lines, "<<<end>>>"])


def _german(label: str) -> str:
    for english, german in _GERMAN.items():
        label = label.replace(english, german)
    return label
