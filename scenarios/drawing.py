"""What a seed decides: values, wordings, filler. Seed 0 is the default drawing, with the first wording everywhere.

Case seed = sha256(run seed, scenario id), split by purpose, so that a change of one drawing leaves the others as they were.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.errors import InputError
from memgauge.scenarios.pools import Value, draw

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}")
RACE_NAMES = frozenset({"writer", "turn"})
"""Placeholders that the runner fills, in the arguments of a race."""


def case_random(seed: int, scenario: str, purpose: str) -> random.Random:
    """The random source of one purpose of one case."""
    return random.Random(int.from_bytes(hashlib.sha256(f"{seed}\0{scenario}\0{purpose}".encode()).digest(), "big"))


@dataclass(frozen=True, slots=True)
class Drawing:
    """Values and wordings of one case."""

    seed: int
    scenario: str
    values: Mapping[str, Value]

    @classmethod
    def make(cls, seed: int, scenario: str, wanted: Mapping[str, str | list[str]]) -> Drawing:
        """Draw the values. Raises InputError for an unknown or used-up pool."""
        return cls(seed, scenario, draw(wanted, case_random(seed, scenario, "values")))

    def fill(self, text: str) -> str:
        """The text with `{name}` replaced; `{{` and `}}` are single braces. Raises InputError for an unknown name."""

        def put(found: re.Match[str]) -> str:
            name = found[1]
            if name is None:
                return found[0][0]
            if name in RACE_NAMES and name not in self.values:
                return found[0]
            if name not in self.values:
                raise InputError(f"no value is called {name!r}")
            return self.values[name][0]

        return PLACEHOLDER.sub(put, text)

    def fill_all(self, data: Any) -> Any:
        """Plain data with every text filled."""
        if isinstance(data, str):
            return self.fill(data)
        if isinstance(data, Mapping):
            return {key: self.fill_all(value) for key, value in data.items()}
        return [self.fill_all(value) for value in data] if isinstance(data, list) else data

    def spellings(self, group: str | Sequence[str]) -> tuple[str, ...]:
        """The spellings of an anchor group; a group that is just `{name}` has all forms of the value."""
        found: list[str] = []
        for text in [group] if isinstance(group, str) else group:
            whole = PLACEHOLDER.fullmatch(text)
            found += self.values[whole[1]] if whole and whole[1] in self.values else [self.fill(text)]
        return tuple(dict.fromkeys(found))

    def wording(self, text: str | list[str], purpose: str) -> str:
        """One of the wordings, filled."""
        if isinstance(text, str):
            return self.fill(text)
        return self.fill(text[0] if self.seed == 0 else case_random(self.seed, self.scenario, purpose).choice(text))
