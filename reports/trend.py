"""Many runs in the order of their names: what each reached, and which checks flipped since the run of the same system before.

Only checks that ask the same thing are set against each other: same id, same scenario digest, same evaluator version. How many of a
run's checks had such a twin is always said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memgauge.records import Json
from memgauge.reports import store

_SQL = """
WITH treated AS (SELECT checks.*, cases.digest FROM checks JOIN cases ON cases.n = checks.n AND cases.id = checks.case_id WHERE checks.arm = 'on'),
reached AS (
  SELECT n, system, count(*) AS planned, count(*) FILTER (outcome IN ('pass', 'fail')) AS scored, count(*) FILTER (outcome = 'pass') AS passed,
         count(*) FILTER (outcome = 'fail' AND family = 'safety') AS unsafe,
         count(*) FILTER (kind = 'sufficient' AND outcome IN ('pass', 'fail')) AS asked,
         count(*) FILTER (kind = 'sufficient' AND outcome = 'pass') AS sufficient
  FROM treated GROUP BY ALL),
placed AS (SELECT *, lag(n) OVER (PARTITION BY system ORDER BY n) AS before FROM reached),
flips AS (
  SELECT placed.n, placed.system, count(*) AS compared, count(*) FILTER (old.outcome <> 'fail' AND new.outcome = 'fail') AS fell,
         count(*) FILTER (old.outcome <> 'pass' AND new.outcome = 'pass') AS rose
  FROM placed JOIN treated new ON new.n = placed.n AND new.system = placed.system
  JOIN treated old ON old.n = placed.before AND old.id = new.id AND old.digest = new.digest AND old.evaluator = new.evaluator GROUP BY ALL),
spent AS (SELECT n, system, avg(value) AS tokens FROM measures WHERE arm = 'on' AND name = 'tokens_memory' GROUP BY ALL)
SELECT runs.folder, placed.system, planned, scored, passed, unsafe, asked, sufficient, tokens, before IS NOT NULL, coalesce(compared, 0),
       coalesce(fell, 0), coalesce(rose, 0)
FROM placed JOIN runs USING (n) LEFT JOIN flips USING (n, system) LEFT JOIN spent USING (n, system) ORDER BY placed.system, placed.n
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One system in one run, memory on. `compared`: checks that the run before asked in the same way, of which `fell` fail now and did not
    then, and `rose` the other way round; None for the first run of a system. `tokens`: mean that memory puts into a prompt."""

    folder: str
    system: str
    planned: int
    scored: int
    passed: int
    unsafe: int
    asked: int
    sufficient: int
    tokens: float | None
    compared: int | None
    fell: int
    rose: int

    def to_json(self) -> Json:
        return {name: value for name, value in asdict(self).items() if value is not None}


def trend(folders: Sequence[Path]) -> tuple[Stop, ...]:
    """The stops of all systems. Raises InputError for a folder that is no finished run."""
    found = store.across(sorted(folders, key=lambda folder: folder.name), _SQL)
    stops = []
    for folder, system, planned, scored, passed, unsafe, asked, sufficient, tokens, follows, compared, fell, rose in found.rows:
        stops.append(
            Stop(
                folder=folder, system=system, planned=planned, scored=scored, passed=passed, unsafe=unsafe, asked=asked, sufficient=sufficient,
                tokens=tokens, compared=compared if follows else None, fell=fell, rose=rose,
            )
        )  # fmt: skip
    return tuple(stops)


def lines(stops: Sequence[Stop]) -> list[str]:
    """The trend as a table, a block a system."""
    wide = max((len(stop.folder) for stop in stops), default=0)
    out: list[str] = []
    for number, stop in enumerate(stops):
        if not number or stops[number - 1].system != stop.system:
            out += [stop.system, f"  {'run':<{wide}}{'passed':>12}{'sufficient':>12}{'unsafe':>8}{'tokens':>8}   since the run before"]
        tokens = "–" if stop.tokens is None else f"{stop.tokens:,.0f}"
        passed, enough = f"{stop.passed}/{stop.scored}", f"{stop.sufficient}/{stop.asked}"
        out.append(f"  {stop.folder:<{wide}}{passed:>12}{enough:>12}{stop.unsafe:>8}{tokens:>8}   {_since(stop)}".rstrip())
    return out


def _since(stop: Stop) -> str:
    if stop.compared is None:
        return ""
    if not stop.compared:
        return "nothing is comparable"
    aside = "" if stop.compared == stop.planned else f" ({stop.compared} of {stop.planned} comparable)"
    return f"{stop.fell} fell, {stop.rose} rose{aside}"
