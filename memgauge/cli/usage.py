"""A command line that is no command of this program, in one line: what, got, allowed, and where to read on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_PLAIN: tuple[tuple[str, str], ...] = (
    (r"Input should be greater than or equal to (\S+)", r"must be at least \1"),
    (r"Input should be less than or equal to (\S+)", r"must be at most \1"),
    (r"Input should be greater than (\S+)", r"must be above \1"),
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be a valid number.*", "must be a number"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", r"got \1, which is one argument too many"),
)
"""What typer says, as a pattern, and what this program says instead."""


def usage_line(error: Any, argv: Sequence[str]) -> str:
    """The line of one of typer's usage errors. `argv` is what was typed."""
    param, message = getattr(error, "param", None), " ".join(str(getattr(error, "message", "") or error.format_message()).split())
    for pattern, plain in _PLAIN:
        message = re.sub(pattern, plain, message)
    if type(error).__name__ == "MissingParameter" and param is not None:
        message = f"{param.opts[-1] if param.opts[-1].startswith('-') else param.name.rstrip('_').upper()} is missing"
    elif type(error).__name__ == "NoSuchOption" or type(error).__name__ == "NoSuchCommand":
        message = " ".join(error.format_message().split())
    elif param is not None:
        got = _typed(param.opts, argv)
        message = f"{param.opts[0]}: {f'got {got!r}, ' if got is not None else ''}{message}"
    context = getattr(error, "ctx", None)
    return f"{message} ({context.command_path} --help)" if context is not None else message


def _typed(names: Sequence[str], argv: Sequence[str]) -> str | None:
    """The value that was typed for an option."""
    for place, word in enumerate(argv):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else next(iter(argv[place + 1 :]), None)
    return None
