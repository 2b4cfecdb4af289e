"""Faults of change: the old value stays, or the new one is lost."""

from __future__ import annotations

from dataclasses import replace

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Item, Wrapper, items_of, saboteur, serve_also, shares_word


class OldValues(Wrapper):
    """Keeps the items that a change retired, to serve them again."""

    paths: tuple[str, ...] = ("recall", "context")

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self.live: dict[str, dict[str, Item]] = {}
        self.retired: dict[str, list[Item]] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        user = f"{request.scope.tenant}/{request.scope.user}"
        if request.op in ("remember", "correct", "end_turn", "goal_update", "review_decide"):
            listing = self.inner.call(replace(request, op="list", args={"kind": "all"}, idempotency_key=None))
            now = {str(i.get("id")) + str(i.get("status")): i for i in items_of(listing) if i.get("kind") in ("fact", "goal", "note")}
            gone = [item for key, item in self.live.get(user, {}).items() if key not in now]
            self.retired.setdefault(user, []).extend(gone)
            self.live[user] = now
        if request.op in self.paths:
            query = str(request.args.get("query", request.args.get("text", "")))
            return serve_also(receipt, request.op, self.chosen(self.retired.get(user, []), query))
        return receipt

    def chosen(self, retired: list[Item], query: str) -> list[Item]:
        """What is served again: up to three old facts about the question, else the first one."""
        old: list[Item] = [{**item, "label": ""} for item in retired if item.get("kind") == "fact"]
        about = [item for item in old if not query or shares_word(query, str(item.get("text")))]
        return about[:3] or old[:1]


@saboteur("stale-beside-new", rows="A10", classes="supersession", kinds="stale sufficient")
class StaleBesideNew(OldValues):
    """The correction is added beside the old value; both come back."""


@saboteur("stale-in-list", rows="A10", classes="supersession", kinds="stale")
class StaleInList(OldValues):
    """Recall is right, the list still shows the old value as live."""

    paths = ("list",)


@saboteur("goal-zombie", rows="A12", classes="goals", kinds="goal_done")
class GoalZombie(OldValues):
    """Finished goals go on steering the prompt."""

    paths = ("context",)

    def chosen(self, retired: list[Item], query: str) -> list[Item]:
        return [i for i in retired if i.get("kind") == "goal"]


@saboteur("correct-adds", rows="A10", classes="supersession", kinds="stale count")
class CorrectAdds(Wrapper):
    """Correcting stores a second item and leaves the first."""

    def call(self, request: Request) -> Receipt:
        if request.op == "correct":
            request = replace(request, op="remember", args={"text": request.args["text"], "slot": f"extra-{len(request.args['text'])}"})
        return self.inner.call(request)


@saboteur("repeat-duplicates", rows="A10", classes="supersession capture", kinds="count")
class RepeatDuplicates(Wrapper):
    """Saying the same thing again makes a second item."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._said: list[str] = []

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "remember" and receipt.ok:
            text = " ".join(str(request.args["text"]).casefold().split())
            if text in self._said:
                self.inner.call(
                    replace(
                        request,
                        args={**request.args, "text": f"{request.args['text']} ({len(self._said)})", "slot": f"again-{len(self._said)}"},
                        idempotency_key=None,
                    )
                )
            self._said.append(text)
        return receipt


@saboteur("repeat-deletes", rows="A10", classes="supersession", kinds="count present")
class RepeatDeletes(Wrapper):
    """Saying the same thing again removes it."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._said: dict[str, str] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "remember" and receipt.ok and receipt.ids:
            text = " ".join(str(request.args["text"]).casefold().split())
            if text in self._said:
                self.inner.call(replace(request, op="forget", args={"id": receipt.ids[0]}, idempotency_key=None))
            self._said[text] = receipt.ids[0]
        return receipt


@saboteur("retires-unrelated", rows="A10", classes="supersession", kinds="present")
class RetiresUnrelated(Wrapper):
    """Each new fact retires the newest fact that shares a word with it, whatever it is about."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._newest: dict[str, tuple[str, str]] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op in ("remember", "end_turn") and receipt.ok:
            listing = self.inner.call(replace(request, op="list", args={"kind": "facts"}, idempotency_key=None))
            items = items_of(listing)
            if len(items) >= 2 and shares_word(str(items[-1].get("text")), str(items[-2].get("text"))):
                self.inner.call(replace(request, op="forget", args={"id": items[-2]["id"], "keep_source": True}, idempotency_key=None))
        return receipt


@saboteur("edit-ignored", rows="A2", classes="branches", kinds="off_branch present")
class EditIgnored(Wrapper):
    """An edited message keeps its old text."""

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok") if request.op == "edit_message" else self.inner.call(request)


@saboteur("unconfirmed-label", rows="A9", classes="recall", kinds="label", quiet=True)
class UnconfirmedLabel(Wrapper):
    """Aged and inferred items lose their warning label."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op in ("recall", "context", "list") and receipt.ok:
            items = [{**i, "label": str(i.get("label", "")).replace("confirm before use", "")} for i in items_of(receipt)]
            messages = [{**m, "content": str(m["content"]).replace("confirm before use", "ok")} for m in receipt.data.get("messages", ())]
            return replace(receipt, data={**receipt.data, "items": items, **({"messages": messages} if messages else {})})
        return receipt
