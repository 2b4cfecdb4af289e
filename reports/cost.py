"""What memory costs: tokens in the prompt, and milliseconds on the user's path."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import fmean

from memgauge.records import Json
from memgauge.reports.stats import quantile

USER_PATH = ("recall", "context")
"""Verbs a user waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean and 95th percentile of some numbers, and how many there were."""

    mean: float
    p95: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one system with memory on. None where nothing was measured."""

    prompt: Spread | None
    memory: Spread | None
    without: Spread | None
    wait_ms: Spread | None

    def to_json(self) -> Json:
        return {name: spread for name, spread in asdict(self).items() if spread is not None}


def spread(values: list[float]) -> Spread | None:
    """None for no values."""
    p95 = quantile(values, 0.95)
    return None if p95 is None else Spread(mean=fmean(values), p95=p95, n=len(values))
