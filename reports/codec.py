"""Case plans as plain JSON and back, so that a stored history carries the questions that were asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

from memgauge.records import CasePlan, Expectation, Fact, Json, Proof, Scope, Step

T = TypeVar("T")
Parser = Callable[[Any], Any]


def encode(value: Any) -> Any:
    """A frozen record, or anything made of records, mappings, sequences and scalars, as plain JSON data. Default values are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: encode(held) for part in fields(value) if not _is_default(part, held := getattr(value, part.name))}
    if isinstance(value, Mapping):
        return {str(key): encode(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [encode(held) for held in value]
    return value


def decode_plan(line: object) -> CasePlan:
    """The plan that `encode` wrote. Raises ValueError naming the part that is wrong."""
    return _record(CasePlan, line)


def _is_default(part: Any, held: Any) -> bool:
    if part.default is not MISSING:
        return bool(held == part.default)
    return part.default_factory is not MISSING and held == part.default_factory()


def _record(cls: type[T], line: object) -> T:
    if not isinstance(line, Mapping):
        raise ValueError(f"{cls.__name__}: an object is needed, got {type(line).__name__}")
    parsers = _PARSERS.get(cls, {})
    try:
        return cls(**{key: parsers[key](held) if key in parsers else held for key, held in line.items()})
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{cls.__name__}: {error}") from None


def _one(cls: type[T]) -> Callable[[object], T]:
    return lambda line: _record(cls, line)


def _many(cls: type[T]) -> Callable[[list[object]], tuple[T, ...]]:
    return lambda lines: tuple(_record(cls, line) for line in lines)


def _table(cls: type[T]) -> Callable[[Json], dict[str, T]]:
    return lambda lines: {key: _record(cls, line) for key, line in lines.items()}


_PARSERS: Mapping[type, Mapping[str, Parser]] = {
    Step: {"scope": _one(Scope), "tells": tuple},
    Fact: {"anchors": lambda groups: tuple(map(tuple, groups)), "claim": tuple, "not_if": tuple, "like": tuple, "unlike": tuple},
    Expectation: {"facts": tuple, "proof": _one(Proof)},
    CasePlan: {
        "steps": _many(Step), "facts": _table(Fact), "expectations": _many(Expectation), "rows": tuple, "tags": tuple, "catalogue": tuple,
    },
}  # fmt: skip
"""How a part that is not plain JSON is made again. Parts that are not named here are taken as they are."""
