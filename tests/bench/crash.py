"""Figures on races and crashes of the reference: `nice python -m tests.bench.crash [NAME]... [--kills 1000]`, all without a name.

One JSON line each; exit code 1 when anything was lost, doubled, forked, half or came back. Nothing here is about time, but
`seconds` says how long it took. Too long for CI, which tries a part of the points (`tests/faults/test_kill_points.py`).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any

from memgauge.memory_ref.engine import STANDARD, Engine
from memgauge.memory_ref.errors import Conflict
from memgauge.memory_ref.memory import open_memory
from memgauge.memory_ref.session import Session
from memgauge.records import Scope
from tests.faults.killing import fault_after_kill, faults_at_points, rehearse
from tests.faults.workload import drawn, every_kind

SPAWN = multiprocessing.get_context("spawn")
Told = list[tuple[str, str]]
"""(status, what was written) of every call of one writer."""


def session(root: str | Path, thread: str = "main") -> Session:
    return open_memory(root).session(Scope(user="ana", thread=thread))


def race(root: Path, writers: int, work: Callable[[str, int, Any, Any], None]) -> Counter[str]:
    """Let writers in processes of their own go at once; how their calls were answered."""
    barrier, told = SPAWN.Barrier(writers), SPAWN.SimpleQueue()
    processes = [SPAWN.Process(target=work, args=(str(root), n, barrier, told)) for n in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("a writer ended with an error, see above")
    answers: Counter[str] = Counter()
    for _ in processes:
        answers.update(told.get())
    return answers


def _append(root: str, writer: int, barrier: Any, told: SimpleQueue[Counter[str]]) -> None:
    ana = session(root, f"t{writer}")
    answers: Counter[str] = Counter()
    barrier.wait()
    for n in range(500):
        ana.append(f"w{writer}-{n}", "user", f"Message {n} of writer {writer}.")
        answers["ok"] += 1
    told.put(answers)


def appends(root: Path) -> dict[str, Any]:
    """8 processes × 500 appends."""
    session(root).note_add("The store is there.")
    answers = race(root, 8, _append)
    found = Counter(item["text"] for item in session(root).list(kind="messages").data["items"])
    wanted = {f"Message {n} of writer {w}." for w in range(8) for n in range(500)}
    return {
        "acknowledged": answers["ok"],
        "lost": len(wanted - set(found)),
        "duplicated": sum(n - 1 for n in found.values()),
        "half": len(set(found) - wanted),
    }


def _correct(root: str, writer: int, barrier: Any, told: SimpleQueue[Counter[str]]) -> None:
    ana = session(root)
    record = ana.list().data["items"][0]["id"]
    answers: Counter[str] = Counter()
    barrier.wait()
    for n in range(200):
        try:
            ana.correct(f"our database is number {writer}-{n}", id=record)
            answers["ok"] += 1
        except Conflict:
            answers["conflict"] += 1
    told.put(answers)


def corrections(root: Path) -> dict[str, Any]:
    """4 processes × 200 corrections of one fact."""
    first = session(root).remember("our database is Postgres").ids[0]
    answers = race(root, 4, _correct)
    ana = session(root)
    chain = [item["revision"] for item in ana.history(first).data["items"]]
    live = len(ana.list().data["items"])
    made = answers["ok"] + 1
    return {
        **answers,
        "lost": made - len(set(chain)),
        "duplicated": len(chain) - len(set(chain)),
        "forks": live - 1 + int(sorted(chain) != list(range(1, made + 1))),
    }


def _write(root: str, writer: int, barrier: Any, told: SimpleQueue[Counter[str]]) -> None:
    ana = session(root)
    answers: Counter[str] = Counter()
    barrier.wait()
    while answers["ok"] < 200:
        revision = ana.doc_read("plan").revision
        try:
            ana.doc_edit("plan", "last", f"{writer}-{answers['ok']}\nlast", expected=revision or 0)
            answers["ok"] += 1
        except Conflict:
            answers["conflict"] += 1
    told.put(answers)


def documents(root: Path) -> dict[str, Any]:
    """4 processes × 200 edits of one document, each from the revision it read."""
    session(root).doc_write("plan", "last", expected=0)
    answers = race(root, 4, _write)
    read = session(root).doc_read("plan")
    lines = Counter(read.data["text"].split("\n"))
    wanted = {f"{w}-{n}" for w in range(4) for n in range(200)}
    return {
        **answers,
        "lost": len(wanted - set(lines)),
        "duplicated": sum(n - 1 for n in lines.values()),
        "forks": int(read.revision != answers["ok"] + 1),
    }


def _summarise(root: str, writer: int, barrier: Any, told: SimpleQueue[Counter[str]]) -> None:
    ana = session(root)
    answers: Counter[str] = Counter()
    for n in range(60):
        barrier.wait()
        if not writer:
            ana.append(f"late-{n}", "user", f"Late message {n}.")
        try:
            answers["ok"] += bool(ana.summarise(keep=n % 3).ids)
        except Conflict:
            answers["conflict"] += 1
    told.put(answers)


def summaries(root: Path) -> dict[str, Any]:
    """2 summarisers of one thread, 60 times at once, while messages arrive. Each summary covers the thread from its first message
    on, whole and in order, and no two go on from the same one."""
    ana = session(root)
    for n in range(100):
        ana.append(f"m{n}", "user", f"Message {n} of the thread.")
    answers = race(root, 2, _summarise)
    covered = [item["source_ids"] for item in session(root).list(kind="summaries").data["items"]]
    order = [item["id"] for item in session(root).list(kind="messages").data["items"]]
    return {
        **answers,
        "chain": len(covered),
        "forks": len(covered) - len({len(one) for one in covered}),
        "lost": sum(list(one) != order[: len(one)] for one in covered),
        "duplicated": sum(len(one) - len(set(one)) for one in covered),
    }


def points(root: Path, engine: Engine = STANDARD) -> dict[str, Any]:
    """A kill at every point of every verb that writes."""
    rehearsal = rehearse(every_kind(root), root / "store", stores=root / "stores")
    return _found("kills", faults_at_points(rehearsal, root / "stores", root / "store", engine=engine))


def unsynced(root: Path) -> dict[str, Any]:
    """The same on a store that syncs nothing: a killed process does not show that."""
    return points(root, Engine(sync=False))


def kills(root: Path, count: int) -> dict[str, Any]:
    """Seeded kills, each in drawn writes of its own; in two of three the opening after it is killed too."""

    def tried() -> Iterator[str]:
        for seed in range(count):
            rehearsal = rehearse(drawn(seed), root / "store")
            point = 1 + (seed * 7919) % rehearsal.points
            fault = fault_after_kill(rehearsal, root / "store", point, opening=seed % 3 * (1 + seed % 7))
            yield f"seed {seed}: {fault}" if fault else ""

    return _found("kills", tried())


def power(root: Path) -> dict[str, Any]:
    """A loss of power at every sync and after every acknowledgement, unsynced writes dropped, scattered or torn."""
    from tests.faults.blackout import LOSSES, breaches, record  # needs apsw

    return _found("losses", breaches(record(root, every_kind(root)), LOSSES))


def _found(what: str, tried: Iterator[str]) -> dict[str, Any]:
    outcomes = list(tried)
    faults = [fault for fault in outcomes if fault]
    return {what: len(outcomes), "faults": len(faults), "first": faults[:1]}


BAD = ("lost", "duplicated", "half", "forks", "faults")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["appends", "corrections", "documents", "summaries", "points", "unsynced", "power", "kills"])
    parser.add_argument("--kills", type=int, default=1000)
    given = parser.parse_args()
    benches: dict[str, Callable[[Path], dict[str, Any]]] = {
        **{bench.__name__: bench for bench in (appends, corrections, documents, summaries, points, unsynced, power)},
        "kills": lambda root: kills(root, given.kills),
    }
    bad = 0
    for name in given.names:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="memgauge-bench-") as root:
            figures = benches[name](Path(root))
        bad += sum(int(figures.get(key, 0)) for key in BAD)
        print(json.dumps({"bench": name, **figures, "seconds": round(time.monotonic() - started, 1)}), flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
