"""Writes of every kind to the reference, fixed and seeded, and what a reader sees of a store: shared by the tests of crashes and the benchmark."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from memgauge.clock import ManualClock
from memgauge.errors import StoreError
from memgauge.memory_ref import erase
from memgauge.memory_ref.database import Database
from memgauge.memory_ref.engine import STANDARD, Engine
from memgauge.memory_ref.memory import Memory, open_memory
from memgauge.memory_ref.owner import tag
from memgauge.memory_ref.tracing import Tracer, silent
from memgauge.records import Scope

ANA = Scope(user="ana", thread="main")
MINE = tag(ANA)
"""What ana's record ids end in."""


class Op(NamedTuple):
    """One write, so many days after the first."""

    name: str
    args: Mapping[str, Any] = {}
    day: int = 0


TOWNS = ("Ghent", "Lyon", "Porto", "Turku", "Siena", "Graz")


def every_kind(root: Path) -> list[Op]:
    """Every verb that writes or removes, each in its hardest form: an erase, a consolidation, an import, a backup and its end, the log of
    tool calls, a wipe. All are accepted."""
    messages = [{"message_id": f"n{n}", "role": "user", "text": f"Row {n} of the shelf holds jars."} for n in range(12)]
    return [
        Op("append", {"message_id": "m1", "role": "user", "text": "I live in Ghent. Remember that I play the cello."}),
        Op("end_turn"),
        Op("note_add", {"text": "Watered the beans behind the shed"}),
        Op("remember", {"text": "My boat is called Marigold"}),
        Op("correct", {"text": "My boat is called Petunia", "query": "What is my boat called?"}),
        Op("confirm", {"id": f"fact-2-{MINE}"}),
        Op("feedback", {"id": f"fact-2-{MINE}", "helped": True}),
        Op("remember", {"text": "I may like jazz", "source": "inferred"}),
        Op("review_decide", {"id": f"fact-5-{MINE}", "action": "approve"}),
        Op("doc_write", {"name": "plan", "text": "first line\n", "expected": 0}),
        Op("call_begin", {"call_id": "c1", "action": "send", "kind": "message"}),
        Op("forget", {"query": "What is my boat called?"}),
        Op("doc_edit", {"name": "plan", "old": "first", "new": "second", "expected": 1}),
        Op("append_many", {"messages": messages}),
        Op("edit_message", {"message_id": "n11", "new_id": "n11b", "text": "Row 11 is empty."}),
        Op("switch", {"message_id": "n11"}),
        Op("summarise", {"keep": 2}),
        Op("consolidate"),
        Op("call_end", {"call_id": "c1", "state": "done"}),
        Op("call_begin", {"call_id": "c2", "action": "pay", "kind": "payment"}),
        Op("forget", {"message_id": "n3"}),
        Op("import_", {"bundle": bundle(root)}),
        Op("backup", {"path": "kept/copy.db"}),
        Op("rebuild"),
        Op("goal_add", {"text": "Paint the fence"}),
        Op("goal_update", {"id": f"goal-1-{MINE}", "status": "paused"}),
        Op("decide", {"text": "No work on Sundays", "kind": "boundary"}),
        Op("lock", {"id": f"decision-1-{MINE}"}),
        Op("unlock", {"id": f"decision-1-{MINE}"}),
        Op("pin", {"text": "Keep answers short"}),
        Op("unpin", {"id": f"pin-1-{MINE}"}),
        Op("draft"),
        Op("set_access", {"plan": "yearly"}),
        Op("doc_delete", {"name": "plan", "expected": 2}),
        Op("expire", day=400),
        Op("call_begin", {"call_id": "c3", "action": "fetch", "kind": "read"}, day=400),
        Op("forget", {"thread": "main"}, day=400),
        Op("append", {"message_id": "m2", "role": "user", "text": "Swept the yard."}, day=400),
        Op("call_begin", {"call_id": "c4", "action": "fetch", "kind": "read"}, day=400),
        Op("forget_all", day=400),
        Op("call_begin", {"call_id": "c5", "action": "fetch", "kind": "read"}, day=400),
        Op("remember", {"text": "I prefer tea"}, day=400),
    ]


def drawn(seed: int, length: int = 12) -> list[Op]:
    """Random writes. Some are refused, which is an answer like another."""
    draw = random.Random(seed)
    kinds: tuple[Callable[[int], Op], ...] = (
        lambda n: Op("append", {"message_id": f"m{n}", "role": "user", "text": f"I live in {draw.choice(TOWNS)}. Crate {n} is green."}),
        lambda n: Op("end_turn"),
        lambda n: Op("remember", {"text": f"My boat number {draw.randrange(4)} is called {draw.choice(TOWNS)}"}),
        lambda n: Op("note_add", {"text": f"Note {n}: painted crate {draw.randrange(9)}"}),
        lambda n: Op("correct", {"text": f"I live in {draw.choice(TOWNS)}", "query": "Where do I live?"}),
        lambda n: Op("forget", {"query": "Where do I live?"}),
        lambda n: Op("forget", {"message_id": f"m{draw.randrange(n + 1)}"}),
        lambda n: Op("forget", {"thread": "main"}),
        lambda n: Op("doc_write", {"name": "plan", "text": f"version {n}\n", "expected": draw.randrange(3)}),
        lambda n: Op("call_begin", {"call_id": f"c{draw.randrange(5)}", "action": "send", "kind": "write"}),
        lambda n: Op("call_end", {"call_id": f"c{draw.randrange(5)}", "state": "done"}),
        lambda n: Op("pin", {"text": f"Keep answer {n} short"}),
        lambda n: Op("summarise", {"keep": draw.randrange(3)}),
        lambda n: Op("consolidate"),
        lambda n: Op("rebuild"),
        lambda n: Op("backup", {"path": f"copy{draw.randrange(2)}.db"}),
        lambda n: Op("forget_all") if draw.random() < 0.3 else Op("note_add", {"text": f"Swept floor {n}"}),
    )
    return [draw.choice(kinds)(n) for n in range(length)]


def bundle(root: Path) -> Mapping[str, Any]:
    """The export of another store, made below `root`."""
    with opened(root / "elsewhere") as memory:
        ana = memory.session(Scope(user="ana", thread="old"))
        ana.append("o1", "user", "I work at Orchid.")
        ana.end_turn()
        found: Mapping[str, Any] = ana.export().data["bundle"]
        return found


@contextlib.contextmanager
def opened(root: Path, tracer: Tracer = silent, *, engine: Engine = STANDARD) -> Iterator[Memory]:
    memory = open_memory(root, clock=ManualClock(), tracer=tracer, engine=engine)
    try:
        yield memory
    finally:
        memory.close()


def play(memory: Memory, op: Op, key: str | None = None) -> bool:
    """Carry out one write on its day; whether it was acknowledged, and not refused."""
    try:
        write(memory, op, key)
    except StoreError:
        return False
    return True


def write(memory: Memory, op: Op, key: str | None = None) -> None:
    """The same. Raises StoreError."""
    _come(memory, op.day)
    getattr(memory.session(ANA, key=key), op.name)(**op.args)


def _come(memory: Memory, day: int) -> None:
    assert isinstance(memory.clock, ManualClock)
    memory.clock.set(ManualClock().now() + timedelta(days=day))


def seen(memory: Memory, day: int | None = None) -> str:
    """Everything that a reader sees of ana's store, with her backups as far as they are there; on a day, or now."""
    if day is not None:
        _come(memory, day)
    ana = memory.session(ANA)
    documents = [ana.doc_read("plan").data] if any(item["label"] == "plan" for item in ana.list(kind="documents").data["items"]) else []
    whole = [ana.list(kind=kind).data for kind in ("all", "messages", "summaries")]
    backups = [Path(each["path"]).name for each in ana.surfaces().data["surfaces"] if each["kind"] == "backup" and Path(each["path"]).exists()]
    return json.dumps([*whole, documents, ana.recover().data, ana.access().data, backups], sort_keys=True)


class Again(NamedTuple):
    """A write that is sent again under its key, whether it is to be acknowledged, and what is to be seen then."""

    op: Op
    key: str
    accepted: bool
    after: str


def fault_of(root: Path, allowed: Sequence[str], day: int = 0, again: Again | None = None) -> str:
    """What is wrong with a store opened again, or empty: it shows one of what is allowed, and when the write is sent again what that makes."""
    try:
        with opened(root) as memory:
            shown = seen(memory, day)
            comes_to = again is None
            if again is not None and shown in allowed:
                comes_to = play(memory, again.op, again.key) == again.accepted and seen(memory) == again.after
        [path] = root.glob("*/memory.db")
        database = Database(path)
        sound = database.value("PRAGMA integrity_check")
        erase.verify(database)
        database.close()
    except StoreError as error:
        return f"{type(error).__name__}: {error}"
    if sound != "ok":
        return str(sound)
    if torn := [copy.name for copy in root.rglob("copy*.db") if not _is_sound(copy)]:
        return f"the backup {torn[0]} is not whole"
    if shown not in allowed:
        return "another state than the one acknowledged"
    return "" if comes_to else "the call under way, sent again with its key, comes to something else"


def _is_sound(copy: Path) -> bool:
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        try:
            return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))
        except sqlite3.Error:
            return False
