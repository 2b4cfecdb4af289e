"""A durable log of messages, and a window of it that fits a budget. What a memory-free assistant has; the stand-in systems build on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from memgauge.protocol import Receipt, Request
from memgauge.records import Scope
from memgauge.tokens import DEFAULT_ENCODING, PER_MESSAGE, PER_REQUEST, TokenCount, counter

Json = dict[str, Any]
Place = tuple[str, str, str]

HISTORY_SHARE = 0.6
"""Share of the budget left after the fixed parts that history may take: 1 minus the 0.4 the reference keeps for memory."""
HISTORY_MESSAGES = 40
"""Messages of history at most, as in the reference."""


class Conversation:
    """Messages by (tenant, user, thread), one JSON line each in `messages.jsonl`.

    Flushed at every append: a killed process loses nothing acknowledged.
    """

    def __init__(self, root: str) -> None:
        self._path = Path(root) / "messages.jsonl"
        self._threads: dict[Place, list[Json]] = {}
        self._ids: dict[Place, set[str]] = {}
        if self._path.exists():
            with self._path.open(encoding="utf-8") as lines:
                for line in lines:
                    if line.endswith("\n"):  # a line cut short by a kill was never acknowledged
                        self._keep(json.loads(line))
        self._file = self._path.open("a", encoding="utf-8")

    def append(self, scope: Scope, now: str, messages: Iterable[Mapping[str, Any]]) -> list[str]:
        """Store messages in order; returns their ids. A message id the thread already has is not stored twice."""
        known = self._ids.setdefault((scope.tenant, scope.user, scope.thread or ""), set())
        ids: list[str] = []
        for message in messages:
            ids.append(str(message["message_id"]))
            if ids[-1] in known:
                continue
            line = {**message, "now": message.get("now", now), "tenant": scope.tenant, "user": scope.user, "thread": scope.thread or ""}
            self._keep(line)
            self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        return ids

    def thread(self, scope: Scope) -> list[Json]:
        return self._threads.get((scope.tenant, scope.user, scope.thread or ""), [])

    def of_user(self, scope: Scope) -> list[Json]:
        """All messages of the user, thread after thread in order of their first message."""
        return [m for (tenant, user, _), messages in self._threads.items() if (tenant, user) == (scope.tenant, scope.user) for m in messages]

    def remove(self, scope: Scope, ids: set[str] | None = None) -> None:
        """Erase these messages of the user, or all of them, from memory and file."""
        for place, messages in self._threads.items():
            if place[:2] == (scope.tenant, scope.user):
                messages[:] = [m for m in messages if ids is not None and m["message_id"] not in ids]
                self._ids[place] = {m["message_id"] for m in messages}
        self._file.close()
        replace_lines(self._path, (m for messages in self._threads.values() for m in messages))
        self._file = self._path.open("a", encoding="utf-8")

    def close(self) -> None:
        self._file.close()

    def _keep(self, line: Json) -> None:
        place = (line["tenant"], line["user"], line["thread"])
        self._threads.setdefault(place, []).append(line)
        self._ids.setdefault(place, set()).add(line["message_id"])


def replace_lines(path: Path, lines: Iterable[Json]) -> None:
    """Write a file of JSON lines anew, whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    new.replace(path)


class Budget:
    """The budget object of a context request: tokens for everything but the reply, and how they are counted."""

    def __init__(self, request: Request) -> None:
        budget = request.args.get("budget", {})
        self.count: TokenCount = counter(budget.get("encoding") or DEFAULT_ENCODING)
        self.total = int(budget["window"]) - int(budget.get("reserve", 0))
        self.extra = int(budget.get("recent_extra", 0))
        self.placebo: Json = budget.get("placebo") or {"tokens": 0, "texts": []}
        self.application = [{"role": "system", "content": str(text)} for text in request.args.get("application", ())]
        self.current = {"role": "user", "content": str(request.args["text"])}
        self.fixed = PER_REQUEST + sum(self.cost(m) for m in (*self.application, self.current))

    def cost(self, message: Mapping[str, Any]) -> int:
        return self.count(str(message["content"])) + PER_MESSAGE

    def refusal(self) -> Receipt | None:
        """The refusal due when application and current message alone do not fit, else None."""
        if self.fixed <= self.total:
            return None
        reason = f"application text and message need {self.fixed} tokens, {self.total} are left"
        return Receipt(status="refused", reason=reason, data={"needed": self.fixed, "available": self.total})

    def prompt(self, middle: list[Json], items: list[Json], left_out: list[Json] | None = None) -> Receipt:
        """The answer with the fixed parts put round what goes between them."""
        messages = [*self.application, *middle, self.current]
        return Receipt(status="ok", data={"items": items, "messages": messages, "left_out": left_out or [], "degraded": []})


def rendered(message: Mapping[str, Any]) -> Json:
    """A stored message as it goes before the model; tool calls and what they answer travel along."""
    line: Json = {"role": message["role"], "content": message["text"]}
    return line | {key: message[key] for key in ("calls", "call_id") if message.get(key)}


def recent(messages: list[Json], budget: Budget, taken: int = 0) -> list[Json]:
    """The newest messages, oldest first: up to `HISTORY_SHARE` of the rest and `HISTORY_MESSAGES`, then `extra` tokens more of whatever is older.

    `taken` tokens are gone already. A tool result is dropped when its call does not stand in the window, a call when a
    result is missing.
    """
    rest = max(0, budget.total - budget.fixed - taken)
    share = int(rest * HISTORY_SHARE)
    window: list[Json] = []
    spent = beyond = 0
    for message in reversed(messages):
        line = rendered(message)
        cost = budget.cost(line)
        if beyond == 0 and len(window) < HISTORY_MESSAGES and spent + cost <= share:
            spent += cost
        elif beyond + cost <= budget.extra and spent + beyond + cost <= rest:
            beyond += cost
        else:
            break
        window.insert(0, line)
    return paired(window)


def paired(window: list[Json]) -> list[Json]:
    """The window without half tool exchanges."""
    answered = {line["call_id"] for line in window if "call_id" in line}
    whole = [line for line in window if all(call.get("id") in answered for call in line.get("calls", ()))]
    called = {call.get("id") for line in whole for call in line.get("calls", ())}
    return [line for line in whole if "call_id" not in line or line["call_id"] in called]
