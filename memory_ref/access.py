"""The user's access state, and what follows from it. Stored is not the same as promptable.

| state                                            | may be written | may enter a prompt |
|--------------------------------------------------|----------------|--------------------|
| all in order                                     | yes            | yes                |
| paused by the user (enabled = false)             | no             | no                 |
| activation pending                               | no             | no                 |
| consent refused, or missing where policy asks it | no             | no                 |
| not entitled, or plan without memory             | no             | no                 |
| subscription lapsed                              | no             | no                 |
| past memory_expires_at                           | no             | no                 |
| switched off by the tenant or by policy          | no             | no                 |

In every state the user can list, export, correct and delete. History is still appended: it is the conversation, not memory.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from memgauge.clock import parse_instant
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store, stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessState:
    """What was set; None: never said."""

    enabled: bool = True
    consent: bool | None = None
    plan: str | None = None
    entitled: bool | None = None
    subscribed: bool = True
    pending: bool = False
    memory_expires_at: str | None = None
    tenant_disabled: bool = False


_NAMES = json.dumps([part.name for part in fields(AccessState)])


def state(store: Store) -> AccessState:
    """The stored access state."""
    rows = store.database.all("SELECT name, value FROM access WHERE name IN (SELECT value FROM json_each(?))", (_NAMES,))
    return AccessState(**{row["name"]: json.loads(row["value"]) for row in rows})


def obstacle(store: Store, known: AccessState | None = None) -> str | None:
    """Why memory may not be used now, in words; None when it may. `known`: the state, when the caller has read it in this transaction."""
    found, policy = known or state(store), store.policy.access
    if not policy.enabled or found.tenant_disabled:
        return "memory is switched off by the tenant"
    if not found.enabled:
        return "memory is paused by the user"
    if found.pending:
        return "activation is pending"
    if found.consent is False or (policy.needs_consent and not found.consent):
        return "the user has not agreed to memory"
    if found.entitled is False or (policy.needs_entitlement and not found.entitled):
        return "the user is not entitled to memory"
    if policy.plans_with_memory and found.plan not in policy.plans_with_memory:
        return "the plan does not include memory"
    if not found.subscribed:
        return "the subscription has lapsed"
    if found.memory_expires_at is not None and found.memory_expires_at <= store.now:
        return "the time for which memory is kept is over"
    return None


def can_use_prompt_memory(store: Store) -> bool:
    """Whether anything remembered may enter a prompt now."""
    return obstacle(store) is None


def require_writable(store: Store) -> None:
    """Raises Refused when nothing may be written to long-term memory now."""
    reason = obstacle(store)
    if reason is not None:
        raise Refused(f"nothing is saved: {reason}")
    if is_private(store):
        raise Refused("nothing is saved: the thread is private")


def is_private(store: Store) -> bool:
    """Whether the scope's thread is private. It was from its first message on, or it never will be."""
    return bool(store.database.value("SELECT private FROM threads WHERE id = ?", (store.scope.thread,)))


def set_access(store: Store, **changes: bool | str | None) -> Reply:
    """Set the parts that are named (not None)."""
    for name, value in changes.items():
        if value is None:
            continue
        if name == "memory_expires_at":
            value = stamp(parse_instant(str(value)))
        store.database.run("INSERT OR REPLACE INTO access (name, value) VALUES (?, ?)", (name, json.dumps(value)))
        if name == "subscribed":
            _note_lapse(store, lapsed=value is False)
    return show(store)


def show(store: Store) -> Reply:
    """The state and what follows from it."""
    reason = obstacle(store)
    data = {"state": asdict(state(store)), "can_use_prompt_memory": reason is None, "can_write": reason is None}
    return Reply(data=data | ({"reason": reason} if reason else {}))


def lapsed_since(store: Store) -> str | None:
    """The instant at which the subscription ended; None while it runs."""
    found = store.database.value("SELECT value FROM access WHERE name = 'lapsed_at'")
    return None if found is None else str(json.loads(found))


def _note_lapse(store: Store, *, lapsed: bool) -> None:
    if not lapsed:
        store.database.run("DELETE FROM access WHERE name = 'lapsed_at'")
    else:
        store.database.run("INSERT OR IGNORE INTO access (name, value) VALUES ('lapsed_at', ?)", (json.dumps(store.now),))
