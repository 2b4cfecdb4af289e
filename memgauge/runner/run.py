"""The runner: plans, arms and systems in, a stream of events out. It never prints and writes only below its own temporary folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memgauge.events import CaseFinished, Event, RunFinished, RunStarted
from memgauge.records import Arm, CaseId, CasePlan
from memgauge.runner.case import CaseResult, CaseWork
from memgauge.runner.controls import control_of
from memgauge.runner.options import Diagnose, Judge, Opener, RunOptions, Tools
from memgauge.runner.pool import CasePool
from memgauge.systems.spec import SystemSpec

Earlier = Callable[[CaseId], CaseResult | None]
"""What came of a case in an earlier sitting of the same run; None for one that has to run."""


def _nothing(case: CaseId) -> None:
    """The run is a new one."""


def run(
    plans: Sequence[CasePlan],
    arms: Sequence[Arm],
    systems: Sequence[SystemSpec],
    judge: Judge,
    diagnose: Diagnose | None,
    options: RunOptions,
    *,
    open_system: Opener,
    manifest: Mapping[str, Any] | None = None,
    earlier: Earlier = _nothing,
) -> Iterator[Event]:
    """Run every plan on every system and arm: `run_pairs` of all of them."""
    pairs = [(plan, system) for plan in plans for system in systems]
    return run_pairs(pairs, arms, judge, diagnose, options, open_system=open_system, manifest=manifest, earlier=earlier)


def run_pairs(
    pairs: Sequence[tuple[CasePlan, SystemSpec]],
    arms: Sequence[Arm],
    judge: Judge,
    diagnose: Diagnose | None,
    options: RunOptions,
    *,
    open_system: Opener,
    manifest: Mapping[str, Any] | None = None,
    earlier: Earlier = _nothing,
) -> Iterator[Event]:
    """Run each plan on its system and every arm, `options.repeats` times; yields RunStarted, a CaseFinished per case in order of
    completion, and RunFinished.

    `judge`, `diagnose` and `open_system` are functions of modules, so that workers can import them. Control arms run after the
    treatment of the same (scenario, seed, repeat) and leave out process scenarios. A Ctrl-C ends with RunFinished("interrupted"),
    a store with foreign records with RunFinished("error"). `manifest` goes into RunStarted as it is, with `arms` added, and
    `systems` unless it names them. Cases that `earlier` knows are neither run nor yielded, but planned. Raises InputError, before
    anything is yielded, for a system that cannot be made or opened with its configuration.
    """
    tools = Tools(open_system=open_system, judge=judge, diagnose=diagnose)
    first = [
        CaseWork(id=CaseId(scenario=plan.scenario, system=spec.name, arm="on", seed=plan.seed, repeat=repeat), plan=plan, spec=spec)
        for plan, spec in pairs
        for repeat in range(options.repeats)
    ]
    planned = sum(cases_of(work.plan, arms) for work in first)
    systems = {system.name: system for _, system in pairs}
    started = {"systems": [system.to_json() for system in systems.values()], **(manifest or {}), "arms": list(arms)}
    begun = False
    try:
        with CasePool(tools, options) as pool:
            pool.require(list(systems.values()))
            begun = True
            yield RunStarted(manifest=started, planned=planned)
            works = sorted(first, key=_controlled)  # the long ones first, so that none is left over at the end
            for event, stop in played(pool, works, arms, retries=options.retries, earlier=earlier):
                yield event
                if stop:
                    private = event.plan.content == "private"
                    yield RunFinished(status="error", reason=f"{event.id} found records of others" if private else event.error)
                    return
    except KeyboardInterrupt:
        if not begun:
            raise
        yield RunFinished(status="interrupted", reason="stopped by the user")
        return
    yield RunFinished(status="complete")


def played(
    pool: CasePool, works: Iterable[CaseWork], arms: Sequence[Arm], *, retries: int = 0, earlier: Earlier = _nothing
) -> Iterator[tuple[CaseFinished, bool]]:
    """Every case with its controls, in order of completion, each with whether the whole run must stop after it."""
    tries: dict[CaseId, list[CaseFinished]] = defaultdict(list)

    def controls(work: CaseWork, result: CaseResult) -> Iterator[CaseFinished]:
        """Queue the controls of a treatment; yields those that cannot run."""
        for arm in arms if work.id.arm == "on" and _controlled(work) else ():
            control = control_of(work, arm, result) if arm != "on" else None
            if control is None or earlier(control.id) is not None:
                continue
            if isinstance(control, CaseWork):
                pool.submit(control)
            else:
                yield control

    for work in works:
        known = earlier(work.id)
        if known is None:
            pool.submit(work)
        else:
            yield from ((skipped, False) for skipped in controls(work, known))
    for work, result in pool.results():
        finished = _finished(work, result)
        if len(tries[work.id]) < retries and _may_be_tried_again(result):
            tries[work.id].append(finished)
            pool.submit(work)
            continue
        yield replace(finished, tries=tuple(tries.pop(work.id))), result.stop
        yield from ((skipped, False) for skipped in controls(work, result))


def _may_be_tried_again(result: CaseResult) -> bool:
    """Whether it broke and no check failed: another try must never turn a failure into a pass."""
    found = {verdict.outcome for verdict in result.judgement.verdicts}
    return not result.stop and "fail" not in found and (bool(result.error) or "error" in found)


def cases_of(plan: CasePlan, arms: Sequence[Arm]) -> int:
    """How many cases a plan comes to: the treatment, and its controls where it has some."""
    return 1 if plan.lane == "process" else len({"on", *arms})


def _controlled(work: CaseWork) -> bool:
    return work.plan.lane != "process"


def _finished(work: CaseWork, result: CaseResult) -> CaseFinished:
    return CaseFinished(
        id=work.id,
        plan=work.plan,
        history=result.history,
        judgement=result.judgement,
        error=result.error,
        assembled_by=result.assembled_by,
        manifest=result.manifest,
        timings=result.timings,
        wall_ms=result.wall_ms,
    )
