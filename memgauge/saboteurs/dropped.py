"""Faults of what a request says beside its words: it is accepted and not kept, or kept and not looked at."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.saboteurs.base import Wrapper, items_of, saboteur, serve_also, shares_word, with_items


@saboteur("user-normalised", rows="A9 A4", classes="leak", kinds="leak", quiet=True)
class UserNormalised(Wrapper):
    """User ids are brought into one Unicode form, so that two people whose names are written alike share a store."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, scope=replace(request.scope, user=unicodedata.normalize("NFKC", request.scope.user))))


@saboteur("long-texts-cut", rows="A2 A9", classes="durability", kinds="present sufficient", quiet=True)
class LongTextsCut(Wrapper):
    """Of a statement the first 160 characters are kept, and nobody is told."""

    def call(self, request: Request) -> Receipt:
        text = request.args.get("text")
        if request.op in ("remember", "correct", "note_add") and isinstance(text, str) and len(text) > 160:
            request = replace(request, args={**request.args, "text": text[:160]})
        return self.inner.call(request)


@saboteur("sensitive-like-any", rows="A4 A9", classes="harm", kinds="off_topic sufficient", quiet=True)
class SensitiveLikeAny(Wrapper):
    """That a record is sensitive is accepted and not kept."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, args={k: v for k, v in request.args.items() if k != "sensitivity"}))


@saboteur("drafts-are-memory", rows="A18", classes="review", kinds="not_captured sufficient", quiet=True)
class DraftsAreMemory(Wrapper):
    """What a draft carries is served as a fact before anybody ruled on it."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._drafted: dict[str, tuple[str, str]] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "draft" and receipt.ok:
            listing = self.inner.call(replace(request, op="list", args={"kind": "messages"}, idempotency_key=None))
            self._drafted |= {str(i.get("id")): (request.scope.user, str(i.get("text"))) for i in items_of(listing) if i.get("role") == "user"}
        if request.op not in ("recall", "context"):
            return receipt
        query = str(request.args.get("query", request.args.get("text", "")))
        mine = [text for user, text in self._drafted.values() if user == request.scope.user and shares_word(query, text)]
        return serve_also(receipt, request.op, [{"id": f"draft-{n}", "kind": "fact", "text": text} for n, text in enumerate(mine)])


@saboteur("import-needs-no-consent", rows="A17 A20", classes="access", kinds="receipt count", quiet=True)
class ImportNeedsNoConsent(Wrapper):
    """Who has switched memory off, or taken consent back, still gets what a bundle brings."""

    def call(self, request: Request) -> Receipt:
        if request.op != "import":
            return self.inner.call(request)
        state = self.inner.call(replace(request, op="access", args={})).data.get("state", {})
        self.inner.call(replace(request, op="set_access", args={"enabled": True, "consent": True}, idempotency_key=None))
        receipt = self.inner.call(request)
        before = {name: state[name] for name in ("enabled", "consent") if isinstance(state.get(name), bool)}
        self.inner.call(replace(request, op="set_access", args=before, idempotency_key=None))
        return receipt


@saboteur("plan-does-not-matter", rows="A17", classes="access", kinds="not_permitted sufficient", quiet=True)
class PlanDoesNotMatter(Wrapper):
    """A plan without memory, and an end of the entitlement, are stored and change nothing."""

    def call(self, request: Request) -> Receipt:
        if request.op == "set_access":
            request = replace(request, args={k: v for k, v in request.args.items() if k not in ("entitled", "memory_expires_at")})
        return self.inner.call(request)


@saboteur("filters-come-last", rows="A4", classes="precision", kinds="present count", quiet=True)
class FiltersComeLast(Wrapper):
    """The best few of all kinds and days are taken first, and those of another kind or day then left out."""

    def call(self, request: Request) -> Receipt:
        filters = {name: request.args[name] for name in ("kinds", "since", "until") if request.args.get(name)}
        if request.op != "recall" or not filters:
            return self.inner.call(request)
        best = self.inner.call(replace(request, args={k: v for k, v in request.args.items() if k not in filters}))
        allowed = {str(item.get("id")) for item in items_of(self.inner.call(replace(request, args={**request.args, "k": 50})))}
        return with_items(best, [item for item in items_of(best) if str(item.get("id")) in allowed]) if best.ok else best


@saboteur("calls-of-everybody", rows="A21 A9", classes="leak", kinds="data", quiet=True)
class CallsOfEverybody(Wrapper):
    """Whoever recovers is told of the unfinished calls of all."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._begun: list[tuple[str, str]] = []

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        if request.op == "call_begin":
            self._begun.append((request.scope.user, str(request.args.get("call_id"))))
        if request.op == "recover" and receipt.ok:
            strange = [call for user, call in self._begun if user != request.scope.user]
            return replace(receipt, data={**receipt.data, "confirm": [*receipt.data.get("confirm", ()), *strange]})
        return receipt


@saboteur("lookups-not-logged", rows="A24", classes="durability", kinds="data", quiet=True)
class LookupsNotLogged(Wrapper):
    """The log of what was looked up is there, and empty."""

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        return with_items(receipt, ()) if request.op == "list" and request.args.get("kind") == "retrievals" and receipt.ok else receipt


@saboteur("first-line-only", rows="A2", classes="durability injection", kinds="present sufficient fence", quiet=True)
class FirstLineOnly(Wrapper):
    """Of a statement with several lines the first is kept."""

    def call(self, request: Request) -> Receipt:
        text = request.args.get("text")
        if request.op in ("remember", "note_add") and isinstance(text, str):
            request = replace(request, args={**request.args, "text": re.split(r"[\r\n]", text, maxsplit=1)[0]})
        return self.inner.call(request)


@saboteur("more-than-asked", rows="A4", classes="precision", kinds="count at_most", quiet=True)
class MoreThanAsked(Wrapper):
    """How many are wanted, and where a page ends, is not looked at."""

    def call(self, request: Request) -> Receipt:
        return self.inner.call(replace(request, args={k: v for k, v in request.args.items() if k not in ("k", "limit")}))


@saboteur("corners-lost-on-import", rows="A20 A9", classes="transfer", kinds="leak off_topic", quiet=True, of="reference")
class CornersLostOnImport(Wrapper):
    """A bundle brings its records in as the user's own for every project and agent, none of them sensitive."""

    def call(self, request: Request) -> Receipt:
        if request.op == "import" and isinstance(bundle := request.args.get("bundle"), dict):
            open_to_all = {"reach": "user", "project": None, "task": None, "agents": None, "sensitivity": "low"}
            facts = [{**fact, **open_to_all} for fact in bundle.get("facts", ())]
            request = replace(request, args={**request.args, "bundle": {**bundle, "facts": facts}})
        return self.inner.call(request)


@saboteur("end-lost-on-correction", rows="A9 A10 A22", classes="time", kinds="expired sufficient", quiet=True)
class EndLostOnCorrection(Wrapper):
    """A record that ends is corrected into one that does not."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._ending: set[str] = set()

    def call(self, request: Request) -> Receipt:
        if request.op == "correct" and request.args.get("id") in self._ending:
            self.inner.call(replace(request, op="forget", args={"id": request.args["id"]}, idempotency_key=None))
            return self.inner.call(replace(request, op="remember", args={"text": request.args["text"]}))
        receipt = self.inner.call(request)
        if request.op == "remember" and request.args.get("expires_at"):
            self._ending.update(receipt.ids)
        return receipt


@saboteur("unpin-says-ok", rows="A14", classes="deletion", kinds="deleted sufficient", quiet=True)
class UnpinSaysOk(Wrapper):
    """A rule that was unpinned stays in every prompt."""

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok") if request.op == "unpin" else self.inner.call(request)


@saboteur("wipe-spares-the-rules", rows="A19 A12", classes="deletion", kinds="deleted", quiet=True)
class WipeSparesTheRules(Wrapper):
    """Everything of the user is wiped but goals and pins."""

    def call(self, request: Request) -> Receipt:
        if request.op != "forget_all":
            return self.inner.call(request)
        spared = [
            (verb, item)
            for kind, verb in (("goals", "goal_add"), ("pins", "pin"))
            for item in items_of(self.inner.call(replace(request, op="list", args={"kind": kind}, idempotency_key=None)))
        ]
        receipt = self.inner.call(request)
        for verb, item in spared if receipt.ok else ():
            self.inner.call(replace(request, op=verb, args={"text": item["text"]}, idempotency_key=None))
        return receipt


@saboteur("old-pages-stay", rows="A5 A19", classes="deletion", kinds="deleted receipt", quiet=True)
class OldPagesStay(Wrapper):
    """A deleted page is gone, its earlier revisions can still be read."""

    def __init__(self, inner: MemorySystem) -> None:
        super().__init__(inner)
        self._pages: dict[tuple[str, str, object], Receipt] = {}

    def call(self, request: Request) -> Receipt:
        receipt = self.inner.call(request)
        page = request.scope.user, str(request.args.get("name")), request.args.get("revision")
        if request.op == "doc_read" and receipt.ok:
            self._pages[page] = receipt
        if request.op == "doc_read" and not receipt.ok and page[2] is not None:
            return self._pages.get(page, receipt)
        return receipt
