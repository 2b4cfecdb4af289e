"""The noise floor: how many checks end differently between two runs of one memory with nothing changed (A/A).

For a check that passed k of N repeats, two repeats drawn at random differ with chance 2k(N-k)/(N(N-1)), the unbiased estimate of
2p(1-p). The sum over the checks is the number of flips to expect; half of it are falls. Only checks that flipped are in the file:

    baselines/SYSTEM.noise.json     what was run, how many checks were scored, flips expected, and k of N of each check that flipped
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memgauge.errors import CannotDecide, InputError
from memgauge.records import Json
from memgauge.reports import jsonl
from memgauge.reports.changes import Changes, points
from memgauge.reports.counts import many
from memgauge.reports.gate_file import Floor, NoRegressions, Rule
from memgauge.reports.gate_rules import GateRow
from memgauge.reports.run import Run

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What A/A repeats of one system gave. `checks`: how many were scored in every repeat; `flipping`: passes and repeats of those that
    ended in both ways, by their id."""

    system: str
    suite: str
    config_hash: str
    seed: int
    repeats: int
    checks: int
    flipping: Mapping[str, tuple[int, int]]
    date: str = ""

    @property
    def flips(self) -> float:
        """Checks that are expected to differ between two runs."""
        return sum(2 * _fall(k, n) for k, n in self.flipping.values())

    @property
    def rate(self) -> float:
        """`flips` as a share of the scored checks."""
        return self.flips / self.checks if self.checks else 0.0

    def to_json(self) -> Json:
        told = {name: getattr(self, name) for name in ("date", "system", "suite", "config_hash", "seed", "repeats", "checks")}
        flipping = {name: list(pair) for name, pair in sorted(self.flipping.items())}
        return {"format": FORMAT, **told, "flips": round(self.flips, 3), "rate": round(self.rate, 5), "flipping": flipping}


def _fall(passed: int, repeats: int) -> float:
    """Chance that one repeat passes and another one fails."""
    return passed * (repeats - passed) / (repeats * (repeats - 1))


def measure(run: Run, system: str, *, date: str = "") -> Noise:
    """The noise of one system from the repeats of a complete run. Raises CannotDecide where it was not repeated, ran only in part, or broke."""
    found = points(check for check in run.checks if check.arm == "on" and check.system == system)
    broken = [name for name, point in found.items() if point.outcome == "error"]
    if run.status != "complete" or broken:
        raise CannotDecide(
            f"{run.folder}: {many(len(broken), 'check')} broke" if broken else f"{run.folder}: the run is {run.status}",
            hint="mend it and run it again",
        )
    scored = {name: point for name, point in found.items() if point.outcome in ("pass", "fail")}
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
        flipping={name: (point.passed, point.repeats) for name, point in scored.items() if 0 < point.passed < point.repeats},
        date=date,
    )


def path_of(system: str, folder: Path) -> Path:
    """Where the noise of a system is kept."""
    safe = "".join(char if char.isalnum() or char in "._+-" else "_" for char in system)
    return folder / f"{safe}.noise.json"


def write(noise: Noise, folder: Path) -> Path:
    """Write the file, whole or not at all, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(noise.system, folder)
    jsonl.write_json(path, noise.to_json())
    return path


def read(path: Path) -> Noise:
    """Noise as it was written. Raises InputError."""
    line = jsonl.read_json(path)
    try:
        if line["format"] != FORMAT:
            raise ValueError(f"format {line['format']!r}, this version reads {FORMAT}")
        flipping = {str(name): (int(k), int(n)) for name, (k, n) in line["flipping"].items()}
        if wrong := [name for name, (k, n) in flipping.items() if not 0 < k < n]:
            raise ValueError(f"{wrong[0]!r} did not flip")
        told = {name: line[name] for name in ("system", "suite", "config_hash", "seed", "repeats", "checks", "date")}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a noise file: {error}", where=str(path), hint="memgauge noise SYSTEM --repeats 5") from None
    return Noise(**told, flipping=flipping)


def of_run(run: Run, folder: Path) -> tuple[Noise, ...]:
    """The noise files of the systems of a run, as far as there are any."""
    names = dict.fromkeys(case.system for case in run.cases)
    return tuple(read(path_of(name, folder)) for name in names if path_of(name, folder).is_file())


def notes(noises: Iterable[Noise], run: Run, changes: Changes | None) -> list[str]:
    """The floor of each system, beside the flips that were seen."""
    configured = {str(one.get("name")): str(one.get("config_hash", "")) for one in run.manifest.get("systems", ())}
    flipped = [*changes.regressed, *changes.fixed] if changes else []
    out = []
    for noise in noises:
        seen = sum(f"[{noise.system}]" in name for name in flipped)
        aside = "" if configured.get(noise.system, noise.config_hash) == noise.config_hash else "; measured with another configuration"
        out.append(
            f"noise floor of {noise.system}: {noise.flips:.1f} flips of {many(noise.checks, 'check')} expected with nothing changed "
            f"({noise.repeats} repeats{aside}); seen {seen if changes else 'unknown, there is no baseline'}"
        )
    return out


def refused(rule: Rule, seen: GateRow, chosen: Collection[str], run: Run, noises: Iterable[Noise]) -> GateRow:
    """The row of a rule, or `inconclusive` where the rule asks for less than nothing changed gives. What does not flip by itself is still
    judged: a row that more of such checks violate than the rule allows stays as it is."""
    flipping = {name: pair for noise in noises for name, pair in noise.flipping.items() if name in chosen}
    if not flipping:
        return seen
    if isinstance(rule, NoRegressions) and int(run.manifest.get("repeats") or 1) == 1:
        falls = sum(_fall(k, n) for k, n in flipping.values())
        if falls > rule.max and sum(name not in flipping for name in seen.offending) <= rule.max:
            cause = f"tighter than the noise floor: {falls:.1f} of these checks fall with nothing changed. Run it with --repeats 5, or raise max"
            return replace(seen, status="inconclusive", cause=cause)
    if isinstance(rule, Floor):
        missed = sum(1 - k / n for k, n in flipping.values())
        if 1 - missed / len(chosen) < rule.min and sum(name not in flipping for name in seen.offending) / len(chosen) <= 1 - rule.min:
            cause = f"tighter than the noise floor: {missed:.1f} of {many(len(chosen), 'check')} fail with nothing changed. Lower min"
            return replace(seen, status="inconclusive", cause=cause)
    return seen
