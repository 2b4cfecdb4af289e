"""Seeded writes of every kind to the reference, and what a reader sees of a store: shared by the tests of crashes and the benchmark."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memgauge.clock import ManualClock
from memgauge.errors import StoreError
from memgauge.memory_ref import erase
from memgauge.memory_ref.database import Database
from memgauge.memory_ref.memory import Memory, open_memory
from memgauge.memory_ref.tracing import Tracer, silent
from memgauge.records import Scope

ANA = Scope(user="ana", thread="main")
Op = tuple[str, Mapping[str, Any]]

TOWNS = ("Ghent", "Lyon", "Porto", "Turku", "Siena", "Graz")


def every_kind(root: Path) -> list[Op]:
    """One of each write: captures, corrections, erases, a consolidation, an import, a backup, the log of tool calls, a wipe."""
    messages = [{"message_id": f"n{n}", "role": "user", "text": f"Row {n} of the shelf holds jars."} for n in range(12)]
    return [
        ("append", {"message_id": "m1", "role": "user", "text": "I live in Ghent. Remember that I play the cello."}),
        ("end_turn", {}),
        ("note_add", {"text": "Watered the beans behind the shed"}),
        ("remember", {"text": "My boat is called Marigold"}),
        ("correct", {"text": "My boat is called Petunia", "query": "What is my boat called?"}),
        ("doc_write", {"name": "plan", "text": "first line\n", "expected": 0}),
        ("call_begin", {"call_id": "c1", "action": "send", "kind": "message"}),
        ("forget", {"query": "What is my boat called?"}),
        ("doc_edit", {"name": "plan", "old": "first", "new": "second", "expected": 1}),
        ("append_many", {"messages": messages}),
        ("summarise", {"keep": 2}),
        ("consolidate", {}),
        ("call_end", {"call_id": "c1", "state": "done"}),
        ("forget", {"message_id": "n3"}),
        ("import_", {"bundle": bundle(root)}),
        ("backup", {"path": "copy.db"}),
        ("rebuild", {}),
        ("pin", {"text": "Keep answers short"}),
        ("forget_all", {}),
        ("remember", {"text": "I prefer tea"}),
    ]


def drawn(seed: int, length: int = 12) -> list[Op]:
    """Random writes. Some are refused, which is an answer like another."""
    draw = random.Random(seed)
    kinds: tuple[Callable[[int], Op], ...] = (
        lambda n: ("append", {"message_id": f"m{n}", "role": "user", "text": f"I live in {draw.choice(TOWNS)}. Crate {n} is green."}),
        lambda n: ("end_turn", {}),
        lambda n: ("remember", {"text": f"My boat number {draw.randrange(4)} is called {draw.choice(TOWNS)}"}),
        lambda n: ("note_add", {"text": f"Note {n}: painted crate {draw.randrange(9)}"}),
        lambda n: ("correct", {"text": f"I live in {draw.choice(TOWNS)}", "query": "Where do I live?"}),
        lambda n: ("forget", {"query": "Where do I live?"}),
        lambda n: ("forget", {"message_id": f"m{draw.randrange(n + 1)}"}),
        lambda n: ("doc_write", {"name": "plan", "text": f"version {n}\n", "expected": draw.randrange(3)}),
        lambda n: ("call_begin", {"call_id": f"c{draw.randrange(5)}", "action": "send", "kind": "write"}),
        lambda n: ("call_end", {"call_id": f"c{draw.randrange(5)}", "state": "done"}),
        lambda n: ("pin", {"text": f"Keep answer {n} short"}),
        lambda n: ("summarise", {"keep": draw.randrange(3)}),
        lambda n: ("consolidate", {}),
        lambda n: ("rebuild", {}),
        lambda n: ("forget_all", {}) if draw.random() < 0.3 else ("note_add", {"text": f"Swept floor {n}"}),
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
def opened(root: Path, tracer: Tracer = silent) -> Iterator[Memory]:
    memory = open_memory(root, clock=ManualClock(), tracer=tracer)
    try:
        yield memory
    finally:
        memory.close()


def play(memory: Memory, op: Op) -> bool:
    """Carry out one write; whether it was acknowledged, and not refused."""
    try:
        getattr(memory.session(ANA), op[0])(**op[1])
    except StoreError:
        return False
    return True


def seen(memory: Memory) -> str:
    """Everything that a reader sees of ana's store."""
    ana = memory.session(ANA)
    documents = [ana.doc_read("plan").data] if ana.list(kind="documents").data["items"] else []
    whole = [ana.list(kind=kind).data for kind in ("all", "messages", "summaries")]
    return json.dumps([*whole, documents, ana.recover().data], sort_keys=True)


def fault_of(root: Path, allowed: tuple[str, ...]) -> str:
    """What is wrong with a store opened again, or empty. It may show what was acknowledged last, or what the call under way makes."""
    try:
        with opened(root) as memory:
            shown = seen(memory)
        [path] = root.glob("*/memory.db")
        database = Database(path)
        sound = database.value("PRAGMA integrity_check")
        erase.verify(database)
        database.close()
    except StoreError as error:
        return f"{type(error).__name__}: {error}"
    if sound != "ok":
        return str(sound)
    return "" if shown in allowed else "another state than the one acknowledged"
