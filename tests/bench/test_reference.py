"""What the reference memory costs beside bare SQLite, as ratios measured in one run: `pytest -s tests/bench/test_reference.py`.

Nothing is asserted about time: machines differ, and so does a busy one from itself. Each pair is measured in turn, round by round,
and the medians are compared. Targets are those of the design: append at least 0.5 of bare commits, recall at most 1.5 times
the bare full-text query, a context that asks nothing flat within 10 % from 1,000 to 100,000 notes.
"""

from __future__ import annotations

import random
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgauge.clock import ManualClock
from memgauge.memory_ref import Scope, notes, open_memory
from memgauge.memory_ref.memory import Memory
from memgauge.memory_ref.question import ask
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store

ANA = Scope(user="ana", thread="main")
ROUNDS = 5
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


def words(seed: int, n: int) -> list[str]:
    """Made-up words: a vocabulary whose size grows with the store, as a real one does."""
    drawn = random.Random(seed)
    return ["".join(drawn.choices(_SYLLABLES, k=drawn.randint(2, 4))) for _ in range(n)]


VOCABULARY = words(0, 6000)


def sentence(n: int) -> str:
    drawn = random.Random(n)
    weights = [int(6000 * drawn.paretovariate(1.0) ** -1) % 6000 for _ in range(10)]
    return f"My {' '.join(VOCABULARY[i] for i in weights)} is number {n}."


def timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def worked(work: Callable[[], Any]) -> float:
    """Seconds of this process's own work: for what waits for no disk, so that a busy machine does not count."""
    started = time.process_time()
    work()
    return time.process_time() - started


def compared(
    first: Callable[[int], Any], second: Callable[[int], Any], rounds: int = ROUNDS, clock: Callable[[Callable[[], Any]], float] = timed
) -> tuple[float, float]:
    """Median seconds of both, measured alternately."""
    pairs = [(clock(lambda: first(n)), clock(lambda: second(n))) for n in range(rounds)]  # noqa: B023
    return statistics.median(one for one, _ in pairs), statistics.median(two for _, two in pairs)


def told(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with capsys.disabled():
        print(f"\n{line}")


def filled(root: Path, number: int, **policy: Any) -> Memory:
    """A memory with so many notes, and a short conversation."""
    memory = open_memory(root, clock=ManualClock(), policy=policy)
    memory.session(ANA).append_many([{"message_id": f"m{n}", "role": "user", "text": sentence(n)} for n in range(30)])

    def fill(store: Store) -> Reply:
        for n in range(number):
            notes.add(store, sentence(n))
        return Reply()

    memory.write(ANA, "fill", {}, fill)
    return memory


def test_append_beside_bare_commits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = open_memory(tmp_path / "store", clock=ManualClock())
    session = memory.session(ANA)
    bare = sqlite3.connect(tmp_path / "bare.db", isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        bare.execute(f"PRAGMA {pragma}")
    bare.execute("CREATE TABLE messages (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL)")

    def append(n: int) -> None:
        for i in range(60):
            session.append(f"m{n}-{i}", "user", sentence(i))

    def commit(n: int) -> None:
        for i in range(60):
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO messages (id, text) VALUES (?, ?)", (f"m{n}-{i}", sentence(i)))
            bare.execute("COMMIT")

    ours, theirs = compared(append, commit)
    told(capsys, f"append: {ours / 60 * 1000:.2f} ms, bare commit {theirs / 60 * 1000:.2f} ms: {theirs / ours:.2f} of bare commits (target 0.5)")
    bare.close()
    memory.close()


def test_many_appends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = open_memory(tmp_path / "store", clock=ManualClock())
    spent = []
    for n in range(ROUNDS):
        said = [{"message_id": f"m{n}-{i}", "role": "user", "text": sentence(n * 500 + i)} for i in range(500)]
        started = time.process_time()
        memory.session(ANA).append_many(said)
        spent.append((time.process_time() - started) * 1000)
    told(capsys, f"append_many of 500: {statistics.median(spent):.0f} ms CPU (target well under 85)")
    memory.close()


@pytest.mark.parametrize("number", [1000, 10_000])
def test_recall_beside_the_bare_query(tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int) -> None:
    memory = filled(tmp_path / "store", number)
    session = memory.session(Scope(user="ana", thread="asking"))
    bare = sqlite3.connect(tmp_path / "bare.db", isolation_level=None)
    bare.execute("CREATE VIRTUAL TABLE found USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
    bare.executemany("INSERT INTO found (text) VALUES (?)", [(sentence(n),) for n in range(number)])
    questions = [f"Which number has my {' '.join(random.Random(n).sample(sentence(n * 7).split()[1:-3], 3))}?" for n in range(30)]
    found = sum(any(item["text"] == sentence(n * 7) for item in session.recall(text).data["items"]) for n, text in enumerate(questions))

    def recall(n: int) -> None:
        for text in questions:
            session.recall(f"{text} {n}")

    recall(ROUNDS)  # words of a store are taken apart once a process

    def query(n: int) -> None:
        for text in questions:
            expression = ask(f"{text} {n}").expression()
            bare.execute("SELECT rowid, text FROM found WHERE found MATCH ? ORDER BY bm25(found) LIMIT 5", (expression,)).fetchall()

    ours, theirs = compared(recall, query, clock=worked)
    each = (ours / len(questions) * 1000, theirs / len(questions) * 1000)
    told(
        capsys,
        f"recall of {number} notes: {each[0]:.2f} ms, bare query {each[1]:.2f} ms: {ours / theirs:.1f} times (target 1.5); "
        f"found {found} of {len(questions)}",
    )
    bare.close()
    memory.close()


def test_a_context_that_asks_nothing_is_flat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = (1000, 10_000, 100_000)
    memories = [filled(tmp_path / f"store{size}", size, **{"recall.enabled": False}) for size in sizes]
    spent: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(ROUNDS):
        for size, memory in zip(sizes, memories, strict=True):
            session = memory.session(ANA)
            work = [timed(lambda: session.context("Hello there", {"window": 4000, "reserve": 500})) for _ in range(10)]  # noqa: B023
            spent[size].append(statistics.median(work))
    each = {size: statistics.median(values) * 1000 for size, values in spent.items()}
    line = ", ".join(f"{size} notes {ms:.2f} ms ({ms / each[sizes[0]]:.2f})" for size, ms in each.items())
    told(capsys, f"context without the query: {line} (target: within 1.10 of the first)")
    for memory in memories:
        memory.close()
