"""`try`: whether a scenario can fail, what it would catch, and what it would miss, before anybody relies on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Seed, choose, systems
from memgauge.errors import InputError

if TYPE_CHECKING:
    from memgauge.records import CasePlan
    from memgauge.saboteurs.selftest import Catch
    from memgauge.saboteurs.trial import Result
    from memgauge.scenarios import Scenario

OTHERS = ("reference", "off", "embed-all")
"""What a scenario is tried on beside the project's own system: one that should hold, none at all, and one that brings everything."""


def register(app: typer.Typer) -> None:
    app.command("try")(try_)


def try_(
    file: Annotated[Path, typer.Argument(help="Scenario file.")],
    seed: Seed = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    as_json: JsonFlag = False,
) -> int:
    """Run a new scenario on your memory, the reference, none, all, and on planted faults: what would it catch, what would it miss?

    Exit code 1 when the reference fails it or no planted fault does: such a scenario says nothing, or something wrong.
    """
    from memgauge.evaluators import diagnose, judge
    from memgauge.runner import RunOptions
    from memgauge.saboteurs import SABOTEURS
    from memgauge.saboteurs.opener import open_system
    from memgauge.saboteurs.selftest import Bench
    from memgauge.saboteurs.trial import catches, fitting, results, to_json

    if not file.exists():
        raise InputError("there is no such file", where=str(file), hint="memgauge new class/name writes one")
    output = Output(as_json)
    chosen = choose(ids=None, suites=[str(file)], tags=None, classes=None, seed=seed, profile="full")
    own = [] if chosen.project.default_system in OTHERS else [chosen.project.default_system]
    specs = systems([*own, *OTHERS], None, chosen.project)
    bench = Bench(judge=judge, diagnose=diagnose, open_system=open_system, options=RunOptions(jobs=jobs, seed=chosen.seed))
    made = results(specs, chosen.plans, bench)
    for result in made:
        output.text(result.line())
        output.line("system", to_json(result))
    by_name = {result.system: result for result in made}
    if by_name["off"].holds:
        output.text(f"passes with memory off: {_why_off(chosen.scenarios, chosen.plans)}")
    found = catches(specs[len(own)], fitting([s for _, s in SABOTEURS], chosen.plans), chosen.plans, bench)
    for line in _told(found, chosen.plans):
        output.text(line)
    for catch in found:
        output.line("saboteur", {"name": catch.name, "caught": bool(catch.broken), "harmless": catch.harmless, "checks": list(catch.broken)})
    caught = [catch.name for catch in found if catch.broken and not catch.harmless]
    code = 0 if caught and by_name["reference"].holds else 1
    output.text(_advice(by_name["reference"], caught, found))
    output.summary(file=str(file), tried=len(found), caught=len(caught), reference_holds=by_name["reference"].holds, exit_code=code)
    return code


def _why_off(scenarios: Sequence[Scenario], plans: Sequence[CasePlan]) -> str:
    from memgauge.scenarios import lint_suite

    if any(finding.rule == "off passes" for finding in lint_suite(scenarios)):
        return "the answer stands in the recent window of the thread that asks; ask from another thread, or put talk between"
    if not any(e.kind in ("present", "sufficient") and e.facts for plan in plans for e in plan.expectations):
        return "nothing is needed, only absences are checked; that is right where memory can only harm (needs_memory: false)"
    return "what is needed reaches the prompt without memory"


def _told(found: Sequence[Catch], plans: Sequence[CasePlan]) -> list[str]:
    from memgauge.saboteurs import SABOTEURS
    from memgauge.saboteurs.trial import kinds_of

    groups: dict[str, list[str]] = defaultdict(list)
    for catch in found:
        if catch.broken and not catch.harmless:
            groups[", ".join(kinds_of(catch, plans))].append(catch.name)
    lines = [f"would catch  by {kinds}: {', '.join(names)}" for kinds, names in sorted(groups.items())]
    lines += [f"would miss   {c.name}: {SABOTEURS.get(c.name).doc}" for c in found if not c.broken and not c.harmless and not c.errors]
    return lines + [f"judges words, not memory: fails {c.name}, which breaks no promise ({c.broken[0]})" for c in found if c.harmless and c.broken]


def _advice(reference: Result, caught: Sequence[str], found: Sequence[Catch]) -> str:
    faults = sum(not catch.harmless for catch in found)
    if not reference.holds:
        return "the reference does not hold: see whether the scenario asks what it means to, with `memgauge run FILE` and `memgauge show`"
    if not caught:
        return "no planted fault fails it: as it stands it can say nothing; add what must not come, or what must"
    return f"{len(caught)} of {faults} planted faults would be caught"
