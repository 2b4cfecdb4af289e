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
    """Note where the copy will lie and until when. Raises Refused when something lies there already."""
    target = Path(path).absolute()
    if target.exists():
        raise Refused("the backup file exists; name a new one")
    if not target.parent.is_dir():
        raise Refused("the folder of the backup file does not exist")
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


def listed(store: Store) -> list[dict[str, Any]]:
    """Backups whose lifetime is not over, oldest first."""
    rows = store.database.all("SELECT path, created_at, expires_at FROM backups WHERE expires_at > ? ORDER BY created_at", (store.now,))
    return [dict(row) for row in rows]


def purge(store: Store) -> int:
    """Remove the files of backups whose lifetime is over. Returns how many."""
    over = store.database.all("SELECT path FROM backups WHERE expires_at <= ?", (store.now,))
    for row in over:
        store.database.tracer("replace", "backup removed")
        Path(row["path"]).unlink(missing_ok=True)
    store.database.run("DELETE FROM backups WHERE expires_at <= ?", (store.now,))
    return len(over)
