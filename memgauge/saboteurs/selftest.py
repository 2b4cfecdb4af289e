"""Whether each planted fault is noticed, by the check kind it declares and in the class it declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memgauge.errors import SystemFault
from memgauge.events import CaseFinished, Event, RunFinished
from memgauge.records import CasePlan
from memgauge.runner import RunOptions, run_pairs
from memgauge.runner.options import Diagnose, Judge, Opener
from memgauge.saboteurs.base import Saboteur
from memgauge.systems.spec import SystemSpec

SENTINELS = 12
"""Scenarios of other classes that a quick selftest runs too, to see what else a fault breaks."""

QUIET_CLASSES = 2
QUIET_SHARE = 0.95
"""A quiet fault fails in at most this many classes and passes at least this share of all scored checks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a selftest is handed: the same callables as a run. `follow` is shown every event."""

    judge: Judge
    diagnose: Diagnose | None
    open_system: Opener
    options: RunOptions
    follow: Callable[[Event], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """What became of one saboteur. `by`: the failed checks of a declared kind in a declared class, as `scenario::check`.

    `broken` are all failed checks that the unharmed system passes, `scored` counts all scored ones; `classes` are those with a
    failure; `stages` counts where the checks of `by` were lost; `errors` counts broken cases and `error` says what broke the first.
    """

    name: str
    rows: tuple[str, ...]
    harmless: bool
    quiet: bool
    twin: str | None
    by: tuple[str, ...]
    witness: str
    stages: Mapping[str, int]
    broken: tuple[str, ...]
    scored: int
    unsure: int
    classes: tuple[str, ...]
    errors: int
    error: str
    full: bool

    @property
    def caught(self) -> bool:
        return bool(self.by)

    @property
    def failed(self) -> int:
        return len(self.broken)

    @property
    def good(self) -> bool:
        """As declared: nothing broke; harmless ones fail nothing; the others are caught, and quiet ones quiet (judged on the full matrix)."""
        if self.errors or not self.scored:
            return False
        if self.harmless:
            return self.failed == 0
        loud = self.quiet and self.full and (len(self.classes) > QUIET_CLASSES or self.scored - self.failed < QUIET_SHARE * self.scored)
        return self.caught and not loud

    def line(self) -> str:
        if self.errors:
            return f"{'BROKEN':<9} {self.name:<26} {self.errors} cases broke: {self.error}"
        state = ("unharmed" if self.good else "HURT") if self.harmless else ("caught" if self.caught else "SURVIVED")
        extra = f" ({self.by[0]}: {self.witness})" if self.by else ""
        loud = "; louder than declared" if self.caught and not self.good else ""
        return f"{state:<9} {self.name:<26} {self.failed} of {self.scored} checks failed in {', '.join(self.classes) or 'no class'}{loud}{extra}"

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"failed": self.failed, "caught": self.caught, "good": self.good}


def alike(catches: Sequence[Catch]) -> list[tuple[str, str]]:
    """Pairs that fail exactly the same checks and are no declared twins (one names the other, or both the same): nothing tells them apart.

    Only catches of a full matrix say so; a quick selftest runs each fault on scenarios of its own.
    """
    found = [c for c in catches if c.full and not c.harmless and c.broken]
    pairs = [(a, b) for i, a in enumerate(found) for b in found[i + 1 :] if set(a.broken) == set(b.broken)]
    return [(a.name, b.name) for a, b in pairs if not {a.name, a.twin} & {b.name, b.twin} - {None}]


def assess(base: SystemSpec, saboteurs: Sequence[Saboteur], plans: Sequence[CasePlan], bench: Bench, *, full: bool = False) -> list[Catch]:
    """Run every saboteur on its own classes and some sentinels (or, `full`, on everything) and say whether it was caught.
    Raises KeyboardInterrupt when the run was stopped, SystemFault when it stopped itself: half a matrix says nothing.

    The unharmed system runs on the same scenarios: a check that it fails proves nothing about a fault put on it. It comes first
    in the result, under its own name, as a harmless change.
    """
    unharmed = Saboteur(name=base.name, doc="the unharmed system", rows=(), classes=(), kinds=(), make=lambda inner: inner, harmless=True)
    specs = {s.name: replace(base, name=f"{base.name}+{s.name}", saboteur=s.name) for s in saboteurs}
    pairs = [(plan, specs[s.name]) for s in saboteurs for plan in _plans_for(s, plans, full)]
    used = {plan.scenario for plan, _ in pairs}
    pairs = [*((plan, base) for plan in plans if plan.scenario in used), *pairs]
    finished: dict[str, list[CaseFinished]] = {spec.name: [] for _, spec in pairs}
    for event in run_pairs(pairs, ("on",), bench.judge, bench.diagnose, bench.options, open_system=bench.open_system):
        if bench.follow is not None:
            bench.follow(event)
        if isinstance(event, CaseFinished):
            finished[event.id.system].append(replace(event, history=()))  # a matrix has thousands of them
        elif isinstance(event, RunFinished) and event.status == "interrupted":
            raise KeyboardInterrupt
        elif isinstance(event, RunFinished) and event.status == "error":
            raise SystemFault(event.reason)
    own = finished[base.name]
    weak = {(event.plan.scenario, v.check) for event in own for v in event.judgement.verdicts if v.outcome == "fail"}
    return [_catch(unharmed, own, full, set()), *(_catch(s, finished[specs[s.name].name], full, weak) for s in saboteurs)]


def _plans_for(saboteur: Saboteur, plans: Sequence[CasePlan], full: bool) -> list[CasePlan]:
    if full or saboteur.harmless:
        return [plan for plan in plans if plan.lane == "quick" or plan.class_ in saboteur.classes]
    own = [plan for plan in plans if plan.class_ in saboteur.classes]
    others = [plan for plan in plans if plan.class_ not in saboteur.classes and plan.lane == "quick"]
    step = max(1, len(others) // SENTINELS)
    return own + others[::step][:SENTINELS]


def _catch(saboteur: Saboteur, events: Sequence[CaseFinished], full: bool, weak: set[tuple[str, str]]) -> Catch:
    events = sorted(events, key=lambda event: str(event.id))
    judged = [(event.plan, verdict) for event in events if not event.error for verdict in event.judgement.verdicts]
    failed = [(plan, verdict) for plan, verdict in judged if verdict.outcome == "fail" and (plan.scenario, verdict.check) not in weak]
    own = [(plan, v) for plan, v in failed if plan.class_ in saboteur.classes and v.kind in saboteur.kinds]
    broken = [event.error for event in events if event.error]
    return Catch(
        name=saboteur.name,
        rows=saboteur.rows,
        harmless=saboteur.harmless,
        quiet=saboteur.quiet,
        twin=saboteur.twin,
        by=tuple(f"{plan.scenario}::{verdict.check}" for plan, verdict in own),
        witness=own[0][1].witness if own else "",
        stages=dict(Counter(verdict.lost_at or "not told" for _, verdict in own).most_common()),
        broken=tuple(f"{plan.scenario}::{verdict.check}" for plan, verdict in failed),
        scored=sum(verdict.outcome in ("pass", "fail") for _, verdict in judged),
        unsure=sum(verdict.outcome == "unscored" and "unsure" in verdict.reason for _, verdict in judged),
        classes=tuple(sorted({plan.class_ for plan, _ in failed})),
        errors=len(broken),
        error=broken[0] if broken else "",
        full=full,
    )
