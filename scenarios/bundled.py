"""Where the built-in suite is, and what it is called."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from memgauge.scenarios.loader import load
from memgauge.scenarios.scenario import Scenario

SUITE_NAME = "builtin@1"
"""The number rises when scenarios are added or changed in what they demand."""


def builtin() -> list[Scenario]:
    """The scenarios that come with memgauge. Their path is `builtin@1/NAME.yaml` wherever it is installed, so that records are equal."""
    with as_file(files("memgauge.scenarios.suite")) as folder:
        return [_anywhere(scenario) for scenario in load([folder])]


def _anywhere(scenario: Scenario) -> Scenario:
    return replace(scenario, document=replace(scenario.document, source=f"{SUITE_NAME}/{Path(scenario.path).name}"))
