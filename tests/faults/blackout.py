"""Losses of power while the reference writes: record what its files go through, rebuild them as a loss would leave them, and look."""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memgauge.memory_ref.engine import Connect, Engine
from tests.faults.connection import ApswConnection
from tests.faults.killing import Rehearsal, rehearse
from tests.faults.power import Loss, Machine
from tests.faults.recording import Event, Record, RecordingDisk, RecordingVFS, Sync, Told
from tests.faults.workload import Op

LOSSES: tuple[Loss, ...] = ("dropped", "some", "torn")


@dataclass(frozen=True, slots=True)
class Workload:
    """Writes to a store at `root`, and everything its files went through meanwhile."""

    rehearsal: Rehearsal
    events: tuple[Event, ...]
    root: Path


def record(base: Path, ops: Sequence[Op], *, sync: bool = True, skips: Callable[[Path], bool] = lambda path: False) -> Workload:
    """Play the writes in a new store below `base`. `sync`, `skips`: what the store leaves out of its syncs."""
    recorded = Record(base)
    vfs = RecordingVFS(f"recording-{base}", recorded)
    connect = cast("Connect", lambda path, busy_s: ApswConnection(path, busy_s, vfs.name))
    engine = Engine(connect=connect, disk=RecordingDisk(recorded, skips), sync=sync)
    root = base / "recorded"
    rehearsal = rehearse(ops, root, engine=engine, told=lambda answered: recorded.events.append(Told(answered)))
    return Workload(rehearsal, tuple(recorded.events), root)


def breaches(work: Workload, losses: Sequence[Loss], *, every: int = 1) -> Iterator[str]:
    """What is wrong after a loss of power just before and after each sync and after each acknowledgement, or empty. One loss in `every`
    is tried. Losses that leave what an earlier one left are not tried again."""
    machine, told, tried, number = Machine(), 0, set(), 0
    for n, event in enumerate(work.events):
        if isinstance(event, Told):
            told = event.answered
        moments = (False, True) if isinstance(event, Sync) else (True,)
        for after in moments:
            if after:
                machine.happen(event)
            if not isinstance(event, Sync | Told):
                continue
            for loss in losses:
                files = machine.after(loss, random.Random(f"{n}/{after}/{loss}"))
                left = hashlib.sha256(repr((told, sorted(files.items()))).encode()).digest()
                if left in tried:
                    continue
                tried.add(left)
                number += 1
                if number % every == 0:
                    _rebuild(work.root.parent, files, work.root)
                    fault = work.rehearsal.fault(work.root, told)
                    shutil.rmtree(work.root, ignore_errors=True)
                    yield f"{loss} {'after' if after else 'before'} event {n}, after {told} acknowledgements: {fault}" if fault else ""


def _rebuild(base: Path, files: dict[str, bytes | None], root: Path) -> None:
    for name in sorted(files):
        path, data = base / name, files[name]
        if path == root or root in path.parents:
            if data is None:
                path.mkdir()
            else:
                path.write_bytes(data)
