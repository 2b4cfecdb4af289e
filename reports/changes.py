"""What changed between two judgements of the same checks: the common ground of baseline, gate and summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Literal

from memgauge.records import OUTCOMES, Json, Outcome
from memgauge.reports.counts import grouped
from memgauge.reports.run import CheckLine

Change = Literal["regressed", "fixed", "unchanged", "new", "missing", "not comparable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One check over all its repeats: how each ended, in their order. `value` is the mean of the evaluator's number, rounded to four
    digits, where it has one."""

    id: str
    kind: str
    outcomes: tuple[Outcome, ...]
    value: float | None = None

    @property
    def outcome(self) -> Outcome:
        """The worst of all repeats: pass only when every repeat passed."""
        return next(outcome for outcome in ("error", "fail", *OUTCOMES[3:], "pass") if outcome in self.outcomes)

    @property
    def passed(self) -> int:
        return self.outcomes.count("pass")

    @property
    def repeats(self) -> int:
        return len(self.outcomes)

    @property
    def steady(self) -> bool:
        """Whether every repeat ended alike."""
        return len(set(self.outcomes)) == 1


LETTERS: Mapping[Outcome, str] = {
    "pass": "p", "fail": "f", "error": "e", "unsupported": "n", "not_applicable": "a", "skip": "s", "unscored": "u",
}  # fmt: skip


def letters(outcomes: Iterable[Outcome]) -> str:
    """How repeats ended, a letter each."""
    return "".join(LETTERS[outcome] for outcome in outcomes)


def spelt(word: str) -> tuple[Outcome, ...]:
    """The outcomes that `letters` wrote. Raises ValueError."""
    known = {letter: outcome for outcome, letter in LETTERS.items()}
    if unknown := set(word) - set(known):
        raise ValueError(f"{word!r}: {min(unknown)!r} stands for no outcome")
    return tuple(known[letter] for letter in word)


def point_id(check: CheckLine) -> str:
    """The check's id without the number of the repeat."""
    return f"{check.case_id.rsplit('.', 1)[0]}::{check.name}"


def points(checks: Iterable[CheckLine]) -> dict[str, Point]:
    """The checks of a run as points, by id, in sorted order."""
    found = {}
    for name, lines in sorted(grouped(checks, point_id).items()):
        values = [line.value for line in lines if line.value is not None]
        ended = tuple(line.outcome for line in sorted(lines, key=lambda line: line.repeat))
        found[name] = Point(id=name, kind=lines[0].kind, outcomes=ended, value=round(fmean(values), 4) if values else None)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Ids by what became of them, against `baseline` (its name). A check that was scored and is so no more has regressed.

    Of a memory that is not deterministic, `within_noise` holds the checks that flipped no more than chance explains. `undecided` names
    such systems that were repeated too seldom to tell; their flips stand as they are.
    """

    baseline: str
    regressed: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    not_comparable: tuple[str, ...] = ()
    within_noise: tuple[str, ...] = ()
    unchanged: int = 0
    undecided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """`3 regressed, 1 fixed, 2 new`, or `nothing`."""
        named = (
            (len(self.regressed), "regressed"), (len(self.fixed), "fixed"), (len(self.new), "new"), (len(self.missing), "missing"),
            (len(self.not_comparable), "not comparable"), (len(self.within_noise), "within noise"),
        )  # fmt: skip
        return ", ".join(f"{count} {word}" for count, word in named if count) or "nothing"

    def to_json(self) -> Json:
        return {name: list(held) if isinstance(held, tuple) else held for name, held in asdict(self).items()}


def compare_points(
    before: Mapping[str, Point], after: Mapping[str, Point], *, baseline: str, not_comparable: frozenset[str] = frozenset()
) -> Changes:
    """Every id of both sides in exactly one group. `not_comparable` names ids whose scenario or evaluator is not the same any more."""
    groups: dict[Change, list[str]] = {}
    for name in sorted({*before, *after}):
        groups.setdefault(_change(before.get(name), after.get(name), name in not_comparable), []).append(name)
    return Changes(
        baseline=baseline, regressed=tuple(groups.get("regressed", ())), fixed=tuple(groups.get("fixed", ())), new=tuple(groups.get("new", ())),
        missing=tuple(groups.get("missing", ())), not_comparable=tuple(groups.get("not comparable", ())), unchanged=len(groups.get("unchanged", ())),
    )  # fmt: skip


def _change(before: Point | None, after: Point | None, not_comparable: bool) -> Change:
    if before is None:
        return "new"
    if after is None:
        return "missing"
    if not_comparable:
        return "not comparable"
    if before.outcome == after.outcome:
        return "unchanged"
    if fell(before.outcome, after.outcome):
        return "regressed"
    return "fixed" if after.outcome == "pass" else "unchanged"


def fell(before: Outcome, after: Outcome) -> bool:
    """Whether this is a change for the worse: failing now, or without the score there was."""
    return before != after and (after == "fail" or (before in ("pass", "fail") and after != "pass"))
