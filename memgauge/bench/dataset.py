"""A file of conversations with questions, and for each question the turns that answer it: one shape for every bench."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from memgauge.errors import InputError

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `id` is unique in its conversation; `text` is the unit that is indexed."""

    id: str
    role: str
    text: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting, at `start` (RFC 3339, the file's local time taken as UTC)."""

    id: str
    start: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the turns that answer it, at least one. `asked_at` is RFC 3339; empty: after the last session."""

    text: str
    category: str
    evidence: tuple[str, ...]
    asked_at: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What goes into one store: sessions in the order of their times, and what is asked of them."""

    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """The whole file. `sha256` identifies it; `unscored` questions had no usable evidence.

    `groups`: what is averaged, name → categories. `notes` are printed below the scores: licence, and what they may be compared with.
    `published`: name of a row → its fraction of turns found, by k.
    """

    name: str
    conversations: tuple[Conversation, ...]
    unscored: int
    sha256: str
    groups: Mapping[str, frozenset[str]]
    notes: tuple[str, ...]
    published: Mapping[str, Mapping[int, float]]

    @property
    def questions(self) -> int:
        return sum(len(c.questions) for c in self.conversations)


def read_json(path: Path, shape: Callable[[Any], tuple[Found, ...]], like: str, hint: str) -> tuple[tuple[Found, ...], str]:
    """What `shape` makes of a JSON file, and the file's SHA-256. Raises InputError with what is wrong and where."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path), hint=hint) from None
    try:
        found = shape(json.loads(raw))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", where=f"{path}:{error.lineno}:{error.colno}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", where=str(path)) from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"not shaped like {like}: {type(error).__name__} {error}", where=str(path), hint=hint) from None
    if not found:
        raise InputError("holds no conversation", where=str(path), hint=hint)
    return found, hashlib.sha256(raw).hexdigest()
