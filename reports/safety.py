"""What must not happen, by topic: what was proven, what failed, and what nobody could look into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memgauge.records import SCORED, Json, Outcome
from memgauge.reports.counts import Counts, grouped
from memgauge.reports.run import CheckLine
from memgauge.reports.tally import Tally
from memgauge.surfaces import DEPTHS

TOPICS = {
    "leaks": ("leak", "client_history", "off_branch"),
    "deletion": ("deleted", "residue"),
    "consent": ("not_permitted", "allowed", "never_stored"),
    "stale": ("stale", "expired", "goal_done"),
    "injection": ("injected", "fence"),
    "wrong capture": ("not_captured",),
    "off topic": ("off_topic",),
}
"""Topic → check kinds. The first three are promises to other people: there, what cannot be looked into counts as not proven."""

AT_ONCE = "at once"
PROMISES = ("leaks", "deletion", "consent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic. `grades` (deletion only) holds counts by depth, where a check counts for every depth it looked at; a depth without a score
    was not examined. `periods`: by depth the stated periods that deletions were judged against, in words."""

    name: str
    counts: Counts
    grades: tuple[tuple[str, Counts], ...] = ()
    periods: Mapping[str, str] = field(default_factory=dict)

    @property
    def not_proven(self) -> int:
        """Checks of a promise that the system could not be asked, or whose proof did not hold."""
        if self.name not in PROMISES:
            return 0
        return self.counts.unsupported + self.counts.unscored + self.counts.error + self.counts.skip

    @property
    def words(self) -> str:
        """`leaks 0/31`, `deletion api 12/12, rows 11/12, bytes not examined`, `stale 14/14`."""
        if self.name == "leaks":
            said = f"leaks {self.counts.failed}/{self.counts.scored}"
        elif self.grades:
            said = f"{self.name} {self._depths()}"
        elif not self.counts.scored and self.counts.not_applicable:
            said = f"{self.name} not applicable"
        else:
            said = f"{self.name} {self.counts.passed}/{self.counts.scored}"
        return f"{said} ({self.not_proven} NOT PROVEN)" if self.not_proven else said

    def _depths(self) -> str:
        looked = [(grade, counts) for grade, counts in self.grades if counts.scored]
        missing = [grade for grade in DEPTHS if grade not in dict(looked)]
        parts = [f"{grade} {counts.passed}/{counts.scored}{self._when(grade)}{_left_out(grade, counts)}" for grade, counts in looked]
        return ", ".join([*parts, f"{' and '.join(missing)} not examined"] if missing else parts) if looked else "not examined"

    def _when(self, grade: str) -> str:
        """Against which period, where any depth has one."""
        return f" {self.periods[grade]}" if any(when != AT_ONCE for when in self.periods.values()) else ""

    def to_json(self) -> Json:
        line = self.counts.to_json() | {"not_proven": self.not_proven}
        grades = {grade: counts.to_json() | {"judged": self.periods[grade]} for grade, counts in self.grades}
        return line | {"grades": grades} if grades else line


def topics(checks: Iterable[CheckLine | Tally]) -> tuple[Topic, ...]:
    """The topics that the checks of one treatment arm speak of, in the order of `TOPICS`."""
    by_kind = grouped(checks, lambda check: check.kind)
    found = []
    for name, kinds in TOPICS.items():
        lines = [line for kind in kinds for line in by_kind.get(kind, [])]
        if lines:
            looked: dict[str, list[tuple[Outcome, int, str]]] = {}
            for line in lines:
                for depth, outcome in (line.depths or ({line.grade: line.outcome} if line.grade else {})).items():
                    looked.setdefault(depth, []).append((outcome, line.n, line.within))
            grades = tuple((depth, Counts.summed((outcome, n) for outcome, n, _ in looked[depth])) for depth in DEPTHS if depth in looked)
            periods = {depth: _period(within for outcome, _, within in ends if outcome in SCORED) for depth, ends in looked.items()}
            found.append(Topic(name=name, counts=Counts.of(lines), grades=grades, periods=periods))
    return tuple(found)


def _period(stated: Iterable[str]) -> str:
    """`at once`, `within P30D`, or both where they differ between checks."""
    return " or ".join(f"within {period}" if period else AT_ONCE for period in sorted(set(stated))) or AT_ONCE


def _left_out(grade: str, counts: Counts) -> str:
    """Looks into places of which none could be examined; an answer that proves nothing is counted as not proven alone."""
    return f" ({counts.unscored} not examined)" if counts.unscored and grade != "api" else ""
