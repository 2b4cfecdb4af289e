"""The message tree: canonical, append-only but for deletion. Edits and second replies are siblings; the active branch is the way
from a thread's leaf to its root, kept as a flag on each message so that every query can ask for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgauge.clock import parse_instant
from memgauge.memory_ref import access, branches, utterance
from memgauge.memory_ref.admission import spoken
from memgauge.memory_ref.errors import Conflict, NotFound, Refused
from memgauge.memory_ref.records import Message, Reply, from_row
from memgauge.memory_ref.store import Store, stamp

ROLES = ("user", "assistant", "tool", "system")
ORIGINS = ("typed", "pasted", "prefilled")


@dataclass(slots=True)
class _End:
    """The end of a thread while messages are added to it: what is the same for all of them is read once."""

    leaf: str | None
    private: bool
    access: access.AccessState


def append(
    store: Store,
    *,
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
    """Store one message after `parent` (default: the active leaf) and make it the leaf.

    What is said while memory may not be used is readable in its thread and barred from memory for good, also when it is
    switched on later. Secrets are cut out before anything is written. The same message again changes nothing; another text under a known id is
    a Conflict. Raises Refused for an unknown role or origin, a missing thread, or a public thread that turns private.
    """
    end = _end(store, private=private)
    kept = _add(store, end, message_id, role, text, speaker, origin, calls, call_id, parent)
    _set_leaf(store, end)
    return Reply(ids=(message_id,), notices=kept)


def append_many(store: Store, messages: Sequence[Mapping[str, Any]]) -> Reply:
    """Store many messages in order; each may name its own `now`. One transaction: all or none."""
    ids: list[str] = []
    notices: list[str] = []
    end: _End | None = None
    for entry in messages:
        arguments = dict(entry)
        instant = arguments.pop("now", None)
        private = bool(arguments.pop("private", False))
        one = store if instant is None else replace(store, now=stamp(parse_instant(str(instant))))
        if end is None:
            end = _end(one, private=private)
        elif private and not end.private:
            raise Refused(_TURNS_PRIVATE)
        try:
            notices.extend(_add(one, end, **arguments))
        except TypeError:
            raise Refused("a message needs message_id, role and text, and nothing append does not know") from None
        ids.append(arguments["message_id"])
    if end is not None:
        _set_leaf(store, end)
    return Reply(ids=tuple(ids), notices=tuple(dict.fromkeys(notices)))


def _add(
    store: Store,
    end: _End,
    message_id: str,
    role: str,
    text: str,
    speaker: str | None = None,
    origin: str = "typed",
    calls: Sequence[Mapping[str, Any]] = (),
    call_id: str | None = None,
    parent: str | None = None,
) -> tuple[str, ...]:
    """One message at the end of a thread, or beside it; what the user should be told of it."""
    _check(message_id, role, origin)
    kept = spoken(store.policy, text)
    known = store.database.one("SELECT * FROM messages WHERE id = ?", (message_id,))
    if known is not None:
        same = known["thread"] == store.scope.thread and known["role"] == role and known["text"] == kept.text
        if not same:
            raise Conflict(f"message id {message_id} is taken", expected="a new id", actual="another message")
        return ()
    if parent is not None and message(store, parent).thread != store.scope.thread:
        raise NotFound("message")
    beside = parent is not None and parent != end.leaf
    usable = access.obstacle(store, end.access) is None
    store.database.insert(
        "messages",
        id=message_id, thread=store.scope.thread, parent=parent if beside else end.leaf, role=role, text=kept.text,
        speaker=None if speaker == store.scope.user else speaker, origin=origin, project=store.scope.project, agent=store.scope.agent,
        task=store.scope.task, calls=_screened_calls(store, calls), call_id=call_id, created_at=store.now, state="live" if usable else "barred",
        recallable=int(role != "user" or store.policy.recall.messages == "all" or not utterance.only_asks(kept.text)),
    )  # fmt: skip
    if usable and not end.private:
        store.index(message_id, "message", kept.text)
    end.leaf = message_id
    if beside:
        _set_leaf(store, end)
        branches.refresh(store, str(store.scope.thread))
    return kept.notices


def edit_message(store: Store, message_id: str, new_id: str, text: str) -> Reply:
    """Say a message differently: a sibling with the new text becomes the leaf. The old message keeps its bytes."""
    old = message(store, message_id)
    scoped = replace(store, scope=replace(store.scope, thread=old.thread))
    kept = spoken(store.policy, text)
    if store.database.one("SELECT 1 FROM messages WHERE id = ?", (new_id,)) is not None:
        raise Conflict(f"message id {new_id} is taken", expected="a new id", actual="another message")
    scoped.database.insert(
        "messages",
        id=new_id, thread=old.thread, parent=old.parent, role=old.role, text=kept.text, speaker=old.speaker, origin=old.origin, project=old.project,
        agent=old.agent, task=old.task, call_id=old.call_id, created_at=store.now, state=_state(store),
    )  # fmt: skip
    _index(store, new_id, kept.text, private=bool(store.database.value("SELECT private FROM threads WHERE id = ?", (old.thread,))))
    store.database.run("UPDATE threads SET leaf = ? WHERE id = ?", (new_id, old.thread))
    branches.refresh(store, old.thread)
    return Reply(ids=(new_id,), notices=kept.notices)


def switch(store: Store, message_id: str) -> Reply:
    """Make the branch that ends in this message the active one of its thread."""
    leaf = message(store, message_id)
    store.database.run("UPDATE threads SET leaf = ? WHERE id = ?", (leaf.id, leaf.thread))
    branches.refresh(store, leaf.thread)
    return Reply(ids=(leaf.id,))


def message(store: Store, message_id: str) -> Message:
    """One message. Raises NotFound, also for a private thread looked at from outside."""
    row = store.database.one(
        "SELECT m.* FROM messages m JOIN threads t ON t.id = m.thread WHERE m.id = ? AND (t.private = 0 OR t.id = ?)",
        (message_id, store.scope.thread),
    )
    if row is None:
        raise NotFound("message")
    return from_row(Message, row)


def active_branch(store: Store, thread: str | None, *, newest: int | None = None) -> list[Message]:
    """The messages of a thread's active branch, oldest first; at most `newest` of the newest. Removed ones are among them."""
    rows = store.database.all(
        "SELECT * FROM messages WHERE thread = ? AND on_branch = 1 ORDER BY seq DESC LIMIT ?", (thread, -1 if newest is None else newest)
    )
    return [from_row(Message, row) for row in reversed(rows)]


def _end(store: Store, *, private: bool) -> _End:
    """The end of the scope's thread, which is made with its first message."""
    if not store.scope.thread:
        raise Refused("a message belongs to a thread: name one in the scope")
    row = store.database.one("SELECT * FROM threads WHERE id = ?", (store.scope.thread,))
    if row is None:
        store.database.insert("threads", id=store.scope.thread, private=int(private), project=store.scope.project, created_at=store.now)
        return _End(None, private, access.state(store))
    if private and not row["private"]:
        raise Refused(_TURNS_PRIVATE)
    return _End(row["leaf"], bool(row["private"]), access.state(store))


_TURNS_PRIVATE = "a thread is private from its first message on; start another one"


def _set_leaf(store: Store, end: _End) -> None:
    store.database.run("UPDATE threads SET leaf = ? WHERE id = ?", (end.leaf, store.scope.thread))


def _state(store: Store) -> str:
    return "live" if access.obstacle(store) is None else "barred"


def _index(store: Store, message_id: str, text: str, *, private: bool) -> None:
    if not private and access.obstacle(store) is None:
        store.index(message_id, "message", text)


def _screened_calls(store: Store, calls: Sequence[Mapping[str, Any]]) -> str:
    """Tool calls as stored. Arguments that hold a secret are left out whole: a call with half an argument is no call."""
    if not calls:
        return "[]"
    kept: list[dict[str, Any]] = []
    for call in calls:
        secret = spoken(store.policy, json.dumps(call.get("arguments", {}), ensure_ascii=False)).removed
        kept.append({**call, "arguments": {}} if secret else dict(call))
    return json.dumps(kept, ensure_ascii=False)


def _check(message_id: str, role: str, origin: str) -> None:
    if not message_id:
        raise Refused("a message needs an id")
    if role not in ROLES:
        raise Refused(f"unknown role; allowed: {', '.join(ROLES)}")
    if origin not in ORIGINS:
        raise Refused(f"unknown origin; allowed: {', '.join(ORIGINS)}")
