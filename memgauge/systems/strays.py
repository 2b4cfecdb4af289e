"""Processes that outlive what started them: a helper that a memory began and never ended keeps the caller's pipe open for good."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

CASE_MARK = "MEMGAUGE_CASE"
"""Variable with the folder of the case, or of what else is going on, by which processes are found that outlived it."""
TRACKER = b"multiprocessing.resource_tracker"
"""Python's own helper; it ends by itself once the processes it serves are gone, and complains when it is ended before."""


@contextlib.contextmanager
def none_left(mark: str) -> Iterator[None]:
    """Inside, every process started is marked; on the way out, whichever that is, those that still run are ended."""
    before = os.environ.get(CASE_MARK)
    os.environ[CASE_MARK] = mark
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(CASE_MARK, None)
        else:
            os.environ[CASE_MARK] = before
        end_marked(mark)


def end_marked(mark: str) -> None:
    """SIGKILL every process but this one that was started under this mark or one below it (`mark/...`), where /proc tells.

    A fork counts too: its environment is that of the process it was made from.
    """
    name = f"{CASE_MARK}=".encode()
    whole, below = name + os.fsencode(mark), name + os.fsencode(mark) + b"/"
    for environ in Path("/proc").glob("[0-9]*/environ"):
        pid = int(environ.parent.name)
        with contextlib.suppress(OSError):
            marked = any(part == whole or part.startswith(below) for part in environ.read_bytes().split(b"\0"))
            if marked and pid != os.getpid() and TRACKER not in (environ.parent / "cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
