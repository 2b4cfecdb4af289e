"""Did anything get worse, where the same case may end differently from run to run? Exact tests over scenarios.

If nothing changed, it was chance which repeats of a scenario lie before and which after: every way of dealing them out to the two
sides is as likely as any other (Fisher 1935). Of a scenario the measure is the fall of its check that fell furthest, as a share of the
repeats; its p value is the share of the ways of dealing that give as much or more. Checks of one scenario may rise and fall together
in any way: the repeats are dealt whole (Westfall and Young 1993).

* One scenario alone: its p value, corrected by Holm (1979) over the scenarios that could have been significant at all (Tarone 1990; one
  that hardly ever fails can never be, and must not cost the others their power).
* All together: Fisher's sum of -log p (1932), exact by convolution of what each scenario could have given. It sees a few large falls
  among much noise, and many small ones.

Each has half of the error rate, so that of a hundred gates with nothing changed at most `100 * ALPHA` are red.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.reports.stats import holm

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

ALPHA = 0.02
"""False alarms of a gate. One in twenty, as is usual elsewhere, would make two red builds of twenty with nothing changed in every
fourth such series; of 0.02 it is one series in seventeen (binomial)."""

_MOST_DEALS = 20_000
"""Ways of dealing that are counted out; of more, so many are drawn, and the one that was seen is added (Phipson and Smyth 2010)."""
_ORDINARY = 0.1
"""Scenarios are named until the rest is no worse than one unchanged run in ten is. In 40 simulated gates with five scenarios of 60 broken
among 3 % losses this named 97 % of the five and one innocent scenario in five gates; 0.01 named 87 % and 0.3 one innocent a gate."""
_STEP = 1 / 16
"""Grid of -log p, in nats. The sum is taken of rounded numbers on both sides, so it stays exact."""

Broken = tuple[bool, ...]
"""One repeat of a scenario: for each thing that can be broken, whether it was."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """One scenario on both sides, a `Broken` a repeat, all of one length."""

    before: tuple[Broken, ...]
    after: tuple[Broken, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """Scenarios whose fall chance does not explain. `alone`: each by itself. `together`, where all of them fell: those without which
    the rest looks like an ordinary run, the surest first; `p` is that of all scenarios together."""

    alone: tuple[str, ...]
    together: tuple[str, ...]
    p: float

    @property
    def worse(self) -> frozenset[str]:
        return frozenset((*self.alone, *self.together))


def enough(before: int, after: int) -> bool:
    """Whether so many repeats on either side can tell at all that a scenario fell from always to never: 5 and 5 can, 4 and 4 cannot."""
    return math.comb(before + after, after) * ALPHA / 2 >= 1


def fall(scenarios: Mapping[str, Repeats]) -> Fall:
    """Test the scenarios for a fall. Without any that ever differed nothing fell."""
    tested = {name: found for name, one in sorted(scenarios.items()) if (found := _tested(one)) is not None}
    together, p = _together(tested)
    return Fall(alone=_alone(tested), together=together, p=p)


@dataclass(frozen=True, slots=True)
class _Tested:
    """`p` as seen, and every p value that could have been seen with its chance, the smallest first."""

    p: float
    possible: tuple[tuple[float, float], ...]

    @property
    def least(self) -> float:
        return self.possible[0][0]


def _tested(one: Repeats) -> _Tested | None:
    """None where all repeats ended alike, so that dealing them out otherwise changes nothing."""
    import numpy

    kinds = Counter((*one.before, *one.after))
    if len(kinds) < 2:
        return None
    sizes, seen = list(kinds.values()), Counter(one.after)
    deals, chances = _deals(sizes, [seen[kind] for kind in kinds], len(one.after))
    broken = numpy.array(list(kinds), dtype=int)
    after = numpy.array(deals) @ broken
    before = numpy.array(sizes) @ broken - after
    falls = (after * len(one.before) - before * len(one.after)).max(axis=1)
    possible, beyond, p = [], 0.0, 1.0
    for size in sorted(set(falls.tolist()), reverse=True):
        chance = float(chances[falls == size].sum())
        beyond = min(1.0, beyond + chance)
        possible.append((beyond, chance))
        p = beyond if size == falls[0] else p
    return _Tested(p, tuple(possible))


def _deals(sizes: Sequence[int], seen: list[int], after: int) -> tuple[list[list[int]], NDArray[numpy.float64]]:
    """How many repeats of each kind could lie after, and the chance of each: first the one that was seen."""
    import numpy

    counted = [deal for deal in itertools.islice(_ways(sizes, after), _MOST_DEALS + 1) if deal != seen]
    if len(counted) >= _MOST_DEALS:
        drawn = numpy.random.default_rng(0).multivariate_hypergeometric(sizes, after, _MOST_DEALS)
        return [seen, *drawn.tolist()], numpy.full(_MOST_DEALS + 1, 1 / (_MOST_DEALS + 1))
    deals = [seen, *counted]
    ways = [math.prod(math.comb(size, part) for size, part in zip(sizes, deal, strict=True)) / math.comb(sum(sizes), after) for deal in deals]
    return deals, numpy.array(ways)


def _ways(sizes: Sequence[int], after: int) -> Iterator[list[int]]:
    if not sizes:
        yield []
        return
    first, *rest = sizes
    for part in range(max(0, after - sum(rest)), min(first, after) + 1):
        for others in _ways(rest, after - part):
            yield [part, *others]


def _alone(tested: Mapping[str, _Tested]) -> tuple[str, ...]:
    for family in range(1, len(tested) + 1):
        able = [name for name, one in tested.items() if one.least <= ALPHA / 2 / family]
        if len(able) <= family:
            return tuple(name for name, p in zip(able, holm([tested[name].p for name in able]), strict=True) if p <= ALPHA / 2)
    return ()


def _together(tested: Mapping[str, _Tested]) -> tuple[tuple[str, ...], float]:
    """The least suspicious scenario first, one more at a time: the last sum that looks ordinary says who is not needed for it."""
    import numpy

    names = sorted(tested, key=lambda name: -tested[name].p)
    seen, sums, p, innocent = 0, numpy.ones(1), 1.0, 0
    for number, name in enumerate(names, start=1):
        one = tested[name]
        seen += _score(one.p)
        wider = numpy.zeros(len(sums) + _score(one.least))
        for possible, chance in one.possible:
            wider[_score(possible) :][: len(sums)] += chance * sums
        sums = wider
        p = float(min(1.0, sums[seen:].sum()))
        innocent = number if p > _ORDINARY else innocent
    return tuple(reversed(names[innocent:])) if p <= ALPHA / 2 else (), p


def _score(p: float) -> int:
    return round(-math.log(p) / _STEP)
