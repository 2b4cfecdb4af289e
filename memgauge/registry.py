"""A small registry: names to values, no duplicates, and a useful answer for an unknown name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from memgauge.errors import InputError, nearest

T = TypeVar("T")


class Registry(Generic[T]):
    """Holds values of one sort by name. `what` is the singular noun used in messages."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._values: dict[str, T] = {}

    def add(self, name: str, value: T) -> T:
        """Register; raises ValueError when the name is taken (a programming error, not a user's)."""
        if name in self._values:
            raise ValueError(f"{self.what} {name!r} is registered twice")
        self._values[name] = value
        return value

    def register(self, *names: str) -> Callable[[T], T]:
        """Decorator form of `add`, for one or several names."""

        def keep(value: T) -> T:
            for name in names:
                self.add(name, value)
            return value

        return keep

    def get(self, name: str) -> T:
        """The value, or InputError with the nearest known name."""
        try:
            return self._values[name]
        except KeyError:
            raise InputError(f"unknown {self.what} {name!r}", hint=nearest(name, self._values)) from None

    def names(self) -> list[str]:
        return sorted(self._values)

    def __iter__(self) -> Iterator[tuple[str, T]]:
        return iter(sorted(self._values.items()))

    def __contains__(self, name: object) -> bool:
        return name in self._values
