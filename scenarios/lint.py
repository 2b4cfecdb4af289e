"""What makes a suite easy to pass or blind, held against numbers. Faults of one scenario are the loader's business."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memgauge.scenarios.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint. `scenario` is empty where it is about the suite as a whole."""

    rule: str
    message: str
    scenario: str = ""
    where: str = ""


def lint_suite(scenarios: Iterable[Scenario]) -> list[Finding]:
    return []
