"""A repeated request is not a second memory: what a key did is kept (ids and revision, never text) and answered again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store


def digest(op: str, arguments: Mapping[str, Any]) -> str:
    """What a key is used for. Stored only as the store's keyed hash of it, so that nobody can guess the text from it."""
    return hashlib.sha256(json.dumps([op, arguments], sort_keys=True, default=str, ensure_ascii=True).encode()).hexdigest()


def earlier(store: Store, key: str, op: str, used_for: str) -> Reply | None:
    """The answer given before under this key, or None. Raises Refused when the key was used for something else."""
    row = store.database.one("SELECT * FROM idempotency WHERE key = ?", (key,))
    if row is None:
        return None
    if row["op"] != op or row["digest"] != store.mark(used_for):
        raise Refused("the idempotency key was used for another call")
    return Reply(ids=tuple(json.loads(row["ids"])), revision=row["revision"], data={"repeated": True})


def keep(store: Store, key: str, op: str, used_for: str, reply: Reply) -> None:
    """Remember what the key did, in the same transaction."""
    store.database.insert(
        "idempotency", key=key, op=op, digest=store.mark(used_for), ids=json.dumps(reply.ids), revision=reply.revision, created_at=store.now
    )
