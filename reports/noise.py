"""The noise floor: how many checks end differently between two runs of one memory with nothing changed (A/A).

Two repeats of a check, drawn at random, differ with a chance that is estimated over all pairs of the N repeats; for k passes of N it is
2k(N-k)/(N(N-1)), the unbiased estimate of 2p(1-p). The sum over the checks is the number of flips to expect; half of it are falls. How
many falls, or failures, there may be in all but `ALPHA` of the runs is counted over scenarios, whose checks flip together. Only checks
that flipped are in the file:

    baselines/SYSTEM.noise.json     what was run, how many checks were scored, flips expected, and how each repeat ended of each check
                                    that flipped (letters as in a baseline)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgauge.errors import CannotDecide, InputError
from memgauge.records import Json, Outcome
from memgauge.reports import jsonl
from memgauge.reports.changes import Point, fell, letters, points, spelt
from memgauge.reports.counts import many
from memgauge.reports.flips import ALPHA
from memgauge.reports.run import Run
from memgauge.reports.unsteady import place

FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What A/A repeats of one system gave. `checks`: how many were scored in some repeat; `flipping`: how each repeat ended, of those
    checks that did not always end alike, by their id."""

    system: str
    suite: str
    config_hash: str
    seed: int
    repeats: int
    checks: int
    flipping: Mapping[str, tuple[Outcome, ...]]
    date: str = ""

    @property
    def flips(self) -> float:
        """Checks that are expected to differ between two runs."""
        return sum(_differing(ended, ended) * self.repeats / (self.repeats - 1) for ended in self.flipping.values())

    @property
    def rate(self) -> float:
        """`flips` as a share of the scored checks."""
        return self.flips / self.checks if self.checks else 0.0

    def to_json(self) -> Json:
        told = {name: getattr(self, name) for name in ("date", "system", "suite", "config_hash", "seed", "repeats", "checks")}
        flipping = {name: letters(ended) for name, ended in sorted(self.flipping.items())}
        return {"format": FORMAT, **told, "flips": round(self.flips, 3), "rate": round(self.rate, 5), "flipping": flipping}


def _differing(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> float:
    """Share of the pairs of one of ours and one of theirs of which either is worse than the other."""
    return sum(fell(one, other) or fell(other, one) for one in ours for other in theirs) / (len(ours) * len(theirs))


def flips(before: Mapping[str, Point], after: Mapping[str, Point], system: str) -> float:
    """Checks of a system that differ between a run of either side, on the average over their repeats: what `Noise.flips` expects."""
    shared = [name for name in before.keys() & after.keys() if place(name)[1] == system]
    return sum(_differing(before[name].outcomes, after[name].outcomes) for name in shared)


def most_falls(noises: Iterable[Noise], chosen: Collection[str]) -> int:
    """Between two runs with nothing changed no more of the chosen checks than this fall, in all but `ALPHA` of the cases."""

    def between(checks: Sequence[Sequence[Outcome]]) -> list[int]:
        runs = range(len(checks[0]))
        return [sum(fell(ended[one], ended[other]) for ended in checks) for one in runs for other in runs if one != other]

    return _most(noises, chosen, between)


def most_failures(noises: Iterable[Noise], chosen: Collection[str], repeats: int) -> int:
    """In so many repeats of a run with nothing changed no more of the chosen checks than this fail, in all but `ALPHA` of the cases."""

    def within(checks: Sequence[Sequence[Outcome]]) -> list[int]:
        return [sum(ended[one] in ("fail", "error") for ended in checks) for one in range(len(checks[0]))]

    return _most(noises, chosen, within, repeats)


def _most(noises: Iterable[Noise], chosen: Collection[str], count: Callable[[Sequence[Sequence[Outcome]]], list[int]], times: int = 1) -> int:
    """The quantile of the sum over scenarios, each of which gives one of its counts, all as likely, so many times."""
    import numpy

    sums = numpy.ones(1)
    for noise in noises:
        scenarios: defaultdict[str, list[Sequence[Outcome]]] = defaultdict(list)
        for name, ended in sorted(noise.flipping.items()):
            if name in chosen:
                scenarios[place(name)[0]].append(ended)
        for checks in scenarios.values():
            counts = count(checks)
            for _ in range(times):
                sums = numpy.convolve(sums, numpy.bincount(counts) / len(counts))
    return int(numpy.searchsorted(numpy.cumsum(sums), 1 - ALPHA))


def measure(run: Run, system: str, *, date: str = "") -> Noise:
    """The noise of one system from the repeats of a complete run. Raises CannotDecide where it was not repeated, ran only in part, or broke."""
    found = points(check for check in run.checks if check.arm == "on" and check.system == system)
    broken = [name for name, point in found.items() if point.outcome == "error"]
    if run.status != "complete" or broken:
        raise CannotDecide(
            f"{run.folder}: {many(len(broken), 'check')} broke" if broken else f"{run.folder}: the run is {run.status}",
            hint="mend it and run it again",
        )
    scored = {name: point for name, point in found.items() if {"pass", "fail"} & {*point.outcomes}}
    repeats = min((point.repeats for point in scored.values()), default=0)
    if repeats < 2:
        raise CannotDecide("noise shows only between repeats", hint="--repeats 5")
    spec: Mapping[str, Any] = next((one for one in run.manifest.get("systems", ()) if one.get("name") == system), {})
    return Noise(
        system=system,
        suite=str(run.manifest.get("suite", "")),
        config_hash=str(spec.get("config_hash", "")),
        seed=int(run.manifest.get("seed") or 0),
        repeats=repeats,
        checks=len(scored),
        flipping={name: point.outcomes for name, point in scored.items() if not point.steady},
        date=date,
    )


def path_of(system: str, folder: Path) -> Path:
    """Where the noise of a system is kept."""
    safe = "".join(char if char.isalnum() or char in "._+-" else "_" for char in system)
    return folder / f"{safe}.noise.json"


def write(noise: Noise, folder: Path) -> Path:
    """Write the file, whole or not at all, and return its path."""
    path = path_of(noise.system, folder)
    jsonl.write_json(path, noise.to_json())
    return path


def read(path: Path) -> Noise:
    """Noise as it was written. Raises InputError."""
    line = jsonl.read_json(path)
    try:
        if line["format"] != FORMAT:
            raise ValueError(f"format {line['format']!r}, this version reads {FORMAT}")
        flipping = {str(name): spelt(word) for name, word in line["flipping"].items()}
        told = {name: line[name] for name in ("system", "suite", "config_hash", "seed", "repeats", "checks", "date")}
        if wrong := [name for name, ended in flipping.items() if len(ended) != told["repeats"] or len(set(ended)) < 2]:
            raise ValueError(f"{wrong[0]!r} did not flip, or not in {told['repeats']} repeats")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a noise file: {error}", where=str(path), hint="memgauge noise SYSTEM --repeats 5") from None
    return Noise(**told, flipping=flipping)


def of_run(run: Run, folder: Path) -> tuple[Noise, ...]:
    """The noise files of the systems of a run, as far as there are any."""
    names = dict.fromkeys(case.system for case in run.cases)
    return tuple(read(path_of(name, folder)) for name in names if path_of(name, folder).is_file())


def notes(noises: Iterable[Noise], run: Run, before: Mapping[str, Point], after: Mapping[str, Point]) -> list[str]:
    """The floor of each system, beside the flips that were seen against the baseline (`before`, empty where there is none)."""
    configured = {str(one.get("name")): str(one.get("config_hash", "")) for one in run.manifest.get("systems", ())}
    out = []
    for noise in noises:
        aside = "" if configured.get(noise.system, noise.config_hash) == noise.config_hash else "; measured with another configuration"
        seen = f"{flips(before, after, noise.system):.1f}" if before else "unknown, there is no baseline"
        out.append(
            f"noise floor of {noise.system}: {noise.flips:.1f} flips of {many(noise.checks, 'check')} expected between two runs with nothing changed "
            f"({noise.repeats} repeats{aside}); seen {seen}"
        )
    return out
