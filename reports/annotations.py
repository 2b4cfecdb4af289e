"""Failures as annotations of a GitHub job, worst first. GitHub drops what is more than ten a step without a word, so no more are written."""

from __future__ import annotations

from memgauge.reports.counts import many
from memgauge.reports.junit import clean
from memgauge.reports.run import CaseLine, CheckLine
from memgauge.reports.screen import short_case
from memgauge.reports.store import opened
from memgauge.reports.summary import RunSummary

MOST = 10
TEXT_SHOWN = 400


def render(summary: RunSummary) -> str:
    """At most `MOST` lines: broken cases, then failed checks, those of safety first; the last one says how many more there are."""
    failed = [check for cause in summary.causes for check in cause.checks][:MOST]
    with opened(summary.run.folder) as database:
        cases = {case.id: case for case in database.cases(check.case_id for check in failed)}
    lines = [*(_line(case, "broke", case.error) for case in summary.errors), *(_failed(cases[check.case_id], check) for check in failed)]
    if (count := summary.broken + summary.failures) > MOST:
        more = many(count - MOST + 1, "more failure")
        lines = [*lines[: MOST - 1], f"::error title=memgauge::{more}: the step summary has them"]
    return "".join(f"{line}\n" for line in lines)


def _failed(case: CaseLine, check: CheckLine) -> str:
    lost = f" Lost at {check.lost_at}." if check.lost_at else ""
    return _line(case, check.name, f"{check.witness}.{lost} memgauge show {short_case(case.id)}")


def _line(case: CaseLine, what: str, text: str) -> str:
    """The file is named where it is one of the repository; a built-in scenario has none there."""
    own = case.path and not case.path.startswith("builtin@")
    place = f"file={_property(case.path)}," if own else ""
    return f"::error {place}title={_property(f'{short_case(case.id)}: {what}')}::{_data(text)}"


def _data(text: str) -> str:
    """Text as GitHub reads it: per cent signs and line ends escaped, so that no text of a run is a command."""
    kept = clean(text)
    kept = kept if len(kept) <= TEXT_SHOWN else f"{kept[:TEXT_SHOWN]}…"
    return kept.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
