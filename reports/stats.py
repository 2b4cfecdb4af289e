"""Statistics of paired runs. Every answer is a number with its interval, or words saying why there is none.

The unit is the template: a scenario, or all cases of one table, with every seed and repeat. What has one template rises and falls
together, so intervals are taken over templates (Miller 2024, "Adding Error Bars to Evals", arXiv 2411.00640, clustered and paired errors).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from memgauge.records import Json

CONFIDENCE = 0.95
DRAWS = 4000
"""Resamples of a bootstrap: the ends of a 95 % interval then move by less than half a point from seed to seed."""

_BLOCK = 500_000  # numbers held in memory at a time

MIN_TEMPLATES = 10
"""Below this many templates no interval is printed: it would cover less than it says (own simulation of paired coin flips, 1,500 rounds:
an interval that excludes zero with nothing changed in 7.4 % of rounds of 10 as a plain percentile interval, 4.9 % as it is widened here;
5.3 % and 4.1 % of 15, 4.9 % and 3.6 % of 20)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` to `high`, in the unit of what was estimated."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def wilson(passed: int, scored: int, confidence: float = CONFIDENCE) -> Interval:
    """Wilson's score interval of a share (Wilson 1927): never of width 0, also at 20 of 20. Needs scored > 0."""
    if scored <= 0:
        raise ValueError("no interval without a scored check")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = passed / scored
    middle = (share + z * z / (2 * scored)) / (1 + z * z / scored)
    half = z / (1 + z * z / scored) * math.sqrt(share * (1 - share) / scored + z * z / (4 * scored * scored))
    return Interval(0.0 if passed == 0 else middle - half, 1.0 if passed == scored else middle + half)


def template(scenario: str) -> str:
    """The template of a scenario: its id without the name of a row of a `cases:` table."""
    return scenario.partition(".")[0]


def bootstrap(groups: Sequence[Sequence[float]], *, seed: int = 0, confidence: float = CONFIDENCE) -> Interval | None:
    """Interval of the mean of all values, resampled by whole groups (Efron 1979), the same for the same groups in any order; its ends are
    those of a percentile interval widened for few groups (Hesterberg 2015, "expanded percentile", doi 10.1080/00031305.2015.1089789).
    None below `MIN_TEMPLATES` groups.

    Where all values are equal resampling sees no spread at all. Then a group that differs is taken to be as frequent as it can be without
    having been seen (exact binomial bound), and as far off as differences of shares go, from -1 to 1.
    """
    import numpy
    from scipy.stats import t

    n = len(groups)
    if n < MIN_TEMPLATES:
        return None
    mean, tail = fmean(value for group in groups for value in group), 0.5 - confidence / 2
    if all(value == mean for group in groups for value in group):
        unseen = 1 - tail ** (1 / n)
        return Interval(mean - unseen * (mean + 1), mean + unseen * (1 - mean))
    ordered = sorted((sum(group), len(group)) for group in groups)
    sums, sizes = (numpy.asarray(part, dtype=float) for part in zip(*ordered, strict=True))
    random = numpy.random.default_rng(seed)
    block = max(1, _BLOCK // n)
    draws = (random.integers(0, n, (min(block, DRAWS - done), n)) for done in range(0, DRAWS, block))
    means = numpy.concatenate([sums[draw].sum(axis=1) / sizes[draw].sum(axis=1) for draw in draws])
    wider = NormalDist().cdf(math.sqrt(n / (n - 1)) * float(t.ppf(tail, n - 1)))
    low, high = numpy.quantile(means, [wider, 1 - wider])
    return Interval(float(low), float(high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How much better one side did than the other on the same scenarios, in shares of 1. `won` and `lost` count templates."""

    mean: float
    scenarios: int
    templates: int
    won: int
    lost: int
    interval: Interval | None

    @property
    def p(self) -> float:
        """Exact, over the templates that differ."""
        return mcnemar(self.won, self.lost)

    @property
    def clear(self) -> bool:
        """Whether there is a difference, by the interval and by the exact test: where few templates differ, all to one side, either alone
        says so too soon."""
        return self.interval is not None and self.interval.excludes_zero and self.p <= 1 - CONFIDENCE

    @property
    def words(self) -> str:
        """`+27 points [+16, +38], 80 scenarios of 62 templates`, or the same with what cannot be said."""
        points = f"{100 * self.mean:+.0f} points"
        of = f" of {self.templates} template{'s' * (self.templates != 1)}" if self.templates != self.scenarios else ""
        asked = f"{self.scenarios} scenario{'s' * (self.scenarios != 1)}{of}"
        if self.interval is None:
            return f"{points}, {asked}: n too small for an interval"
        spread = f"[{100 * self.interval.low:+.0f}, {100 * self.interval.high:+.0f}]"
        return f"{points} {spread}{'' if self.clear else ', could be none'}, {asked}"

    def to_json(self) -> Json:
        line: Json = {name: getattr(self, name) for name in ("mean", "scenarios", "templates", "won", "lost", "words")}
        return line if self.interval is None else line | {"low": self.interval.low, "high": self.interval.high}


def difference(gains: Mapping[str, float], *, seed: int = 0) -> Difference | None:
    """Summary of one difference per scenario, by scenario id, or None where no scenario was scored on both sides."""
    if not gains:
        return None
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for scenario, gain in gains.items():
        groups[template(scenario)].append(gain)
    sums = [sum(group) for group in groups.values()]
    return Difference(
        mean=fmean(gains.values()), scenarios=len(gains), templates=len(groups), won=sum(found > 0 for found in sums),
        lost=sum(found < 0 for found in sums), interval=bootstrap(list(groups.values()), seed=seed),
    )  # fmt: skip


def mcnemar(won: int, lost: int) -> float:
    """Exact two-sided p of the pairs that differ (McNemar 1947, exact form): could they as well have fallen the other way?
    1.0 without any. Fewer than 6 pairs can never reach 0.05."""
    pairs, most = won + lost, max(won, lost)
    return min(1.0, float(2 * sum(math.comb(pairs, count) for count in range(most, pairs + 1)) / 2**pairs))


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p values in the order given (Holm 1979), for several questions asked of the same run."""
    order = sorted(range(len(ps)), key=lambda index: ps[index])
    adjusted, running = [1.0] * len(ps), 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(ps) - place) * ps[index]))
        adjusted[index] = running
    return tuple(adjusted)


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least this share of the values does not exceed; None without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None
