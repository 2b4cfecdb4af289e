"""Standard streams as a command finds them: closed, full, cut off by `| head`, or of a narrow encoding. None of it changes what it does.

Who stops reading is not told the rest, and the exit code stays that of the command. A disk that is full is a fault, in one line.
"""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from memgauge.errors import HarnessFault

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


class Outlet:
    """A text stream that swallows what nobody reads any more. Where it cannot be written for another reason it raises HarnessFault,
    unless it is one that `may_be_lost`."""

    def __init__(self, stream: TextIO, *, may_be_lost: bool = False) -> None:
        self._stream = stream
        self._may_be_lost = may_be_lost

    def write(self, text: str) -> int:
        self._tried(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._tried(self._stream.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _tried(self, act: Any) -> None:
        try:
            act()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())  # what is buffered goes there, now and at the end
            if not self._may_be_lost and not isinstance(error, BrokenPipeError):
                raise HarnessFault(f"{self._stream.name}: cannot be written: {error.strerror}", hint="free some space") from None


def settle() -> None:
    """Make the three standard streams usable: the null device for one that is closed, a substitute for letters that it cannot show."""
    for number, (name, mode) in enumerate(_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it takes the lowest number, so that no file of ours comes to stand there
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  it lives as long as the program
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stderr else "replace")
    sys.stdout = Outlet(sys.stdout)
    sys.stderr = Outlet(sys.stderr, may_be_lost=True)


def is_wide(stream: TextIO) -> bool:
    """Whether every letter can be written to it as it is."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")
