"""Memory without one kind of record: what the arm `on-without:KIND` runs. The memory itself keeps and learns everything as ever."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.systems.conversation import Json
from memgauge.systems.spec import SystemSpec

_CONVERSATION = ("application", "recent", "current")
"""Sections of a prompt that are not memory's."""


class Withholding:
    """Opens systems for one case, with what they say of one kind kept from every prompt: items of that kind are taken out of what is
    recalled, and out of the list and the text of a prompt. The place they leave stays empty; nothing else moves up.

    A message that somebody said, the application wrote or the user asks is never touched, whatever item repeats its words. One object
    serves a whole case, a reopening included, so that it knows what was said before.
    """

    def __init__(self, opener: Callable[[SystemSpec], MemorySystem], kind: str) -> None:
        self._opener = opener
        self._kind = kind
        self._said: set[str] = set()

    def __call__(self, spec: SystemSpec) -> MemorySystem:
        return _Without(self._opener(spec), self._kind, self._said)


class _Without:
    def __init__(self, inner: MemorySystem, kind: str, said: set[str]) -> None:
        self._inner = inner
        self._kind = kind
        self._said = said

    def call(self, request: Request) -> Receipt:
        messages = (
            [request.args] if request.op in ("append", "edit_message") else request.args.get("messages", ()) if request.op == "append_many" else ()
        )
        self._said.update(str(message.get("text", "")) for message in messages)
        receipt = self._inner.call(request)
        if request.op not in ("recall", "context") or not receipt.ok:
            return receipt
        items = receipt.data.get("items", ())
        gone = [item for item in items if item.get("kind") == self._kind and item.get("section") not in _CONVERSATION]
        data: Json = {**receipt.data, "items": [item for item in items if item not in gone]}
        if request.op == "context":
            given = self._said | {str(request.args["text"]), *map(str, request.args.get("application", ()))}
            data["messages"] = list(_cut(receipt.data.get("messages", ()), [str(item.get("text", "")) for item in gone], given))
        return replace(receipt, data=data)

    def kill(self) -> None:
        """End a child behind it."""
        kill = getattr(self._inner, "kill", None)
        if callable(kill):
            kill()


def _cut(messages: Iterable[Mapping[str, Any]], texts: Iterable[str], given: set[str]) -> Iterable[Json]:
    """The messages without the texts; one in which no words are left is gone."""
    wanted = sorted({text for text in texts if text.strip()}, key=len, reverse=True)  # a text within another does not steal its place
    for message in messages:
        content = message.get("content")
        if not isinstance(content, str) or content in given:
            yield dict(message)
            continue
        rest = content
        for text in wanted:
            rest = _without(rest, text)
        if rest == content or any(char.isalnum() for char in rest):
            yield {**message, "content": rest}


def _without(content: str, text: str) -> str:
    """Every line that is a JSON object of this text, and the text wherever else it stands: as it is, JSON-escaped or HTML-escaped. A line
    that has no words left goes with it."""
    content = "\n".join(line for line in content.split("\n") if not _tells(line, text))
    for written in dict.fromkeys((text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], html.escape(text))):
        before, *others = content.split(written)
        for part in others:
            head, tail = before.rpartition("\n"), part.partition("\n")
            bare = not any(char.isalnum() for char in head[2] + tail[0])
            before = head[0] + (head[1] if head[0] and tail[2] else "") + tail[2] if bare else before + part
        content = before
    return content


def _tells(line: str, text: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("text") == text
