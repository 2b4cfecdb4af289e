"""Choosing among loaded scenarios. A selection that matches nothing is an error, never a success."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Sequence

from memgauge.errors import NothingSelected, nearest
from memgauge.scenarios.scenario import Scenario


def select(
    scenarios: Iterable[Scenario],
    *,
    ids: Sequence[str] = (),
    classes: Sequence[str] = (),
    tags: Sequence[str] = (),
    rows: Sequence[str] = (),
    paths: Sequence[str] = (),
) -> list[Scenario]:
    """Scenarios that meet every given sort of condition, and of each sort at least one value. Globs work in all of them.

    Raises NothingSelected naming the value that matches no scenario, or saying that no scenario meets all.
    """
    chosen = list(scenarios)
    everything = chosen
    for what, wanted, names in (
        ("scenario", ids, lambda s: [s.id]),
        ("class", classes, lambda s: [s.class_]),
        ("tag", tags, lambda s: s.tags),
        ("row", rows, lambda s: s.rows),
        ("path", paths, lambda s: [s.path]),
    ):
        for pattern in wanted:
            _must_match(what, pattern, everything, names)
        if wanted:
            chosen = [s for s in chosen if any(fnmatch.fnmatchcase(name, pattern) for name in names(s) for pattern in wanted)]
    if not chosen:
        raise NothingSelected("no scenario meets all conditions", hint="each is met by some scenario, but not together")
    return chosen


def _must_match(what: str, pattern: str, scenarios: Iterable[Scenario], names: Callable[[Scenario], Iterable[str]]) -> None:
    known = {name for scenario in scenarios for name in names(scenario)}
    if not any(fnmatch.fnmatchcase(name, pattern) for name in known):
        said = f"there is no scenario {pattern!r}" if what == "scenario" else f"no scenario has the {what} {pattern!r}"
        raise NothingSelected(said, hint=nearest(pattern, known))
