"""The summary of a run as one JSON object, for machines: the same numbers as on the first screen, with their names."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from memgauge.records import Json
from memgauge.reports.changes import Changes
from memgauge.reports.run import CheckLine
from memgauge.reports.stats import Difference
from memgauge.reports.summary import RunSummary, SystemSummary

FORMAT = 1


def to_json(summary: RunSummary) -> Json:
    """Plain data: no NaN, no null where a number is meant but absent (the key is left out)."""
    run, decision = summary.run, summary.decision
    document: dict[str, Any] = {
        "format": FORMAT,
        "run": run.folder.name,
        "status": run.status,
        "identity": summary.identity,
        "exit_code": decision.exit_code,
        "exit_codes": list(decision.codes),
        "verdict": decision.text,
        "not_measured": list(decision.unmeasured),
        "cases": {"planned": summary.planned, "ran": len(run.cases), "errors": len(summary.errors), "control_errors": summary.control_errors},
        "systems": [_system(system) for system in summary.systems],
        "classes": [
            {"class": row.class_, "system": row.system, "arm": row.arm, "checks": row.counts.to_json(), "sufficient": row.sufficient.to_json()}
            for row in summary.classes
        ],
        "failed": [_check(check) for check in summary.failed],
        "errors": [{"case": case.id, "error": case.error} for case in summary.errors],
        "causes": [
            {"lost_at_or_kind": cause.what, "class": cause.class_, "checks": [check.id for check in cause.checks]} for cause in summary.causes
        ],
        "builtin_only": summary.builtin_only,
    }
    if summary.changes is not None:
        document["changes"] = _changes(summary.changes)
    return document


def _system(system: SystemSummary) -> Json:
    held, asked = system.proofs
    cost = {name: spread for name, spread in asdict(system.cost).items() if spread is not None}
    return {
        "name": system.name,
        "label": system.label,
        "checks": system.counts.to_json(),
        "without_score": dict(system.reasons),
        "proofs": {"held": held, "asked": asked},
        "not_proven": dict(system.not_proven),
        "safety": {
            topic.name: {
                **topic.counts.to_json(),
                **({"grades": {grade: counts.to_json() for grade, counts in topic.grades}} if topic.grades else {}),
            }
            for topic in system.safety
        },
        "benefit": {
            "sufficient": {arm: counts.to_json() for arm, counts in system.benefit.arms.items()},
            "on_minus": {arm: _difference(found) for arm, found in system.benefit.ahead.items()},
        },
        "harm": {"scenarios": list(system.harm.scenarios), "possible": system.harm.possible, "avoided": system.harm.avoided},
        "cost": cost,
    }


def _difference(found: Difference) -> Json:
    line: Json = {"mean": found.mean, "scenarios": found.scenarios, "won": found.won, "lost": found.lost, "words": found.words}
    if found.interval is not None:
        line |= {"low": found.interval.low, "high": found.interval.high}
    return line


def _check(check: CheckLine) -> Json:
    return {"check": check.id, "kind": check.kind, "class": check.class_, "lost_at": check.lost_at, "witness": check.witness}


def _changes(changes: Changes) -> Json:
    return {name: list(held) if isinstance(held, tuple) else held for name, held in asdict(changes).items()}
