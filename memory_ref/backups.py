"""Backups: consistent copies with a stated lifetime, so that an erase can say which of them still hold what was erased."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memgauge.memory_ref.errors import Refused, StoreError
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store, stamp

_PARTIAL = ("", "-journal", "-wal", "-shm")
"""Endings of what SQLite may keep beside a copy that is under way."""


def register(store: Store, path: str) -> Reply:
    """Note where the copy will lie and until when. A relative path lies under the memory's root folder, its folders are made.

    Raises Refused when something lies there already, or when the path leads into a store."""
    root = _root(store)
    target = _target(store, path)
    try:
        taken = target.exists()
    except OSError as error:
        raise Refused(f"the path of a backup cannot be used ({error.strerror})") from error
    if taken:
        raise Refused("the backup file exists; name a new one")
    if target.is_relative_to(root) and len(target.relative_to(root).parts[0]) == len(store.database.path.parent.name):
        raise Refused("the backup would lie in the folder of a store; name another place")
    store.database.engine.files.make_folder(target.parent)
    expires = stamp(datetime.fromisoformat(store.now) + timedelta(days=store.policy.retention.backup_days))
    store.database.run("INSERT OR REPLACE INTO backups (path, created_at, expires_at) VALUES (?, ?, ?)", (str(target), store.now, expires))
    return Reply(data={"path": str(target), "expires_at": expires})


def copy(store: Store, path: str, registered: Reply) -> Reply:
    """Write the copy (0600) beside its name, then give it its name. Outside any transaction of this connection. The same request
    again makes it only where a crash came in between. Raises StorageFailed, and leaves no copy then."""
    target = _target(store, path)
    is_due = store.database.value("SELECT 1 FROM backups WHERE path = ?", (str(target),)) is not None and not target.exists()
    if not is_due:
        return registered
    partial, files = _partials(target)[0], store.database.engine.files
    try:
        files.write(partial, b"")
        store.database.backup_to(partial)
        store.database.tracer("replace", "backup")
        files.rename(partial, target)
    except StoreError:
        with contextlib.suppress(StoreError):  # the first failure is the one to be told
            files.remove(target, *_partials(target))
        raise
    return registered


def unregister(store: Store, path: str, key: str | None) -> Reply:
    """Take back a registration whose copy failed, so that no erase reports a backup that is not there, and a repeat makes it."""
    store.database.run("DELETE FROM backups WHERE path = ?", (str(_target(store, path)),))
    store.database.run("DELETE FROM idempotency WHERE key = ?", (key,))
    return Reply()


def _target(store: Store, path: str) -> Path:
    if "\0" in path:
        raise Refused("the path of a backup holds a null character; name another")
    return (_root(store) / path).resolve()


def _partials(target: Path) -> list[Path]:
    return [target.with_name(f"{target.name}.partial{ending}") for ending in _PARTIAL]


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
    """Remove the files of backups whose lifetime is over, and of those that a crash cut short. Returns how many."""
    over = store.database.all("SELECT path FROM backups WHERE expires_at <= ?", (store.now,))
    for row in over:
        store.database.tracer("replace", "backup removed")
        target = Path(row["path"])
        if target.parent.is_dir():  # an archive on another disk may be gone as a whole
            store.database.engine.files.remove(target, *_partials(target))
    store.database.run("DELETE FROM backups WHERE expires_at <= ?", (store.now,))
    return len(over)
