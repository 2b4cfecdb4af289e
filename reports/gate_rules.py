"""The rules of a gate, one function each: from a run, its baseline and a rule to a row of the verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memgauge.errors import InputError
from memgauge.records import Json
from memgauge.reports import baseline as baselines
from memgauge.reports import noise, unsteady
from memgauge.reports.arms import HEADLINE, paired
from memgauge.reports.baseline import Baseline
from memgauge.reports.changes import Changes, point_id, points
from memgauge.reports.counts import Counts, grouped, many
from memgauge.reports.gate_file import AllPass, Contrast, Floor, Growth, NoRegressions, Rule, Select
from memgauge.reports.noise import Noise
from memgauge.reports.run import CheckLine, Run

Status = Literal["ok", "violated", "inconclusive", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """One rule: what was seen, what was asked, over how many checks, which ones offend, and one sentence."""

    id: str
    status: Status
    observed: str
    bound: str
    cause: str
    planned: int = 0
    scored: int = 0
    offending: tuple[str, ...] = ()

    def to_json(self) -> Json:
        return {name: list(held) if isinstance(held := getattr(self, name), tuple) else held for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class GateCase:
    """What every rule looks at: the run, its treatment checks, the ids that are excused, the baseline, if any."""

    run: Run
    checks: tuple[CheckLine, ...]
    tags: Mapping[str, tuple[str, ...]]
    excused: frozenset[str]
    baseline: Baseline | None
    changes: Changes | None
    ignore_apart: bool
    noises: Sequence[Noise] = ()

    @property
    def unsteady(self) -> frozenset[str]:
        """Systems that say that they are not deterministic."""
        return unsteady.systems(self.run)

    def chosen(self, select: Select, rule: str) -> list[CheckLine]:
        """The selected checks; a selection that matches nothing is a mistake in the file (InputError)."""
        found = [check for check in self.checks if self._fits(check, select)]
        if not found:
            raise InputError("selects no check of this run", where=f"rule {rule}", hint="mend the selection, or run the scenarios it means")
        return found

    def _fits(self, check: CheckLine, select: Select) -> bool:
        return (
            (not select.classes or check.class_ in select.classes)
            and (not select.kinds or check.kind in select.kinds)
            and (not select.scenarios or check.scenario in select.scenarios)
            and (not select.systems or check.system in select.systems)
            and (not select.tags or bool(set(select.tags) & set(self.tags.get(check.case_id, ()))))
        )


def row(case: GateCase, rule: Rule) -> GateRow:
    """Apply one rule. Raises InputError when it selects nothing."""
    if isinstance(rule, AllPass):
        return _all_pass(case, rule)
    if isinstance(rule, NoRegressions):
        return _no_regressions(case, rule)
    if isinstance(rule, Floor):
        return _floor(case, rule)
    return _contrast(case, rule) if isinstance(rule, Contrast) else _growth(case, rule)


def _all_pass(case: GateCase, rule: AllPass) -> GateRow:
    chosen = case.chosen(rule.select, rule.id)
    bad = ("fail", "error") if rule.unscored == "allow" else ("fail", "error", "unscored", "unsupported", "skip")
    offending = _ids(check for check in chosen if check.outcome in bad and point_id(check) not in case.excused)
    counts = Counts.of(chosen)
    cause = f"{many(len(offending), 'check')} of a rule that allows none" if offending else "every check passed"
    if not counts.scored:
        return GateRow(
            id=rule.id,
            status="inconclusive",
            observed="nothing scored",
            bound="all pass",
            cause="no selected check has a score",
            planned=counts.planned,
        )
    return GateRow(id=rule.id, status="violated" if offending else "ok", observed=str(counts), bound="all pass", cause=cause, planned=counts.planned,
                   scored=counts.scored, offending=offending)  # fmt: skip


def _no_regressions(case: GateCase, rule: NoRegressions) -> GateRow:
    chosen = case.chosen(rule.select, rule.id)
    counts = Counts.of(chosen)
    if case.baseline is None or case.changes is None:
        return GateRow(
            id=rule.id, status="inconclusive", observed="unknown", bound=f"at most {rule.max}", cause="there is no baseline to compare with"
        )
    after, wanted = points(chosen), frozenset(_ids(chosen)) - case.excused
    lost = [name for name in case.changes.regressed if name in wanted]
    gone = [name for name in case.changes.missing if not rule.select.model_fields_set]
    fresh = [name for name in case.changes.new if rule.new == "require_pass" and name in wanted and after[name].outcome == "fail"]
    offending = (*lost, *gone, *fresh)
    observed = f"{len(lost)} regressed, {len(gone)} missing" + (f", {len(fresh)} new and failing" if fresh else "")
    beyond = any(unsteady.place(name)[1] in case.unsteady - {*case.changes.undecided} for name in lost)
    cause = "checks that held in the baseline do not hold now" + (", beyond chance" if beyond else "") if offending else "nothing that held is lost"
    seen = GateRow(id=rule.id, status="violated" if len(offending) > rule.max else "ok", observed=observed, bound=f"at most {rule.max}", cause=cause,
                   planned=counts.planned, scored=counts.scored, offending=offending)  # fmt: skip
    return _undecided(case, rule, seen, {check.system for check in chosen}, wanted)


def _undecided(case: GateCase, rule: NoRegressions, seen: GateRow, systems: Collection[str], wanted: Collection[str]) -> GateRow:
    """The row as it is where repeats or determinism decide. One run of another memory is held against its noise floor, if that is known."""
    once = int(case.run.manifest.get("repeats") or 1) == 1
    floors = [noise for noise in case.noises if noise.system in systems and noise.flipping and once]
    open_ = {system for system in case.changes.undecided if system in systems} if case.changes else set()
    if open_ - {noise.system for noise in floors}:
        cause = "so few runs of a memory that says it is not deterministic decide nothing: the baseline and this with --repeats 5"
        return replace(seen, status="inconclusive", cause=cause)
    said = "more fall between two runs with nothing changed. Run both with --repeats 5, or raise max"
    return _refused(seen, rule.max, len(seen.offending), noise.most_falls(floors, wanted), said)


def _refused(seen: GateRow, bound: float, found: int, floor: int, said: str) -> GateRow:
    """`inconclusive` for a rule that asks for less than nothing changed gives, unless more was found than that explains."""
    if bound >= floor or found > floor:
        return seen
    return replace(seen, status="inconclusive", cause=f"tighter than the noise floor of {floor}: {said}")


def _floor(case: GateCase, rule: Floor) -> GateRow:
    chosen = [check for check in case.chosen(rule.select, rule.id) if check.kind == rule.kind]
    counts = Counts.of(chosen)
    if counts.share is None:
        return GateRow(
            id=rule.id, status="inconclusive", observed="nothing scored", bound=f"at least {rule.min:g}", cause=f"no {rule.kind} check has a score"
        )
    judged = counts.scored + counts.error  # what broke did not pass, or an error would mend a failure
    share = counts.passed / judged
    low = share < rule.min
    seen = GateRow(
        id=rule.id,
        status="violated" if low else "ok",
        observed=f"{share:.3f} ({counts})",
        bound=f"at least {rule.min:g}",
        cause=f"{rule.kind} holds in fewer checks than asked" if low else f"{rule.kind} holds often enough",
        planned=counts.planned,
        scored=counts.scored,
        offending=_ids(check for check in chosen if check.outcome in ("fail", "error")) if low else (),
    )
    floor = noise.most_failures(case.noises, _ids(chosen), int(case.run.manifest.get("repeats") or 1))
    return _refused(seen, judged - math.ceil(rule.min * judged - 1e-9), judged - counts.passed, floor, "more fail with nothing changed. Lower min")


def _contrast(case: GateCase, rule: Contrast) -> GateRow:
    chosen = [check for check in case.chosen(rule.select, rule.id) if check.kind == HEADLINE]
    pairs = {check.pair for check in chosen}
    found = paired(chosen, (check for check in case.run.checks if check.arm == rule.minus and check.pair in pairs))
    bound = f"more than {100 * rule.min_effect:+.0f} points over {rule.minus}"
    unsure: Mapping[str, Status] = {"fail": "inconclusive", "warn": "warning", "pass": "ok"}
    if found is None or found.interval is None:
        observed = found.words if found else f"no scenario was scored on both on and {rule.minus}"
        return GateRow(
            id=rule.id,
            status=unsure[rule.inconclusive],
            observed=observed,
            bound=bound,
            cause="too few scenarios to tell",
            scored=found.scenarios if found else 0,
        )
    if found.interval.low > rule.min_effect and found.clear:
        status, cause = "ok", "memory earns its tokens"
    elif found.interval.high <= rule.min_effect:
        status, cause = "violated", "memory does not earn its tokens"
    else:
        status, cause = unsure[rule.inconclusive], "the interval holds the bound, or too few templates differ: it cannot be told"
    return GateRow(id=rule.id, status=status, observed=found.words, bound=bound, cause=cause, planned=len(pairs), scored=found.scenarios)  # type: ignore[arg-type]


def _growth(case: GateCase, rule: Growth) -> GateRow:
    bound = f"at most +{100 * rule.rel:g} % or +{rule.abs:g} tokens"
    if case.baseline is None:
        return GateRow(id=rule.id, status="inconclusive", observed="unknown", bound=bound, cause="there is no baseline to compare with")
    if case.baseline.tokenizer != baselines.tokenizer(case.run):
        return GateRow(
            id=rule.id, status="inconclusive", observed="another tokenizer", bound=bound, cause="tokens of two tokenizers are not comparable"
        )
    now, before = baselines.tokens(case.run, case.baseline.digests), case.baseline.tokens  # new scenarios are no growth
    names = [name for name in now if name.startswith(f"{rule.measure}[") and name in before]
    if not names:
        return GateRow(id=rule.id, status="inconclusive", observed="not measured", bound=bound, cause=f"no {rule.measure} on both sides")
    grown = {name: now[name][rule.stat] - before[name][rule.stat] for name in names}
    over = tuple(name for name in names if grown[name] > rule.abs and grown[name] > rule.rel * before[name][rule.stat])
    observed = ", ".join(f"{name} {rule.stat} {_size(before[name][rule.stat])} → {_size(now[name][rule.stat])}" for name in names)
    cause = "prompts grew by more than both bounds" if over else "prompts did not grow beyond the bounds"
    return GateRow(id=rule.id, status="violated" if over else "ok", observed=observed, bound=bound, cause=cause, offending=over)


def _size(tokens: float) -> str:
    return f"{tokens:,.1f}".removesuffix(".0")


def _ids(checks: Iterable[CheckLine]) -> tuple[str, ...]:
    return tuple(sorted(grouped(checks, point_id)))
