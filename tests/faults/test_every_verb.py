"""Each verb that writes, on a disk that fills up and on a store that another holds: done, or an error that may be retried and has changed
nothing, after which the same call comes to what it should. Never silence."""

from __future__ import annotations

import contextlib
import errno
import json
import resource
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgauge.memory_ref.engine import STANDARD, Engine, connect
from memgauge.memory_ref.errors import Busy, StorageFailed, StoreError
from memgauge.memory_ref.files import Disk
from tests.faults.killing import Rehearsal, copy_store, in_child, rehearse
from tests.faults.workload import Op, every_kind, opened, seen, write

DONE, RETRYABLE = "done", "retryable"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The writes, and the store as it was before each but the first, which makes it."""

    rehearsal: Rehearsal
    stores: Path
    root: Path

    def answers(self, how: Callable[[int, Op], str], verbs: Collection[str] = ()) -> Counter[str]:
        """Carry out each write, or those of some verbs, on its store, and hold what is there then against how it was answered."""
        answered: Counter[str] = Counter()
        for n, op in enumerate(self.rehearsal.ops):
            if not n or (verbs and op.name not in verbs):
                continue
            copy_store(self.stores / str(n), self.root)
            answer = how(n, op)
            assert answer in (DONE, RETRYABLE), op
            fault = self.rehearsal.fault(self.root, n + (answer == DONE), failed=answer == RETRYABLE)
            assert not fault, f"{op} was answered {answer}: {fault}"
            answered[answer] += 1
        return answered


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    base = tmp_path_factory.mktemp("every-verb")
    root, stores = base / "store", base / "stores"
    return Prepared(rehearse(every_kind(base), root, stores=stores), stores, root)


def answer(root: Path, n: int, op: Op, *, engine: Engine = STANDARD, trouble: Callable[[], object] = lambda: None) -> str:
    """How a write is answered when there is trouble from the opening of its store on."""
    with opened(root, engine=engine) as memory:
        seen(memory, op.day)
        trouble()
        try:
            write(memory, op, str(n))
        except StoreError as error:
            return RETRYABLE if isinstance(error, Busy | StorageFailed) and error.retryable else f"{type(error).__name__}: {error}"
        return DONE


@pytest.mark.parametrize("pages", [0, 4])
def test_a_database_without_pages_left(prepared: Prepared, pages: int) -> None:
    def narrow(path: Path, busy_s: float) -> sqlite3.Connection:
        connection = connect(path, busy_s)
        have = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {have + pages}")
        return connection

    answered = prepared.answers(lambda n, op: answer(prepared.root, n, op, engine=Engine(connect=narrow)))
    assert answered[RETRYABLE] > 0
    assert answered[DONE] > 0


@pytest.mark.parametrize(("of_log", "more"), [(True, 0), (True, 9000), (False, 100)])
def test_files_that_may_not_grow(prepared: Prepared, of_log: bool, more: int) -> None:
    """RLIMIT_FSIZE, to the size of the write-ahead log and some bytes more, or below that of any database."""

    def limited(n: int, op: Op) -> str:
        def limit() -> None:
            [log] = prepared.root.glob("*/memory.db-wal")
            most = more + (log.stat().st_size if of_log else 0)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        return in_child(lambda tell: tell(answer(prepared.root, n, op, trouble=limit)))[0]

    assert prepared.answers(limited)[RETRYABLE] > 0


class FailingDisk(Disk):
    """The n-th change of a file beside SQLite's fails half done; so do those behind it, for the disk stays full."""

    def __init__(self, left: int) -> None:
        self.left = left

    def write(self, path: Path, data: bytes, *, append: bool) -> None:
        self.left -= 1
        super().write(path, data if self.left >= 0 else data[: len(data) // 2], append=append)
        self._fail()

    def sync(self, path: Path) -> None:
        self.left -= 1
        self._fail()
        super().sync(path)

    def rename(self, old: Path, new: Path) -> None:
        self.left -= 1
        self._fail()
        super().rename(old, new)

    def _fail(self) -> None:
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")


def test_each_change_of_the_event_log_and_of_a_backup_may_fail(prepared: Prepared) -> None:
    failed: Counter[str] = Counter()
    verbs = {"call_begin", "call_end", "backup", "expire", "forget", "forget_all"}
    for left in range(8):

        def failing(n: int, op: Op, left: int = left) -> str:
            disk = FailingDisk(1 << 30)
            answered = answer(prepared.root, n, op, engine=Engine(disk=disk), trouble=lambda: setattr(disk, "left", left))
            failed[op.name] += disk.left < 0
            return answered

        prepared.answers(failing, verbs)
    assert {name for name, times in failed.items() if times} == verbs


def test_a_lock_that_is_not_given_back(prepared: Prepared) -> None:
    def refused(n: int, op: Op) -> str:
        with contextlib.ExitStack() as held:
            return answer(prepared.root, n, op, engine=Engine(connect=impatient), trouble=lambda: held.enter_context(locked(prepared.root)))

    assert set(prepared.answers(refused)) == {RETRYABLE}


def test_a_lock_held_for_two_seconds_is_waited_for(prepared: Prepared, tmp_path: Path) -> None:
    """By all verbs at once, each on a store of its own."""
    answered: dict[int, tuple[str, float, bool]] = {}

    def wait(n: int, op: Op) -> None:
        root = tmp_path / str(n)
        copy_store(prepared.stores / str(n), root)
        with contextlib.ExitStack() as held:
            started = time.monotonic()
            release = threading.Timer(2.0, held.close)

            def trouble() -> None:
                held.enter_context(locked(root))
                release.start()

            told = answer(root, n, op, trouble=trouble)
            spent = time.monotonic() - started
            release.join()
        with opened(root) as memory:
            shown, wanted = seen(memory, op.day), prepared.rehearsal.allowed[n][1]
        answered[n] = told, spent, json.loads(shown)[:-1] == json.loads(wanted)[:-1]  # backups lie where the store was first

    threads = [threading.Thread(target=wait, args=pair) for pair in enumerate(prepared.rehearsal.ops) if pair[0]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {told for told, _, _ in answered.values()} == {DONE}
    assert len(answered) == len(threads)
    assert all(spent > 1.9 and is_as_wanted for _, spent, is_as_wanted in answered.values())


def impatient(path: Path, busy_s: float) -> sqlite3.Connection:
    return connect(path, 0.05)


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Another holds the one store below the root."""
    [path] = root.glob("*/memory.db")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
