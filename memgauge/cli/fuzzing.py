"""`memgauge fuzz`: random sequences on one system until a promise breaks, and the shortest one as a scenario file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.cli.selection import Seed, Settings, project, systems
from memgauge.errors import InputError, nearest

if TYPE_CHECKING:
    from memgauge.fuzz import Found
    from memgauge.records import CasePlan
    from memgauge.systems.spec import SystemSpec

DEFAULT_STEPS = 1000


def register(app: typer.Typer) -> None:
    app.command()(fuzz)


def fuzz(
    system: Annotated[str | None, typer.Option("--system", "-s", help="System under test.", show_default=False)] = None,
    steps: Annotated[int, typer.Option("--steps", "-n", min=1, help="Steps in all.")] = DEFAULT_STEPS,
    seed: Seed = None,
    minutes: Annotated[float | None, typer.Option("--minutes", help="Go on for so long instead of --steps.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File for the scenario. Default: fuzz-INVARIANT.yaml.", show_default=False)] = None,
    skip: Annotated[list[str] | None, typer.Option("--skip", help="A promise that is not asked for; repeat for more.", show_default=False)] = None,
    settings: Settings = None,
    as_json: JsonFlag = False,
) -> int:
    """Play random sequences beside a model of what any memory must promise; write the shortest failing one as a scenario."""
    from memgauge.fuzz import INVARIANTS, search
    from memgauge.saboteurs.opener import open_system

    if minutes is not None and minutes <= 0:
        raise InputError(f"got {minutes:g}", where="--minutes", hint="a number above 0")
    for name in skip or ():
        if name not in INVARIANTS:
            raise InputError(f"got {name!r}", where="--skip", hint=nearest(name, INVARIANTS))
    if out is not None and out.exists():
        raise InputError(f"{out} exists already", where="--out", hint="choose another file; nothing was run")
    found_project = project()
    spec = systems([system] if system else None, settings, found_project)[0]
    number = found_project.seed if seed is None else seed
    output = Output(as_json)
    campaign = search(spec, open_system, seed=number, steps=steps, minutes=minutes, skip=frozenset(skip or ()))
    done = {"system": spec.name, "seed": number, "episodes": campaign.episodes, "steps": campaign.steps, "acknowledged": campaign.acknowledged}
    done["retries"] = campaign.retries
    output.text(
        f"{spec.name}, seed {number}: {campaign.steps} steps in {campaign.episodes} episodes, {campaign.acknowledged} writes acknowledged, "
        f"{campaign.seconds:.1f} s"
    )
    if not campaign.retries:
        output.text("it does not heed idempotency keys, or does not keep what it is asked to: no request was sent twice")
    if campaign.found is None:
        output.text("nothing found" if campaign.acknowledged else "nothing found, but no write was acknowledged: nothing was tested")
        code = 0 if campaign.acknowledged else 4
        output.summary(**done, found=False, exit_code=code)
        return code
    found = campaign.found
    path = out or _free(found.breach.invariant)
    verdict = _written(path, found, spec)
    output.text(f"found: {found.breach.invariant} after {found.length} steps, shrunk to {len(found.moves)}")
    output.text(f"  {found.breach.detail}")
    output.text(f"{path}: {verdict}")
    output.line("finding", {"invariant": found.breach.invariant, "detail": found.breach.detail, "sequence": found.seed, "length": found.length})
    output.summary(**done, found=True, invariant=found.breach.invariant, shrunk=len(found.moves), file=str(path), scenario=verdict, exit_code=1)
    return 1


def _free(invariant: str) -> Path:
    """A file name that is not taken, in the working folder."""
    names = (Path(f"fuzz-{invariant}{number}.yaml") for number in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in names if not path.exists())


def _written(path: Path, found: Found, spec: SystemSpec) -> str:
    """Write the first text that tells the system from the reference, and say how it judges both."""
    from memgauge.fuzz import scenario_texts
    from memgauge.scenarios import compile_case, load
    from memgauge.systems.spec import SystemSpec

    reference = SystemSpec(name="reference", target="reference")
    verdicts: dict[str, str] = {}
    for text in scenario_texts(found):
        path.write_text(text, encoding="utf-8")
        plan = compile_case(load([path])[0], 0)
        own, unharmed = _outcome(plan, spec), _outcome(plan, reference)
        verdicts[text] = f"{own} on {spec.name}, {unharmed} on the reference"
        if (own, unharmed) == ("fails", "passes"):
            return verdicts[text]
    first, verdict = next(iter(verdicts.items()))
    path.write_text(first, encoding="utf-8")
    return verdict


def _outcome(plan: CasePlan, spec: SystemSpec) -> str:
    from memgauge.evaluators import judge
    from memgauge.records import CaseId
    from memgauge.runner import RunOptions
    from memgauge.runner.case import CaseWork, run_case
    from memgauge.runner.options import Tools
    from memgauge.saboteurs.opener import open_system

    work = CaseWork(id=CaseId(scenario=plan.scenario, system=spec.name, arm="on", seed=plan.seed), plan=plan, spec=spec)
    with tempfile.TemporaryDirectory(prefix="memgauge-") as root:
        result = run_case(work, Tools(open_system=open_system, judge=judge), RunOptions(in_process=True), Path(root) / "case")
    outcomes = {verdict.outcome for verdict in result.judgement.verdicts}
    if result.error:
        return "breaks"
    return "fails" if "fail" in outcomes else "passes" if "pass" in outcomes else "proves nothing"
