"""Cases that have ended in a run folder, whole or cut short, and which of them a run that goes on may keep.

A case is kept when everything it came from is the same: its id (with seed and repeat), the digest of its scenario, the versions of its
evaluators, the rulings on it, configuration and adapter of its system, and what ran it. One difference and it is run again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memgauge.checks import CHECKS
from memgauge.errors import InputError, unreadable
from memgauge.records import Json
from memgauge.reports import jsonl
from memgauge.reports.run import CaseLine, CheckLine, MeasureLine, Run

PARTIAL = "cases.partial.jsonl"
FOR_ALL = {"memgauge": "version of memgauge", "python": "version of Python", "packages": "versions of packages", "tokenizer": "tokenizer",
           "seed": "seed"}  # fmt: skip
"""Parts of a manifest that decide on every case, and how they are called."""

BROKE = "they broke"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedCase:
    """Everything a run folder says of one case but its history, which is a file of its own."""

    case: CaseLine
    checks: tuple[CheckLine, ...]
    measures: tuple[MeasureLine, ...]
    timings: tuple[Json, ...]

    def to_json(self) -> Json:
        return {
            "case": self.case.to_json(),
            "checks": [check.to_json() for check in self.checks],
            "measures": [measure.to_json() for measure in self.measures],
            "timings": list(self.timings),
        }

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> EndedCase:
        """The case again. Raises ValueError, TypeError or KeyError."""
        return cls(
            case=CaseLine.from_json(line["case"]),
            checks=tuple(CheckLine.from_json(check) for check in line["checks"]),
            measures=tuple(MeasureLine.from_json(measure) for measure in line["measures"]),
            timings=tuple(dict(timing) for timing in line["timings"]),
        )

    @property
    def may_be_tried_again(self) -> bool:
        """Whether it broke, and no check of it failed: another try must never turn a failure into a pass."""
        return self.case.outcome == "error" and not any(check.outcome == "fail" for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Which cases stay, those that are tried again because they broke, and how many are run again for which reason."""

    cases: tuple[EndedCase, ...] = ()
    broke: tuple[EndedCase, ...] = ()
    again: Mapping[str, int] = field(default_factory=dict)


def of_run(run: Run) -> tuple[EndedCase, ...]:
    """The cases of a run whose final files stand."""
    checks, measures, timings = defaultdict(list), defaultdict(list), defaultdict(list)
    for check in run.checks:
        checks[check.case_id].append(check)
    for measure in run.measures:
        measures[measure.case_id].append(measure)
    for timing in run.timings:
        timings[str(timing["case_id"])].append(timing)
    return tuple(
        EndedCase(case=case, checks=tuple(checks[case.id]), measures=tuple(measures[case.id]), timings=tuple(timings[case.id])) for case in run.cases
    )


def of_partial(folder: Path) -> tuple[EndedCase, ...]:
    """The cases of a run that was killed. A last line that was cut off is a case that had not ended. Raises InputError."""
    path = folder / PARTIAL
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        lines = whole.decode().split("\n") if whole else []
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error, hint="run it anew") from None
    found = {}
    for number, text in enumerate(lines, start=1):
        try:
            one = EndedCase.from_json(jsonl.parse_object(text, f"{path}:{number}"))
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"not a case: {error}", where=f"{path}:{number}", hint="run it anew") from None
        found[one.case.id] = one
    return tuple(found.values())


def kept(found: Iterable[EndedCase], before: Mapping[str, Any], now: Mapping[str, Any], *, retry: bool = False) -> Kept:
    """Which cases of a run with the manifest `before` stand under the manifest `now`. `retry`: those that broke do not.

    A control that was given the tokens of its treatment follows it: where the treatment runs again, so does the control.
    """
    for_all = [word for part, word in FOR_ALL.items() if before.get(part) != now.get(part)]
    systems = _systems(before, now)
    stay: list[EndedCase] = []
    broke: list[EndedCase] = []
    again: dict[str, int] = defaultdict(int)
    treated: set[tuple[str, str, int, int]] = set()
    for one in sorted(found, key=lambda one: one.case.arm != "on"):
        case = one.case
        pair = (case.scenario, case.system, case.seed, case.repeat)
        reasons = [*for_all, *systems.get(case.system, ["system not in this run"]), *_own(one, before, now)]
        reason = reasons[0] if reasons else ""
        if not reason and retry and one.may_be_tried_again:
            reason = BROKE
            broke.append(one)
        elif not reason and case.arm not in ("on", "off") and pair not in treated:
            reason = "their treatment runs again"
        if reason:
            again[reason] += 1
            continue
        stay.append(one)
        if case.arm == "on":
            treated.add(pair)
    return Kept(cases=tuple(stay), broke=tuple(broke), again=dict(again))


def _systems(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, list[str]]:
    """By system of the run now, what is not as it was."""
    old = {str(spec.get("name")): spec for spec in before.get("systems", ())}
    found: dict[str, list[str]] = {}
    for spec in now.get("systems", ()):
        was = old.get(str(spec.get("name")))
        parts = [] if was is None else sorted(part for part in {*was, *spec} if was.get(part) != spec.get(part))
        found[str(spec.get("name"))] = ["a new system"] if was is None else [f"{_PARTS.get(part, part)} of {spec.get('name')}" for part in parts]
    return found


_PARTS = {"config": "configuration", "config_hash": "configuration", "adapter": "adapter (its source)", "argv": "command"}


def _own(one: EndedCase, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    case = one.case
    if case.digest != now.get("scenarios", {}).get(case.scenario):
        yield "scenario edited"
    if any(check.kind not in CHECKS or CHECKS[check.kind].version != check.evaluator for check in one.checks):
        yield "version of an evaluator"
    if before.get("labels", {}).get(case.scenario) != now.get("labels", {}).get(case.scenario):
        yield "rulings in labels.yaml"
