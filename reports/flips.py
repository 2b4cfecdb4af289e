"""Did anything get worse, where the same case may end differently from run to run? Two exact tests over scenarios.

For a scenario, `fails` of `runs` repeats are compared before and after. If nothing changed, the repeats of both sides are
exchangeable, so the fails after are hypergeometric given all fails of the scenario (Fisher 1935).

* One scenario: its own test, corrected for the number of scenarios that could have been significant at all (Tarone 1990; a
  scenario that hardly ever fails can never be, and must not cost the others their power).
* All together: the sum over scenarios, exact by convolution (Mantel and Haenszel 1959). It finds many small falls.

Each has half of the error rate, so that a gate with nothing changed is red in at most `ALPHA` of its runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """One scenario on both sides: how many repeats, and in how many a check failed."""

    runs_before: int
    fails_before: int
    runs_after: int
    fails_after: int

    @property
    def fell(self) -> bool:
        return self.fails_after * self.runs_before > self.fails_before * self.runs_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """`worse` names scenarios whose fall chance does not explain; `overall` is the p value of all scenarios together."""

    worse: tuple[str, ...]
    overall: float

    @property
    def real(self) -> bool:
        return bool(self.worse) or self.overall <= ALPHA / 2


def fall(scenarios: Mapping[str, Repeats]) -> Fall:
    """Test the scenarios for a fall. Raises nothing; without scenarios nothing fell."""
    return Fall(worse=tuple(sorted(_single(scenarios))), overall=_overall(scenarios))


def _single(scenarios: Mapping[str, Repeats]) -> list[str]:
    found = {name: (_p(one), _least(one)) for name, one in scenarios.items()}
    for family in range(1, len(found) + 1):
        testable = [name for name, (_, least) in found.items() if least <= ALPHA / 2 / family]
        if len(testable) <= family:
            return [name for name in testable if found[name][0] <= ALPHA / 2 / family]
    return []


def _chance(fails_after: int, fails: int, one: Repeats) -> float:
    """Chance that of all fails exactly so many fall on the side after, if every repeat is as likely to fail as any other."""
    runs = one.runs_before + one.runs_after
    return math.comb(fails, fails_after) * math.comb(runs - fails, one.runs_after - fails_after) / math.comb(runs, one.runs_after)


def _p(one: Repeats) -> float:
    """Chance of as many fails after, or more, if nothing changed."""
    fails = one.fails_before + one.fails_after
    return sum(_chance(count, fails, one) for count in range(one.fails_after, min(fails, one.runs_after) + 1))


def _least(one: Repeats) -> float:
    """The smallest value that `_p` could have had with this many fails in all."""
    fails = one.fails_before + one.fails_after
    return _chance(min(fails, one.runs_after), fails, one)


def _overall(scenarios: Mapping[str, Repeats]) -> float:
    """Chance of as many fails after in all scenarios together, or more."""
    import numpy

    total, chances = 0, numpy.ones(1)
    for one in scenarios.values():
        fails = one.fails_before + one.fails_after
        total += one.fails_after
        chances = numpy.convolve(chances, [_chance(count, fails, one) for count in range(min(fails, one.runs_after) + 1)])
    return float(min(1.0, chances[total:].sum()))
