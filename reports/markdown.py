"""The summary of a run in Markdown: for a step summary (at most 1 MiB there) or a comment (at most 65,536 characters).

What does not fit is cut by whole rows, and the cut is said. Text of a run is escaped: it makes no link, no mention, no markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from memgauge.reports import comment as comments
from memgauge.reports.changes import Changes
from memgauge.reports.counts import many
from memgauge.reports.screen import first_screen, one_line
from memgauge.reports.summary import GroupRow, RunSummary

STEP_LIMIT = 1_000_000
"""Bytes; GitHub drops a step summary above 1 MiB whole."""

COMMENT_LIMIT = 60_000
"""Bytes; a comment may have 65,536 characters."""

ROWS_SHOWN = 500
"""Failed checks, and broken cases, that are named; with more, nobody reads them and the classes find no room."""

TEXT_SHOWN = 300
_MARKUP = re.compile(r"([\\`*_\[\]|~])")
_TONES = {"good": "✅", "bad": "❌", "warn": "⚠️", "plain": ""}


def render(summary: RunSummary, limit: int = STEP_LIMIT) -> str:
    """The whole summary in at most `limit` bytes: first screen, what changed, failures by cause, classes by arm."""
    screen = [f"| {_TONES[line.tone]} | {f'**{line.label}**' if line.label else ''} | {escape(line.text, 2000)} |" for line in first_screen(summary)]
    parts = [("", ["| | | |", "|:-:|:--|:--|", *screen])]
    if summary.changes is not None:
        parts.append((f"### Changed since {escape(summary.changes.baseline)}", _changes(summary.changes)))
    if summary.failed:
        rows = [*islice(_failures(summary), ROWS_SHOWN)]
        table = ["| check | kind | lost at | what was seen |", "|:--|:--|:--|:--|", *rows, *_more(summary.failures - len(rows), "checks", "fail")]
        parts.append((f"### {many(summary.failures, 'failed check')}", table))
    if summary.errors:
        broke = [f"- {code(case.id)} {escape(case.error)}" for case in summary.errors[:ROWS_SHOWN]]
        parts.append((f"### {many(summary.broken, 'broken case')}", [*broke, *_more(summary.broken - len(broke), "cases", "error")]))
    parts.append(("### Classes", _classes(summary.classes)))
    return fitted([("## memgauge", []), *parts], limit)


def comment(summary: RunSummary) -> str:
    """The summary as a comment, for a run without a gate: silent where all held and nothing is known to have changed."""
    changes, code = summary.changes, summary.decision.exit_code
    state = [code, sorted(check.id for check in summary.failed), sorted(case.id for case in summary.errors), changes.words if changes else ""]
    marker = comments.head("run", state, quiet=code == 0 and (changes is None or changes.words == "nothing"))
    return f"{marker}\n{render(summary, COMMENT_LIMIT - len(marker))}"


def escape(text: str, most: int = TEXT_SHOWN) -> str:
    """Text that stands in a table cell as it is: one line, no markup, no HTML, nobody mentioned."""
    flat = " ".join(one_line(text).split())
    flat = flat if len(flat) <= most else f"{flat[:most]}…"
    return (
        _MARKUP.sub(r"\\\1", flat)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("#", "&#35;")
        .replace("@", "&#64;")
        .replace("://", "&#58;//")
    )


def code(text: str) -> str:
    """An id as code, where nothing is markup; a backtick or a bar in it is replaced, for they would end the cell."""
    return f"`{one_line(text).replace('`', 'ʼ').replace('|', '¦')}`"


def _more(left: int, table: str, outcome: str) -> list[str]:
    command = f"memgauge query \"FROM {table} WHERE arm = 'on' AND outcome = '{outcome}'\""
    return ["", f"{left} more: {code(command)}"] if left else []


def _failures(summary: RunSummary) -> Iterable[str]:
    for cause in summary.causes:
        for check in cause.checks:
            yield f"| {code(check.id)} | {check.kind} | {check.lost_at} | {escape(check.witness)} |"


def _changes(changes: Changes) -> list[str]:
    groups = (("regressed", changes.regressed), ("missing", changes.missing), ("not comparable", changes.not_comparable),
              ("fixed", changes.fixed), ("new", changes.new))  # fmt: skip
    lines = [f"- **{word}** {code(name)}" for word, names in groups for name in names]
    return [*(f"- {escape(note)}" for note in changes.notes), *lines] or ["- nothing"]


def _classes(rows: Sequence[GroupRow]) -> list[str]:
    columns = list(dict.fromkeys((row.system, row.arm) for row in sorted(rows, key=lambda row: (row.system, row.arm != "on", row.arm))))
    several = len({system for system, _ in columns}) > 1
    names = [escape(f"{system} {arm}" if several else arm) for system, arm in columns]
    cells = {(row.name, row.system, row.arm): str(row.counts) for row in rows}
    lines = [f"| class | {' | '.join(names)} |", f"|:--|{'--:|' * len(columns)}"]
    lines += [
        f"| {escape(name)} | {' | '.join(cells.get((name, system, arm), '–') for system, arm in columns)} |"
        for name in dict.fromkeys(row.name for row in rows)
    ]
    return [*lines, "", "Cells: passed / scored, and of how many planned where some have no score."]


def fitted(parts: Sequence[tuple[str, Sequence[str]]], limit: int) -> str:
    """Headings with their lines, in order, as far as they fit into `limit` bytes; a note for what is left out always fits."""
    room, out = limit - 200, []
    for heading, lines in parts:
        head = [heading, ""] if heading else []
        for number, line in enumerate([*head, *lines, ""]):
            size = len(line.encode()) + 1
            if size > room:
                out.append(f"\n… {many(len(lines) - max(0, number - len(head)), 'more line')} did not fit: see report.html")
                return "\n".join(out) + "\n"
            room -= size
            out.append(line)
    return "\n".join(out)
