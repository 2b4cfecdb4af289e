"""The verbs of the protocol as methods, for one scope: same names, same arguments, typed replies, typed errors.

A session holds no state and no rule of its own: each method is one transaction of the module that owns the noun.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.memory_ref import (
    access,
    assisted,
    authorise,
    backups,
    consolidation,
    decisions,
    deletion,
    documents,
    drafting,
    eventlog,
    exchange,
    goals,
    history,
    listing,
    logs,
    notes,
    pins,
    prompting,
    provenance,
    rebuilding,
    recall,
    remembering,
    retention,
    ruling,
    summaries,
    turns,
)
from memgauge.memory_ref.errors import StoreError
from memgauge.memory_ref.records import Reply
from memgauge.records import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.memory_ref.completion import Ask
    from memgauge.memory_ref.policy import Policy
    from memgauge.memory_ref.store import Store


class Runner(Protocol):
    """What a session needs of the memory it belongs to."""

    policy: Policy
    model: Ask | None

    def read(self, scope: Scope, work: Callable[[Store], Reply], *, given_as: str = "") -> Reply: ...

    def write(self, scope: Scope, op: str, arguments: Mapping[str, Any], work: Callable[[Store], Reply], *, key: str | None = None) -> Reply: ...


class Session:
    """One user's memory as one corner of it sees it. Raises StoreError (Refused, NotFound, Conflict, Busy, …) and InputError."""

    def __init__(self, memory: Runner, scope: Scope, key: str | None) -> None:
        self._memory = memory
        self._scope = scope
        self._key = key

    # --- history ------------------------------------------------------------------------------------------------------

    def append(
        self,
        message_id: str,
        role: str,
        text: str,
        speaker: str | None = None,
        origin: str = "typed",
        private: bool = False,
        calls: Sequence[Mapping[str, Any]] = (),
        call_id: str | None = None,
        parent: str | None = None,
    ) -> Reply:
        arguments = _given(locals())
        return self._write("append", arguments, lambda store: history.append(store, **arguments))

    def append_many(self, messages: Sequence[Mapping[str, Any]]) -> Reply:
        return self._write("append_many", {"messages": messages}, lambda store: history.append_many(store, messages))

    def edit_message(self, message_id: str, new_id: str, text: str) -> Reply:
        arguments = {"message_id": message_id, "new_id": new_id, "text": text}
        return self._write("edit_message", arguments, lambda store: history.edit_message(store, **arguments))

    def switch(self, message_id: str) -> Reply:
        return self._write("switch", {"message_id": message_id}, lambda store: history.switch(store, message_id))

    def end_turn(self, ok: bool = True) -> Reply:
        if self._memory.model is not None:
            return assisted.end_turn(self._memory, self._scope, self._memory.model, ok=ok, key=self._key)

        def work(store: Store) -> Reply:
            reply = turns.end_turn(store, ok=ok)
            summaries.keep_up(store)
            return reply

        return self._write("end_turn", {"ok": ok}, work)

    def summarise(self, keep: int | None = None) -> Reply:
        if self._memory.model is not None and self._memory.policy.model.summaries:
            return assisted.summarise(self._memory, self._scope, self._memory.model, keep=keep, key=self._key)
        return self._write("summarise", {"keep": keep}, lambda store: summaries.summarise(store, keep))

    # --- what the user asks to keep -----------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        kind: str | None = None,
        slot: str | None = None,
        source: str = "stated",
        reach: str = "user",
        expires_at: str | None = None,
        sensitivity: str = "low",
        agents: Sequence[str] | None = None,
        message_id: str | None = None,
    ) -> Reply:
        arguments = _given(locals())
        return self._write("remember", arguments, lambda store: remembering.remember(store, **arguments))

    def correct(self, text: str, id: str | None = None, query: str | None = None) -> Reply:
        return self._write("correct", {"text": text, "id": id, "query": query}, lambda store: remembering.correct(store, text, id, query))

    def confirm(self, id: str) -> Reply:
        return self._write("confirm", {"id": id}, lambda store: remembering.confirm(store, id))

    def forget(
        self,
        id: str | None = None,
        query: str | None = None,
        message_id: str | None = None,
        thread: str | None = None,
        keep_source: bool = False,
        erase: bool = True,
    ) -> Reply:
        return self._write(
            "forget",
            _given(locals()),
            lambda store: deletion.forget(store, id, query, message_id, thread, keep_source=keep_source, erase_bytes=erase),
        )

    def forget_all(self) -> Reply:
        return self._write("forget_all", {}, deletion.forget_all)

    # --- notes, goals, decisions, pins, documents ---------------------------------------------------------------------

    def note_add(self, text: str, message_id: str | None = None) -> Reply:
        return self._write("note_add", {"text": text, "message_id": message_id}, lambda store: notes.note_add(store, text, message_id))

    def goal_add(self, text: str, order: int | None = None) -> Reply:
        return self._write("goal_add", {"text": text, "order": order}, lambda store: goals.goal_add(store, text, order))

    def goal_update(self, id: str, status: str | None = None, text: str | None = None, order: int | None = None) -> Reply:
        arguments = {"id": id, "status": status, "text": text, "order": order}
        return self._write("goal_update", arguments, lambda store: goals.goal_update(store, id, status=status, text=text, order=order))

    def decide(self, text: str, kind: str = "choice", status: str = "accepted") -> Reply:
        return self._write("decide", {"text": text, "kind": kind, "status": status}, lambda store: decisions.decide(store, text, kind, status))

    def lock(self, id: str) -> Reply:
        return self._write("lock", {"id": id}, lambda store: decisions.lock(store, id))

    def unlock(self, id: str) -> Reply:
        return self._write("unlock", {"id": id}, lambda store: decisions.unlock(store, id))

    def pin(self, text: str, until: str | None = None) -> Reply:
        return self._write("pin", {"text": text, "until": until}, lambda store: pins.pin(store, text, until))

    def unpin(self, id: str) -> Reply:
        return self._write("unpin", {"id": id}, lambda store: pins.unpin(store, id))

    def doc_read(self, name: str, revision: int | None = None) -> Reply:
        return self._memory.read(self._scope, lambda store: documents.read(store, name, revision))

    def doc_write(self, name: str, text: str, expected: int) -> Reply:
        arguments = {"name": name, "text": text, "expected": expected}
        return self._write("doc_write", arguments, lambda store: documents.write(store, name, text, expected))

    def doc_edit(self, name: str, old: str, new: str, expected: int) -> Reply:
        arguments = {"name": name, "old": old, "new": new, "expected": expected}
        return self._write("doc_edit", arguments, lambda store: documents.edit(store, name, old, new, expected))

    def doc_delete(self, name: str, expected: int) -> Reply:
        return self._write("doc_delete", {"name": name, "expected": expected}, lambda store: documents.delete(store, name, expected))

    def review_decide(self, id: str, action: str, text: str | None = None) -> Reply:
        return self._write("review_decide", {"id": id, "action": action, "text": text}, lambda store: ruling.decide(store, id, action, text))

    def draft(self) -> Reply:
        return self._write("draft", {}, drafting.draft)

    def consolidate(self) -> Reply:
        return self._write("consolidate", {}, consolidation.consolidate)

    # --- the prompt ---------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        k: int | None = None,
        kinds: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
        min_score: float | None = None,
    ) -> Reply:
        arguments = {"k": k, "kinds": kinds, "since": since, "until": until, "min_score": min_score}
        return self._memory.read(self._scope, lambda store: recall.answer(store, query, **arguments), given_as="recall")  # type: ignore[arg-type]

    def context(
        self,
        text: str,
        budget: Mapping[str, Any],
        application: Sequence[str] = (),
        client_history: Sequence[Mapping[str, Any]] = (),
        k: int | None = None,
    ) -> Reply:
        """`client_history` is accepted and never looked at: prompts are built from stored state."""
        return self._memory.read(self._scope, lambda store: prompting.answer(store, text, budget, application=application, k=k), given_as="context")

    # --- reading ------------------------------------------------------------------------------------------------------

    def list(self, kind: str = "facts", include: Sequence[str] = (), offset: int = 0, limit: int | None = None) -> Reply:
        """The log of what was given out is written with the next write, so listing it writes what waits."""

        def read(store: Store) -> Reply:
            return listing.listed(store, kind, include, offset, limit)

        return self._write("list", {"kind": kind}, read) if kind == "retrievals" else self._memory.read(self._scope, read)

    def history(self, id: str) -> Reply:
        return self._memory.read(self._scope, lambda store: listing.history(store, id))

    def explain(self, id: str) -> Reply:
        return self._memory.read(self._scope, lambda store: provenance.explain(store, id))

    # --- the life of the store ----------------------------------------------------------------------------------------

    def set_access(
        self,
        enabled: bool | None = None,
        consent: bool | None = None,
        plan: str | None = None,
        entitled: bool | None = None,
        subscribed: bool | None = None,
        pending: bool | None = None,
        memory_expires_at: str | None = None,
        tenant_disabled: bool | None = None,
    ) -> Reply:
        """Only what is given is set."""
        arguments = _given(locals())
        return self._write("set_access", arguments, lambda store: access.set_access(store, **arguments))

    def access(self) -> Reply:
        return self._memory.read(self._scope, access.show)

    def authorise(self, action: str) -> Reply:
        """Answered from policy alone; the store is opened only so that a scope without a user is refused as everywhere."""
        return self._memory.read(self._scope, lambda store: authorise.authorise(store.policy, action))

    def feedback(self, id: str, helped: bool) -> Reply:
        return self._write("feedback", {"id": id, "helped": helped}, lambda store: logs.feedback(store, id, helped=helped))

    def expire(self) -> Reply:
        return self._write("expire", {}, retention.expire)

    def rebuild(self) -> Reply:
        return self._write("rebuild", {}, rebuilding.rebuild)

    def export(self) -> Reply:
        return self._memory.read(self._scope, exchange.export)

    def import_(self, bundle: Mapping[str, Any]) -> Reply:
        return self._write("import", {"bundle": bundle}, lambda store: exchange.import_(store, bundle))

    def backup(self, path: str) -> Reply:
        reply = self._write("backup", {"path": path}, lambda store: backups.register(store, path))
        try:
            return self._memory.read(self._scope, lambda store: backups.copy(store, path, reply))
        except StoreError:
            self._memory.write(self._scope, "backup_failed", {}, lambda store: backups.unregister(store, path, self._key))
            raise

    def surfaces(self) -> Reply:
        return self._memory.read(self._scope, backups.surfaces)

    def call_begin(self, call_id: str, action: str, kind: str) -> Reply:
        arguments = {"call_id": call_id, "action": action, "kind": kind}
        return self._write("call_begin", arguments, lambda store: eventlog.call_begin(store, call_id, action, kind))

    def call_end(self, call_id: str, state: str) -> Reply:
        return self._write("call_end", {"call_id": call_id, "state": state}, lambda store: eventlog.call_end(store, call_id, state))

    def recover(self, verified: Mapping[str, Any] | None = None) -> Reply:
        return self._memory.read(self._scope, lambda store: eventlog.recover(store, verified))

    def settle(self, deadline_ms: int | None = None) -> Reply:
        """Nothing is buffered: reads see every write that was acknowledged."""
        return self._memory.read(self._scope, lambda store: Reply())

    def _write(self, op: str, arguments: Mapping[str, Any], work: Callable[[Store], Reply]) -> Reply:
        return self._memory.write(self._scope, op, arguments, work, key=self._key)


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a method, itself left out."""
    return {name: value for name, value in parameters.items() if name != "self"}
