"""The facade of the reference memory.

memory = open_memory("data")
ana = memory.session(Scope(user="ana", thread="t1"))
ana.append(message_id="m1", role="user", text="Remember that I live in Ghent.")
ana.end_turn()
message = "Remind me of the town that I call home."
prompt = ana.context(text=message, budget={"window": 4000, "reserve": 500})
send(prompt.data["messages"])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memgauge.clock import Clock, SystemClock, wall_ms
from memgauge.memory_ref import completion, erase, idempotency, logs
from memgauge.memory_ref.engine import STANDARD, Engine
from memgauge.memory_ref.owner import folder_name
from memgauge.memory_ref.policy import Policy, load_policy
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.session import Session
from memgauge.memory_ref.store import Store, stamp
from memgauge.memory_ref.stores import Stores
from memgauge.memory_ref.tracing import Tracer, silent
from memgauge.records import Scope

Work = Callable[[Store], Reply]
MOST_GIVEN = 1000
"""Lines of the retrieval log that wait for the next write; older ones are let go, and so are all when the process ends first."""


class Memory:
    """Everything under one root folder. Threads may share it; other processes open their own on the same root."""

    def __init__(self, root: Path, *, policy: Policy, clock: Clock, tracer: Tracer, engine: Engine) -> None:
        self.policy = policy
        self.model = completion.client(policy.model)
        self.clock = clock
        self.root = root
        self._tracer = tracer
        self._given: dict[str, deque[logs.Given]] = {}
        self._stores = Stores(root, limit=policy.storage.open_stores, tracer=tracer, engine=engine)

    def session(self, scope: Scope, *, key: str | None = None) -> Session:
        """The verbs, for one scope. With an idempotency key the session is for one write, and a repeat of it does nothing new."""
        return Session(self, scope, key)

    def close(self) -> None:
        """Close every connection. Nothing is buffered, so nothing is flushed."""
        self._stores.close()

    def read(self, scope: Scope, work: Work, *, given_as: str = "") -> Reply:
        """Run one read on one state of the store. `given_as` names the section under which its items go into the retrieval log,
        with the next write: a read itself writes nothing."""
        now = stamp(self.clock.now())
        with self._stores.borrowed(scope, now) as (database, secret):
            store = Store(database, self.policy, scope, now, secret)
            with database.reading():
                reply = work(store)
            if given_as and self.policy.logs.retrievals:
                self._given.setdefault(folder_name(scope), deque(maxlen=MOST_GIVEN)).extend(logs.given(store, reply, given_as))
            return reply

    def write(self, scope: Scope, op: str, arguments: Mapping[str, Any], work: Work, *, key: str | None = None) -> Reply:
        """Run one write in one transaction, with its log line and its idempotency key; then finish an erase that is due."""
        now = stamp(self.clock.now())
        with self._stores.borrowed(scope, now) as (database, secret):
            store = Store(database, self.policy, scope, now, secret)
            started = wall_ms()
            used_for = "" if key is None else idempotency.digest(op, arguments)
            with database.atomic():
                earlier = None if key is None else idempotency.earlier(store, key, op, used_for)
                logs.retrievals(store, self._given.pop(folder_name(scope), ()))
                reply = earlier or work(store)
                if earlier is None:
                    logs.operation(store, op, reply, ms=wall_ms() - started)
                    if key is not None:
                        idempotency.keep(store, key, op, used_for, reply)
            pending = erase.finish(database)
            self._tracer("acknowledge", op)
            if pending is None or "removed" not in reply.data:
                return reply
            return Reply(ids=reply.ids, revision=reply.revision, notices=reply.notices, data=reply.data, pending=pending)


def open_memory(
    root: str | Path,
    *,
    policy: Policy | str | Path | Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    tracer: Tracer = silent,
    engine: Engine = STANDARD,
) -> Memory:
    """Open the memory under a root folder, made when it is not there (0700). The same root again continues.

    `policy`: a Policy, a preset's name, a file, or a mapping of changes. `tracer` and `engine` are there for tests of crashes.
    Raises InputError, StoreError.
    """
    found = policy if isinstance(policy, Policy) else load_policy(policy)
    return Memory(Path(root), policy=found, clock=clock or SystemClock(), tracer=tracer, engine=engine)
