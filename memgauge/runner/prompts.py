"""Count what was rendered: the harness's own tokens of every prompt, and how many of them memory put there."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from memgauge.records import Json, Scope
from memgauge.tokens import PER_MESSAGE, PER_REQUEST, counter

Place = tuple[str, str, str | None]


@functools.lru_cache(maxsize=16384)
def tokens(text: str, encoding: str) -> int:
    """Tokens of one text; remembered, since the same message goes into many prompts."""
    return counter(encoding)(text)


class PromptMeter:
    """Follows what was said and pinned, so that it can tell memory's part of a prompt from the rest."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._said: dict[Place, set[str]] = {}
        self._pins: dict[tuple[str, str], dict[str, str]] = {}

    def note(self, op: str, scope: Scope, args: Mapping[str, Any], receipt: Mapping[str, Any]) -> None:
        """Take in a step that was answered ok."""
        if receipt.get("status") != "ok":
            return
        owner = (scope.tenant, scope.user)
        if op in ("append", "edit_message"):
            self._said.setdefault((*owner, scope.thread), set()).add(str(args["text"]))
        elif op == "append_many":
            self._said.setdefault((*owner, scope.thread), set()).update(str(m.get("text", "")) for m in args["messages"])
        elif op == "pin":
            for record in receipt.get("ids", ()):
                self._pins.setdefault(owner, {})[record] = str(args["text"])
        elif op == "unpin":
            self._pins.get(owner, {}).pop(str(args["id"]), None)

    def measure(self, scope: Scope, args: Mapping[str, Any], receipt: Mapping[str, Any]) -> Json:
        """For one context: `tokens` of each rendered message's content, `tokens_total` with framing, `fixed_tokens` of the
        parts nobody may cut (application, pins, current message; with framing), `injected` by memory (with framing)."""
        encoding = args.get("budget", {}).get("encoding") or self._encoding
        application = [str(text) for text in args.get("application", ())]
        fixed = [*application, *self._pins.get((scope.tenant, scope.user), {}).values(), str(args["text"])]
        messages = receipt.get("data", {}).get("messages", [])
        contents = [str(m.get("content", "")) if isinstance(m, dict) else str(m) for m in messages] if isinstance(messages, list) else []
        counts = [tokens(text, encoding) for text in contents]
        known = (*application, str(args["text"]))
        given = {*known, *self._said.get((scope.tenant, scope.user, scope.thread), ())}
        return {
            "tokens": counts,
            "tokens_total": sum(counts) + PER_MESSAGE * len(counts) + PER_REQUEST,
            "fixed_tokens": sum(tokens(text, encoding) + PER_MESSAGE for text in fixed) + PER_REQUEST,
            "injected": sum(_injected(text, count, given, known, encoding) for text, count in zip(contents, counts, strict=True)),
        }


def _injected(text: str, count: int, given: set[str], fixed: Iterable[str], encoding: str) -> int:
    """A message that holds an application text or the current message beside memory counts without that part."""
    if text in given:
        return 0
    rest = text
    for part in fixed:
        if part.strip():
            rest = rest.replace(part, "", 1)
    return count + PER_MESSAGE if rest == text else tokens(rest, encoding)
