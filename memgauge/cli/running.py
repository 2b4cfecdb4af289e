"""`run` and `rescore`: make a run folder and print its first screen."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memgauge.cli.manifest import manifest_of
from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.resuming import AGAIN, NONDETERMINISTIC, Unfinished, earlier_of, same_twice, unfinished
from memgauge.cli.selection import Classes, Ids, Rows, Seed, Selection, Settings, Suites, Systems, Tags, arms, choose, systems
from memgauge.errors import InputError

if TYPE_CHECKING:
    from memgauge.records import Arm
    from memgauge.reports.summary import RunSummary
    from memgauge.systems.spec import SystemSpec

RUNS = "runs"
"""Folder below the working folder in which run folders are made."""

OutFlag = Annotated[Path | None, typer.Option("--out", help="Folder for this run. Default: runs/<time>-<id>.", show_default=False)]


def register(app: typer.Typer) -> None:
    app.command()(run)
    app.command()(rescore)


def run(
    ids: Ids = None,
    system: Systems = None,
    suite: Suites = None,
    tag: Tags = None,
    class_: Classes = None,
    row: Rows = None,
    profile: Annotated[str | None, typer.Option("--profile", help="smoke or full.", show_default=False)] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm", help="on, off, recent-equal, placebo, on-without:KIND (fact, note, goal, …). Default: the first three.", show_default=False
        ),
    ] = None,
    seed: Seed = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, max=1000, help="Run every case this many times.")] = 1,
    settings: Settings = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds one case may take.")] = 60.0,
    out: OutFlag = None,
    allow_unmeasured: Annotated[
        list[str] | None, typer.Option("--allow-unmeasured", help="A class in which nothing needs to be scored.", show_default=False)
    ] = None,
    keep_content: Annotated[
        Path | None, typer.Option("--keep-content", help="Folder (0700) for the texts of private scenarios; no report reads it.", show_default=False)
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="RUN", help="Go on with this run, or with `last`; it keeps its own selection.", show_default=False),
    ] = None,
    retry_errors: Annotated[
        int, typer.Option("--retry-errors", min=0, max=100, help="Run a case again this many times if it breaks; never one in which a check failed.")
    ] = 0,
    check_determinism: Annotated[
        bool, typer.Option("--check-determinism", help="Run everything twice; 3 if a byte of checks.jsonl differs.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count cases, messages and reads.")] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Report the code that would be used, and exit 0.")] = False,
    as_json: JsonFlag = False,
) -> int:
    """Run scenarios on a memory, with memory off, and with the same tokens of recent history."""
    output = Output(as_json)
    if resume is not None:
        old = unfinished(resume, retry=retry_errors > 0)
        given = {"a scenario": ids, "--system": system, "--suite": suite, "--tag": tag, "--class": class_, "--row": row, "--profile": profile,
                 "--arm": arm, "--seed": seed, "--repeats": repeats != 1, "--set": settings, "--out": out, "--dry-run": dry_run,
                 "--allow-unmeasured": allow_unmeasured, "--check-determinism": check_determinism}  # fmt: skip
        if clash := [name for name, value in given.items() if value not in (None, False, [])]:
            raise InputError(f"{clash[0]} does not go with it", where="--resume", hint="a run that goes on keeps its own selection")
        summary = run_into(
            old.folder, old.chosen, old.specs, old.arms, jobs=jobs, timeout=timeout, repeats=old.repeats,
            allow=old.manifest["allow_unmeasured"], kept=keep_content, retries=retry_errors, selection=old.selection, old=old,
        )  # fmt: skip
        return finish(summary, output, exit_zero=exit_zero)
    chosen = choose(ids=ids, suites=suite, tags=tag, classes=class_, rows=row, seed=seed, profile=profile)
    specs = systems(system, settings, chosen.project)
    ran_arms = arms(arm)
    if dry_run:
        return _dry_run(chosen, specs, ran_arms, repeats, output)
    selection = {"suites": list(suite or chosen.project.suites), "systems": [spec.name for spec in specs], "settings": list(settings or ())}
    folder = out or new_folder()

    def run_once(into: Path) -> RunSummary:
        return run_into(into, chosen, specs, ran_arms, jobs=jobs, timeout=timeout, repeats=repeats, allow=allow_unmeasured or (),
                        kept=keep_content, retries=retry_errors, selection=selection)  # fmt: skip

    summary = run_once(folder)
    if not check_determinism or summary.run.status != "complete":
        return finish(summary, output, exit_zero=exit_zero)
    second = run_once(folder / AGAIN)
    if second.run.status != "complete":
        return finish(second, output, exit_zero=exit_zero)
    code = None if same_twice(folder, folder / AGAIN, output) else NONDETERMINISTIC
    return finish(summary, output, exit_zero=exit_zero, code=code)


def run_into(
    folder: Path,
    chosen: Selection,
    specs: list[SystemSpec],
    ran_arms: tuple[Arm, ...],
    *,
    jobs: int = 2,
    timeout: float = 60.0,
    repeats: int = 1,
    allow: Sequence[str] = (),
    kept: Path | None = None,
    retries: int = 0,
    selection: Mapping[str, Any] | None = None,
    old: Unfinished | None = None,
) -> RunSummary:
    """Run a selection on systems and arms, write the run folder with its reports, and return the summary. `selection` says how it was
    chosen, so that it can be chosen again; `old` is the run in this folder that goes on."""
    from memgauge.cli.rulings import ruled_judge
    from memgauge.evaluators import diagnose
    from memgauge.handlers import progress
    from memgauge.reports import ended
    from memgauge.reports.folder import RunFolder
    from memgauge.runner import RunOptions
    from memgauge.runner import run as run_plans
    from memgauge.saboteurs.opener import open_system

    judge = ruled_judge(chosen.project.folder)
    options = RunOptions(jobs=jobs, repeats=repeats, limit_s=timeout, seed=chosen.seed, retries=retries)
    manifest = manifest_of(chosen, specs, repeats) | {"allow_unmeasured": list(allow)} | ({"selection": dict(selection)} if selection else {})
    stay = ended.kept(old.found, old.manifest, manifest, retry=retries > 0) if old else None
    if old and stay:
        manifest["resumed"] = [*old.manifest.get("resumed", ()), {"reused": len(stay.cases), "again": dict(stay.again)}]
    handlers = (RunFolder(folder, kept, stay), progress(done=len(stay.cases) if stay else 0))
    earlier = earlier_of(stay or ended.Kept(), folder)
    for event in run_plans(chosen.plans, ran_arms, specs, judge, diagnose, options, open_system=open_system, manifest=manifest, earlier=earlier):
        for handler in handlers:
            handler.handle(event)
    return written(folder, allow)


def written(folder: Path, allow_unmeasured: Sequence[str] = ()) -> RunSummary:
    """Build the database and the HTML and Markdown reports of a finished run, and return its summary."""
    from memgauge.reports import html, jsonl, markdown, store
    from memgauge.reports.folder import read_run
    from memgauge.reports.summary import summarise

    summary = summarise(read_run(folder), allow_unmeasured=allow_unmeasured)
    store.build(folder)
    jsonl.write_text(folder / "report.html", html.render(summary))
    jsonl.write_text(folder / "summary.md", markdown.render(summary))
    return summary


def finish(summary: RunSummary, output: Output, *, exit_zero: bool = False, code: int | None = None) -> int:
    """Print the first screen and the JSON lines of a run; returns its exit code, or `code` where something outside of it decides."""
    from memgauge.reports import screen

    code = summary.decision.exit_code if code is None else code
    for line in screen.plain(screen.first_screen(summary)):
        output.text(line)
    output.text(f"FILES    {summary.run.folder}: report.html, results.duckdb, checks.jsonl")
    for check in summary.run.checks:
        output.line("check", check.to_json())
    output.summary(
        run=summary.run.folder.name,
        folder=str(summary.run.folder),
        exit_code=code,
        status=summary.run.status,
        verdict=summary.decision.text,
        systems={s.name: s.counts.to_json() for s in summary.systems},
        classes=[{"class": r.name, "system": r.system, "arm": r.arm, **r.counts.to_json()} for r in summary.classes],
    )
    if exit_zero and code:
        output.text(f"(exit code would be {code})")
    return 0 if exit_zero else code


def rescore(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: OutFlag = None,
    as_json: JsonFlag = False,
) -> int:
    """Judge a stored run again from its histories, without any memory; writes a new run folder."""
    from memgauge.cli.rulings import label_digests, ruled_judge
    from memgauge.cli.selection import project
    from memgauge.events import CaseFinished, RunFinished, RunStarted
    from memgauge.protocol import Manifest
    from memgauge.records import CaseId
    from memgauge.reports.folder import RunFolder, read_history, read_run

    old = read_run(run)
    judge = ruled_judge(project().folder)
    if private := [case.id for case in old.cases if case.content == "private"]:
        raise InputError(f"{len(private)} cases are private, such as {private[0]}", where=str(run), hint="their texts are not stored: run again")
    handler = RunFolder(out or new_folder())
    manifest = {k: v for k, v in old.manifest.items() if k not in ("status", "planned", "schema", "ran", "wall_ms", "reason", "selection")}
    now = {"rescored_from": old.folder.name, "labels": label_digests(project().folder)}
    handler.handle(RunStarted(manifest={**manifest, **now}, planned=int(old.manifest["planned"])))
    for case in old.cases:
        plan, history = read_history(old, case)
        told = Manifest.from_json(case.manifest) if case.manifest else None
        assembled: Literal["system", "harness"] = "harness" if case.assembled_by == "harness" else "system"
        judgement = judge(plan, history, told, assembled)
        case_id = CaseId(scenario=case.scenario, system=case.system, arm=case.arm, seed=case.seed, repeat=case.repeat)
        handler.handle(
            CaseFinished(
                id=case_id, plan=plan, history=history, judgement=judgement, error=case.error, assembled_by=assembled, manifest=case.manifest
            )
        )
    handler.handle(RunFinished(status=old.status if old.status != "started" else "error"))
    return finish(written(handler.folder), Output(as_json))


def _dry_run(chosen: Selection, specs: list[SystemSpec], ran_arms: tuple[Arm, ...], repeats: int, output: Output) -> int:
    from memgauge.protocol import VERBS

    calls = [step for plan in chosen.plans for step in plan.steps if step.kind == "call"]
    messages = sum(len(s.args.get("messages", ())) if s.op == "append_many" else s.op == "append" for s in calls)
    reads = sum(VERBS[step.op].effect == "read" for step in calls)
    controlled = sum(plan.lane != "process" for plan in chosen.plans)
    cases = len(specs) * repeats * (len(chosen.plans) + controlled * (len(ran_arms) - 1))
    for plan in chosen.plans:
        output.line("scenario", {"id": plan.scenario, "steps": len(plan.steps), "checks": len(plan.expectations)})
    output.text(f"{cases} cases: {len(chosen.plans)} scenarios × {', '.join(s.name for s in specs)} × {', '.join(ran_arms)}")
    output.text(f"each system reads {messages} messages and answers {reads} reads per arm; nothing was run")
    output.summary(cases=cases, scenarios=len(chosen.plans), messages=messages, reads=reads, exit_code=0)
    return 0


def new_folder() -> Path:
    """A name for a new run folder below `runs/`."""
    from memgauge.clock import SystemClock

    return Path(RUNS) / f"{SystemClock().now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
