"""Mixed load on one store for some minutes: writers in processes of their own, deletions, kills in the middle, reopenings.

Round after round some processes write and delete at once, and one or all of them are killed after a seeded delay. Then the store is
opened again, and what readers show is compared with what was acknowledged (see `ledger`). Calls that died are sent again with
their idempotency key in the next round. After some rounds everything is wiped and a new user begins.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from memgauge.clock import ManualClock, SystemClock
from memgauge.errors import InputError, SystemFault
from memgauge.protocol import Request
from memgauge.records import Json, Scope
from memgauge.runner import guard
from memgauge.runner.ledger import BREACHES, Ledger, State, Written
from memgauge.runner.names import listing
from memgauge.runner.options import Opener
from memgauge.runner.residue import scan_paths
from memgauge.runner.session import Session, ask
from memgauge.runner.spawned import Spawned, spawned
from memgauge.systems.spec import SystemSpec

WRITERS = 3
"""Processes at once, where the system claims to be safe for several; one otherwise."""
CALLS = 60
"""Calls of one writer in a round."""
DELETIONS = 0.2
"""Share of the calls that remove one of the writer's own records."""
LONGEST_DELAY_S = 1.0
"""Upper bound of the seeded delay after which writers are killed: about the time of a round's calls."""
ALL_KILLED = 0.5
"""Share of the rounds in which all writers are killed at once, so that the next opening has to recover; else one is."""
ROUNDS_A_USER = 4
SCANNED = 12
"""Removed texts that are looked for in the files after a wipe, where the system claims to erase."""

THREAD = "yard"
WRITES: dict[str, str] = {"remember": "facts", "note_add": "notes", "append": "messages"}
"""Verb → the kind that `list` shows its records as."""


@dataclass(slots=True)
class Soaked:
    """What happened. `calls` by status (`unknown`: the process was killed in the call), `breaches` by kind (see `ledger`)."""

    seconds: float = 0.0
    rounds: int = 0
    kills: int = 0
    kills_under_load: int = 0
    wipes: int = 0
    scans: int = 0
    resent: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    ops: Counter[str] = field(default_factory=Counter)
    breaches: Counter[str] = field(default_factory=Counter)

    @property
    def held(self) -> bool:
        return not self.breaches.total()

    def to_json(self) -> Json:
        whole = {name: getattr(self, name) for name in ("rounds", "kills", "kills_under_load", "wipes", "scans", "resent")}
        counts = {"calls": dict(self.calls), "ops": dict(self.ops), "breaches": {name: self.breaches[name] for name in BREACHES}}
        return {"seconds": round(self.seconds, 1), **whole, **counts}


def soak(spec: SystemSpec, opener: Opener, root: Path, *, seconds: float, seed: int) -> Soaked:
    """Load a system on an empty root for some seconds, at least one round. Raises InputError for a system that cannot be soaked."""
    clock = ManualClock(SystemClock().now())
    session = Session(spec, opener, root, clock, namespace=f"memgauge-soak-{seed}-")
    session.open()
    writes = _shown_by_list(session)
    session.hang_up()
    if not writes:
        raise InputError(
            f"{spec.name} shows by list nothing that was written by {', '.join(WRITES)}: it cannot be soaked",
            hint="memgauge system check says what it has",
        )
    load = _Load(session, writes, random.Random(seed))
    started = time.monotonic()
    while not load.soaked.rounds or time.monotonic() - started < seconds:
        if not load.round():
            break
    session.close()
    load.soaked.seconds = time.monotonic() - started
    return load.soaked


def _shown_by_list(session: Session) -> list[str]:
    """The verbs whose records `list` shows, as one try of each tells: only of these can a loss be seen."""
    scope = Scope(user="trial", thread=THREAD)
    found = []
    for op in WRITES if session.manifest.supports("list") else ():
        if session.manifest.supports(op):
            text = f"A crate for {op} stands in the yard."
            session.call(op, scope, _args(op, text, "trial"), step="soak")
            if _texts(session, scope, [op]).count(text) == 1:
                found.append(op)
    return found


def _args(op: str, text: str, message_id: str) -> Json:
    return {"message_id": message_id, "role": "user", "text": text} if op == "append" else {"text": text}


def _texts(session: Session, scope: Scope, writes: Sequence[str]) -> list[str]:
    """The texts of all records that `list` shows, each record once. Raises SystemFault when it shows none."""
    shown: dict[str, str] = {}
    for op in writes:
        answer = session.call("list", scope, {"kind": WRITES[op]}, step="soak")
        if answer["status"] != "ok":
            raise SystemFault(f"list: {answer['status']}: {answer.get('reason', 'no reason given')}")
        for n, item in enumerate(listing(answer)):
            text = str(item.get("text", "")).strip()
            shown[str(item.get("id") or f"{op} {n}")] = text
    return list(shown.values())


class _Load:
    """`session` is closed while the writers run; the server of a store that has one is not."""

    def __init__(self, session: Session, writes: list[str], draw: random.Random) -> None:
        self.soaked = Soaked()
        self._session = session
        self._writes = writes
        self._draw = draw
        self._ledger = Ledger()
        self._user = 0
        self._counting = threading.Lock()

    def round(self) -> bool:
        """One round. False when the store did not open again, after which nothing more can be learnt."""
        self.soaked.rounds += 1
        children = [spawned(self._session) for _ in range(WRITERS if self._session.manifest.processes else 1)]
        seeds = [self._draw.random() for _ in children]
        victims = range(len(children)) if self._draw.random() < ALL_KILLED else [self._draw.randrange(len(children))]
        delay = self._draw.uniform(0, LONGEST_DELAY_S)
        try:
            with ThreadPoolExecutor(len(children)) as openers:
                list(openers.map(Spawned.open, children))
            self._resend(children[0])
            threads = [threading.Thread(target=self._write, args=(n, child, random.Random(seeds[n]))) for n, child in enumerate(children)]
            for thread in threads:
                thread.start()
            time.sleep(delay)
            for victim in victims:
                self.soaked.kills += 1
                self.soaked.kills_under_load += threads[victim].is_alive()
                children[victim].strike()
            if self._session.server.can_be_killed:
                self._session.server.kill(self._session.root)
            for thread in threads:
                thread.join()
        finally:
            for child in children:
                child.kill()
        return self._look()

    def _scope(self, thread: str = "") -> Scope:
        return Scope(user=f"soak{self._user}", thread=thread or None)

    def _ask(self, child: Spawned, op: str, thread: str, args: Json, key: str) -> Json:
        """The answer, or status unknown when the process died in the call."""
        request = Request(op=op, now=self._session.now(), scope=self._session.wire_scope(self._scope(thread)), args=args, idempotency_key=key)
        try:
            answer = ask(child.system, request)
        except SystemFault:
            answer = {"status": "unknown"}
        with self._counting:
            self.soaked.calls[str(answer["status"])] += 1
            self.soaked.ops[op] += 1
        return answer

    def _resend(self, child: Spawned) -> None:
        """Writes that died are sent again with their key: each must then be there once."""
        for one in self._ledger.of_state("open"):
            if self._ask(child, one.op, THREAD, one.args, one.key)["status"] == "ok":
                one.state = "ok"
                self.soaked.resent += 1

    def _write(self, number: int, child: Spawned, draw: random.Random) -> None:
        mine: list[Written] = []
        may_forget = self._session.manifest.supports("forget") and not guard.permitted(self._session, "forget")
        for n in range(CALLS):
            key = f"u{self._user}r{self.soaked.rounds}w{number}n{n}"
            if mine and may_forget and draw.random() < DELETIONS:
                answer = self._forget(child, mine.pop(draw.randrange(len(mine))), key)
            else:
                answer = self._store(child, draw.choice(self._writes), key, f"x{draw.getrandbits(48):012x}", mine)
            if answer["status"] == "unknown":
                return

    def _store(self, child: Spawned, op: str, key: str, mark: str, mine: list[Written]) -> Json:
        text = f"Crate {mark} stands in the yard."
        args = _args(op, text, key)
        answer = self._ask(child, op, THREAD, args, key)
        if answer["status"] in ("ok", "pending", "unknown"):
            ids = answer.get("ids") or [""]
            state: State = "open" if answer["status"] == "unknown" else "ok"
            one = Written(op, args, key, text, mark, state, key if op == "append" else str(ids[0]))
            self._ledger.add(one)
            if one.id and state == "ok":
                mine.append(one)
        return answer

    def _forget(self, child: Spawned, one: Written, key: str) -> Json:
        one.state = "fading"
        answer = self._ask(child, "forget", "", {"message_id": one.id} if one.op == "append" else {"id": one.id}, f"{key}-forget")
        if answer["status"] in ("ok", "pending"):
            one.state = "gone"
        elif answer["status"] != "unknown":
            one.state = "ok"
        return answer

    def _look(self) -> bool:
        """Open the store again and compare; after some rounds wipe, compare, scan, and go on with another user."""
        session = self._session
        try:
            session.open()
            self._compare()
            if self.soaked.rounds % ROUNDS_A_USER == 0:
                self._wipe()
            session.hang_up()
        except SystemFault:
            session.abandon()
            self.soaked.breaches["not_reopened"] += 1
            return False
        if self.soaked.rounds % ROUNDS_A_USER == 0:
            self._scan()
            self._user += 1
            self._ledger = Ledger()
        return True

    def _compare(self) -> None:
        self.soaked.breaches.update(self._ledger.compare(_texts(self._session, self._scope(THREAD), self._writes)))

    def _wipe(self) -> None:
        if not self._session.manifest.supports("forget_all") or guard.permitted(self._session, "forget_all"):
            return
        if self._session.call("forget_all", self._scope(), {}, step="soak")["status"] in ("ok", "pending"):
            self.soaked.wipes += 1
            self._ledger.wiped()
            self._compare()

    def _scan(self) -> None:
        """The files of the closed store hold nothing of what was removed, where the system claims to erase."""
        removed = self._ledger.removed(SCANNED)
        if not removed or not self._session.manifest.secure_delete:
            return
        self.soaked.scans += 1
        found = scan_paths({one.mark: one.mark for one in removed}, [self._session.root])
        self.soaked.breaches["residue"] += len({hit["needle"] for hit in found.hits})
