"""The invariants: what no answer may show, what a list must show, and how an answer must be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memgauge.fuzz.looks import Look, Sight
from memgauge.fuzz.model import Claim, Model
from memgauge.protocol import Manifest
from memgauge.tokens import PER_MESSAGE, PER_REQUEST, TokenCount

INVARIANTS: Mapping[str, str] = {
    "forgotten": "what was forgotten is never seen again, on any read path",
    "leak": "what belongs to another user, tenant, project or private thread is never seen",
    "stale": "what was corrected is not seen as live",
    "expired": "what has ended is not seen as live",
    "goal": "a finished, paused or dropped goal is in no prompt",
    "paused": "while memory is switched off, nothing of it is in a prompt or recall",
    "paused-write": "while memory is switched off, no request to keep something is acknowledged",
    "lost": "what was acknowledged is in the list",
    "twice": "a request sent again under its key adds nothing",
    "document": "a document reads as it was last written",
    "conflict": "a document write made from an old revision is refused",
    "budget": "a prompt keeps to its window",
    "answer": "a request that can be answered is not answered with an error",
}
"""Name → promise. The order is that in which an answer is held against them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One broken promise: which, about which claim (a key, or empty), in which answer; `detail` is a sentence. For a receipt `look` is None."""

    invariant: str
    detail: str
    claim: str = ""
    look: Look | None = None


def judge_sight(model: Model, look: Look, seen: Sight, now: datetime, manifest: Manifest, skip: frozenset[str]) -> Breach | None:
    """The first claim that the answer shows and must not. Promises of `skip` are not asked for."""
    for key, claim in model.claims.items():
        value = claim.said.value.casefold()
        if value not in seen.everything:
            continue
        invariant = _forbidden(model, claim, look, now, manifest, in_memory=value in seen.memory)
        if invariant and invariant not in skip:
            where = f"{look.path} of {look.view.actor} in {look.view.thread}"
            return Breach(invariant=invariant, claim=key, look=look, detail=f"{claim.said.text!r} is in the {where}: {INVARIANTS[invariant]}")
    return None


def _forbidden(model: Model, claim: Claim, look: Look, now: datetime, manifest: Manifest, *, in_memory: bool) -> str:
    view, prompt = look.view, look.path in ("context", "recall")
    if claim.view.actor != view.actor:
        return "leak" if _kept_apart(claim, look, manifest) else ""
    if claim.status == "forgotten":
        return "forgotten"
    if prompt and claim.private and view.thread != claim.view.thread and manifest.scope.get("thread") == "enforced":
        return "leak"
    if prompt and claim.project not in (None, view.project) and manifest.scope.get("project") == "enforced":
        return "leak"
    if not in_memory or look.path == "export":
        return ""
    if claim.status == "superseded":
        return "stale"
    if claim.expired(now):
        return "expired"
    if claim.status == "finished" and look.path == "context":
        return "goal"
    return "paused" if prompt and model.paused.get(view.actor) and not claim.unrequired else ""


def _kept_apart(claim: Claim, look: Look, manifest: Manifest) -> bool:
    """Users always are; namesakes of two tenants where the system says that it keeps tenants apart."""
    ours, theirs = look.view.scope(), claim.view.scope()
    return ours.user != theirs.user or manifest.scope.get("tenant") == "enforced"


def required(model: Model, claim: Claim, look: Look, now: datetime) -> bool:
    """Whether an acknowledged claim must be in this list."""
    if claim.view.actor != look.view.actor or claim.status != "live" or claim.unrequired or claim.private or claim.expired(now):
        return False
    place = claim.view.project if claim.kind == "message" else claim.project
    if place not in (None, look.view.project):
        return False
    wanted = {"list-messages": "message", "list-goals": "goal"}.get(look.path, "fact")
    return claim.kind == wanted


def judge_repeats(model: Model, look: Look, receipt: Mapping[str, Any]) -> Breach | None:
    """Whether a request that was sent again stands in the list of its owner twice."""
    for key in model.repeated:
        claim = model.claims[key]
        kinds = [item.get("kind") for item in receipt["data"].get("items", ()) if claim.said.value in str(item.get("text", ""))]
        if claim.view.actor == look.view.actor and kinds.count(claim.kind) > 1:
            detail = f"{claim.said.text!r} stands in the {look.path} of {look.view.actor} {kinds.count(claim.kind)} times"
            return Breach(invariant="twice", claim=key, look=look, detail=detail)
    return None


def judge_prompt(look: Look, receipt: Mapping[str, Any], count: TokenCount) -> Breach | None:
    """The budget of a context, by our own count of what was rendered; its question alone always fits."""
    limit = look.budget["window"] - look.budget["reserve"]
    if receipt.get("status") != "ok":
        detail = f"the context of {look.view.actor} was answered {receipt.get('status')}: {receipt.get('reason', '')}"
        return Breach(invariant="answer", look=look, detail=detail)
    contents = [str(message.get("content", "")) for message in receipt["data"]["messages"]]
    total = sum(count(text) + PER_MESSAGE for text in contents) + PER_REQUEST
    if total <= limit:
        return None
    return Breach(invariant="budget", look=look, detail=f"the prompt of {look.view.actor} has {total} tokens, {limit} are allowed")


def judge_document(model: Model, look: Look, receipt: Mapping[str, Any]) -> Breach | None:
    """A document that is there reads byte for byte as last written, and one that is gone cannot be read."""
    document = model.documents.get((look.view.actor, look.topic))
    text = receipt.get("data", {}).get("text")
    if document is None:
        return None
    if receipt.get("status") == "ok" and text == document.text:
        return None
    claim = document.claims[0]
    return Breach(
        invariant="document", claim=claim, look=look, detail=f"document {look.topic!r} reads {str(text)[:80]!r}, written was {document.text!r}"
    )


def judge_receipt(move_op: str, stale: bool, paused: bool, receipt: Mapping[str, Any]) -> Breach | None:
    """A receipt by itself: no error, no acknowledged write over somebody else's revision, nothing kept while memory is off."""
    status = str(receipt.get("status"))
    if status == "error" and not receipt.get("retryable"):
        return Breach(invariant="answer", detail=f"{move_op} was answered error: {receipt.get('reason', '')}")
    if stale and status in ("ok", "pending"):
        return Breach(invariant="conflict", detail=f"{move_op} made from an old revision was acknowledged")
    if paused and move_op in ("remember", "goal_add") and status in ("ok", "pending"):
        return Breach(invariant="paused-write", detail=f"{move_op} was acknowledged while memory was switched off")
    return None
