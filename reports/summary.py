"""One frozen record of a run, from which the terminal, HTML, Markdown, JSON and JUnit outputs are all made.

Nothing downstream counts again: what two outputs say of one run cannot differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.records import CONTROL_ARMS, WITHOUT, Arm, Json
from memgauge.reports import counting
from memgauge.reports.arms import HEADLINE, Benefit, Harm
from memgauge.reports.changes import Changes
from memgauge.reports.cost import Cost
from memgauge.reports.counting import Cause, SystemCases
from memgauge.reports.counts import Counts, grouped, many
from memgauge.reports.decision import Decision, Grounds, decide
from memgauge.reports.kinds import Kind
from memgauge.reports.prompts import TOKENS_MEMORY, TOKENS_PROMPT
from memgauge.reports.run import CaseLine, CheckLine, Run
from memgauge.reports.safety import Topic, topics
from memgauge.reports.stats import difference
from memgauge.reports.store import Database, opened
from memgauge.reports.tally import Tally

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
    kinds: tuple[Kind, ...]
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
            "kinds": [kind.to_json() for kind in self.kinds],
            "harm": self.harm.to_json(),
            "cost": self.cost.to_json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """Counts of one class (or one kind of check) on one arm of one system, of all checks and of prompt sufficiency alone; `proofs` is held
    and asked."""

    name: str
    system: str
    arm: Arm
    counts: Counts
    sufficient: Counts
    proofs: tuple[int, int]

    def to_json(self, noun: str) -> Json:
        held, asked = self.proofs
        counts = {"checks": self.counts.to_json(), "sufficient": self.sufficient.to_json(), "proofs": {"held": held, "asked": asked}}
        return {noun: self.name, "system": self.system, "arm": self.arm} | counts


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Everything the first screen and the reports say of a run.

    `failures` counts the failed checks of the treatment arm, `broken` its broken cases, `failed_cases` those that broke or failed;
    `failed` and `errors` are the first of them (`memgauge.reports.counting.LISTED`). `messages`: why cases broke, how often, an example;
    `reasons`: why checks have no score, how often, an example. `growth`: mean tokens of a prompt by system, arm and messages stored
    before it. `retried`: checks of cases that broke and ran again, and those of all others.
    """

    run: Run
    identity: str
    decision: Decision
    ran: int
    systems: tuple[SystemSummary, ...]
    classes: tuple[GroupRow, ...]
    kinds: tuple[GroupRow, ...]
    failures: int
    failed: tuple[CheckLine, ...]
    broken: int
    errors: tuple[CaseLine, ...]
    failed_cases: int
    messages: tuple[tuple[str, int, str], ...]
    control_errors: int
    causes: tuple[Cause, ...]
    reasons: tuple[tuple[str, int, str], ...]
    growth: tuple[tuple[str, Arm, float, float], ...]
    retried: tuple[Counts, Counts]
    changes: Changes | None
    builtin_only: bool

    @property
    def planned(self) -> int:
        """Cases that were to run."""
        return int(self.run.manifest["planned"])

    def example(self, cause: Cause) -> CheckLine:
        """The check of a cause that is easiest to read: that of the case in which least else failed."""
        failed = Counter(check.case_id for check in self.failed)
        return min(cause.checks, key=lambda check: (failed[check.case_id], check.id))

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
            "cases": {"planned": self.planned, "ran": self.ran, "errors": self.broken, "control_errors": self.control_errors},
            "systems": [system.to_json() for system in self.systems],
            "classes": [row.to_json("class") for row in self.classes],
            "kinds": [row.to_json("kind") for row in self.kinds],
            "failed": [
                {"check": check.id, "kind": check.kind, "class": check.class_, "lost_at": check.lost_at, "witness": check.witness}
                for check in self.failed
            ],
            "errors": [{"case": case.id, "error": case.error} for case in self.errors],
            "causes": [cause.to_json() for cause in self.causes],
            "builtin_only": self.builtin_only,
            "left_out": {"failed": self.failures - len(self.failed), "errors": self.broken - len(self.errors)},
        }
        return document if self.changes is None else document | {"changes": self.changes.to_json()}


def summarise(run: Run, *, changes: Changes | None = None, allow_unmeasured: Collection[str] = ()) -> RunSummary:
    """Count a run once, for all outputs. Raises InputError, HarnessFault."""
    with opened(run.folder) as database:
        tallies = counting.tallies(database)
        treated = [tally for tally in tallies if tally.arm == "on"]
        systems = counting.systems(database)
        causes = _by_gravity(counting.causes(database))
        errors, messages = counting.broken(database)
        grounds = Grounds(
            manifest=run.manifest,
            ran=sum(sum(system.ran.values()) for system in systems),
            broken=sum(system.broken.get("on", 0) for system in systems),
            tallies=treated,
            failed=counting.failed_in(database),
        )
        return RunSummary(
            run=run,
            identity=_identity(run, systems),
            decision=decide(grounds, allow_unmeasured),
            ran=grounds.ran,
            systems=_systems(run, database, systems, tallies),
            classes=_rows(tallies, lambda tally: tally.class_),
            kinds=_rows(tallies, lambda tally: tally.kind),
            failures=sum(cause.count for cause in causes),
            failed=tuple(sorted((check for cause in causes for check in cause.checks), key=lambda check: (check.case_id, check.name))),
            broken=grounds.broken,
            errors=errors,
            failed_cases=sum(system.failed.get("on", 0) for system in systems),
            messages=messages,
            control_errors=sum(count for system in systems for arm, count in system.broken.items() if arm != "on"),
            causes=causes,
            reasons=tuple(counting.reasons(database)),
            growth=counting.growth(database),
            retried=counting.retried(database, run.manifest.get("retried", ())),
            changes=changes,
            builtin_only=bool(systems) and all(_described(run, system.name).get("builtin") for system in systems),
        )


def _systems(run: Run, database: Database, systems: Sequence[SystemCases], tallies: Sequence[Tally]) -> tuple[SystemSummary, ...]:
    sufficient, gains = counting.sufficient(database), counting.gains(database)
    harms, spreads, kept_back = counting.harms(database), counting.spreads(database), counting.kept_back(database)
    made = []
    for system in systems:
        name = system.name
        treated = [tally for tally in tallies if (tally.system, tally.arm) == (name, "on")]
        ahead = {arm: difference(gains[name, arm]) for arm in CONTROL_ARMS if (name, arm) in gains}
        withheld = [arm for arm in WITHOUT if arm in system.ran]
        made.append(
            SystemSummary(
                name=name,
                label=_label(run, system),
                counts=Counts.of(treated),
                reasons=_reasons(treated),
                proofs=_proofs(treated),
                safety=topics(treated),
                benefit=Benefit(arms=sufficient.get(name, {}), ahead={arm: found for arm, found in ahead.items() if found}),
                kinds=tuple(
                    Kind(kind=WITHOUT[arm], tokens=kept_back.get((name, arm)), ahead=difference(gains.get((name, arm), {}))) for arm in withheld
                ),
                harm=harms.get(name, Harm(scenarios=(), possible=0, avoided=0)),
                cost=Cost(
                    prompt=spreads.get((name, "on", TOKENS_PROMPT)),
                    memory=spreads.get((name, "on", TOKENS_MEMORY)),
                    without=spreads.get((name, "off", TOKENS_PROMPT)),
                    wait_ms=spreads.get((name, "on", "ms")),
                ),
            )
        )
    return tuple(made)


def _reasons(treated: Sequence[Tally]) -> tuple[tuple[str, int], ...]:
    """Why checks have no score, without the particulars behind the first colon: `unscored: no proof`."""
    found: Counter[str] = Counter()
    for tally in treated:
        if not tally.scored:
            outcome = tally.outcome.replace("_", " ")
            found[f"{outcome}: {tally.reason}" if tally.outcome == "unscored" else outcome] += tally.n
    return tuple(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _label(run: Run, system: SystemCases) -> str:
    """`mine 1.4 (9f3c0d12)`: the system, its own version, and the hash of its configuration."""
    told, name = system.manifest, system.name
    version = dict(told.get("versions", {})).get(told.get("name", name))
    config = str(_described(run, name).get("config_hash") or "")[:8]
    return " ".join(part for part in (name, str(version or ""), f"({config})" if config else "") if part)


def _described(run: Run, name: str) -> Mapping[str, Any]:
    return next((system for system in run.manifest.get("systems", ()) if system.get("name") == name), {})


def _identity(run: Run, systems: Sequence[SystemCases]) -> str:
    manifest = run.manifest
    tokenizer = manifest.get("tokenizer") or {}
    kinds = sorted({str(system.manifest["determinism"]) for system in systems if "determinism" in system.manifest})
    repeats = int(manifest.get("repeats") or 1)
    parts = [
        " and ".join(_label(run, system) for system in systems) or "no system",
        f"suite {manifest['suite']}" if manifest.get("suite") else "",
        "/".join(kinds),
        f"seed {manifest.get('seed', 0)}",
        many(repeats, "repeat") if repeats > 1 else "",
        f"{tokenizer['name']} tokens" if "name" in tokenizer else "",
    ]
    return " · ".join(part for part in parts if part)


def _rows(tallies: Sequence[Tally], by: Callable[[Tally], str]) -> tuple[GroupRow, ...]:
    groups = grouped(tallies, lambda tally: (by(tally), tally.system, tally.arm))
    return tuple(
        GroupRow(
            name=name,
            system=system,
            arm=arm,
            counts=Counts.of(lines),
            sufficient=Counts.of(one for one in lines if one.kind == HEADLINE),
            proofs=_proofs(lines),
        )
        for (name, system, arm), lines in sorted(groups.items())
    )


def _proofs(tallies: Sequence[Tally]) -> tuple[int, int]:
    asked = [tally for tally in tallies if tally.proof]
    return sum(tally.n for tally in asked if tally.proof == "held"), sum(tally.n for tally in asked)


def _by_gravity(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    """What may harm somebody first, then the stage at which most is lost, then the class that loses most there."""
    total: Counter[tuple[bool, str]] = Counter()
    for cause in causes:
        total[cause.safety, cause.what] += cause.count
    return tuple(sorted(causes, key=lambda one: (not one.safety, -total[one.safety, one.what], one.what, -one.count, one.class_)))
