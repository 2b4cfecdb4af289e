"""What memory costs: tokens in the prompt, and milliseconds on the user's path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import fmean

from memgauge.records import Json
from memgauge.reports.prompts import TOKENS_MEMORY, TOKENS_PROMPT
from memgauge.reports.run import MeasureLine
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


def cost(measures: Iterable[MeasureLine], timings: Iterable[Json], on_cases: frozenset[str], off_cases: frozenset[str]) -> Cost:
    """From the measures and timings of a run; the sets hold the case ids of one system with memory on and off."""
    prompt, memory, without = [], [], []
    for measure in measures:
        if measure.case_id in on_cases and measure.name == TOKENS_PROMPT:
            prompt.append(measure.value)
        elif measure.case_id in on_cases and measure.name == TOKENS_MEMORY:
            memory.append(measure.value)
        elif measure.case_id in off_cases and measure.name == TOKENS_PROMPT:
            without.append(measure.value)
    waits = [float(timing["ms"]) for timing in timings if timing.get("op") in USER_PATH and timing.get("case_id") in on_cases]
    return Cost(prompt=spread(prompt), memory=spread(memory), without=spread(without), wait_ms=spread(waits))


def spread(values: list[float]) -> Spread | None:
    """None for no values."""
    p95 = quantile(values, 0.95)
    return None if p95 is None else Spread(mean=fmean(values), p95=p95, n=len(values))
