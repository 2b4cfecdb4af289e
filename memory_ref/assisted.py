"""The verbs that may ask a model: read what it needs, ask it without holding the store, then write what of its answer holds.

Nobody waits for the model but the caller, and nothing of its answer is written that the messages of that later moment do not bear.
When it fails the rules do the work alone, and the answer names the reason under `degraded`. What each call cost stands in the
operation log, capture and summary apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.memory_ref import model_capture, model_digest, summaries, turns
from memgauge.memory_ref.completion import Answer, Ask
from memgauge.memory_ref.errors import Conflict
from memgauge.memory_ref.records import Message, Reply
from memgauge.memory_ref.store import Store
from memgauge.memory_ref.summaries import Draft, Material
from memgauge.records import Scope

if TYPE_CHECKING:
    from memgauge.memory_ref.session import Runner


def end_turn(memory: Runner, scope: Scope, ask: Ask, *, ok: bool, key: str | None) -> Reply:
    """Capture with the model's proposals beside those of the rules; then the summary, if one is due, in a write of its own."""
    reply = _capture(memory, scope, ask, ok=ok, key=key)
    if memory.policy.model.summaries and (found := _material(memory, scope, None, when_due=True)) is not None:
        draft, told = _draft(memory, ask, found)
        try:
            _commit(memory, scope, draft, told, None)
        except Conflict:  # somebody wrote meanwhile; the next turn's end finds it due again
            told = {}
        reply = replace(reply, data={**reply.data, **_both(reply.data, told)})
    return reply


def summarise(memory: Runner, scope: Scope, ask: Ask, *, keep: int | None, key: str | None) -> Reply:
    """A summary in the model's words as far as they hold. Raises what `summaries.summarise` does."""
    found = _material(memory, scope, keep, when_due=False)
    if found is None:
        return memory.write(scope, "summarise", {"keep": keep}, lambda store: summaries.summarise(store, keep), key=key)
    draft, told = _draft(memory, ask, found)
    return _commit(memory, scope, draft, told, key, keep)


def _capture(memory: Runner, scope: Scope, ask: Ask, *, ok: bool, key: str | None) -> Reply:
    fresh: list[Message] = []

    def look(store: Store) -> Reply:
        fresh.extend(turns.readable(store) if ok else ())
        return Reply()

    if memory.policy.model.capture:
        memory.read(scope, look)
    answer = ask(model_capture.INSTRUCTIONS, model_capture.material(fresh)) if fresh else Answer(data={})

    def work(store: Store) -> Reply:
        reply = turns.end_turn(store, ok=ok, proposals=model_capture.parsed(answer.data))
        if not memory.policy.model.summaries:
            summaries.keep_up(store)
        return replace(reply, data={**reply.data, **_told(answer, "capture")})

    return memory.write(scope, "end_turn", {"ok": ok}, work, key=key)


def _material(memory: Runner, scope: Scope, keep: int | None, *, when_due: bool) -> Material | None:
    found: list[Material | None] = [None]

    def look(store: Store) -> Reply:
        if not when_due or summaries.due(store):
            found[0] = summaries.material(store, keep)
        return Reply()

    memory.read(scope, look)
    return found[0]


def _draft(memory: Runner, ask: Ask, found: Material) -> tuple[Draft, Mapping[str, Any]]:
    answer = ask(model_digest.INSTRUCTIONS, model_digest.material(found.lines)) if found.lines else Answer(data={})
    told = _told(answer, "summary")
    if not answer.data:
        return summaries.compose(found, memory.policy), told
    kept = model_digest.checked(found.lines, answer.data)
    return summaries.compose(found, memory.policy, kept.lines, answer.model), {**told, "dropped": kept.dropped}


def _commit(memory: Runner, scope: Scope, draft: Draft, told: Mapping[str, Any], key: str | None, keep: int | None = None) -> Reply:
    def work(store: Store) -> Reply:
        reply = summaries.commit(store, draft)
        return replace(reply, data={**reply.data, **told})

    return memory.write(scope, "summarise", {"keep": keep}, work, key=key)


def _told(answer: Answer, part: str) -> dict[str, Any]:
    """What the caller is told of a question to the model: its cost, and why the rules worked alone."""
    told: dict[str, Any] = {"cost": answer.cost()} if answer.calls else {}
    return {**told, "degraded": [f"{part}: {answer.failure}; made by rules alone"]} if answer.failure else told


def _both(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Reasons of both parts; the cost of the summary stands in its own line of the log."""
    reasons = [*first.get("degraded", ()), *second.get("degraded", ())]
    return {"degraded": reasons} if reasons else {}
