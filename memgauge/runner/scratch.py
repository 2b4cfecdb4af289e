"""The folder a run works in. It is gone after the run; after a run that was killed, it goes with the next one, for what its cases
stored may be private."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memgauge.systems.strays import end_marked

PREFIX = "memgauge-run-"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A fresh folder, locked as long as this process uses it."""
    sweep()
    draft = Path(tempfile.mkdtemp(prefix=".memgauge-"))
    lock = _locked(draft)
    folder = draft.rename(draft.with_name(f"{PREFIX}{secrets.token_hex(6)}"))  # it has its name only once it is locked
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep() -> None:
    """Remove the folders of this user that nobody holds any more, and end what still runs in them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        lock = _locked(folder)
        if lock is not None and os.fstat(lock).st_uid == os.getuid():
            end_marked(str(folder))
            shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the folder until it is closed, None where another process does."""
    descriptor = None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor
