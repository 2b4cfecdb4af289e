"""A home of its own for every case, so that what a memory writes beside its root is found and does not outlive the case.

HOME, TMPDIR and the XDG folders for data and state lie below the case; caches stay the user's, since models are kept there. The
working folder stays as it is, because systems are imported from it. What a memory writes under a fixed path of its own (/tmp/x)
cannot be seen: run it in a container for that.
"""

from __future__ import annotations

import contextlib
import os
import site
import tempfile
from collections.abc import Iterator
from pathlib import Path

HOME = "home"


def home_of(root: Path) -> Path:
    """The home of the case that a store's root belongs to."""
    return root.parent / HOME


@contextlib.contextmanager
def at_home(case: Path) -> Iterator[None]:
    """Environment variables and Python's own idea of a temporary folder point below the folder of the case."""
    home = case / HOME
    temporary = home / "tmp"
    temporary.mkdir(parents=True)
    old_home = Path.home()
    moved = {
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(old_home / ".cache")),
        "PYTHONUSERBASE": os.environ.get("PYTHONUSERBASE", site.getuserbase()),
    }
    before = {name: os.environ.get(name) for name in moved}
    os.environ.update(moved)
    tempdir, tempfile.tempdir = tempfile.tempdir, None
    try:
        yield
    finally:
        tempfile.tempdir = tempdir
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
