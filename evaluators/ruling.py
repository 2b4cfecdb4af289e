"""What an evaluator is and what it says. `memgauge.evaluators.judge` turns a ruling into a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from memgauge.evaluators.case import Case
from memgauge.records import Entry, Expectation, Outcome
from memgauge.registry import Registry


@dataclass(frozen=True, slots=True)
class Ruling:
    """Outcome with its number; `why` is the witness of a failure, else the reason, if there is one to give; `depths` as in a verdict."""

    outcome: Outcome
    why: str = ""
    value: float | None = None
    depths: Mapping[str, Outcome] = field(default_factory=dict)


Evaluator = Callable[[Case, Expectation, Entry], Ruling]
EVALUATORS: Registry[Evaluator] = Registry("check kind")


def passed(value: float | None = None, why: str = "") -> Ruling:
    return Ruling("pass", why, value)


def failed(witness: str, value: float | None = None) -> Ruling:
    return Ruling("fail", witness, value)


def unscored(reason: str) -> Ruling:
    return Ruling("unscored", reason)


def unsure(names: Iterable[str]) -> Ruling:
    """The anchors are there, the claim is not: for a person to rule on."""
    return Ruling("unscored", f"unsure: {', '.join(names)}")


def broken(reason: str) -> Ruling:
    """The history lacks what the check needs: neither the memory's merit nor its fault."""
    return Ruling("error", reason)


def number(params: object, default: float) -> float:
    """A numeric parameter. The loader has checked its type; a default stands for one left out."""
    return float(params) if isinstance(params, int | float) and not isinstance(params, bool) else default


def names(params: object) -> tuple[str, ...]:
    """A list parameter as texts."""
    return tuple(str(part) for part in params) if isinstance(params, list | tuple) else ()
