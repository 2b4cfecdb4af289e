"""The report as one page that needs nothing else: no network, no scripts to be read, no text of a run that could act.

Everything from a run is escaped by the template engine; a content policy in the page forbids every script but its own, by hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from memgauge.records import OUTCOMES, STAGES, Arm, Json
from memgauge.reports import plots
from memgauge.reports.casefile import CaseFile, open_case
from memgauge.reports.counts import Counts, grouped
from memgauge.reports.run import CheckLine
from memgauge.reports.screen import FAIREST_FIRST, ScreenLine, Tone, first_screen, next_steps, show_command
from memgauge.reports.show import again
from memgauge.reports.store import WORST_FIRST, Database, opened
from memgauge.reports.summary import GroupRow, RunSummary

if TYPE_CHECKING:
    from jinja2 import Environment

    from memgauge.reports.gate import GateVerdict

MAX_FILES = 200
"""Failed cases that are laid open in the page; the rest is counted and can be shown in the terminal."""

MAX_BYTES = 8_000_000
"""Characters of all cases that are laid open; the rest is counted too."""

MAX_CHECKS = 2000
"""Rows of the table of all checks; with more, a page gets slow to open. Failures come first."""

TEXT_SHOWN = 600
"""Characters of one text that are shown; the run folder has all of them."""

BROKEN = ("fail", "error")
_MARKS = {"good": "✓", "bad": "✕", "warn": "!", "plain": ""}


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture with the sentence that says what it shows, also to those who cannot see it."""

    svg: Any
    caption: str


def render(summary: RunSummary, gate: GateVerdict | None = None) -> str:
    """The whole page; with the verdict of a gate its rules stand on top. The same summary gives the same bytes. Raises InputError when a
    history of a failed case cannot be read."""
    environment = _environment()
    script = environment.get_template("script.js.j2").render()
    screen = first_screen(summary)
    with opened(summary.run.folder) as database:
        files = list(_files(summary, database))
        checks = database.lines(CheckLine, f"WHERE arm = 'on' ORDER BY {WORST_FIRST}, rowid LIMIT {MAX_CHECKS}")
    anchors = {file.case.id: anchor(file.case.id) for file in files}
    shared: Json = {"anchors": anchors, "stages": STAGES, "again": again, "show_command": partial(show_command, summary)}
    opened_, left = _laid_open(environment.get_template("case.html.j2").make_module(shared), files)
    treated = sum((row.counts for row in summary.classes if row.arm == "on"), Counts())
    return environment.get_template("report.html.j2").render(
        **shared,
        summary=summary,
        folder=(folder := shlex.quote(str(summary.run.folder))),
        at=f"--run {folder}",
        title=summary.identity,
        gate=gate,
        screen=_grouped_lines(line for line in screen if line.label != "RUN" and (gate or line.label != "VERDICT")),
        steps=next_steps(summary),
        verdict=_gate_line(gate) if gate else next(line for line in screen if line.label == "VERDICT"),
        marks=_MARKS,
        changed=_changed(summary),
        places=_places(summary, anchors),
        columns=_columns(summary),
        tables=[("classes", "class", list(_rows(summary, summary.classes))), ("kinds", "kind", list(_rows(summary, summary.kinds)))],
        plots=list(_plots(summary)),
        files=opened_,
        left_files=summary.failed_cases - sum(file.case.outcome in BROKEN for file in files[: len(files) - left]),
        failed_classes=sorted({file.case.class_ for file in files}),
        failed_kinds=sorted({check.kind for file in files for check in file.checks if check.outcome in BROKEN}),
        stages_lost=[stage for stage in STAGES if any(check.lost_at == stage for file in files for check in file.checks)],
        unscored=treated.planned - treated.scored - treated.error,
        checks=checks,
        left_checks=treated.planned - len(checks),
        treated=treated,
        outcomes=[outcome for outcome in OUTCOMES if any(check.outcome == outcome for check in checks)],
        origin=list(_origin(summary)),
        script=environment.filters["trusted"](script),
        script_hash=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
    )


def page(template: str, **parts: Any) -> str:
    """Another page of the same environment: everything in it is escaped."""
    return _environment().get_template(template).render(**parts)


def anchor(case_id: str) -> str:
    """A place in the page that can be linked to: letters, digits and hyphens, unique by a hash of the id."""
    return f"case-{re.sub(r'[^A-Za-z0-9]+', '-', case_id).strip('-')[:60]}-{hashlib.sha256(case_id.encode('utf-8', 'replace')).hexdigest()[:6]}"


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("memgauge.reports", "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_seen,
    )  # fmt: skip
    environment.filters["trusted"] = Markup
    environment.filters["short"] = _short
    return environment


_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the reading order of what follows, and halves of characters."""


def _seen(value: Any) -> Any:
    """A text whose hidden characters are shown by their numbers, so that none of them acts on the page. Markup of our own stays."""
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", value) if type(value) is str else value


def _short(text: str, most: int = TEXT_SHOWN) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _files(summary: RunSummary, database: Database) -> Iterator[CaseFile]:
    """Failed, broken and changed cases of the treatment arm, those of the main cause first, at most `MAX_FILES`."""
    failed = (check.case_id for cause in summary.causes for check in cause.checks)
    changed = _changed_cases(summary, database)
    ids = list(dict.fromkeys([*failed, *(case.id for case in summary.errors), *changed]))[:MAX_FILES]
    checks = grouped(
        database.lines(CheckLine, "WHERE case_id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY rowid", ids=ids), lambda check: check.case_id
    )
    for case in database.cases(ids):
        yield open_case(summary.run, case, tuple(checks.get(case.id, ())))


def _changed_cases(summary: RunSummary, database: Database) -> list[str]:
    """The first repeat of every case with a check that got worse or better."""
    if summary.changes is None:
        return []
    cases = dict.fromkeys(f"{name.split('::', 1)[0]}.0" for name in (*summary.changes.regressed, *summary.changes.fixed))
    return [case.id for case in database.cases(list(cases)[:MAX_FILES])]


def _gate_line(gate: GateVerdict) -> ScreenLine:
    broken = [row for row in gate.rows if row.status not in ("ok", "warning")]
    told = "; ".join(f"{row.id}: {row.cause}" for row in broken)
    tone: Tone = "good" if gate.exit_code == 0 else "warn" if gate.exit_code == 4 else "bad"
    return ScreenLine("VERDICT", f"{gate.exit_code}: {gate.words}{f'. {told}' if told else ''}", tone)


def _laid_open(module: Any, files: Sequence[CaseFile]) -> tuple[list[str], int]:
    """The cases as they stand in the page, as far as there is room, and how many are left out."""
    room = MAX_BYTES
    laid: list[str] = []
    for file in files:
        text = module.case_file(file)
        room -= len(text)
        if room < 0 and laid:
            break
        laid.append(text)
    return laid, len(files) - len(laid)


def _grouped_lines(lines: Iterable[ScreenLine]) -> list[tuple[str, list[ScreenLine]]]:
    """Lines of the same topic under one label; a line without a label belongs to the one before it."""
    groups: list[tuple[str, list[ScreenLine]]] = []
    for line in lines:
        if groups and line.label in ("", groups[-1][0]):
            groups[-1][1].append(line)
        else:
            groups.append((line.label, [line]))
    return groups


def _places(summary: RunSummary, anchors: Mapping[str, str]) -> dict[str, str]:
    """By id of a check without its repeat: the place of its case in the page."""
    names = () if summary.changes is None else (*summary.changes.regressed, *summary.changes.fixed)
    found = ((name, anchors.get(f"{name.split('::', 1)[0]}.0")) for name in names)
    return {name: place for name, place in found if place}


def _changed(summary: RunSummary) -> list[tuple[str, tuple[str, ...]]]:
    changes = summary.changes
    if changes is None:
        return []
    return [("regressed", changes.regressed), ("missing", changes.missing), ("not comparable", changes.not_comparable),
            ("fixed", changes.fixed), ("new", changes.new)]  # fmt: skip


def _columns(summary: RunSummary) -> list[tuple[str, list[Arm]]]:
    """The arms of each system, in the order of the table."""
    ran = {(row.system, row.arm) for row in summary.classes}
    return [(system.name, [arm for arm in FAIREST_FIRST if (system.name, arm) in ran]) for system in summary.systems]


def _rows(summary: RunSummary, rows: Sequence[GroupRow]) -> Iterator[Json]:
    cells = {(row.name, row.system, row.arm): row for row in rows}
    for name in dict.fromkeys(row.name for row in rows):
        found = [(cells.get((name, system, arm)), system, arm) for system, arms in _columns(summary) for arm in arms]
        proofs = [row.proofs for row, _, arm in found if row is not None and arm == "on"]
        yield {
            "name": name,
            "cells": [(row.counts if row else None, system, arm) for row, system, arm in found],
            "held": sum(held for held, _ in proofs),
            "asked": sum(asked for _, asked in proofs),
        }


def _plots(summary: RunSummary) -> Iterator[Plot]:
    from markupsafe import Markup

    if svg := plots.sufficiency(summary.classes):
        yield Plot(Markup(svg), "Share of probes whose prompt held all that was needed and nothing that misleads, by class and arm.")
    if svg := plots.growth(summary):
        yield Plot(Markup(svg), "Tokens of a prompt against the messages stored before it: does the prompt grow with the age of the account?")
    if svg := plots.price(summary):
        yield Plot(Markup(svg), "What each system reaches and what it costs: up is better, left is cheaper.")


def _origin(summary: RunSummary) -> Iterator[tuple[str, str]]:
    """What the manifest says, flat; long tables such as the hash of every scenario only by their number."""
    for name, value in sorted(summary.run.manifest.items()):
        if isinstance(value, Mapping) and len(value) > 12:
            yield name, f"{len(value)} entries, in manifest.json"
        elif isinstance(value, Mapping):
            yield name, ", ".join(f"{key} {held}" for key, held in value.items())
        elif isinstance(value, list):
            yield name, ", ".join(str(held.get("name", held)) if isinstance(held, Mapping) else str(held) for held in value)
        elif value not in ("", None):
            yield name, str(value)
