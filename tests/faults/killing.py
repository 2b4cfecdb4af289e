"""A process that is killed at a counted point of its writes, and what it had been told until then. Forked, so that a thousand take a minute."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memgauge.systems.reference import KillAt
from tests.faults.workload import Op, fault_of, opened, play, seen


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The same writes without a kill: how many points they pass, and what is seen after each (0: before the first)."""

    points: int
    states: tuple[str, ...]


def rehearse(ops: Sequence[Op], root: Path) -> Rehearsal:
    points = 0

    def count(point: str, detail: str) -> None:
        nonlocal points
        points += 1

    states = []
    with opened(root, count) as memory:
        states.append(seen(memory))
        for op in ops:
            play(memory, op)
            before = points
            states.append(seen(memory))
            points = before  # reads pass no point that a kill is counted by
    return Rehearsal(points, tuple(states))


def killed(ops: Sequence[Op], root: Path, point: int) -> int:
    """Play the writes in a child that is killed at the point; how many had been answered."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reader)
            with opened(root, KillAt(point)) as memory:
                seen(memory)
                for op in ops:
                    play(memory, op)
                    os.write(writer, b".")
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answered = len(pipe.read())
    os.waitpid(child, 0)
    return answered


def fault_after_kill(ops: Sequence[Op], rehearsal: Rehearsal, root: Path, point: int) -> str:
    """Kill, open again, and say what is wrong; empty when nothing is. The folder is removed when nothing is."""
    answered = killed(ops, root, point)
    if not any(root.glob("*/memory.db")):
        return "" if not answered else "no store is left"
    fault = fault_of(root, rehearsal.states[answered : answered + 2])
    if fault:
        return f"killed at point {point}, after {answered} answers: {fault}"
    shutil.rmtree(root)
    return ""
