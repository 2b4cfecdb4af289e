"""Scenarios: declarative cases for a memory, as strict YAML.

- `load(paths) -> list[Scenario]`: files and folders; every fault of every file at once, as `file:line:column`.
- `builtin() -> list[Scenario]`: the suite that comes with memgauge, called `SUITE_NAME`.
- `select(scenarios, ids=…, classes=…, tags=…, rows=…, paths=…)`: globs; NothingSelected names what matches nothing.
- `compile_case(scenario, seed) -> CasePlan`: values drawn, filler written, messages numbered, expectations made.
- `lint_suite(scenarios) -> list[Finding]`: what makes a suite easy to pass or blind.
- `pinned(scenario, plan, id) -> str`: a case as one seed drew it, as YAML of its own.
- `expand(scenario) -> str`: the long form as YAML. `schema() -> dict`: JSON Schema of a scenario file.
"""

from __future__ import annotations

from memgauge.scenarios.bundled import SUITE_NAME, builtin
from memgauge.scenarios.compile import compile_case
from memgauge.scenarios.lint import Finding, lint_suite
from memgauge.scenarios.loader import load
from memgauge.scenarios.pinned import pinned
from memgauge.scenarios.scenario import Scenario
from memgauge.scenarios.schema import schema
from memgauge.scenarios.select import select
from memgauge.scenarios.short import expand

__all__ = ["SUITE_NAME", "Finding", "Scenario", "builtin", "compile_case", "expand", "lint_suite", "load", "pinned", "schema", "select"]
