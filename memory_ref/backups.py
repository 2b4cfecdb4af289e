"""Backups: consistent copies with a stated lifetime, so that an erase can say which of them still hold what was erased."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memgauge.memory_ref.errors import Refused, StorageFailed
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store, stamp


def register(store: Store, path: str) -> Reply:
    """Note where the copy will lie and until when. A relative path lies under the memory's root folder, its folders are made.

    Raises Refused when something lies there already, or when the path leads into a store."""
    root = _root(store)
    if "\0" in path:
        raise Refused("the path of a backup holds a null character; name another")
    target = (root / path).resolve()
    try:
        taken = target.exists()
    except OSError as error:
        raise Refused(f"the path of a backup cannot be used ({error.strerror})") from error
    if taken:
        raise Refused("the backup file exists; name a new one")
    if target.is_relative_to(root) and len(target.relative_to(root).parts[0]) == len(store.database.path.parent.name):
        raise Refused("the backup would lie in the folder of a store; name another place")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFailed(f"the folder of the backup cannot be made ({error.strerror})") from error
    expires = stamp(datetime.fromisoformat(store.now) + timedelta(days=store.policy.retention.backup_days))
    store.database.run("INSERT OR REPLACE INTO backups (path, created_at, expires_at) VALUES (?, ?, ?)", (str(target), store.now, expires))
    return Reply(data={"path": str(target), "expires_at": expires})


def copy(store: Store, registered: Reply) -> Reply:
    """Write the copy (0600) beside its name, then give it its name. Outside any transaction of this connection."""
    target = Path(registered.data["path"])
    partial = target.with_name(target.name + ".partial")
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        store.database.backup_to(partial)
        store.database.tracer("replace", "backup")
        partial.replace(target)
    except OSError as error:
        raise StorageFailed(f"the backup cannot be written ({error.strerror})") from error
    return registered


def unregister(store: Store, registered: Reply) -> Reply:
    """Take back a registration whose copy failed, so that no erase reports a backup that is not there."""
    store.database.run("DELETE FROM backups WHERE path = ?", (registered.data["path"],))
    return Reply()


def surfaces(store: Store) -> Reply:
    """Every place where data of this memory may lie: the backups of this user, and the root folder with all stores and logs."""
    found = [{"name": f"backup of {backup['created_at'][:10]}", "kind": "backup", "path": backup["path"]} for backup in listed(store)]
    return Reply(data={"surfaces": [*found, {"name": "root folder", "kind": "files", "path": str(_root(store))}]})


def listed(store: Store) -> list[dict[str, Any]]:
    """Backups whose lifetime is not over, oldest first."""
    rows = store.database.all("SELECT path, created_at, expires_at FROM backups WHERE expires_at > ? ORDER BY created_at", (store.now,))
    return [dict(row) for row in rows]


def _root(store: Store) -> Path:
    return store.database.path.parent.parent.resolve()


def purge(store: Store) -> int:
    """Remove the files of backups whose lifetime is over. Returns how many."""
    over = store.database.all("SELECT path FROM backups WHERE expires_at <= ?", (store.now,))
    for row in over:
        store.database.tracer("replace", "backup removed")
        Path(row["path"]).unlink(missing_ok=True)
    store.database.run("DELETE FROM backups WHERE expires_at <= ?", (store.now,))
    return len(over)
