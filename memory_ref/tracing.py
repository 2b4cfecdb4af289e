"""Points at which a write can be interrupted, reported to an injected tracer so that every one of them can be tried."""

from __future__ import annotations

from typing import Literal, Protocol

Point = Literal["begin", "statement", "commit", "committed", "acknowledge", "replace"]
"""begin: before BEGIN. statement: before each statement. commit, committed: around COMMIT. acknowledge: the caller is about
to be told. replace: before a file takes another's place."""


class Tracer(Protocol):
    """Called at every point, in order. It may raise or end the process; it must not touch the store."""

    def __call__(self, point: Point, detail: str) -> None: ...


def silent(point: Point, detail: str) -> None:
    """The tracer that does nothing."""
