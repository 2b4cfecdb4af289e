"""`list`: what there is to run, to check, to test, and what was run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memgauge.cli.folders import run_folders
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Classes, Rows, Suites, Tags, choose, project
from memgauge.errors import InputError, nearest

if TYPE_CHECKING:
    from memgauge.records import CasePlan

MANY = 3
"""Entries of a list from which only their number is printed."""


def register(app: typer.Typer) -> None:
    app.command("list")(list_)


def list_(
    what: Annotated[str, typer.Argument(help="scenarios, checks, systems, saboteurs, verbs, measures, rows, catalogue or runs.")] = "scenarios",
    suite: Suites = None,
    tag: Tags = None,
    class_: Classes = None,
    row: Rows = None,
    as_json: JsonFlag = False,
) -> int:
    """What there is to run, to check, to test, and what was run."""
    output = Output(as_json)
    listings = {
        "scenarios": lambda: _scenarios(suite, tag, class_, row),
        "checks": _checks,
        "systems": _systems,
        "saboteurs": _saboteurs,
        "verbs": _verbs,
        "measures": _measures,
        "rows": lambda: _rows(suite),
        "catalogue": lambda: _catalogue(suite),
        "runs": _runs,
    }
    if what not in listings:
        raise InputError(f"there is no list of {what!r}", hint=nearest(what, listings))
    lines = listings[what]()
    for line in lines:
        output.text("  ".join(_shown(name, value) for name, value in line.items() if value not in ("", [], {}, None)))
        output.line(what, line)
    output.text(f"{len(lines)} {what}")
    output.summary(listed=what, count=len(lines), exit_code=0)
    return 0


def _shown(name: str, value: Any) -> str:
    """A cell for people: tables and long lists are counted, `--json` has them all."""
    return f"{len(value)} {name}" if isinstance(value, dict) or (isinstance(value, list) and len(value) > MANY) else str(value)


def _scenarios(suite: list[str] | None, tag: list[str] | None, class_: list[str] | None, row: list[str] | None) -> list[dict[str, Any]]:
    chosen = choose(ids=None, suites=suite, tags=tag, classes=class_, rows=row, profile="full")
    return [
        {"id": p.scenario, "title": p.title, "rows": list(p.rows), "tags": list(p.tags), "lane": p.lane, "checks": len(p.expectations)}
        for p in chosen.plans
    ]


def _checks() -> list[dict[str, Any]]:
    from memgauge.checks import CHECKS

    return [
        {"name": k.name, "family": k.family, "doc": k.doc, "unit": k.unit, "direction": k.direction, "version": k.version, "source": k.source}
        for k in CHECKS.values()
    ]


def _systems() -> list[dict[str, Any]]:
    from memgauge.cli.selection import project_systems
    from memgauge.systems import load

    own = [{"name": name, "from": "memgauge.yaml"} for name in project_systems(project())]
    return own + [{"name": name, "from": "built in" if name in load.BUILT_INS else "installed"} for name in load.names()]


def _saboteurs() -> list[dict[str, Any]]:
    from memgauge.saboteurs import SABOTEURS

    return [
        {
            "name": s.name,
            "doc": s.doc,
            "rows": list(s.rows),
            "classes": list(s.classes),
            "kinds": list(s.kinds),
            "quiet": s.quiet,
            "harmless": s.harmless,
        }
        for _, s in SABOTEURS
    ]


def _verbs() -> list[dict[str, Any]]:
    from memgauge.protocol import VERBS

    return [{"name": v.name, "effect": v.effect, "doc": v.doc, "args": list(v.args), "returns": v.returns} for v in VERBS.values()]


def _measures() -> list[dict[str, Any]]:
    from memgauge.evaluators.measures import MEASURES

    return [{"name": m.name, "unit": m.unit, "direction": m.direction, "doc": m.doc, "source": m.source} for m in MEASURES.values()]


def _rows(suite: list[str] | None) -> list[dict[str, Any]]:
    from memgauge.cli.coverage import newest_matrix, row_lines
    from memgauge.cli.running import RUNS
    from memgauge.cli.systems import MATRIX

    return row_lines(_all_plans(suite), newest_matrix(Path(RUNS), MATRIX))


def _catalogue(suite: list[str] | None) -> list[dict[str, Any]]:
    from memgauge.cli.coverage import failure_lines

    return failure_lines(_all_plans(suite))


def _all_plans(suite: list[str] | None) -> tuple[CasePlan, ...]:
    return choose(ids=None, suites=suite, tags=None, classes=None, profile="full").plans


def _runs() -> list[dict[str, Any]]:
    from memgauge.reports.folder import read_manifest

    lines = []
    for folder in run_folders():
        manifest = read_manifest(folder)
        systems = [str(s.get("name")) for s in manifest.get("systems", ())]
        lines.append(
            {
                "folder": str(folder),
                "status": manifest["status"],
                "suite": manifest.get("suite", ""),
                "systems": systems,
                "seed": manifest.get("seed"),
            }
        )
    return lines
