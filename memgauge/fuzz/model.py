"""What any memory must promise, as a dict of claims. Shares no code with any memory.

Where reasonable memories differ, a claim becomes `unsettled`: neither needed nor forbidden from then on. A write that was not
acknowledged promises nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from memgauge.clock import parse_instant
from memgauge.fuzz.moves import PRIVATE, Move, View
from memgauge.fuzz.words import Statement

Kind = Literal["fact", "message", "goal", "document"]
Status = Literal["live", "superseded", "finished", "forgotten", "unsettled"]
ACKNOWLEDGED = ("ok", "pending")


def page(name: str, line: Statement) -> str:
    """The whole text of a document that holds one line."""
    return f"# {name}\n\n{line.text}\n"


@dataclass(slots=True)
class Claim:
    """One statement and what became of it.

    `project`: it applies there only. `record`: id the system gave. `message_id`: the message that states it. `name`: the document it
    stands in. `replaces`: the claim it corrected. `unrequired`: may be there, need not.
    """

    said: Statement
    kind: Kind
    view: View
    status: Status = "live"
    project: str | None = None
    private: bool = False
    record: str = ""
    message_id: str = ""
    name: str = ""
    replaces: str = ""
    expires_at: datetime | None = None
    unrequired: bool = False

    def expired(self, now: datetime) -> bool:
        return self.expires_at is not None and now >= self.expires_at


@dataclass(slots=True)
class Document:
    """The newest text, its revision and the one before, and the claims that stand in it."""

    text: str
    revision: int
    before: int
    claims: list[str]


@dataclass(slots=True)
class Model:
    """Claims by key, documents by (actor, name), who has switched memory off (None: nobody can say), and the
    claims whose request was sent again."""

    claims: dict[str, Claim] = field(default_factory=dict)
    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    paused: dict[str, bool | None] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)

    def of(self, actor: str) -> Iterator[Claim]:
        return (claim for claim in self.claims.values() if claim.view.actor == actor)

    def possible(self, move: Move) -> bool:
        """Whether what the move acts on is there, so that it can be sent at all."""
        if move.op in ("doc_edit", "doc_delete"):
            return (move.view.actor, str(move.args["name"])) in self.documents and self._passage(move) != ""
        if move.op == "doc_write" and move.args["expected"] == "stale":
            return (move.view.actor, str(move.args["name"])) in self.documents
        if not move.target:
            return True
        claim = self.claims.get(move.target)
        if claim is None or claim.status == "forgotten":
            return False
        return bool(claim.message_id if "by" in move.args or move.op == "remember" else claim.record)

    def _passage(self, move: Move) -> str:
        document = self.documents[move.view.actor, str(move.args["name"])]
        return self.claims[document.claims[0]].said.text if document.claims else ""

    def arguments(self, move: Move) -> dict[str, Any]:
        """The arguments of the verb, names replaced by what the system gave for them."""
        text = {"text": move.told.text} if move.told else {}
        args = {key: value for key, value in move.args.items() if key != "by"}
        claim = self.claims.get(move.target)
        match move.op:
            case "append":
                return {"message_id": move.message_id, "role": "user", **text, **args}
            case "remember" if claim is not None:
                return {"text": claim.said.text, "message_id": claim.message_id, **args}
            case "forget" if claim is not None:
                return {"message_id": claim.message_id} if "by" in move.args else {"id": claim.record}
            case "correct" | "goal_update" if claim is not None:
                return {"id": claim.record, **text, **args}
            case "doc_write" | "doc_edit" | "doc_delete":
                return self._document_arguments(move, args, text)
        return {**text, **args}

    def _document_arguments(self, move: Move, args: dict[str, Any], text: dict[str, str]) -> dict[str, Any]:
        document = self.documents.get((move.view.actor, str(args["name"])))
        current, before = (document.revision, document.before) if document else (0, 0)
        args["expected"] = before if args["expected"] == "stale" else current
        if move.op == "doc_edit":
            return {**args, "old": self._passage(move), "new": text["text"]}
        return {**args, "text": page(str(args["name"]), move.told)} if move.told is not None else args

    # --- what an acknowledged write promises --------------------------------------------------------------------------

    def learn(self, move: Move, receipt: Mapping[str, Any], now: datetime) -> None:
        """Take in a move and its receipt."""
        if receipt.get("status") not in ACKNOWLEDGED:
            return
        ids = [str(one) for one in receipt.get("ids", ())]
        actor, target = move.view.actor, self.claims.get(move.target)
        match move.op:
            case "append" if move.told is not None:
                private = move.view.thread == PRIVATE
                claim = Claim(move.told, "message", move.view, project=move.view.project, private=private, message_id=move.message_id)
                self._add(claim)
            case "end_turn":
                for claim in self.of(actor):  # from here on the system may hold it as a fact about the user
                    if claim.kind == "message" and claim.view == move.view and not claim.private:
                        claim.project = None
            case "remember" if target is not None:
                target.record, target.project = ids[0] if ids else "", None
            case "remember" if move.told is not None:
                project = move.view.project if move.args.get("reach") == "project" else None
                end = move.args.get("expires_at")
                claim = Claim(move.told, "fact", move.view, project=project, record=ids[0] if ids else "")
                claim.expires_at = parse_instant(str(end)) if end else None
                self._add(claim)
            case "correct" if target is not None and move.told is not None:
                self._correct(move, move.told, target, ids, now)
            case "forget" if target is not None:
                self._forget(target, by_message="by" in move.args)
            case "forget_all":
                for claim in self.of(actor):
                    claim.status = "forgotten"
                for owner, name in [key for key in self.documents if key[0] == actor]:
                    del self.documents[owner, name]
                if self.paused.get(actor):
                    self.paused[actor] = None
            case "goal_add" if move.told is not None:
                self._add(Claim(move.told, "goal", move.view, project=move.view.project, record=ids[0] if ids else ""))
            case "goal_update" if target is not None:
                target.status = "live" if move.args["status"] == "active" else "finished"
            case "doc_write" | "doc_edit" | "doc_delete":
                self._document(move, receipt)
            case "set_access":
                self.paused[actor] = move.args["enabled"] is False

    def _add(self, claim: Claim) -> None:
        """While memory is off a message may be kept for its thread alone, and nothing else should be kept at all."""
        claim.unrequired = claim.unrequired or self.paused.get(claim.view.actor, False) is not False
        self.claims[claim.said.key] = claim

    def _correct(self, move: Move, told: Statement, old: Claim, ids: list[str], now: datetime) -> None:
        new = Claim(told, "fact", old.view, project=old.project, record=ids[0] if ids else old.record, replaces=old.said.key)
        new.unrequired = old.unrequired or old.expires_at is not None  # whether the end still holds is the system's to say
        if old.expired(now) or old.status == "unsettled":
            new.status = "unsettled"
        self._add(new)
        for later in self._newer(old):  # which revision an old name stands for is the system's to say
            if later is not new and later.status in ("live", "unsettled"):
                later.status = new.status = "unsettled"
        old.status = "superseded"

    def _forget(self, claim: Claim, *, by_message: bool) -> None:
        """A record goes with the older revisions it replaced and the message it came from; newer revisions are the system's to decide."""
        older: Claim | None = claim
        while older is not None:
            older.status = "forgotten"
            older = self.claims.get(older.replaces)
        for later in self._newer(claim):
            later.status = "unsettled" if later.status != "forgotten" else later.status

    def _newer(self, claim: Claim) -> list[Claim]:
        """All corrections of a claim and of those; a correction always comes after what it corrects."""
        keys, found = {claim.said.key}, []
        for other in self.claims.values():
            if other.replaces in keys:
                keys.add(other.said.key)
                found.append(other)
        return found

    def _document(self, move: Move, receipt: Mapping[str, Any]) -> None:
        place = (move.view.actor, str(move.args["name"]))
        document = self.documents.get(place)
        if move.op == "doc_delete":
            for claim in self.of(move.view.actor):
                if claim.name == place[1]:
                    claim.status = "forgotten"
            del self.documents[place]
            return
        assert move.told is not None
        self._add(Claim(move.told, "document", move.view, name=place[1]))
        text = page(place[1], move.told)
        for key in document.claims if document else []:
            self.claims[key].status = "superseded"
        before = document.revision if document else 0
        revision = receipt.get("revision")
        self.documents[place] = Document(text, revision if isinstance(revision, int) else before + 1, before, [move.told.key])
