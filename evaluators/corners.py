"""Corners of a scope that a system says it does not have: what crosses only those was never promised to stay apart.

A memory for plain users brings one project's facts into another. Its manifest says so (`scope: {project: none}`): no leak, and no
proof of keeping apart either. One that claims projects, or says nothing of them, is judged; and so is whatever crosses to another user.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memgauge.evaluators.case import Case
from memgauge.records import Entry, Expectation

CORNERS = ("tenant", "agent", "project", "task")
KINDS = ("leak", "not_permitted", "receipt")
"""Kinds of check that ask whether a corner is kept; a receipt does where it must not be `ok`."""


def unpromised(case: Case, expectation: Expectation, entry: Entry) -> str:
    """Why a check is beyond this system, or empty: every fact of it was told (or the record named was saved) by the asking user,
    in another corner only, and of a kind that the manifest says is `none`."""
    lacks = {part for part in CORNERS if case.manifest is not None and case.manifest.scope.get(part) == "none"}
    if expectation.kind not in KINDS or not lacks or "ok" in expectation.params.get("status", ()):
        return ""
    crossed: set[str] = set()
    sources = [{step.id for step in case.plan.steps if fact in step.tells} for fact in expectation.facts] or [_saved(case, entry)]
    for source in sources:
        told = [e.scope for e in case.history if e.step in source and e.n < entry.n]
        apart = [_crossed(scope, entry.scope) for scope in told if scope.get("user") == entry.scope.get("user")]
        if len(apart) < len(told) or not apart or not all(parts and parts <= lacks for parts in apart):
            return ""
        crossed.update(*apart)
    return f"the manifest promises no {' or '.join(part for part in CORNERS if part in crossed)}" if crossed else ""


def _saved(case: Case, entry: Entry) -> set[str]:
    """Steps that saved the records which the entry's step names."""
    step = case.steps.get(entry.step)
    named = {str(value)[1:] for value in step.args.values() if str(value).startswith("$")} if step else set()
    return {other.id for other in case.plan.steps if other.save_as in named}


def _crossed(told: Mapping[str, Any], asked: Mapping[str, Any]) -> set[str]:
    """Corners in which the two differ. A tenant left out is the default one."""
    return {part for part in CORNERS if _part(told, part) != _part(asked, part)}


def _part(scope: Mapping[str, Any], part: str) -> str:
    return str(scope.get(part) or ("default" if part == "tenant" else ""))
