"""A process that is killed at a counted point of its writes, and what it had been told until then. Forked, so that a thousand take a minute."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from memgauge.memory_ref.engine import STANDARD, Engine
from memgauge.memory_ref.tracing import Point
from tests.faults.workload import Again, Op, fault_of, opened, play, seen


class Points:
    """A tracer that counts the points of writes, not those of looks (`paused`), and ends the process at the n-th; 0: at none."""

    def __init__(self, kill_at: int = 0) -> None:
        self.passed = 0
        self.paused = False
        self._kill_at = kill_at

    def __call__(self, point: Point, detail: str) -> None:
        if not self.paused:
            self.passed += 1
            if self.passed == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The same writes without a kill: how many points they pass, what may be seen when so many were answered and the next was under
    way, and which were acknowledged."""

    ops: tuple[Op, ...]
    points: int
    allowed: tuple[tuple[str, ...], ...]
    accepted: tuple[bool, ...]

    def fault(self, root: Path, reached: int, *, failed: bool = False) -> str:
        """What is wrong with a store in which so many writes were answered and the next was under way, or `failed` and must have left
        nothing."""
        if not any(root.glob("*/memory.db")):
            return "" if not reached else "no store is left"
        if reached == len(self.ops):
            return fault_of(root, self.allowed[reached], self.ops[-1].day)
        before, after = self.allowed[reached]
        again = Again(self.ops[reached], str(reached), self.accepted[reached], after)
        return fault_of(root, (before,) if failed else (before, after), again.op.day, again)


def rehearse(
    ops: Sequence[Op], root: Path, *, stores: Path | None = None, engine: Engine = STANDARD, told: Callable[[int], None] = lambda answered: None
) -> Rehearsal:
    """Play the writes in `root`, which is then removed. `stores`: where to leave the store as it was before each write but the first;
    `told`: called after each."""
    points = Points()
    allowed: list[tuple[str, ...]] = []
    accepted: list[bool] = []
    with opened(root.with_name(f"{root.name}-empty")) as memory:
        before = seen(memory)
    with opened(root, points, engine=engine) as memory:
        for n, op in enumerate(ops):
            if n:
                points.paused = True
                before = seen(memory, op.day)
                points.paused = False
                if stores is not None:
                    copy_store(root, stores / str(n))
            accepted.append(play(memory, op, str(n)))
            told(n + 1)
            points.paused = True
            allowed.append((before, seen(memory)))
            points.paused = False
        points.paused = True
        allowed.append((seen(memory),))
    shutil.rmtree(root)
    return Rehearsal(tuple(ops), points.passed, tuple(allowed), tuple(accepted))


def killed(ops: Sequence[Op], root: Path, point: int, *, first: int = 0, engine: Engine = STANDARD) -> tuple[int, bool]:
    """Play the writes from the `first` on in a child that is killed at the point, the opening of a store that was there not counted. How
    many had been answered, and whether the point was reached."""

    def work(answer: Callable[[str], object]) -> None:
        points = Points(point)
        with opened(root, points, engine=engine) as memory:
            if first:
                points.paused = True
                seen(memory, ops[first].day)
                points.paused = False
            for n, op in enumerate(ops[first:], first):
                play(memory, op, str(n))
                answer(".")

    answered, was_killed = in_child(work)
    return len(answered), was_killed


def killed_opening(root: Path, day: int, point: int) -> bool:
    """Open a store and look at it in a child that is killed at the point; whether it was reached."""

    def work(answer: Callable[[str], object]) -> None:
        with opened(root, Points(point)) as memory:
            seen(memory, day)

    return in_child(work)[1]


def in_child(work: Callable[[Callable[[str], object]], object]) -> tuple[str, bool]:
    """All that a forked child answered, and whether it was killed. Raises RuntimeError when it failed otherwise."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reader)
            work(lambda text: os.write(writer, text.encode()))
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answered = pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the child raised, after it had answered {answered!r}")
    return answered, os.WIFSIGNALED(status)


def fault_after_kill(rehearsal: Rehearsal, root: Path, point: int, *, opening: int = 0) -> str:
    """Play all writes, kill at the point, open again, and say what is wrong; empty when nothing is. `opening`: the point at which the
    first opening after that is killed too."""
    answered, _ = killed(rehearsal.ops, root, point)
    if opening and any(root.glob("*/memory.db")):
        killed_opening(root, rehearsal.ops[min(answered, len(rehearsal.ops) - 1)].day, opening)
    fault = rehearsal.fault(root, answered)
    shutil.rmtree(root, ignore_errors=True)
    return f"killed at point {point}, after {answered} answers: {fault}" if fault else ""


def faults_at_points(rehearsal: Rehearsal, stores: Path, root: Path, *, first: int = 0, every: int = 1, engine: Engine = STANDARD) -> Iterator[str]:
    """Kill each write alone at its points, at all or at some of them, in a store as it was before that write: for each kill what is wrong.

    `root` is the folder of the rehearsal, since a store knows the full paths of its backups.
    """
    for n, op in enumerate(rehearsal.ops[first:], first):
        for point in count(1 + n % every, every):
            if n:
                copy_store(stores / str(n), root)
            answered, reached = killed(rehearsal.ops[: n + 1], root, point, first=n, engine=engine)
            if not reached:
                break
            fault = rehearsal.fault(root, n + answered)
            yield f"{op.name} killed at its point {point}: {fault}" if fault else ""
            shutil.rmtree(root)
    shutil.rmtree(root)


def copy_store(store: Path, to: Path) -> None:
    """A copy of a store that nobody writes to, open or not: its index of the log is made anew by whoever opens it."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(store, to, ignore=shutil.ignore_patterns("*-shm"))
