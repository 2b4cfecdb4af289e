"""The verdict on a run: one exit code and one sentence. The only place where an exit code of a run is decided.

Controls may fail, that is what they are for: only the treatment arm decides. Of several codes the most severe is returned, in the
order 130, 2, 3, 5, 1, 4; 2 (input that cannot be used) is raised before there is a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memgauge.reports.counts import Counts, grouped, many, some
from memgauge.reports.safety import topics
from memgauge.reports.tally import Tally

PRECEDENCE = (130, 2, 3, 5, 1, 4)
NAMED = 6
"""Classes that a sentence names; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`codes` are all exit codes that hold, `text` one or two sentences, `unmeasured` the classes with nothing scored."""

    exit_code: int
    codes: tuple[int, ...]
    text: str
    unmeasured: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a verdict rests on. `tallies` are those of the treatment arm, `broken` its broken cases; `failed` says in how many scenarios and
    classes checks failed."""

    manifest: Mapping[str, Any]
    ran: int
    broken: int
    tallies: Sequence[Tally]
    failed: tuple[int, int]


def decide(grounds: Grounds, allow_unmeasured: Collection[str] = ()) -> Decision:
    """The verdict. `allow_unmeasured` names classes that may go without a score, beside those the run was started with; `*` allows all."""
    manifest, checks = grounds.manifest, grounds.tallies
    status, planned = manifest["status"], manifest["planned"]
    allowed = {*allow_unmeasured, *manifest.get("allow_unmeasured", ())}
    classes = grouped(checks, lambda check: check.class_)
    unmeasured = tuple(sorted(name for name, lines in classes.items() if not Counts.of(lines).scored))
    barred = () if "*" in allowed else tuple(name for name in unmeasured if name not in allowed)
    reasons: dict[int, str] = {}
    if status == "interrupted":
        reasons[130] = f"interrupted after {grounds.ran} of {planned} cases"
    if status == "error":
        reasons[3] = f"the harness stopped: {manifest.get('reason') or 'no reason was recorded'}"
    elif grounds.broken:
        reasons[3] = f"{many(grounds.broken, 'case')} broke, so no number here is to be trusted"
    elif grounds.ran < planned and status == "complete":
        reasons[3] = f"only {grounds.ran} of {planned} planned cases were recorded"
    if not checks or all(check.outcome == "skip" for check in checks):
        reasons[5] = "nothing was selected" if not checks else "every check was skipped"
    elif barred:
        reasons[4] = f"not measured: {some(barred, NAMED)} (nothing scored there)"
    if failed := [check for check in checks if check.outcome == "fail"]:
        reasons[1] = f"not held. {_failures(failed, *grounds.failed)}"
    code = next((code for code in PRECEDENCE if code in reasons), 0)
    text = _held(checks, classes) if code == 0 else "; ".join(reasons[known] for known in PRECEDENCE if known in reasons)
    return Decision(exit_code=code, codes=tuple(sorted(reasons)), text=text, unmeasured=unmeasured)


def _failures(failed: Sequence[Tally], scenarios: int, classes: int) -> str:
    families: Counter[str] = Counter()
    for check in failed:
        families[check.family] += check.n
    said = ", ".join(f"{count} {family}" for family, count in sorted(families.items()))
    return f"{many(families.total(), 'check')} failed ({said}) in {many(scenarios, 'scenario')} of {many(classes, 'class')}"


def _held(checks: Sequence[Tally], classes: dict[str, list[Tally]]) -> str:
    held = sum(1 for lines in classes.values() if Counts.of(lines).scored)
    unproven = ", ".join(f"{topic.not_proven} of {topic.name}" for topic in topics(checks) if topic.not_proven)
    said = f"held on {held} of {many(len(classes), 'class')}. {Counts.of(checks).passed} checks passed, none failed"
    return f"{said}; NOT PROVEN: {unproven}" if unproven else said
