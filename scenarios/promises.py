"""What a memory is asked for, row by row, and the known ways to fail: the two lists that scenarios refer to."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files

from pydantic import Field, RootModel

from memgauge.scenarios.base import Strict
from memgauge.strict_yaml import Document, load, validate


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement. `tests`: files below tests/ that show it."""

    name: str
    title: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """One known way to fail. `reason`: why no scenario can stage it; empty when one does."""

    name: str
    title: str
    reason: str


class _Row(Strict):
    title: str
    tests: list[str] = Field(min_length=1)


class _Failure(Strict):
    title: str
    reason: str = ""


class _Rows(RootModel[dict[str, _Row]]):
    pass


class _Failures(RootModel[dict[str, _Failure]]):
    pass


def rows() -> list[Row]:
    """The requirement rows, in order."""
    return [Row(name, row.title, tuple(row.tests)) for name, row in validate(_read("rows.yaml"), _Rows).root.items()]


def failures() -> list[Failure]:
    """The entries of the failure catalogue, in order."""
    return [Failure(name, entry.title, entry.reason) for name, entry in validate(_read("catalogue.yaml"), _Failures).root.items()]


def _read(name: str) -> Document:
    with as_file(files("memgauge.scenarios") / name) as path:
        return load(path)
