"""Where the built-in suite is, and what it is called."""

from __future__ import annotations

from importlib.resources import as_file, files

from memgauge.scenarios.loader import load
from memgauge.scenarios.scenario import Scenario

SUITE_NAME = "builtin@1"
"""The number rises when scenarios are added or changed in what they demand."""


def builtin() -> list[Scenario]:
    """The scenarios that come with memgauge."""
    with as_file(files("memgauge.scenarios.suite")) as folder:
        return load([folder])
