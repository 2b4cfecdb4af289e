"""The report as one page that needs nothing else: no network, no scripts to be read, no text of a run that could act.

Everything from a run is escaped by the template engine; a content policy in the page forbids every script but its own, by hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.records import OUTCOMES, STAGES, Json
from memgauge.reports import plots
from memgauge.reports.casefile import CaseFile, open_case
from memgauge.reports.counts import grouped
from memgauge.reports.run import CheckLine
from memgauge.reports.screen import FAIREST_FIRST, first_screen, short_case
from memgauge.reports.show import again
from memgauge.reports.summary import RunSummary

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_FILES = 200
"""Failed cases that are laid open in the page; the rest is counted and can be shown in the terminal."""

MAX_CHECKS = 2000
"""Rows of the table of all checks; with more, a page gets slow to open. Failures come first."""

TEXT_SHOWN = 600
"""Characters of one text that are shown; the run folder has all of them."""

_MARKS = {"good": "✓", "bad": "✕", "warn": "!", "plain": ""}


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture with the sentence that says what it shows, also to those who cannot see it."""

    svg: Any
    caption: str


def render(summary: RunSummary) -> str:
    """The whole page. The same summary gives the same bytes. Raises InputError when a history of a failed case cannot be read."""
    environment = _environment()
    script = environment.get_template("script.js.j2").render()
    treated = sorted((check for check in summary.run.checks if check.arm == "on"), key=_severity)
    files, left = _files(summary)
    unscored = [check for check in treated if not check.scored and check.outcome != "error"]
    broken = [check for file in files for check in file.checks if check.outcome in ("fail", "error")]
    screen = first_screen(summary)
    return environment.get_template("report.html.j2").render(
        summary=summary,
        title=summary.identity,
        screen=[line for line in screen if line.label not in ("RUN", "VERDICT")],
        verdict=next(line for line in screen if line.label == "VERDICT"),
        marks=_MARKS,
        changed=_changed(summary),
        columns=_columns(summary),
        class_rows=list(_class_rows(summary)),
        plots=list(_plots(summary)),
        files=files,
        left_files=left,
        anchors={file.case.id: anchor(file.case.id) for file in files},
        failed_classes=sorted({file.case.class_ for file in files}),
        failed_kinds=sorted({check.kind for check in broken}),
        unscored=unscored,
        unscored_reasons=_reasons(unscored),
        checks=treated[:MAX_CHECKS],
        left_checks=max(0, len(treated) - MAX_CHECKS),
        outcomes=[outcome for outcome in OUTCOMES if any(check.outcome == outcome for check in treated)],
        stages=STAGES,
        origin=list(_origin(summary)),
        again=again,
        short_case=short_case,
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
        loader=PackageLoader("memgauge.reports", "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["trusted"] = Markup
    environment.filters["short"] = _short
    return environment


def _short(text: str, most: int = TEXT_SHOWN) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _severity(check: CheckLine) -> tuple[int, str]:
    return ("fail", "error", "unscored", "unsupported", "skip", "not_applicable", "pass").index(check.outcome), check.id


def _files(summary: RunSummary) -> tuple[list[CaseFile], int]:
    """Failed and broken cases of the treatment arm, those of the biggest cause first, and how many more there are."""
    run = summary.run
    cases = {case.id: case for case in run.cases}
    by_case = grouped(run.checks, lambda check: check.case_id)
    ids = dict.fromkeys([check.case_id for cause in summary.causes for check in cause.checks] + [case.id for case in summary.errors])
    files = [open_case(run, cases[case_id], tuple(by_case.get(case_id, ()))) for case_id in list(ids)[:MAX_FILES]]
    return files, len(ids) - len(files)


def _changed(summary: RunSummary) -> list[tuple[str, tuple[str, ...]]]:
    changes = summary.changes
    if changes is None:
        return []
    return [("regressed", changes.regressed), ("missing", changes.missing), ("not comparable", changes.not_comparable),
            ("fixed", changes.fixed), ("new", changes.new)]  # fmt: skip


def _columns(summary: RunSummary) -> list[Json]:
    arms = [
        (system.name, arm)
        for system in summary.systems
        for arm in FAIREST_FIRST
        if any((row.system, row.arm) == (system.name, arm) for row in summary.classes)
    ]
    several = len(summary.systems) > 1
    return [{"system": system, "arm": arm, "title": f"{system} · {arm}" if several else arm} for system, arm in arms]


def _class_rows(summary: RunSummary) -> Iterator[Json]:
    rows = {(row.class_, row.system, row.arm): row for row in summary.classes}
    columns = _columns(summary)
    for name in dict.fromkeys(row.class_ for row in summary.classes):
        found = [(rows.get((name, column["system"], column["arm"])), column["arm"]) for column in columns]
        proofs = [row.proofs for row, arm in found if row is not None and arm == "on"]
        yield {
            "name": name,
            "cells": [(row.counts if row else None, arm) for row, arm in found],
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


def _reasons(unscored: list[CheckLine]) -> list[tuple[str, int, str]]:
    def said(check: CheckLine) -> str:
        return f"{check.outcome.replace('_', ' ')}: {check.reason}"

    counted = Counter(said(check) for check in unscored)
    example = {said(check): check.id for check in reversed(unscored)}
    return [(reason, count, example[reason]) for reason, count in sorted(counted.items(), key=lambda found: (-found[1], found[0]))]


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
