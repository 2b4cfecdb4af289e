"""End a child process with everything it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path


def kill_tree(process: subprocess.Popen[bytes], grace_s: float = 0.0) -> None:
    """SIGKILL the process, its group and its descendants, and reap it. The process must lead a session of its own. It has
    `grace_s` to end by itself first, so that its exit code is its own."""
    everyone = descendants(process.pid) if grace_s else []
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=grace_s)
    if process.poll() is None:
        strike(process.pid)
    _end(everyone)
    process.wait()


def strike(pid: int) -> None:
    """SIGKILL a process that leads a session, its group and its descendants, those in sessions of their own too. All of the group stand
    still first, so that nothing is written and nobody is orphaned while the others are looked for."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGSTOP)
        everyone = descendants(pid)
        os.killpg(pid, signal.SIGKILL)
        _end(everyone)


def _end(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Ids of all processes under this one, where /proc tells; elsewhere none, and the group has to do."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found
