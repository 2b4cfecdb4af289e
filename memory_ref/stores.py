"""The stores under a root folder, one for each (tenant, user), and the bounded set of connections to them."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memgauge.memory_ref import erase, eventfile
from memgauge.memory_ref.database import Database
from memgauge.memory_ref.engine import Engine
from memgauge.memory_ref.errors import Damaged
from memgauge.memory_ref.migrations import migrate
from memgauge.memory_ref.owner import folder_name
from memgauge.memory_ref.tracing import Tracer
from memgauge.records import Scope


@dataclass(slots=True)
class _Opened:
    database: Database
    key: bytes
    users: int = 0


class Stores:
    """Opens databases on demand and closes the one used longest ago when there are too many. Any thread may use it."""

    def __init__(self, root: Path, *, limit: int, tracer: Tracer, engine: Engine) -> None:
        self.root = root
        self._limit = limit
        self._tracer = tracer
        self._engine = engine
        self._opened: OrderedDict[str, _Opened] = OrderedDict()
        self._lock = threading.Lock()
        engine.files.make_folder(root)

    @contextmanager
    def borrowed(self, scope: Scope, now: str) -> Iterator[tuple[Database, bytes]]:
        """The database of a scope's user and its secret key. Raises Refused for an empty id, Damaged for a strange folder."""
        name = folder_name(scope)
        with self._lock:
            opened = self._opened.get(name)
            if opened is None:
                opened = self._opened[name] = self._open(name, now)
            opened.users += 1
            self._opened.move_to_end(name)
            self._close_idle()
        try:
            yield opened.database, opened.key
        finally:
            with self._lock:
                opened.users -= 1

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for opened in self._opened.values():
                opened.database.close()
            self._opened.clear()

    def _close_idle(self) -> None:
        for name in [name for name, opened in self._opened.items() if not opened.users]:
            if len(self._opened) <= self._limit:
                return
            self._opened.pop(name).database.close()

    def _open(self, name: str, now: str) -> _Opened:
        folder = self.root / name
        marker = folder / "owner"
        self._engine.files.make_folder(folder)
        database = Database(folder / "memory.db", tracer=self._tracer, engine=self._engine)
        try:
            if marker.exists() and database.value("PRAGMA user_version") == 0:
                raise Damaged("the store's file is empty although the store was used: restore it from a backup")
            migrate(database, now)
            key = _owner_key(database, name)
            if not marker.exists():
                self._engine.files.append(marker, b"")
            erase.finish(database)
        except BaseException:
            database.close()
            raise
        return _Opened(database, key)


def _owner_key(database: Database, name: str) -> bytes:
    """The store's random key, made with the owner's mark when the store is new. Raises Damaged for another owner's store."""
    owner = database.value("SELECT value FROM meta WHERE key = 'owner'")
    if owner is None:
        with database.atomic():
            database.run("INSERT OR IGNORE INTO meta (key, value) VALUES ('owner', ?), ('key', ?), (?, 0)", (name, os.urandom(32), eventfile.LAST))
        owner = database.value("SELECT value FROM meta WHERE key = 'owner'")
    if owner != name:
        raise Damaged("the folder holds the store of another user")
    return bytes(database.value("SELECT value FROM meta WHERE key = 'key'"))
