"""Checks that are alike in all that a summary counts by, as one line and their number: a run of ten million checks is some thousand tallies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from memgauge.records import Arm, Outcome


class Counted(Protocol):
    """What can be counted: a check, or many that are alike. `n` says how many."""

    @property
    def outcome(self) -> Outcome: ...
    @property
    def n(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Parts as in `memgauge.reports.run.CheckLine`; `reason` is what stands before the first colon, of checks without a score alone."""

    system: str
    arm: Arm
    class_: str
    kind: str
    family: str
    grade: str
    depths: Mapping[str, Outcome]
    within: str
    outcome: Outcome
    reason: str
    proof: str
    n: int

    @property
    def scored(self) -> bool:
        return self.outcome in ("pass", "fail")
