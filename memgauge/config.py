"""The project file `memgauge.yaml` and the settings of a run.

Precedence: flag > environment (MEMGAUGE_…) > project file > default. The nearest `memgauge.yaml`, from the working folder
upwards, is the project's; without one the built-in suite runs on the reference memory, and the first line says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from memgauge import strict_yaml
from memgauge.errors import InputError, nearest
from memgauge.protocol import check_period
from memgauge.surfaces import Surface

PROJECT_FILE = "memgauge.yaml"
BUILTIN_SUITE = "builtin@1"
Profile = Literal["smoke", "full"]


class SurfaceEntry(BaseModel):
    """One place where user data may lie (see `memgauge.surfaces`)."""

    model_config = ConfigDict(extra="forbid")

    name: str
    kind: Literal["files", "logs", "backup", "sql", "http", "command"]
    path: str = Field("", description="file or folder; sql: database file or connection string; http: URL")
    query: str = Field("", description="sql: what to read; default: every table")
    argv: list[str] = Field(default_factory=list, description="command: its words; no shell reads them")
    grade: Literal["", "rows", "vectors", "bytes"] = Field("", description="how deep a look it is: rows unless said otherwise, bytes for files")

    @model_validator(mode="after")
    def _fits(self) -> SurfaceEntry:
        try:
            Surface.of(self.model_dump())
        except InputError as error:
            raise ValueError(" ".join(error.lines())) from None
        return self


class SystemEntry(BaseModel):
    """One system of the project file: a Python attribute, a command, or a system known by name, and its opaque configuration."""

    model_config = ConfigDict(extra="forbid")

    python: str | None = Field(None, description="module:attribute or path/to/file.py:attribute")
    command: list[str] | None = Field(None, description="argv of a child process that speaks the protocol on stdin/stdout")
    system: str | None = Field(None, description="a system known by name, as reference, to give it a configuration of its own")
    config: dict[str, Any] = Field(default_factory=dict)
    child: bool = Field(False, description="run it as a process of its own, which a command always is")
    env: list[str] = Field(default_factory=list, description="variables a child may see beside the harmless ones, as the name of an API key")
    folder: str = Field("", description="working folder of a child")
    timeout_s: float = Field(30.0, gt=0, description="seconds a child has for one answer; 20 more for its first, to start")
    allow: list[str] = Field(default_factory=list, description="ids of stores that the run may destroy data in")
    lifecycle: dict[Literal["start", "stop", "kill", "reset", "purge"], str] = Field(
        default_factory=dict, description="commands for a store that is a server; MEMGAUGE_ROOT names the folder of the case, MEMGAUGE_NOW its time"
    )
    surfaces: list[SurfaceEntry] = Field(default_factory=list, description="places where user data may lie, beside those the memory itself names")
    erase_within: str | dict[str, str] = Field(
        "", description="the deletion period the memory states, as P30D: rows, vectors and bytes are judged when it is over; or by depth"
    )
    assemble: dict[str, Any] = Field(default_factory=dict, description="for a memory without context: k, share, order and label of the prompt")

    @model_validator(mode="after")
    def _one_way_in(self) -> SystemEntry:
        if [self.python, self.command, self.system].count(None) != 2:
            raise ValueError("give exactly one of python, command and system")
        return self

    @field_validator("erase_within", mode="before")
    @classmethod
    def _period_holds(cls, stated: Any) -> Any:
        try:
            check_period(stated)
        except InputError as error:
            raise ValueError(" ".join(error.lines()).removeprefix("erase_within: ")) from None
        return stated


class ProjectFile(BaseModel):
    """`memgauge.yaml`. Every part is optional but the version."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1]
    systems: dict[str, SystemEntry] = Field(default_factory=dict)
    default: str | None = Field(None, description="the system that bare `memgauge run` tests; else the first of systems")
    suites: list[str] = Field(default_factory=lambda: [BUILTIN_SUITE])
    profile: Profile = "full"
    seed: int = Field(0, ge=0)
    gate: str | None = None

    @model_validator(mode="after")
    def _default_is_known(self) -> ProjectFile:
        if self.default is not None and self.default not in self.systems:
            raise ValueError(f"default names no system of this file: {self.default!r} ({nearest(self.default, self.systems)})")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The project file as read, with the folder that its relative paths start from."""

    folder: Path
    file: Path | None = None
    systems: Mapping[str, SystemEntry] = field(default_factory=dict)
    default_system: str = "reference"
    suites: tuple[str, ...] = (BUILTIN_SUITE,)
    profile: Profile = "full"
    seed: int = 0
    gate: str | None = None


def find_project(start: Path) -> Project:
    """The nearest project file at or above `start`, or the defaults. Raises InputError when it does not hold."""
    for folder in (start, *start.parents):
        if (path := folder / PROJECT_FILE).is_file():
            return read_project(path)
    return Project(folder=start)


def read_project(path: Path) -> Project:
    """One project file. Raises InputError(s) with file:line:column."""
    parsed = strict_yaml.validate(strict_yaml.load(path), ProjectFile)
    return Project(
        folder=path.parent,
        file=path,
        systems=parsed.systems,
        default_system=parsed.default or next(iter(parsed.systems), "reference"),
        suites=tuple(parsed.suites),
        profile=parsed.profile,
        seed=parsed.seed,
        gate=parsed.gate,
    )


def environment(name: str) -> str | None:
    """The value of MEMGAUGE_<NAME>, or None. Every flag of `run` that takes a value has such a twin."""
    return os.environ.get(f"MEMGAUGE_{name.upper()}") or None


def parse_settings(pairs: Iterable[str]) -> dict[str, Any]:
    """`--set a.b=1` pairs as a nested mapping; values are YAML scalars or JSON. Raises InputError."""
    result: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or not all(key.split(".")):
            raise InputError(f"got {pair!r}", where="--set", hint="write --set key=value, or --set group.key=value")
        *groups, last = key.split(".")
        target = result
        for group in groups:
            target = target.setdefault(group, {})
            if not isinstance(target, dict):
                raise InputError(f"{key!r}: {group!r} already has a value", where="--set")
        if last in target:
            raise InputError(f"{key!r} is set twice", where="--set", hint="keep one of them")
        target[last] = _value(text)
    return result


def _value(text: str) -> Any:
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"{text!r} is not JSON: {error.msg}", where="--set") from None
    return strict_yaml.parse(f"v: {text}" if text else "v: ''", "--set").data["v"]
