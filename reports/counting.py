"""What a summary needs to know of a run, counted by the database: one query each, none of which brings more lines than can be shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.records import Arm, Json
from memgauge.reports.arms import HEADLINE, Harm
from memgauge.reports.cost import USER_PATH, Spread
from memgauge.reports.counts import Counts
from memgauge.reports.prompts import STORED, TOKENS_MEMORY, TOKENS_PROMPT
from memgauge.reports.run import CaseLine, CheckLine
from memgauge.reports.store import Database
from memgauge.reports.tally import Tally
from memgauge.reports.views import paired_gains, paired_outcomes

LISTED = 1000
"""Failed checks of one cause, and broken cases, that are named one by one; the rest is counted."""

LISTED_IN_ALL = 20_000
REASONS = 200
"""Reasons why checks have no score that are told apart in the page."""

_NEEDING = "(SELECT DISTINCT system, scenario FROM cases WHERE needs_memory)"


def tallies(database: Database) -> tuple[Tally, ...]:
    """All checks of all arms."""
    sql = """SELECT system, arm, class, kind, family, grade, depths, within, outcome,
             CASE outcome WHEN 'unscored' THEN split_part(reason, ':', 1) ELSE '' END AS why, proof, count(*) FROM checks GROUP BY ALL ORDER BY ALL"""
    return tuple(
        Tally(
            system=system, arm=arm, class_=class_, kind=kind, family=family, grade=grade, depths=json.loads(depths), within=within,
            outcome=outcome, reason=reason, proof=proof, n=n,
        )
        for system, arm, class_, kind, family, grade, depths, within, outcome, reason, proof, n in database.rows(sql)
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCases:
    """What the cases of one system say: cases, broken ones, and those that broke or failed, per arm; and what it says of itself."""

    name: str
    ran: Mapping[Arm, int]
    broken: Mapping[Arm, int]
    failed: Mapping[Arm, int]
    manifest: Mapping[str, Any]


def systems(database: Database) -> tuple[SystemCases, ...]:
    """The systems of a run in the order of their first case."""
    found = database.rows("""
        SELECT system, arm, count(*), count(*) FILTER (outcome = 'error'), count(*) FILTER (outcome IN ('error', 'fail')), min(id),
               arg_min(manifest, id) FILTER (manifest::VARCHAR <> '{}')
        FROM cases GROUP BY ALL""")
    names = dict.fromkeys(row[0] for row in sorted(found, key=lambda row: str(row[5])))
    made = []
    for name in names:
        mine = [row for row in found if row[0] == name]
        told = next((row[6] for row in mine if row[1] == "on" and row[6]), "{}")
        ran, broken, failed = ({row[1]: row[place] for row in mine} for place in (2, 3, 4))
        made.append(SystemCases(name=name, ran=ran, broken=broken, failed=failed, manifest=json.loads(told)))
    return tuple(made)


def sufficient(database: Database) -> dict[str, dict[Arm, Counts]]:
    """Prompt sufficiency on the scenarios that need memory, by system and arm."""
    sql = f"""SELECT system, arm, outcome, count(*) FROM checks SEMI JOIN {_NEEDING} needing USING (system, scenario)
              WHERE kind = '{HEADLINE}' GROUP BY ALL ORDER BY ALL"""
    ended: dict[str, dict[Arm, list[Any]]] = {}
    for system, arm, outcome, n in database.rows(sql):
        ended.setdefault(system, {}).setdefault(arm, []).append((outcome, n))
    return {system: {arm: Counts.summed(pairs) for arm, pairs in arms.items()} for system, arms in ended.items()}


def gains(database: Database) -> dict[tuple[str, Arm], dict[str, float]]:
    """By system and other arm: how far `on` is ahead on each scenario that needs memory, by its id, averaged within the scenario."""
    sql = f"SELECT system, arm, scenario, gain FROM ({paired_gains(HEADLINE)}) SEMI JOIN {_NEEDING} needing USING (system, scenario) ORDER BY ALL"
    found: dict[tuple[str, Arm], dict[str, float]] = {}
    for system, arm, scenario, gain in database.rows(sql):
        found.setdefault((system, arm), {})[scenario] = gain
    return found


def kept_back(database: Database) -> dict[tuple[str, Arm], float]:
    """By system and arm without one kind: the tokens that memory put less into a prompt, on average over the same prompts."""
    found = database.rows(f"""
        WITH spent AS (SELECT *, split_part(case_id, '#', 2) AS turn FROM measures WHERE name = '{TOKENS_MEMORY}')
        SELECT theirs.system, theirs.arm, favg(ours.value - theirs.value)
        FROM spent ours JOIN spent theirs USING (system, scenario, turn, step)
        WHERE ours.arm = 'on' AND theirs.arm LIKE 'on-without:%' GROUP BY ALL""")
    return {(system, arm): tokens for system, arm, tokens in found}


def harms(database: Database) -> dict[str, Harm]:
    """By system: what memory broke and what it mended."""
    sql = f"""SELECT system, list(scenario ORDER BY scenario) FILTER (caused), count(*) FILTER (possible), count(*) FILTER (avoided)
              FROM ({paired_outcomes()}) GROUP BY system"""
    return {
        system: Harm(scenarios=tuple(caused or ()), possible=possible, avoided=avoided) for system, caused, possible, avoided in database.rows(sql)
    }


def spreads(database: Database) -> dict[tuple[str, Arm, str], Spread]:
    """Tokens of a prompt and of memory's part by system and arm, and under the name `ms` what a user waits for an answer."""
    tokens = f"""SELECT system, arm, name, favg(value), quantile_disc(value, 0.95), count(*) FROM measures
                 WHERE name IN ('{TOKENS_PROMPT}', '{TOKENS_MEMORY}') GROUP BY ALL"""
    waits = f"""SELECT system, arm, 'ms', favg(ms), quantile_disc(ms, 0.95), count(*) FROM timings JOIN cases ON cases.id = timings.case_id
                WHERE op IN {USER_PATH} GROUP BY ALL"""
    found = (row for sql in (tokens, waits) for row in database.rows(sql))
    return {(system, arm, name): Spread(mean=mean, p95=p95, n=n) for system, arm, name, mean, p95, n in found}


def growth(database: Database) -> tuple[tuple[str, Arm, float, float], ...]:
    """Mean tokens of a prompt by system, arm and the messages stored before it."""
    sql = f"""SELECT tokens.system, tokens.arm, stored.value, favg(tokens.value)
              FROM (FROM measures WHERE name = '{TOKENS_PROMPT}') tokens JOIN (FROM measures WHERE name = '{STORED}') stored USING (case_id, step)
              GROUP BY ALL ORDER BY ALL"""
    return database.rows(sql)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Failed checks of the treatment arm that were lost at the same stage (or broke the same kind of rule) in the same class: how many,
    and the first of them. `safety`: whether one of them is about safety."""

    what: str
    class_: str
    safety: bool
    count: int
    checks: tuple[CheckLine, ...]

    def to_json(self) -> Json:
        return {"what": self.what, "class": self.class_, "count": self.count, "checks": [check.id for check in self.checks]}


def causes(database: Database) -> tuple[Cause, ...]:
    """All groups."""
    groups = database.rows(f"""
        SELECT coalesce(nullif(lost_at, ''), kind), class, bool_or(family = 'safety'), count(*), min(rowid, {LISTED})
        FROM checks WHERE arm = 'on' AND outcome = 'fail' GROUP BY ALL ORDER BY ALL""")
    most = LISTED
    while most > 1 and sum(min(most, len(rows)) for *_, rows in groups) > LISTED_IN_ALL:
        most //= 2
    wanted = [row for *_, rows in groups for row in rows[:most]]
    lines: dict[tuple[str, str], list[CheckLine]] = {}
    for check in database.lines(CheckLine, "WHERE rowid IN (SELECT unnest($rows::BIGINT[])) ORDER BY rowid", rows=wanted):
        lines.setdefault((check.lost_at or check.kind, check.class_), []).append(check)
    return tuple(
        Cause(what=what, class_=class_, safety=safety, count=count, checks=tuple(lines[what, class_])) for what, class_, safety, count, _ in groups
    )


def failed_in(database: Database) -> tuple[int, int]:
    """In how many scenarios and classes checks of the treatment arm failed."""
    ((scenarios, classes),) = database.rows("""
        SELECT count(DISTINCT scenario), count(DISTINCT class) FROM checks WHERE arm = 'on' AND outcome = 'fail'""")
    return scenarios, classes


def broken(database: Database) -> tuple[tuple[CaseLine, ...], tuple[tuple[str, int, str], ...]]:
    """The first broken cases of the treatment arm; and every message with its number and an example, the most frequent first."""
    lines = database.lines(CaseLine, f"WHERE arm = 'on' AND outcome = 'error' ORDER BY id LIMIT {LISTED}")
    said = database.rows("""SELECT error, count(*), min(id) FROM cases WHERE arm = 'on' AND outcome = 'error' GROUP BY error
                            ORDER BY count(*) DESC, min(id)""")
    return lines, said


def reasons(database: Database) -> Iterator[tuple[str, int, str]]:
    """Why checks of the treatment arm have no score: the reason in full, how often, an example; the most frequent first."""
    found = database.rows(f"""
        SELECT outcome, reason, count(*), min(id) FROM checks WHERE arm = 'on' AND outcome NOT IN ('pass', 'fail', 'error')
        GROUP BY ALL ORDER BY count(*) DESC, outcome, reason LIMIT {REASONS}""")
    for outcome, reason, count, example in found:
        yield f"{outcome.replace('_', ' ')}: {reason}", count, example


def retried(database: Database, cases: Sequence[str]) -> tuple[Counts, Counts]:
    """Checks of the treatment arm: of these cases, and of all others."""
    sql = """SELECT case_id IN (SELECT unnest($cases::VARCHAR[])) AS again, outcome, count(*) FROM checks WHERE arm = 'on' GROUP BY ALL"""
    found = database.rows(sql, cases=list(cases))
    these, others = (Counts.summed((outcome, n) for again, outcome, n in found if again is which) for which in (True, False))
    return these, others
