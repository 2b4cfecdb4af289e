"""The one error tree. A verdict about a memory is never an exception; these are for what went wrong around it.

MemgaugeError              root; carries `hint` (what to type or change next) and `exit_code`
├── InputError        2    a file, flag or value that cannot be used; says what, where, got, allowed
│   └── InputErrors   2    several of them, one line each
├── MissingExtra      2    an optional package is not installed; the hint is the pip line
├── SystemFault       3    the system under test raised, hung, died or broke the protocol
├── HarnessFault      3    this program's own work failed (a report that cannot be written, a nondeterministic run)
├── NothingSelected   5    a selection that matches no scenario
├── CannotDecide      4    no baseline, not comparable, too little data
└── StoreError        3    the reference memory's branch (see memgauge.memory_ref.errors)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MemgaugeError(Exception):
    """Root of the tree. `str(error)` is one line; `hint` is the next step, or empty."""

    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def lines(self) -> list[str]:
        """The lines shown to a user: the message, with the hint behind it."""
        return [f"{self} ({self.hint})" if self.hint else str(self)]


class InputError(MemgaugeError):
    """Something the user wrote cannot be used. `where` is `file:line:column`, a flag or a key path."""

    exit_code = 2

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.where = where


class InputErrors(InputError):
    """Every fault found in one file or selection, so that they can be mended in one go."""

    def __init__(self, errors: Iterable[InputError]) -> None:
        self.errors = list(errors)
        super().__init__("\n".join(str(e) for e in self.errors))

    def lines(self) -> list[str]:
        return [line for error in self.errors for line in error.lines()]


def unreadable(path: object, error: OSError | UnicodeDecodeError, *, hint: str = "") -> InputError:
    """The fault of a file that cannot be read or decoded, in the words of the system and without its number."""
    told = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else f"not UTF-8 at byte {error.start}"
    return InputError(told, where=str(path), hint=hint)


class MissingExtra(MemgaugeError):
    """An optional dependency is not installed."""

    exit_code = 2

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed", hint=f"pip install 'memgauge[{extra}]'")


class SystemFault(MemgaugeError):
    """The system under test raised, hung, died, or answered outside the protocol."""


class HarnessFault(MemgaugeError):
    """The harness could not do its own work; no number of this run is to be trusted."""


class NothingSelected(MemgaugeError):
    """The selection is empty. Never the same as success."""

    exit_code = 5


class CannotDecide(MemgaugeError):
    """There is not enough to decide on: no baseline, not comparable, too little data."""

    exit_code = 4


class StoreError(MemgaugeError):
    """Base of what the reference memory raises."""


NAMES_SHOWN = 20
"""Allowed names that one message lists."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """`did you mean "x"?` for the closest allowed name, else the allowed names, else an empty text."""
    names = sorted(set(allowed))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f'did you mean "{close[0]}"?'
    more = f", … ({len(names)} in all)" if len(names) > NAMES_SHOWN else ""
    return f"allowed: {', '.join(names[:NAMES_SHOWN])}{more}" if names else ""
