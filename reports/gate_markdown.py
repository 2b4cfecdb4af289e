"""The gate's verdict as a comment for a pull request: which rule, which check flipped, at which stage it was lost, what to type."""

from __future__ import annotations

from collections import Counter

from memgauge.reports import comment
from memgauge.reports.changes import Changes, point_id
from memgauge.reports.gate import GateVerdict
from memgauge.reports.markdown import COMMENT_LIMIT, code, escape, fitted
from memgauge.reports.run import CheckLine
from memgauge.reports.screen import short_case
from memgauge.reports.summary import RunSummary

FLIPS_SHOWN = 30
"""A comment that is longer is not read."""

_MARKS = {"ok": "✅", "violated": "❌", "inconclusive": "❔", "warning": "⚠️", "error": "💥"}


def render(verdict: GateVerdict, summary: RunSummary, limit: int = COMMENT_LIMIT, name: str = "gate") -> str:
    """The comment, in at most `limit` bytes. A later one of the same name takes its place."""
    marker = comment.head(name, _state(verdict), quiet=verdict.exit_code == 0 and (verdict.changes is None or verdict.changes.words == "nothing"))
    rows = [f"| {_MARKS[row.status]} | {code(row.id)} | {escape(row.cause)} | {escape(row.observed)} | {escape(row.bound)} |" for row in verdict.rows]
    parts = [
        (f"{marker}\n## memgauge: {verdict.words}", []),
        ("", [escape(summary.identity), "", "| | rule | | seen | asked |", "|:-:|:--|:--|:--|:--|", *rows]),
    ]
    if verdict.changes is not None:
        parts.append(
            (
                f"### {verdict.changes.words} since {escape(verdict.changes.baseline)}, {verdict.changes.unchanged} unchanged",
                _changes(verdict.changes, summary),
            )
        )
    if verdict.excused or verdict.notes:
        parts.append(("### Notes", [*(f"- excused: {code(name)}" for name in verdict.excused), *(f"- {escape(note)}" for note in verdict.notes)]))
    return fitted(parts, limit)


def _state(verdict: GateVerdict) -> list[object]:
    """Status and set of changes; numbers that move by a little make no new comment."""
    changes = verdict.changes
    sets = (changes.regressed, changes.missing, changes.fixed, changes.new, changes.not_comparable) if changes else ()
    return [verdict.exit_code, [(row.id, row.status) for row in verdict.rows], sets, verdict.excused]


def _changes(changes: Changes, summary: RunSummary) -> list[str]:
    """Where what regressed was lost, then the flips: failures before checks that lost their score, then the rest."""
    seen: dict[str, CheckLine] = {}
    for check in summary.run.checks:
        if check.arm == "on" and (check.outcome != "pass" or point_id(check) not in seen):
            seen[point_id(check)] = check
    lost = Counter(seen[name].lost_at or seen[name].outcome for name in changes.regressed if name in seen)
    causes = [", ".join(f"{count} × {stage}" for stage, count in lost.most_common()), ""] if changes.regressed else []
    regressed = sorted(changes.regressed, key=lambda name: (name not in seen or seen[name].outcome != "fail", name))
    flips = [f"- **regressed** {_told(name, seen.get(name))}" for name in regressed]
    flips += [
        f"- **{word}** {code(name)}"
        for word, names in (("missing", changes.missing), ("fixed", changes.fixed), ("new", changes.new))
        for name in names
    ]
    left = [f"- {len(flips) - FLIPS_SHOWN} more"] if len(flips) > FLIPS_SHOWN else []
    return [*causes, *flips[:FLIPS_SHOWN], *left]


def _told(name: str, check: CheckLine | None) -> str:
    if check is None:
        return code(name)
    lost = f" Lost at **{check.lost_at}**." if check.lost_at else ""
    return f"{code(name)}: {escape(check.witness or check.reason)}.{lost} {code('memgauge show ' + short_case(check.case_id))}"
