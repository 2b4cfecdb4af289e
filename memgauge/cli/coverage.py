"""What shows each row and each known failure, computed from evidence: `list rows` and `list catalogue`.

A tag on a scenario is a claim. A row is *shown* when the last selftest planted a fault that breaks it and a declared check of a
scenario failed; *claimed* when scenarios and faults name it and no selftest was run since; *gap* when something is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from memgauge.errors import InputError
from memgauge.records import CasePlan

Json = dict[str, Any]


def row_lines(plans: Sequence[CasePlan], matrix: Path | None) -> list[Json]:
    """One line a row: its tests, scenarios and saboteurs, and the status from the matrix of a selftest, if there is one."""
    from memgauge.saboteurs import SABOTEURS
    from memgauge.scenarios.promises import rows

    caught = _caught(matrix)
    lines: list[Json] = []
    for row in rows():
        scenarios = [plan.scenario for plan in plans if row.name in plan.rows]
        faults = [fault.name for _, fault in SABOTEURS if row.name in fault.rows]
        shown = {name: caught[name] for name in faults if caught.get(name)}
        status = "gap" if not (scenarios and faults) else "shown" if shown else "not caught" if any(n in caught for n in faults) else "claimed"
        lines.append(
            {
                "name": row.name,
                "title": row.title,
                "status": status,
                "tests": [f"tests/{test}" for test in row.tests],
                "scenarios": scenarios,
                "saboteurs": faults,
                "failed": shown,
            }
        )
    return lines


def failure_lines(plans: Sequence[CasePlan]) -> list[Json]:
    """One line an entry of the failure catalogue: the scenarios that stage it, or why none can."""
    from memgauge.scenarios.promises import failures

    return [
        {"name": entry.name, "title": entry.title, "scenarios": [p.scenario for p in plans if entry.name in p.catalogue], "reason": entry.reason}
        for entry in failures()
    ]


def newest_matrix(runs: Path, name: str) -> Path | None:
    """The matrix that the last selftest wrote below the folder of runs."""
    found = sorted(runs.glob(f"*/{name}"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


def _caught(matrix: Path | None) -> Mapping[str, list[str]]:
    """Saboteur to the checks that caught it, one a scenario. Raises InputError for a matrix that cannot be read."""
    from memgauge.reports.jsonl import read_lines

    caught: dict[str, list[str]] = {}
    for line in read_lines(matrix) if matrix else ():
        if not isinstance(line.get("name"), str) or not isinstance(line.get("by"), list):
            raise InputError("a line of a selftest names its saboteur and the checks that caught it", where=str(matrix), hint="run selftest again")
        caught[line["name"]] = _one_each(line["by"])
    return caught


def _one_each(checks: Iterable[str]) -> list[str]:
    first: dict[str, str] = {}
    for check in checks:
        first.setdefault(check.partition("::")[0], check)
    return list(first.values())
