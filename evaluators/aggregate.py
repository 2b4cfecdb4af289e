"""Verdicts to counts. A rate is passed of scored and always carries how many were planned; nothing is averaged over what has no score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memgauge.records import OUTCOMES, Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of a group of verdicts: every outcome in the order of `records.OUTCOMES`, zeros written out."""

    counts: tuple[tuple[Outcome, int], ...]
    proofs_asked: int
    proofs_held: int

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> Tally:
        group = list(verdicts)
        found = Counter(verdict.outcome for verdict in group)
        asked = [verdict for verdict in group if verdict.proof]
        return cls(
            counts=tuple((outcome, found[outcome]) for outcome in OUTCOMES),
            proofs_asked=len(asked),
            proofs_held=sum(verdict.proof == "held" for verdict in asked),
        )

    def count(self, outcome: Outcome) -> int:
        return dict(self.counts)[outcome]

    @property
    def scored(self) -> int:
        return self.count("pass") + self.count("fail")

    @property
    def planned(self) -> int:
        return sum(number for _, number in self.counts)

    @property
    def rate(self) -> float | None:
        """Passed of scored; None where nothing was scored, which is never the same as 0 or 1."""
        return self.count("pass") / self.scored if self.scored else None

    @property
    def proven(self) -> float | None:
        """Passed of planned: what has no score counts as not proven, so that no error can raise it."""
        return self.count("pass") / self.planned if self.planned else None

    @property
    def detection_power(self) -> float | None:
        """Proofs held of proofs asked: how much of what must be absent could have been seen; None where none was asked."""
        return self.proofs_held / self.proofs_asked if self.proofs_asked else None

    def __str__(self) -> str:
        """`12/14 of 20`: passed, scored, planned."""
        return f"{self.count('pass')}/{self.scored} of {self.planned}"


def tally_by(verdicts: Iterable[Verdict], key: Callable[[Verdict], str]) -> dict[str, Tally]:
    """A tally for every key, sorted; a key whose verdicts have no score is there all the same."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(key(verdict), []).append(verdict)
    return {name: Tally.of(groups[name]) for name in sorted(groups)}
