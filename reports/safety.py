"""What must not happen, by topic: what was proven, what failed, and what nobody could look into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memgauge.records import Json
from memgauge.reports.counts import Counts, grouped
from memgauge.reports.run import CheckLine

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

PROMISES = ("leaks", "deletion", "consent")
GRADES = ("api", "rows", "vectors", "bytes")
"""How deep a deletion was looked at, from the answers of the system down to the bytes of its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic. `grades` (deletion only) holds counts by depth; a depth without a check was not examined."""

    name: str
    counts: Counts
    grades: tuple[tuple[str, Counts], ...] = ()

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
        missing = [grade for grade in GRADES if grade not in dict(looked)]
        parts = [f"{grade} {counts.passed}/{counts.scored}" for grade, counts in looked]
        return ", ".join([*parts, f"{' and '.join(missing)} not examined"] if missing else parts) if looked else "not examined"

    def to_json(self) -> Json:
        line = self.counts.to_json() | {"not_proven": self.not_proven}
        return line | {"grades": {grade: counts.to_json() for grade, counts in self.grades}} if self.grades else line


def topics(checks: Iterable[CheckLine]) -> tuple[Topic, ...]:
    """The topics that the checks of one treatment arm speak of, in the order of `TOPICS`."""
    by_kind = grouped(checks, lambda check: check.kind)
    found = []
    for name, kinds in TOPICS.items():
        lines = [line for kind in kinds for line in by_kind.get(kind, [])]
        if lines:
            grades = grouped((line for line in lines if line.grade), lambda check: check.grade)
            depths = tuple((grade, Counts.of(grades[grade])) for grade in GRADES if grade in grades)
            found.append(Topic(name=name, counts=Counts.of(lines), grades=depths))
    return tuple(found)
