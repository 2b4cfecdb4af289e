"""Memory on against its controls, on the same questions: does it help, does it harm, and could it have?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from memgauge.records import Arm, Json
from memgauge.reports.counts import Counts
from memgauge.reports.run import CheckLine
from memgauge.reports.stats import Difference, difference

HEADLINE = "sufficient"
"""The check kind of the headline: all needed facts in the prompt, none that misleads, within the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benefit:
    """Prompt sufficiency on the scenarios that need memory: per arm, and how far `on` is ahead of each control."""

    arms: Mapping[Arm, Counts]
    ahead: Mapping[Arm, Difference]

    def to_json(self) -> Json:
        return {
            "sufficient": {arm: counts.to_json() for arm, counts in self.arms.items()},
            "on_minus": {arm: difference.to_json() for arm, difference in self.ahead.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Harm:
    """Scenarios in which a check passes without memory and fails with it. `possible`: those in which that could have shown."""

    scenarios: tuple[str, ...]
    possible: int
    avoided: int

    def to_json(self) -> Json:
        return {"scenarios": list(self.scenarios), "possible": self.possible, "avoided": self.avoided}


def paired(ours: Iterable[CheckLine], theirs: Iterable[CheckLine]) -> Difference | None:
    """Ours minus theirs over the checks scored on both sides, averaged within each scenario first."""
    other = {check.pair: check for check in theirs if check.scored}
    by_scenario: dict[str, list[float]] = defaultdict(list)
    for check in ours:
        if check.scored and (twin := other.get(check.pair)) is not None:
            by_scenario[check.scenario].append((check.outcome == "pass") - (twin.outcome == "pass"))
    return difference({scenario: fmean(values) for scenario, values in by_scenario.items()})
