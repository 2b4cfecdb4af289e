"""Whether the faults that races and kills show are noticed each time: `nice python -m tests.bench.flake [SABOTEUR]...`.

A fault that is caught 19 times of 20 is a flake, and so is an unharmed memory that fails once. Each saboteur that a check of a race or
kill must catch runs 20 times with one seed and once with each of five more, on the scenarios of the classes below; the reference runs
beside it each time. One line each, exit code 1 when anything was missed, hurt or broken. `alike` says whether every run of the one seed
failed the same checks: a race need not, as long as one check notices. Too long for CI.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from memgauge.cli.selection import choose
from memgauge.evaluators import diagnose, judge
from memgauge.runner import RunOptions
from memgauge.saboteurs import SABOTEURS
from memgauge.saboteurs.opener import open_system
from memgauge.saboteurs.selftest import Bench, Catch, assess
from memgauge.systems.spec import SystemSpec

CLASSES = ("concurrency", "durability", "recovery")
KINDS = ("durable", "no_lost_update", "one_winner")
BASE = SystemSpec(name="reference", target="reference")


def tried(names: list[str], seed: int, jobs: int) -> list[Catch]:
    """What became of the unharmed system and of each fault in one run."""
    plans = choose(ids=None, suites=None, tags=None, classes=CLASSES, seed=seed, profile="full").plans
    bench = Bench(judge=judge, diagnose=diagnose, open_system=open_system, options=RunOptions(jobs=jobs, seed=seed))
    return assess(BASE, [SABOTEURS.get(name) for name in names], plans, bench)


def line(name: str, catches: list[tuple[int, Catch]], first: int) -> str:
    one = [catch for seed, catch in catches if seed == first]
    more = [catch for seed, catch in catches if seed != first]
    failed = [catch.failed for _, catch in catches]
    same = len({catch.broken for catch in one}) <= 1
    wanted = "unharmed" if catches[0][1].harmless else "caught"
    times = f"{sum(c.good for c in one):>2} of {len(one):>2} with seed {first}, {sum(c.good for c in more)} of {len(more)} with others"
    checks = f"{min(failed)} to {max(failed)} of {catches[0][1].scored} checks failed, {'alike' if same else 'not alike'}"
    return f"{name:<20} {wanted:<8} {times}; {checks}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    chosen = [name for name, one in SABOTEURS if set(CLASSES) & set(one.classes) and (one.harmless or set(KINDS) & set(one.kinds))]
    parser.add_argument("names", nargs="*", default=chosen)
    parser.add_argument("--runs", type=int, default=20, help="with the first seed")
    parser.add_argument("--seeds", type=int, default=5, help="more seeds, one run each")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    found: dict[str, list[tuple[int, Catch]]] = defaultdict(list)
    for n in range(given.runs + given.seeds):
        seed = given.first + max(0, n - given.runs + 1)
        catches = tried(given.names, seed, given.jobs)
        wrong = [catch.line() for catch in catches if not catch.good]
        print("\n".join([f"run {n + 1}, seed {seed}: {len(catches) - len(wrong)} of {len(catches)} as declared", *wrong]), flush=True)
        for catch in catches:
            found[catch.name].append((seed, catch))
    for name, runs in found.items():
        print(line(name, runs, given.first))
    return int(not all(catch.good for runs in found.values() for _, catch in runs))


if __name__ == "__main__":
    sys.exit(main())
