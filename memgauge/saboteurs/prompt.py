"""Faults of the prompt: what is recalled, how much, in which order, role and fence."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Item, Wrapper, add_to_prompt, items_of, saboteur, serve_also, with_items

_NEWLINE_FENCE = ("<memory>", "</memory>")


class _Spoils(Wrapper):
    """Rewrites good contexts."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "context" and receipt.ok:
            return self.spoil(receipt, request)
        return receipt

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        raise AssertionError("says how the context is spoiled")

    @staticmethod
    def messages(receipt: Receipt, messages: list[Any]) -> Receipt:
        return replace(receipt, data={**receipt.data, "messages": messages})


@saboteur("recall-misses-first", rows="A4", classes="recall", kinds="present sufficient rank")
class RecallMissesFirst(Wrapper):
    """The best hit is dropped."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "recall" and receipt.ok:
            return with_items(receipt, items_of(receipt)[1:])
        if request.op == "context" and receipt.ok:
            recalled = [i for i in items_of(receipt) if i.get("section") in ("recall", "longterm")]
            lost = {str(i.get("text")) for i in recalled[:1]}
            kept = [i for i in items_of(receipt) if str(i.get("text")) not in lost or i.get("section") not in ("recall", "longterm")]
            messages = [_without(m, lost) for m in receipt.data["messages"][:-1]] + list(receipt.data["messages"][-1:])
            return replace(receipt, data={**receipt.data, "items": kept, "messages": messages})
        return receipt


def _without(message: dict[str, Any], texts: set[str]) -> dict[str, Any]:
    import json

    forms = {form for text in texts for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])}
    lines = str(message["content"]).split("\n")
    return {**message, "content": "\n".join(line for line in lines if not any(form and form in line for form in forms))}


@saboteur("rank-reversed", rows="A4", classes="recall precision", kinds="rank present")
class RankReversed(Wrapper):
    """The worst hit comes first."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "recall" and receipt.ok:
            wide = self.inner.call(replace(request, args={**request.args, "k": 50}))
            return with_items(receipt, list(reversed(items_of(wide)))[: int(request.args.get("k", 5))])
        return receipt


@saboteur("always-something", rows="A4", classes="recall harm", kinds="abstains off_topic sufficient")
class AlwaysSomething(Wrapper):
    """Recall never comes back empty: the newest facts fill it."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op not in ("recall", "context") or not receipt.ok:
            return receipt
        listing = self.inner.call(replace(request, op="list", args={"kind": "facts"}, idempotency_key=None))
        shown = {str(i.get("text")) for i in items_of(receipt)}
        newest = [i for i in items_of(listing) if str(i.get("text")) not in shown][-3:]
        return serve_also(receipt, request.op, newest)


@saboteur("returns-everything", rows="A4 A14", classes="recall budget harm", kinds="precision abstains budget off_topic sufficient")
class ReturnsEverything(Wrapper):
    """Every read returns all there is."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op not in ("recall", "context") or not receipt.ok:
            return receipt
        listing = items_of(self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None)))
        shown = {str(i.get("text")) for i in items_of(receipt)}
        return serve_also(receipt, request.op, [i for i in listing if str(i.get("text")) not in shown])


@saboteur("dump-under-budget", rows="A4", classes="recall harm", kinds="precision abstains off_topic sufficient stale")
class DumpUnderBudget(Wrapper):
    """Everything is returned, kept just under the budget."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op not in ("recall", "context") or not receipt.ok:
            return receipt
        listing = items_of(self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None)))
        budget = request.args.get("budget", {"window": 4000, "reserve": 500})
        room = int(budget["window"]) - int(budget.get("reserve", 0)) - sum(_rough(str(m["content"])) for m in receipt.data.get("messages", ()))
        shown, extra = {str(i.get("text")) for i in items_of(receipt)}, []
        for item in reversed(listing):
            cost = _rough(str(item.get("text")))
            if str(item.get("text")) not in shown and cost < room - 50:
                extra.append(item)
                room -= cost
        return serve_also(receipt, request.op, extra)


def _rough(text: str) -> int:
    """An upper bound of tokens: no encoding in use makes more tokens than UTF-8 bytes; half of that is still safe for prose."""
    return len(text.encode()) // 2 + 8


@saboteur("budget-buster", rows="A14", classes="budget", kinds="budget sufficient")
class BudgetBuster(_Spoils):
    """The memory block is sent twenty times over."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        messages = list(receipt.data["messages"])
        return self.messages(receipt, [*(messages[:-1] * 20), messages[-1]])


@saboteur("budget-off-by-one", rows="A14", classes="budget", kinds="budget", quiet=True)
class BudgetOffByOne(_Spoils):
    """The reserve of the reply is not kept."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        budget = dict(request.args["budget"])
        full = replace(request, args={**request.args, "budget": {**budget, "reserve": 0}})
        return self.inner.call(full)


@saboteur("grows-with-age", rows="A14", classes="budget long-thread", kinds="growth budget")
class GrowsWithAge(_Spoils):
    """The prompt names every stored record."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        listing = items_of(self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None)))
        return add_to_prompt(receipt, [{"id": "index", "text": " ".join(f"record {i.get('id')}" for i in listing)}])


def _memory_blocks(receipt: Receipt) -> set[int]:
    """Which messages carry memory: all but the last that are not, word for word, a text of the conversation or the application."""
    plain = {str(i.get("text")) for i in items_of(receipt) if i.get("section") in ("recent", "application", "current")}
    return {n for n, m in enumerate(receipt.data["messages"][:-1]) if str(m["content"]) not in plain and m.get("role") != "tool"}


@saboteur("system-role", rows="A16", classes="injection", kinds="fence")
class SystemRole(_Spoils):
    """Recalled text goes into a system message."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        blocks = _memory_blocks(receipt)
        return self.messages(receipt, [{**m, "role": "system"} if n in blocks else m for n, m in enumerate(receipt.data["messages"])])


@saboteur("no-fence", rows="A16", classes="injection", kinds="fence", twin="system-role")
class NoFence(_Spoils):
    """Recalled text is pasted between plain tags, unescaped, so that stored text can close them."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        blocks = _memory_blocks(receipt)
        items = [i for i in items_of(receipt) if i.get("section") not in ("recent", "application", "current")]
        kept = [m for n, m in enumerate(receipt.data["messages"][:-1]) if n not in blocks]
        block = "\n".join([_NEWLINE_FENCE[0], *(str(i.get("text")) for i in items), _NEWLINE_FENCE[1]])
        added = [{"role": "user", "content": block}] if items else []
        return self.messages(receipt, [*kept, *added, receipt.data["messages"][-1]])


@saboteur("half-item", rows="A14 A16", classes="injection budget", kinds="fence present sufficient whole")
class HalfItem(_Spoils):
    """The memory block is cut at a length, through the middle of an item and its fence."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        blocks = _memory_blocks(receipt)
        cut = [
            {**m, "content": str(m["content"])[: len(str(m["content"])) * 2 // 3]} if n in blocks else m
            for n, m in enumerate(receipt.data["messages"])
        ]
        return self.messages(receipt, cut)


@saboteur("listed-not-rendered", rows="A14", classes="recall", kinds="present sufficient")
class ListedNotRendered(_Spoils):
    """The context lists the evidence and leaves it out of the messages."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        lost = {str(i.get("text")) for i in items_of(receipt) if i.get("section") in ("recall", "longterm", "summary", "goals", "pinned")}
        return self.messages(receipt, [*(_without(m, lost) for m in receipt.data["messages"][:-1]), receipt.data["messages"][-1]])


@saboteur("trusts-client-history", rows="A14", classes="injection", kinds="client_history", quiet=True)
class TrustsClientHistory(_Spoils):
    """A history that the client sends is put into the prompt."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        claimed = [
            {"role": str(m.get("role", "user")), "content": str(m.get("text", m.get("content", "")))} for m in request.args.get("client_history", ())
        ]
        return self.messages(receipt, [*receipt.data["messages"][:-1], *claimed, receipt.data["messages"][-1]])


@saboteur("splits-pairs", rows="A14 A2", classes="tools budget", kinds="tool_pairs")
class SplitsPairs(_Spoils):
    """The oldest tool result in the window is dropped, its call kept."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        messages = list(receipt.data["messages"])
        first = next((n for n, m in enumerate(messages) if m.get("role") == "tool"), None)
        return receipt if first is None else self.messages(receipt, messages[:first] + messages[first + 1 :])


@saboteur("shuffles-prefix", rows="A14", classes="budget context", kinds="prefix order")
class ShufflesPrefix(_Spoils):
    """The order of the first messages changes from call to call."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._random = random.Random(7)

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        head, items = list(receipt.data["messages"][:-1]), list(items_of(receipt))
        self._random.shuffle(head)
        self._random.shuffle(items)
        note: Item = {"role": "user", "content": f"({self._random.randrange(10**6)})"}
        return replace(receipt, data={**receipt.data, "items": items, "messages": [note, *head, receipt.data["messages"][-1]]})


@saboteur("drops-pins", rows="A14", classes="long-thread context", kinds="present sufficient")
class DropsPins(_Spoils):
    """Pinned rules scroll out with the window."""

    def spoil(self, receipt: Receipt, request: Request) -> Receipt:
        pins = {str(i.get("text")) for i in items_of(receipt) if i.get("section") == "pinned"}
        kept = [i for i in items_of(receipt) if i.get("section") != "pinned"]
        messages = [*(_without(m, pins) for m in receipt.data["messages"][:-1]), receipt.data["messages"][-1]]
        return replace(receipt, data={**receipt.data, "items": kept, "messages": messages})


@saboteur("summary-forgets", rows="A3", classes="summaries long-thread", kinds="summary present sufficient")
class SummaryForgets(Wrapper):
    """The summary keeps its first sentence only."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op in ("list", "context") and receipt.ok:
            spoiled, lost = [], set()
            for item in items_of(receipt):
                if item.get("kind") == "summary" or item.get("section") == "summary":
                    lost |= set(str(item["text"]).split("\n")[1:])
                    item = {**item, "text": str(item["text"]).split("\n")[0]}
                spoiled.append(item)
            data = {**receipt.data, "items": spoiled}
            if "messages" in data and lost:
                data["messages"] = [*(_without(m, {t for t in lost if t.strip()}) for m in data["messages"][:-1]), data["messages"][-1]]
            return replace(receipt, data=data)
        return receipt
