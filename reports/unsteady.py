"""Changes of a memory that is not deterministic: which of its flips are a change, and which the memory makes with nothing changed.

`flips` decides over the repeats of both sides. What flips beyond chance is regressed or fixed; the rest is `within_noise`. A memory that
was repeated too seldom for any test keeps its flips as they are and is named in `Changes.undecided`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace

from memgauge.records import Outcome
from memgauge.reports.changes import Changes, Point, points
from memgauge.reports.counts import many, some
from memgauge.reports.flips import Fall, Repeats, enough, fall
from memgauge.reports.run import Run

NAMED = 5


def systems(run: Run) -> frozenset[str]:
    """The systems that say of themselves that they are not deterministic, or show it between their repeats."""
    return says(run, "stochastic") | {place(name)[1] for name in differing(run)}


def says(run: Run, determinism: str) -> frozenset[str]:
    """The systems that say this of themselves."""
    return frozenset(case.system for case in run.cases if case.arm == "on" and case.manifest.get("determinism") == determinism)


def differing(run: Run) -> tuple[str, ...]:
    """The checks with memory on that did not end alike in every repeat."""
    return tuple(name for name, point in points(check for check in run.checks if check.arm == "on").items() if not point.steady)


def place(point: str) -> tuple[str, str]:
    """Scenario and system in a check id."""
    scenario, _, rest = point.partition("[")
    return scenario, rest.split("]", 1)[0]


def settled(changes: Changes, before: Mapping[str, Point], after: Mapping[str, Point], unsteady: Collection[str]) -> Changes:
    """The changes with the flips of the unsteady systems sorted by what chance explains."""
    for system in sorted(unsteady):
        apart = set(changes.not_comparable)
        mine = [name for name in sorted(before.keys() & after.keys()) if place(name)[1] == system and name not in apart]
        flipped = [name for name in mine if max(_lost(before[name], after[name]), _lost(after[name], before[name])) > 0]
        if not mine:
            continue
        seldom = min(before[name].repeats for name in mine), min(after[name].repeats for name in mine)
        if not enough(*seldom):
            said = f"{system} is not deterministic: {seldom[0]} and {seldom[1]} repeats decide nothing. Run the baseline and this with --repeats 5"
            changes = replace(changes, undecided=(*changes.undecided, system), notes=(*changes.notes, said))
            continue
        worse, better = _fall(mine, before, after), _fall(mine, after, before)
        regressed = [name for name in flipped if place(name)[0] in worse.worse and _lost(before[name], after[name]) > 0]
        fixed = [name for name in flipped if place(name)[0] in better.worse and name not in regressed and _lost(after[name], before[name]) > 0]
        others = set(flipped) - {*regressed, *fixed}
        changes = replace(
            changes,
            regressed=_merged(changes.regressed, mine, regressed),
            fixed=_merged(changes.fixed, mine, fixed),
            within_noise=_merged(changes.within_noise, mine, others),
            unchanged=changes.unchanged - len(flipped) + sum(name in changes.regressed or name in changes.fixed for name in mine),
            notes=(*changes.notes, _said(system, worse, len(others))),
        )
    return changes


def _merged(held: Collection[str], mine: Collection[str], found: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted({*held} - {*mine} | {*found}))


def _fall(names: Collection[str], before: Mapping[str, Point], after: Mapping[str, Point]) -> Fall:
    """The test over scenarios. A repeat breaks a check in up to three ways: it does not pass, it fails, it has no score."""
    scenarios: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if not (before[name].steady and after[name].outcomes == before[name].outcomes):
            scenarios[place(name)[0]].append(name)
    return fall({scenario: Repeats(_broken(checks, before), _broken(checks, after)) for scenario, checks in scenarios.items()})


def _broken(checks: Collection[str], side: Mapping[str, Point]) -> tuple[tuple[bool, ...], ...]:
    """Of each repeat what it broke; of as many repeats as all checks of the scenario have."""
    ended = [side[name].outcomes for name in checks]
    return tuple(tuple(part for outcome in repeat for part in _parts(outcome)) for repeat in zip(*ended, strict=False))


def _parts(outcome: Outcome) -> tuple[bool, bool, bool]:
    return outcome != "pass", outcome == "fail", outcome not in ("pass", "fail")


def _lost(before: Point, after: Point) -> float:
    """The largest fall in the ways a check can be broken, as a share of repeats."""
    shares = [[sum(part) / point.repeats for part in zip(*map(_parts, point.outcomes), strict=True)] for point in (before, after)]
    return float(max(now - then for then, now in zip(*shares, strict=True)))


def _said(system: str, worse: Fall, others: int) -> str:
    if not worse.worse:
        return f"{system}: {many(others, 'check')} flipped no more than chance explains (all scenarios together: p {worse.p:.2g})"
    named = [*worse.together, *(name for name in worse.alone if name not in worse.together)]
    return f"{system}: fell beyond chance (all scenarios together: p {worse.p:.2g}): {some(named, NAMED)}"
