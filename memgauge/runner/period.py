"""Let the periods pass that a system states for its deletions, and look again.

At the end of a case, so that no other step sees the clock move: for every period that a check of the plan is to be judged against, the clock
is advanced to it, the job that erases is called (the verb `expire` for each user who deleted something, the command `purge` of a server),
and the judged steps are done once more, scans and read paths alike, each on the root it was done on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from memgauge.checks import depth_of
from memgauge.clock import parse_duration
from memgauge.protocol import VERBS, Manifest
from memgauge.records import CasePlan, Scope, Step

JOB = "expire"
"""The verb that runs a system's retention job."""


def periods(plan: CasePlan, manifest: Manifest) -> list[tuple[str, timedelta, list[Step]]]:
    """(period as stated, its length, the steps judged against it in the order of the plan), shortest first."""
    judged: dict[str, set[str]] = {}
    for expectation in plan.expectations:
        if within := manifest.period(depth_of(expectation.kind, expectation.params)):
            judged.setdefault(within, set()).add(expectation.step)
    found = [(within, parse_duration(within), [step for step in plan.steps if step.id in steps and _again(step)]) for within, steps in judged.items()]
    return sorted((period for period in found if period[2]), key=lambda period: period[1])


def _again(step: Step) -> bool:
    """Whether a step can be done once more without changing anything."""
    return step.kind == "scan" or (step.kind == "call" and VERBS[step.op].effect == "read")


def deleters(steps: Sequence[Step]) -> list[Scope]:
    """Whose data the steps remove: each user once, in no corner of the scope."""
    scopes = [step.scope for step in steps if _destroys(step)]
    return list({(s.tenant, s.user): Scope(tenant=s.tenant, user=s.user) for s in scopes}.values())


def _destroys(step: Step) -> bool:
    ops = [step.op, *(str(op["op"]) for op in step.args.get("ops", ()) if isinstance(op, Mapping))]
    return any(op in VERBS and VERBS[op].effect == "destroy" for op in ops)


def blind(manifest: Manifest, *, told: bool) -> str:
    """Why a system may not know that the period is over, or an empty text. `told`: it has a purge command, which is given the time."""
    if told or manifest.clock == "argument":
        return ""
    return f"nothing told it the time (clock: {manifest.clock}): let it take `now`, or give its purge job under lifecycle"
