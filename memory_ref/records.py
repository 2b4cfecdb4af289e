"""Frozen rows and answers of the reference memory. Nothing here reads or writes."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from memgauge.memory_ref.database import Row

Json = dict[str, Any]
Kind = Literal["fact", "note", "document", "summary", "message", "goal", "decision", "pin", "review"]
Source = Literal["stated", "inferred", "imported"]

LISTS = frozenset({"calls", "agents", "covered"})
"""Columns that hold a JSON list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One node of the message tree. `state`: live, barred (readable in its thread only) or removed (text is a placeholder).
    `on_branch`: on the active branch of its thread. `recallable`: capture did not judge it a guess, a joke, another's words."""

    seq: int
    id: str
    thread: str
    parent: str | None
    role: str
    text: str
    speaker: str | None
    origin: str
    project: str | None
    agent: str | None
    task: str | None
    calls: tuple[Mapping[str, Any], ...]
    call_id: str | None
    created_at: str
    on_branch: bool
    state: str
    recallable: bool
    captured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A long-term record (row A9). `lineage` is shared by the revisions that `correct` makes; `normal` is the keyed hash of the
    normalised text; `approved`: confirmed by the user; `always`: may be used without invitation although sensitive."""

    id: str
    lineage: str
    text: str
    normal: str
    kind: str
    slot: str | None
    source: str
    approved: bool
    message_id: str | None
    reach: str
    project: str | None
    task: str | None
    agents: tuple[str, ...] | None
    status: str
    sensitivity: str
    always: bool
    created_at: str
    updated_at: str
    confirmed_at: str
    expires_at: str | None
    supersedes: str | None
    superseded_by: str | None
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One entry of a daily note. `day` is the date in the user's zone."""

    id: str
    day: str
    text: str
    slot: str | None
    project: str | None
    message_id: str | None
    status: str
    created_at: str
    expires_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRevision:
    """One revision of a curated document."""

    id: str
    name: str
    revision: int
    text: str
    author: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullet:
    """A line of the consolidated document that consolidation owns. Its sources are its edges."""

    id: str
    document: str
    text: str
    created_at: str
    confirmed_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    id: str
    text: str
    status: str
    position: int
    project: str | None
    message_id: str | None
    created_at: str
    updated_at: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    id: str
    text: str
    kind: str
    status: str
    project: str | None
    message_id: str | None
    created_at: str
    updated_at: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A text that stands in every prompt until `until`. `source`: user (by `pin`) or rule (proposed from a prohibition)."""

    id: str
    text: str
    status: str
    source: str
    project: str | None
    thread: str | None
    message_id: str | None
    created_at: str
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A draft the user has to rule on. `record` is what an approval made of it."""

    id: str
    text: str
    kind: str
    slot: str | None
    class_: str | None
    reason: str
    control: bool
    status: str
    source: str
    sensitivity: str
    reach: str
    project: str | None
    task: str | None
    thread: str | None
    message_id: str | None
    expires_at: str | None
    created_at: str
    decided_at: str | None
    record: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A rolling summary of a branch: `covered` are the message ids it stands for, oldest first, `through` the last of them."""

    id: str
    thread: str
    text: str
    through: str
    leaf: str
    covered: tuple[str, ...]
    covered_hash: str
    previous: str | None
    model: str
    prompt_version: int
    tokens: int
    created_at: str
    expires_at: str | None


R = TypeVar("R")


def from_row(type_: type[R], row: Row) -> R:
    """A row as its frozen type, by column name."""
    values: Json = {}
    for name, column, shape in _columns(type_):  # type: ignore[arg-type]
        value = row[column]
        if shape is not None and value is not None:
            value = bool(value) if shape is bool else () if value == "[]" else tuple(json.loads(value))
        values[name] = value
    return type_(**values)


@functools.cache
def _columns(type_: type[Any]) -> tuple[tuple[str, str, type | None], ...]:
    """(field, column, what its value becomes: bool, tuple, or as it is) of a type."""
    shapes = {part.name: tuple if part.name in LISTS else bool if part.type == "bool" else None for part in fields(type_)}
    return tuple((name, name.rstrip("_"), shape) for name, shape in shapes.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A record as a reader sees it. `tokens` is known only to the context builder and stays out of the answer."""

    id: str
    kind: str
    text: str
    source_ids: tuple[str, ...] = ()
    score: float | None = None
    reason: str | None = None
    label: str | None = None
    status: str | None = None
    created_at: str | None = None
    confirmed_at: str | None = None
    expires_at: str | None = None
    scope: str | None = None
    section: str | None = None
    role: str | None = None
    revision: int | None = None

    def to_json(self) -> Json:
        """Only what is known."""
        line: Json = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if value is not None and value != ():
                line[part.name] = list(value) if isinstance(value, tuple) else value
        return line


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a verb answers: ids made or touched, revision, sentences for the user, data by name; `pending` says what is still to do."""

    ids: tuple[str, ...] = ()
    revision: int | None = None
    notices: tuple[str, ...] = ()
    pending: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


def items(found: list[Item], **data: Any) -> Reply:
    """A Reply of items."""
    return Reply(ids=tuple(item.id for item in found), data={"items": [item.to_json() for item in found], **data})
