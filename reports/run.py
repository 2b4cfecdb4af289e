"""A finished run as frozen lines: one per case, per check, per measure. What every report counts, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from memgauge.checks import CHECKS, depth_of
from memgauge.errors import InputError
from memgauge.events import CaseFinished
from memgauge.records import OUTCOMES, Arm, Expectation, Json, Outcome, Verdict
from memgauge.reports import jsonl
from memgauge.reports.prompts import prompt_measures

Status = Literal["started", "complete", "interrupted", "error"]
L = TypeVar("L", bound="_Line")

TIMINGS = "timings.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A record that is one JSON object; `class_` is written as `class`. `FILE` holds all of one run."""

    FILE: ClassVar[str]

    def to_json(self) -> Json:
        return {part.name.rstrip("_"): list(held) if isinstance(held := getattr(self, part.name), tuple) else held for part in fields(self)}

    @classmethod
    def from_json(cls: type[L], line: Mapping[str, Any]) -> L:
        """The line again. Raises ValueError naming a part that is missing, unknown or not allowed."""
        known = {part.name.rstrip("_"): part for part in fields(cls)}
        if extra := sorted(set(line) - set(known)):
            raise ValueError(f"unknown part {extra[0]!r}")
        if missing := sorted(name for name, part in known.items() if name not in line and part.default is part.default_factory is MISSING):
            raise ValueError(f"part {missing[0]!r} is missing")
        if line.get("outcome", "pass") not in OUTCOMES:
            raise ValueError(f"outcome {line['outcome']!r}; allowed: {', '.join(OUTCOMES)}")
        return cls(**{known[name].name: tuple(held) if isinstance(held, list) else held for name, held in line.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine(_Line):
    """One case. `outcome`: error if anything broke, else fail if a check failed, else pass if one was scored, else unscored.
    `history` is the file with its plan and entries, relative to the run folder; `manifest` is what the system said of itself."""

    FILE: ClassVar[str] = "cases.jsonl"

    id: str
    scenario: str
    class_: str
    version: int
    title: str
    system: str
    arm: Arm
    seed: int
    repeat: int
    outcome: Outcome
    error: str
    checks: int
    assembled_by: str
    needs_memory: bool
    lane: str
    tags: tuple[str, ...]
    rows: tuple[str, ...]
    catalogue: tuple[str, ...]
    language: str
    source: str
    content: str
    digest: str
    path: str
    history: str
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLine(_Line):
    """One check of one case: `id` is `case::check`. `grade` says how deep a deletion was to be looked at (api, rows, vectors or bytes), `depths`
    what came of each depth, `within` the stated period it was judged against (empty: at once)."""

    FILE: ClassVar[str] = "checks.jsonl"

    id: str
    case_id: str
    name: str
    scenario: str
    class_: str
    system: str
    arm: Arm
    seed: int
    repeat: int
    kind: str
    family: str
    grade: str
    evaluator: int
    outcome: Outcome
    value: float | None
    reason: str
    witness: str
    lost_at: str
    proof: str
    facts: tuple[str, ...]
    step: str
    depths: Mapping[str, Outcome] = field(default_factory=dict)
    within: str = ""

    @property
    def scored(self) -> bool:
        return self.outcome in ("pass", "fail")

    @property
    def n(self) -> int:
        """How many checks this is, beside a `Tally` of many."""
        return 1

    @property
    def pair(self) -> tuple[str, int, int, str]:
        """What the same check has in common on every arm and system."""
        return self.scenario, self.seed, self.repeat, self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureLine(_Line):
    """One number of one step, never judged. `name` says all, unit included."""

    FILE: ClassVar[str] = "measures.jsonl"

    case_id: str
    scenario: str
    class_: str
    system: str
    arm: Arm
    step: str
    name: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run folder read back. The lines of a file are parsed when somebody first asks for them; each raises InputError with file:line for
    one that is broken. A run of millions of checks is asked through `memgauge.reports.store` instead. `timings` are plain objects:
    case_id, op, step, ms."""

    folder: Path
    manifest: Mapping[str, Any]

    @cached_property
    def cases(self) -> tuple[CaseLine, ...]:
        return jsonl.parsed(self.folder / CaseLine.FILE, CaseLine.from_json)

    @cached_property
    def checks(self) -> tuple[CheckLine, ...]:
        found = jsonl.parsed(self.folder / CheckLine.FILE, CheckLine.from_json)
        require_whole(self.folder, sum(case.checks for case in self.cases), len(found))
        return found

    @cached_property
    def measures(self) -> tuple[MeasureLine, ...]:
        return jsonl.parsed(self.folder / MeasureLine.FILE, MeasureLine.from_json)

    @cached_property
    def timings(self) -> tuple[Json, ...]:
        return jsonl.parsed(self.folder / TIMINGS, _timing)

    @property
    def status(self) -> Status:
        status: Status = self.manifest["status"]
        return status


def require_whole(folder: Path, told: int, found: int) -> None:
    """A file of checks that was cut off between two lines reads well and holds less. Raises InputError when it is not what the cases tell of."""
    if found != told:
        where = str(folder / CheckLine.FILE)
        raise InputError(f"holds {found} checks, its cases tell of {told}", where=where, hint="the file was cut off or edited: memgauge rescore RUN")


def _timing(line: Mapping[str, Any]) -> Json:
    if not isinstance(line.get("ms"), int | float):
        raise ValueError("part 'ms' is missing or no number")
    return dict(line)


def case_line(event: CaseFinished, checks: tuple[CheckLine, ...], history: str) -> CaseLine:
    """The line of a case from its event and the lines of its checks."""
    plan, case = event.plan, event.id
    return CaseLine(
        id=str(case), scenario=case.scenario, class_=plan.class_, version=plan.version, title=plan.title, system=case.system, arm=case.arm,
        seed=case.seed, repeat=case.repeat, outcome=_worst(event.error, checks), error=event.error, checks=len(checks),
        assembled_by=event.assembled_by, needs_memory=plan.needs_memory, lane=plan.lane, tags=plan.tags, rows=plan.rows,
        catalogue=plan.catalogue, language=plan.language, source=plan.source, content=plan.content, digest=plan.digest, path=plan.path,
        history=history, manifest=event.manifest,
    )  # fmt: skip


def _worst(error: str, checks: tuple[CheckLine, ...]) -> Outcome:
    found = {check.outcome for check in checks}
    if error or "error" in found:
        return "error"
    if "fail" in found:
        return "fail"
    return "pass" if "pass" in found else "unscored"


def check_lines(event: CaseFinished) -> tuple[CheckLine, ...]:
    """One line for every expectation of the plan, judged or not: a check nobody answered for is an error, never missing."""
    verdicts = {verdict.check: verdict for verdict in event.judgement.verdicts}
    lines = []
    for wanted in event.plan.expectations:
        nobody = Verdict(check=wanted.id, kind=wanted.kind, outcome="error", reason=event.error or "no verdict was given")
        lines.append(_check_line(event, wanted, verdicts.get(wanted.id, nobody)))
    return tuple(lines)


def _check_line(event: CaseFinished, wanted: Expectation, verdict: Verdict) -> CheckLine:
    case, kind = event.id, CHECKS[wanted.kind]
    grade = depth_of(wanted.kind, wanted.params)
    return CheckLine(
        id=f"{case}::{wanted.id}", case_id=str(case), name=wanted.id, scenario=case.scenario, class_=event.plan.class_, system=case.system,
        arm=case.arm, seed=case.seed, repeat=case.repeat, kind=kind.name, family=kind.family, grade=grade, evaluator=kind.version,
        outcome=verdict.outcome, value=verdict.value, reason=verdict.reason, witness=verdict.witness, lost_at=verdict.lost_at, proof=verdict.proof,
        facts=verdict.facts or wanted.facts, step=verdict.step or wanted.step, depths=verdict.depths, within=verdict.within,
    )  # fmt: skip


def measure_lines(event: CaseFinished) -> tuple[MeasureLine, ...]:
    """The measures of a case: what the evaluators reported, and what the harness saw of its prompts where they said nothing."""
    case, told = event.id, event.judgement.measures
    named = {(measure.step, measure.name) for measure in told}
    seen = (measure for measure in prompt_measures(event.history) if (measure.step, measure.name) not in named)
    return tuple(
        MeasureLine(
            case_id=str(case), scenario=case.scenario, class_=event.plan.class_, system=case.system, arm=case.arm,
            step=measure.step, name=measure.name, value=float(measure.value),
        )
        for measure in (*told, *seen)
    )  # fmt: skip
