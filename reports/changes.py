"""What changed between two judgements of the same checks: the common ground of baseline, gate and summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Literal

from memgauge.records import OUTCOMES, Json, Outcome
from memgauge.reports.counts import grouped
from memgauge.reports.run import CheckLine

Change = Literal["regressed", "fixed", "unchanged", "new", "missing", "not comparable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One check over all its repeats: `passed` of `repeats` passed. `outcome` is pass only when every repeat passed; `value` is the
    mean of the evaluator's number, rounded to four digits, where it has one."""

    id: str
    kind: str
    outcome: Outcome
    passed: int
    repeats: int
    value: float | None = None


def point_id(check: CheckLine) -> str:
    """The check's id without the number of the repeat."""
    return f"{check.case_id.rsplit('.', 1)[0]}::{check.name}"


def points(checks: Iterable[CheckLine]) -> dict[str, Point]:
    """The checks of a run as points, by id, in sorted order."""
    found = {}
    for name, lines in sorted(grouped(checks, point_id).items()):
        outcomes = {line.outcome for line in lines}
        values = [line.value for line in lines if line.value is not None]
        found[name] = Point(
            id=name,
            kind=lines[0].kind,
            outcome=next(outcome for outcome in ("error", "fail", *OUTCOMES[3:], "pass") if outcome in outcomes),
            passed=sum(line.outcome == "pass" for line in lines),
            repeats=len(lines),
            value=round(fmean(values), 4) if values else None,
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Ids by what became of them, against `baseline` (its name). A check that was scored and is so no more has regressed."""

    baseline: str
    regressed: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    not_comparable: tuple[str, ...] = ()
    unchanged: int = 0
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """`3 regressed, 1 fixed, 2 new`, or `nothing`."""
        named = (
            (len(self.regressed), "regressed"), (len(self.fixed), "fixed"), (len(self.new), "new"), (len(self.missing), "missing"),
            (len(self.not_comparable), "not comparable"),
        )  # fmt: skip
        return ", ".join(f"{count} {word}" for count, word in named if count) or "nothing"

    def to_json(self) -> Json:
        return {name: list(held) if isinstance(held, tuple) else held for name, held in asdict(self).items()}


def compare_points(
    before: Mapping[str, Point], after: Mapping[str, Point], *, baseline: str, not_comparable: frozenset[str] = frozenset()
) -> Changes:
    """Every id of both sides in exactly one group. `not_comparable` names ids whose scenario or evaluator is not the same any more."""
    groups: dict[Change, list[str]] = {}
    for name in sorted({*before, *after}):
        groups.setdefault(_change(before.get(name), after.get(name), name in not_comparable), []).append(name)
    return Changes(
        baseline=baseline, regressed=tuple(groups.get("regressed", ())), fixed=tuple(groups.get("fixed", ())), new=tuple(groups.get("new", ())),
        missing=tuple(groups.get("missing", ())), not_comparable=tuple(groups.get("not comparable", ())), unchanged=len(groups.get("unchanged", ())),
    )  # fmt: skip


def _change(before: Point | None, after: Point | None, not_comparable: bool) -> Change:
    if before is None:
        return "new"
    if after is None:
        return "missing"
    if not_comparable:
        return "not comparable"
    if before.outcome == after.outcome:
        return "unchanged"
    if before.outcome in ("pass", "fail") and after.outcome not in ("pass", "fail"):
        return "regressed"
    if after.outcome == "pass":
        return "fixed"
    return "regressed" if after.outcome == "fail" else "unchanged"
