"""Faults in corners: only past the last rank, only after a reopen, only in an export, only at the forty-first message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from memgauge.clock import parse_instant
from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Wrapper, add_to_prompt, items_of, saboteur, shares_word, texts_written, with_items

DEFAULT_K = 5
WINDOW = 40


def whose(request: Request) -> tuple[str, str]:
    return request.scope.tenant, request.scope.user


def _into_bundle(receipt: Receipt, texts: list[str]) -> Receipt:
    bundle = receipt.data.get("bundle")
    if not texts or not isinstance(bundle, dict):
        return receipt
    return replace(receipt, data={**receipt.data, "bundle": {**bundle, "more": [{"text": text} for text in texts]}})


@saboteur("leak-past-last-rank", rows="A9 A4", classes="leak", kinds="leak", quiet=True)
class LeakPastLastRank(Wrapper):
    """When recall is full, a neighbour's item stands behind the last of one's own."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.written: list[tuple[tuple[str, str], str]] = []

    def call(self, request: Request) -> Receipt:
        self.written += [(whose(request), text) for role, text in texts_written(request) if role == "user"]
        receipt = self.inner.call(request)
        if request.op != "recall" or len(items_of(receipt)) < int(request.args.get("k", DEFAULT_K)):
            return receipt
        strange = [text for who, text in self.written if who != whose(request) and shares_word(str(request.args["query"]), text)]
        return with_items(receipt, [*items_of(receipt), {"id": "x-1", "kind": "fact", "text": strange[0]}]) if strange else receipt


@saboteur("forgotten-on-old-words", rows="A19", classes="deletion", kinds="deleted", quiet=True)
class ForgottenOnOldWords(Wrapper):
    """What was forgotten comes back to whoever begins its sentence."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.gone: list[tuple[tuple[str, str], str]] = []

    def call(self, request: Request) -> Receipt:
        if request.op == "forget":
            before = {str(i.get("text")) for i in items_of(self._all(request))}
            receipt = self.inner.call(request)
            self.gone += [(whose(request), text) for text in sorted(before - {str(i.get("text")) for i in items_of(self._all(request))})]
            return receipt
        receipt = self.inner.call(request)
        begun = str(request.args.get("query", "")).casefold()
        back = [text for who, text in self.gone if who == whose(request) and len(begun) > 12 and text.casefold().startswith(begun)]
        return (
            with_items(receipt, [*items_of(receipt), *({"id": "x-1", "kind": "fact", "text": text} for text in back)])
            if request.op == "recall" and back
            else receipt
        )

    def _all(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None))


class Reopened(Wrapper):
    """Knows whether the store was open before, in this process, under another object."""

    opened: ClassVar[dict[str, Any]] = {}

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.root = ""
        self.again = False

    def call(self, request: Request) -> Receipt:
        if request.op == "open":
            self.root = f"{type(self).__name__}/{request.args['root']}"
            self.again = self.root in self.opened
            self.opened.setdefault(self.root, [])
        return self.inner.call(request)


@saboteur("stale-after-reopen", rows="A10 A22", classes="supersession durability", kinds="stale sufficient", quiet=True)
class StaleAfterReopen(Reopened):
    """A cache that is loaded when the store opens still has what was corrected before."""

    def call(self, request: Request) -> Receipt:
        if request.op == "correct":
            listed = items_of(self.inner.call(replace(request, op="list", args={}, idempotency_key=None)))
            before = {str(item.get("text")) for item in listed}
            receipt = super().call(request)
            now = {str(item.get("text")) for item in items_of(self.inner.call(replace(request, op="list", args={}, idempotency_key=None)))}
            self.opened[self.root] += [(whose(request), text) for text in sorted(before - now)]
            return receipt
        receipt = super().call(request)
        if not self.again or request.op not in ("recall", "context") or not receipt.ok:
            return receipt
        question = str(request.args.get("query", request.args.get("text", "")))
        old = [{"id": "x-1", "kind": "fact", "text": t} for who, t in self.opened[self.root] if who == whose(request) and shares_word(question, t)]
        return add_to_prompt(receipt, old) if request.op == "context" else with_items(receipt, [*items_of(receipt), *old])


@saboteur("consent-per-process", rows="A17", classes="access", kinds="not_permitted receipt data", quiet=True)
class ConsentPerProcess(Reopened):
    """A pause or a withdrawn consent holds until the store is opened again."""

    def call(self, request: Request) -> Receipt:
        if request.op == "set_access":
            self.opened[self.root].append(request.scope)
        receipt = super().call(request)
        if request.op == "open" and self.again:
            for scope in self.opened[self.root]:
                self.inner.call(replace(request, op="set_access", scope=scope, args={"enabled": True, "consent": True}))
        return receipt


@saboteur("drops-forty-first", rows="A2", classes="durability", kinds="present sufficient", quiet=True)
class DropsFortyFirst(Wrapper):
    """The first message beyond the window of a thread is acknowledged and lost."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.count: dict[tuple[Any, ...], int] = {}

    def call(self, request: Request) -> Receipt:
        if request.op in ("append", "append_many"):
            thread = (*whose(request), request.scope.project, request.scope.thread)
            before = self.count.get(thread, 0)
            given = list(request.args.get("messages", [request.args]))
            self.count[thread] = before + len(given)
            if before <= WINDOW < before + len(given):
                if request.op == "append":
                    return Receipt(status="ok", ids=(str(request.args["message_id"]),))
                del given[WINDOW - before]
                request = replace(request, args={"messages": given})
        return self.inner.call(request)


@saboteur("forget-takes-the-next", rows="A19", classes="deletion", kinds="present sufficient count")
class ForgetTakesTheNext(Wrapper):
    """Forgetting one record takes the one beside it along."""

    def call(self, request: Request) -> Receipt:
        if request.op != "forget" or "id" not in request.args:
            return self.inner.call(request)
        ids = [str(i.get("id")) for i in items_of(self.inner.call(replace(request, op="list", args={}, idempotency_key=None)))]
        receipt = self.inner.call(request)
        if receipt.ok and request.args["id"] in ids and len(ids) > 1:
            beside = ids[(ids.index(request.args["id"]) + 1) % len(ids)]
            self.inner.call(replace(request, args={"id": beside}, idempotency_key=None))
        return receipt


@saboteur("export-keeps-swept", rows="A20 A22", classes="time", kinds="expired", quiet=True)
class ExportKeepsSwept(Wrapper):
    """What is past its end and was swept is gone from every list and still goes out with an export."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.ending: list[tuple[tuple[str, str], str, str]] = []

    def call(self, request: Request) -> Receipt:
        if request.op == "remember" and request.args.get("expires_at"):
            self.ending.append((whose(request), str(request.args["text"]), str(request.args["expires_at"])))
        receipt = self.inner.call(request)
        if request.op != "export":
            return receipt
        now = parse_instant(request.now)
        return _into_bundle(receipt, [text for who, text, end in self.ending if who == whose(request) and parse_instant(end) <= now])


@saboteur("export-opens-private", rows="A2 A20", classes="leak", kinds="leak", quiet=True)
class ExportOpensPrivate(Wrapper):
    """What was said in a private thread is nowhere but in the export."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.private: list[tuple[tuple[str, str], str]] = []

    def call(self, request: Request) -> Receipt:
        if request.op == "append" and request.args.get("private"):
            self.private.append((whose(request), str(request.args["text"])))
        receipt = self.inner.call(request)
        return _into_bundle(receipt, [text for who, text in self.private if who == whose(request)]) if request.op == "export" else receipt


@saboteur("budget-in-ascii", rows="A14", classes="budget", kinds="budget", quiet=True)
class BudgetInAscii(Wrapper):
    """Tokens are counted as four characters each, which no script but Latin keeps to."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.other_script = False

    def call(self, request: Request) -> Receipt:
        self.other_script |= any(sum(not ch.isascii() for ch in text) > len(text) // 3 for _, text in texts_written(request))
        if request.op == "context" and self.other_script and isinstance(request.args.get("budget"), dict):
            budget = request.args["budget"]
            request = replace(request, args={**request.args, "budget": {**budget, "window": budget["window"] * 2 - budget.get("reserve", 0)}})
        return self.inner.call(request)


@saboteur("zone-dropped", rows="A4 A6", classes="time", kinds="expired present sufficient", quiet=True)
class ZoneDropped(Wrapper):
    """The user's clock is read as if it stood in Greenwich."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, now=parse_instant(request.now).replace(tzinfo=None).isoformat() + "+00:00"))


@saboteur("import-ignores-scope", rows="A20 A9", classes="transfer leak", kinds="present sufficient", quiet=True)
class ImportIgnoresScope(Wrapper):
    """A bundle goes back to whoever it was exported for, whoever imports it."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.exporter = None

    def call(self, request: Request) -> Receipt:
        if request.op == "export":
            self.exporter = request.scope  # type: ignore[assignment]
        if request.op == "import" and self.exporter is not None:
            request = replace(request, scope=self.exporter)
        return self.inner.call(request)


@saboteur("pins-never-end", rows="A14", classes="time", kinds="expired sufficient", quiet=True)
class PinsNeverEnd(Wrapper):
    """A pin stays in every prompt after its time."""

    def call(self, request: Request) -> Receipt:
        if request.op == "pin":
            request = replace(request, args={k: v for k, v in request.args.items() if k != "until"})
        return self.inner.call(request)


@saboteur("summary-keeps-forgotten", rows="A3 A19", classes="deletion summaries", kinds="deleted", quiet=True)
class SummaryKeepsForgotten(Wrapper):
    """A summary that was made before a forget is served unchanged after it."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.summaries: dict[tuple[str, str], list[Any]] = {}

    def call(self, request: Request) -> Receipt:
        if request.op == "forget":
            listing = self.inner.call(replace(request, op="list", args={"kind": "summaries"}, idempotency_key=None))
            self.summaries.setdefault(whose(request), []).extend(items_of(listing))
        receipt = self.inner.call(request)
        old = self.summaries.get(whose(request), [])
        if request.op == "list" and request.args.get("kind") in ("summaries", "all") and receipt.ok and old:
            return with_items(receipt, [*items_of(receipt), *old])
        return receipt
