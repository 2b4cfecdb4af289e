"""A found sequence as a scenario file: the same steps, the look that broke the promise, and before it the proof that it could be kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from memgauge.fuzz.looks import Look
from memgauge.fuzz.model import page
from memgauge.fuzz.moves import ACTORS, AGAIN, Move, View
from memgauge.fuzz.promises import INVARIANTS
from memgauge.fuzz.search import Found
from memgauge.fuzz.words import Statement, question

Step = dict[str, Any]

_WHY = {"forgotten": "deleted", "leak": "leak", "stale": "stale", "expired": "expired", "goal": "goal_done", "paused": "not_permitted"}
"""Invariant → kind of check."""
_ROWS = {
    "forgotten": "A19", "leak": "A4", "stale": "A10", "expired": "A22", "goal": "A12", "paused": "A17", "paused-write": "A17",
    "lost": "A20", "twice": "A20", "document": "A5", "conflict": "A5", "budget": "A14", "answer": "A20",
}  # fmt: skip
_RECEIPTS = {"conflict": ["conflict", "refused"], "paused-write": ["refused"], "answer": ["ok", "pending", "refused", "conflict", "unsupported"]}
"""Invariant of a receipt → the statuses with which it is kept."""
_PROOFS = ("list-all", "list", "list-messages", "list-goals", "recall", "context")
"""Read paths on which a claim may have been seen before, the surest first."""
PROOF, FINAL = "before", "after"


def scenario_texts(found: Found) -> Iterator[str]:
    """The file's text in one or two ways. It is to pass on a memory that keeps the promise, and to fail on one that breaks it.

    They differ in the proof of an absence: a list shows the claim to its owner; or, for a fault that shows only then, the owner
    asks the very question.
    """
    yield _text(found, _PROOFS)
    if found.breach.look is not None and found.breach.look.path in found.seen:
        yield _text(found, (found.breach.look.path,))


def _text(found: Found, paths: Sequence[str]) -> str:
    told = {move.told.key: move.told for move in found.moves if move.told is not None}
    steps: list[Step] = []
    proof = _proof(found, paths)
    for place, move in enumerate(found.moves, start=1):
        steps.append(_step(found, move))
        if proof is not None and proof[0] == place:
            steps.append(proof[1])
    last = _last(found, told)
    steps += [last] if last is not None else []
    if found.breach.invariant in _RECEIPTS and found.breach.look is None:
        steps[-1]["expect"] = {"status": _RECEIPTS[found.breach.invariant]}
    body: dict[str, Any] = {
        "id": f"fuzz/{_slug(f'{found.breach.invariant}-{found.system}-{found.seed}')}",
        "title": INVARIANTS[found.breach.invariant].capitalize(),
        "rows": [_ROWS[found.breach.invariant]],
        "tags": ["fuzz"],
        "source": "generated",
        "actors": {name: _actor(name) for name in dict.fromkeys(_actors(found)) if name != "ana"},
        "facts": {key: _fact(found, statement) for key, statement in told.items()},
        "steps": steps,
    }
    head = f"# Found on {found.system} by memgauge fuzz, sequence {found.seed}, shrunk from {found.length} steps to {len(found.moves)}.\n"
    return head + yaml.safe_dump({key: value for key, value in body.items() if value}, sort_keys=False, allow_unicode=True, width=140)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


def _actors(found: Found) -> list[str]:
    looks = [found.breach.look] if found.breach.look is not None else []
    return [move.view.actor for move in found.moves] + [look.view.actor for look in looks]


def _actor(name: str) -> dict[str, str]:
    scope = ACTORS[name]
    return {"user": scope.user} | ({"tenant": scope.tenant} if scope.tenant != ACTORS["ana"].tenant else {})


def _fact(found: Found, said: Statement) -> dict[str, Any]:
    replaced = next((move.target for move in found.moves if move.op == "correct" and move.told == said), "")
    spec: dict[str, Any] = {"anchors": [said.value], "like": [said.text], "unlike": [f"Nobody knows about the {said.topic}."]}
    return spec | ({"replaces": replaced} if replaced else {})


def _where(view: View) -> Step:
    step: Step = {"as": view.actor} if view.actor != "ana" else {}
    return step | {"thread": view.thread} | ({"project": view.project} if view.project else {})


def _step(found: Found, move: Move) -> Step:
    """One move as a step. Records go by the key of their claim, messages by the step that said them."""
    if move.op == "advance":
        return {"advance": move.args["to"]}
    if move.op == "reopen":
        return {"reopen": True}
    if move.op == AGAIN:
        first = _step(found, next(one for one in found.moves if one.n == int(move.target)))
        return {key: value for key, value in first.items() if key not in ("save_as", "tells", "id")}
    args = {key: value for key, value in move.args.items() if key != "by"}
    step: Step = {}
    if move.told is not None:
        args["text"], step["tells"] = move.told.text, [move.told.key]
        step |= {"id": f"m{move.n}"} if move.op == "append" else {} if move.op.startswith("doc") else {"save_as": move.told.key}
    match move.op:
        case "append":
            args = {"role": "user", **args}
        case "remember" if move.target:
            said = _said(found, move.target)
            args |= {"text": found.sent[move.n]["text"], "message_id": said}
            step |= {"save_as": move.target, "tells": [move.target]}
        case "forget":
            args = {"message_id": _said(found, move.target)} if "by" in move.args else {"id": f"${move.target}"}
        case "correct" | "goal_update":
            args["id"] = f"${move.target}"
        case "doc_write" | "doc_edit" | "doc_delete":
            args = found.sent[move.n]
    if any(one.op == AGAIN and one.target == str(move.n) for one in found.moves):
        step["key"] = f"request-{move.n}"
    return {move.op: args, **step, **_where(move.view)}


def _said(found: Found, key: str) -> str:
    return next(f"#m{move.n}" for move in found.moves if move.op == "append" and move.told is not None and move.told.key == key)


def _proof(found: Found, paths: Sequence[str]) -> tuple[int, Step] | None:
    """After which move, and the ask that shows the claim to its owner while that is right; None where nothing has to be absent."""
    breach = found.breach
    if breach.invariant not in _WHY or breach.look is None:
        return None
    told_at, teller = next((n, move) for n, move in enumerate(found.moves, start=1) if move.told is not None and move.told.key == breach.claim)
    ask: tuple[int, Look] = (told_at, Look(view=teller.view, path="list-messages" if teller.op == "append" else "list-all"))
    for path in paths:
        seen = found.seen.get(path)
        if seen is not None and (seen.after < len(found.moves) or breach.invariant == "leak"):
            ask = (seen.after, seen.look)
            break
    assert teller.told is not None
    return ask[0], _ask(ask[1], teller.told.topic) | {"id": PROOF, "needs": [breach.claim]}


def _last(found: Found, told: Mapping[str, Statement]) -> Step | None:
    breach = found.breach
    look = breach.look
    if look is None:
        return None
    if breach.invariant == "document":
        check = {"check": "document", "equals": page(look.topic, told[breach.claim])}
        return {"doc_read": {"name": look.topic}, "id": FINAL, "expect": [check], **_where(look.view)}
    if breach.invariant == "answer":
        return {look.op: look.arguments(), "id": FINAL, "expect": {"status": _RECEIPTS["answer"]}, **_where(look.view)}
    ask = _ask(look, told[breach.claim].topic if breach.claim else look.topic) | {"id": FINAL}
    if breach.invariant == "twice":
        return ask | {"expect": [{"check": "count", "facts": [breach.claim], "equals": 1}]}
    if breach.invariant == "lost":
        return ask | {"needs": [breach.claim]}
    if breach.invariant == "budget":
        return ask
    owner = next(move.view.actor for move in found.moves if move.told is not None and move.told.key == breach.claim)
    proof = {"seen" if owner == look.view.actor else "seen_by": PROOF}
    return ask | {"absent": [{"fact": breach.claim, "why": _WHY[breach.invariant], **proof}]}


def _ask(look: Look, topic: str) -> Step:
    step: Step = {"ask": look.question or question(topic), "via": [look.path], **_where(look.view)}
    if look.path == "context":
        step["budget"] = look.budget
    return step | ({"k": look.arguments()["k"]} if look.path == "recall" else {})
