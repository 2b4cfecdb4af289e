"""One frozen record of a run, from which the terminal, HTML, Markdown, JSON and JUnit outputs are all made.

Nothing downstream counts again: what two outputs say of one run cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from memgauge.records import Arm, Json
from memgauge.reports.arms import HEADLINE, Benefit, Harm, benefit, harm
from memgauge.reports.changes import Changes
from memgauge.reports.cost import Cost, cost
from memgauge.reports.counts import Counts, grouped, many
from memgauge.reports.decision import Decision, decide
from memgauge.reports.run import CaseLine, CheckLine, Run
from memgauge.reports.safety import Topic, topics

FORMAT = 1
"""Version of `RunSummary.to_json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSummary:
    """One system, memory on. `reasons` says why checks have no score, most frequent first; `proofs` is held and asked."""

    name: str
    label: str
    counts: Counts
    reasons: tuple[tuple[str, int], ...]
    proofs: tuple[int, int]
    safety: tuple[Topic, ...]
    benefit: Benefit
    harm: Harm
    cost: Cost

    @property
    def not_proven(self) -> tuple[tuple[str, int], ...]:
        """Topics that are promises to other people, with the number of checks that prove nothing."""
        return tuple((topic.name, topic.not_proven) for topic in self.safety if topic.not_proven)

    def to_json(self) -> Json:
        held, asked = self.proofs
        return {
            "name": self.name,
            "label": self.label,
            "checks": self.counts.to_json(),
            "without_score": dict(self.reasons),
            "proofs": {"held": held, "asked": asked},
            "safety": {topic.name: topic.to_json() for topic in self.safety},
            "benefit": self.benefit.to_json(),
            "harm": self.harm.to_json(),
            "cost": self.cost.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRow:
    """Counts of one class on one arm of one system, of all checks and of prompt sufficiency alone; `proofs` is held and asked."""

    class_: str
    system: str
    arm: Arm
    counts: Counts
    sufficient: Counts
    proofs: tuple[int, int]

    def to_json(self) -> Json:
        held, asked = self.proofs
        counts = {"checks": self.counts.to_json(), "sufficient": self.sufficient.to_json(), "proofs": {"held": held, "asked": asked}}
        return {"class": self.class_, "system": self.system, "arm": self.arm} | counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Failures that were lost at the same stage (or broke the same kind of rule, where no stage is known) in the same class."""

    what: str
    class_: str
    checks: tuple[CheckLine, ...]

    @property
    def safety(self) -> bool:
        """Whether somebody may be harmed; such causes come first."""
        return any(check.family == "safety" for check in self.checks)

    def to_json(self) -> Json:
        return {"what": self.what, "class": self.class_, "checks": [check.id for check in self.checks]}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Everything the first screen and the reports say of a run."""

    run: Run
    identity: str
    decision: Decision
    systems: tuple[SystemSummary, ...]
    classes: tuple[ClassRow, ...]
    failed: tuple[CheckLine, ...]
    errors: tuple[CaseLine, ...]
    control_errors: int
    causes: tuple[Cause, ...]
    changes: Changes | None
    builtin_only: bool

    @property
    def planned(self) -> int:
        """Cases that were to run."""
        return int(self.run.manifest["planned"])

    def to_json(self) -> Json:
        """The numbers of the first screen with their names. A number that is not there has no key; nothing is NaN."""
        decision = self.decision
        document: Json = {
            "format": FORMAT,
            "run": self.run.folder.name,
            "status": self.run.status,
            "identity": self.identity,
            "exit_code": decision.exit_code,
            "exit_codes": list(decision.codes),
            "verdict": decision.text,
            "not_measured": list(decision.unmeasured),
            "cases": {"planned": self.planned, "ran": len(self.run.cases), "errors": len(self.errors), "control_errors": self.control_errors},
            "systems": [system.to_json() for system in self.systems],
            "classes": [row.to_json() for row in self.classes],
            "failed": [
                {"check": check.id, "kind": check.kind, "class": check.class_, "lost_at": check.lost_at, "witness": check.witness}
                for check in self.failed
            ],
            "errors": [{"case": case.id, "error": case.error} for case in self.errors],
            "causes": [cause.to_json() for cause in self.causes],
            "builtin_only": self.builtin_only,
        }
        return document if self.changes is None else document | {"changes": self.changes.to_json()}


def summarise(run: Run, *, changes: Changes | None = None, allow_unmeasured: Collection[str] = ()) -> RunSummary:
    """Count a run once, for all outputs."""
    treated = [check for check in run.checks if check.arm == "on"]
    failed = tuple(check for check in treated if check.outcome == "fail")
    names = list(dict.fromkeys(case.system for case in run.cases))
    return RunSummary(
        run=run,
        identity=_identity(run, names),
        decision=decide(run, allow_unmeasured),
        systems=tuple(_system(run, name) for name in names),
        classes=_classes(run.checks),
        failed=failed,
        errors=tuple(case for case in run.cases if case.arm == "on" and case.outcome == "error"),
        control_errors=sum(case.arm != "on" and case.outcome == "error" for case in run.cases),
        causes=_causes(failed),
        changes=changes,
        builtin_only=bool(names) and all(_described(run, name).get("builtin") for name in names),
    )


def _system(run: Run, name: str) -> SystemSummary:
    cases = [case for case in run.cases if case.system == name]
    checks = [check for check in run.checks if check.system == name]
    treated = [check for check in checks if check.arm == "on"]
    needing = frozenset(case.scenario for case in cases if case.needs_memory)
    on, off = (frozenset(case.id for case in cases if case.arm == arm) for arm in ("on", "off"))
    reasons = Counter(_plain(check) for check in treated if not check.scored)
    return SystemSummary(
        name=name,
        label=_label(run, name),
        counts=Counts.of(treated),
        reasons=tuple(sorted(reasons.items(), key=lambda found: (-found[1], found[0]))),
        proofs=_proofs(treated),
        safety=topics(treated),
        benefit=benefit(checks, needing),
        harm=harm(checks),
        cost=cost(run.measures, run.timings, on, off),
    )


def _plain(check: CheckLine) -> str:
    """Why a check has no score, without the particulars behind the first colon: `unscored: no proof`."""
    outcome = check.outcome.replace("_", " ")
    return outcome if check.outcome != "unscored" else f"{outcome}: {check.reason.split(':', 1)[0]}"


def _label(run: Run, name: str) -> str:
    """`mine 1.4 (9f3c0d12)`: the system, its own version, and the hash of its configuration."""
    told = next((case.manifest for case in run.cases if case.system == name and case.arm == "on" and case.manifest), {})
    version = dict(told.get("versions", {})).get(told.get("name", name))
    config = str(_described(run, name).get("config_hash") or "")[:8]
    return " ".join(part for part in (name, str(version or ""), f"({config})" if config else "") if part)


def _described(run: Run, name: str) -> Mapping[str, Any]:
    return next((system for system in run.manifest.get("systems", ()) if system.get("name") == name), {})


def _identity(run: Run, names: list[str]) -> str:
    manifest = run.manifest
    tokenizer = manifest.get("tokenizer") or {}
    kinds = sorted({str(case.manifest["determinism"]) for case in run.cases if case.arm == "on" and "determinism" in case.manifest})
    repeats = int(manifest.get("repeats") or 1)
    parts = [
        " and ".join(_label(run, name) for name in names) or "no system",
        f"suite {manifest['suite']}" if manifest.get("suite") else "",
        "/".join(kinds),
        f"seed {manifest.get('seed', 0)}",
        many(repeats, "repeat") if repeats > 1 else "",
        f"{tokenizer['name']} tokens" if "name" in tokenizer else "",
    ]
    return " · ".join(part for part in parts if part)


def _classes(checks: Collection[CheckLine]) -> tuple[ClassRow, ...]:
    groups = grouped(checks, lambda check: (check.class_, check.system, check.arm))
    return tuple(
        ClassRow(
            class_=class_,
            system=system,
            arm=arm,
            counts=Counts.of(lines),
            sufficient=Counts.of(one for one in lines if one.kind == HEADLINE),
            proofs=_proofs(lines),
        )
        for (class_, system, arm), lines in sorted(groups.items())
    )


def _proofs(checks: Collection[CheckLine]) -> tuple[int, int]:
    asked = [check.proof for check in checks if check.proof]
    return asked.count("held"), len(asked)


def _causes(failed: tuple[CheckLine, ...]) -> tuple[Cause, ...]:
    groups = grouped(failed, lambda check: (check.lost_at or check.kind, check.class_))
    causes = [Cause(what=what, class_=class_, checks=tuple(lines)) for (what, class_), lines in groups.items()]
    return tuple(sorted(causes, key=lambda cause: (not cause.safety, -len(cause.checks), cause.what, cause.class_)))
