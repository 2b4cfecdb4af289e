"""A conversation as a person saw it, and the values of its turns as they stand in exports: texts and times that may be damaged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Role = Literal["user", "assistant"]
Left = Counter[str]
"""What was left out or repaired, in words, and how often. It never holds a text of the conversation."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said. `at` is RFC 3339 in UTC to the second, or None where the export has no usable time."""

    role: Role
    text: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """One conversation, oldest turn first. `id` is that of the export, or its place in the file; `title` may be empty."""

    id: str
    title: str
    turns: tuple[Turn, ...]


def clean(text: str) -> str:
    """The text without lone halves of surrogate pairs, which no file could hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def instant(value: object, left: Left) -> str | None:
    """A time of an export: seconds since 1970 or ISO text. What is neither, or lies outside 1990 to 2100, is no time, and counted."""
    if value is None:
        return None
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value, UTC)
        else:
            raise TypeError
        if not 1990 <= moment.year <= 2100:
            raise ValueError
        return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    except (ValueError, TypeError, OverflowError, OSError):
        left["time that cannot be"] += 1
        return None
