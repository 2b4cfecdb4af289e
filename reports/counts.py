"""How many checks ended how. A rate is passed of scored, and always says of how many planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memgauge.records import Json, Outcome
from memgauge.reports.tally import Counted

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Outcomes of a group of checks. Everything but passed and failed is planned and not scored."""

    passed: int = 0
    failed: int = 0
    error: int = 0
    unsupported: int = 0
    not_applicable: int = 0
    skip: int = 0
    unscored: int = 0

    @classmethod
    def of(cls, checks: Iterable[Counted]) -> Counts:
        return cls.summed((check.outcome, check.n) for check in checks)

    @classmethod
    def summed(cls, outcomes: Iterable[tuple[Outcome, int]]) -> Counts:
        """From outcomes and how often each."""
        found: Counter[Outcome] = Counter()
        for outcome, n in outcomes:
            found[outcome] += n
        return cls(
            passed=found["pass"], failed=found["fail"], error=found["error"], unsupported=found["unsupported"],
            not_applicable=found["not_applicable"], skip=found["skip"], unscored=found["unscored"],
        )  # fmt: skip

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})

    @property
    def scored(self) -> int:
        return self.passed + self.failed

    @property
    def planned(self) -> int:
        return self.scored + self.error + self.unsupported + self.not_applicable + self.skip + self.unscored

    @property
    def share(self) -> float | None:
        """Passed of scored, between 0 and 1; None where nothing was scored."""
        return self.passed / self.scored if self.scored else None

    def __str__(self) -> str:
        """`12/14`, or `12/14 of 20` when some that were planned have no score."""
        short = f"{self.passed}/{self.scored}"
        return short if self.scored == self.planned else f"{short} of {self.planned}"

    def to_json(self) -> Json:
        return {"planned": self.planned, "scored": self.scored} | {name: getattr(self, name) for name in self.__slots__}


def grouped(checks: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    """Checks by a key, keys in order of first appearance."""
    groups: dict[K, list[T]] = {}
    for check in checks:
        groups.setdefault(by(check), []).append(check)
    return groups


def many(count: int, noun: str) -> str:
    """`1 case`, `2 cases`, `3 classes`."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def some(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names and how many more there are."""
    more = f"{between}{len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more
