"""What a system prints while a private case runs goes nowhere: a log of continuous integration is read by others."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def hushed(private: bool) -> Iterator[None]:
    """Standard output and error of this process, and of what it starts meanwhile, are the null device while a private case runs."""
    if not private:
        yield
        return
    kept = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        with open(os.devnull, "w", encoding="utf-8") as void, contextlib.redirect_stdout(void), contextlib.redirect_stderr(void):
            yield  # Python's own streams need not be the descriptors: a test runner puts others in their place
    finally:
        _flush()
        for number, descriptor in enumerate(kept, start=1):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(nowhere)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
