"""Does the gate hold for a memory that loses 3 of 100 captures by chance? `nice python -m tests.bench.gate_noise FOLDER [--gates 20]`

Everything by commands, as a user types them: `run --repeats`, `noise`, `baseline set`, `gate`. Each of the gates is asked twice against
a baseline of its own: once about the same memory again, where red is a false alarm, and once about a careless policy on top of the loss,
which breaks five scenarios for good, where green is a miss. Exit code 1 for more than one false alarm in twenty, or more than one miss.

Only the classes in which capture and that policy matter, with memory on: all of the suite takes four times as long. `--whole` runs it.
A run that FOLDER already holds is not made again. One JSON line a gate, a table at the end.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CLASSES = ("capture", "goals", "recall", "time")
CARELESS = (
    "recall.k=2",
    "context.active_goals=2",
    "context.pins=1",
    *(f"facts.reconfirm_days.{kind}=4000" for kind in ("episodic", "working", "note")),
)
"""A policy that somebody may think harmless."""
BROKEN = {"capture/a-secret-is-not-echoed", "goals/paused-and-resumed", "recall/guess-is-marked", "recall/spare-key", "time/a-pin-with-an-end"}
"""What it breaks on the reference without any loss."""
PROJECT = f"version: 1\ndefault: lossy\nsystems:\n  lossy: {{python: {Path(__file__).with_name('lossy.py')}:Lossy}}\n"
GATE = "version: 1\nbaseline: {ref: BASE}\nrules:\n  - {id: no-regressions, rule: no_regressions}\n"


class Bench:
    """The commands, in one folder."""

    def __init__(self, folder: Path, repeats: int, jobs: int, whole: bool, loss: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memgauge.yaml").write_text(PROJECT)
        (folder / "gate.yaml").write_text(GATE)
        self.folder = folder
        self._how = [
            f"--set=loss={loss}",
            "--repeats",
            str(repeats),
            "--jobs",
            str(jobs),
            *([] if whole else [f"--class={name}" for name in CLASSES]),
        ]

    def memgauge(self, *argv: str, codes: Sequence[int] = (0,)) -> tuple[int, dict[str, Any]]:
        """Exit code and summary of one command. Ends the program for any other code."""
        done = subprocess.run([sys.executable, "-m", "memgauge", *argv, "--json"], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"memgauge {' '.join(argv)}: exit code {done.returncode}\n{done.stderr}")
        return done.returncode, json.loads(done.stdout.splitlines()[-1])

    def run(self, name: str, settings: Sequence[str] = ()) -> None:
        if not (self.folder / name / "report.html").exists():
            self.memgauge("run", "--arm", "on", "--out", name, *self._how, *(f"--set={setting}" for setting in settings), codes=(0, 1, 4))

    def noise(self) -> dict[str, Any]:
        path = self.folder / "baselines" / "lossy.noise.json"
        if not path.exists():
            self.memgauge("noise", "--out", "noise", *self._how)
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def gate(self, run: str, baseline: str) -> dict[str, Any]:
        code, told = self.memgauge("gate", run, "--baseline", baseline, codes=(0, 1, 4))
        fell = {name.split("[", 1)[0] for name in told["changes"]["regressed"]}
        return {"code": code, "fell": sorted(fell), "within_noise": len(told["changes"]["within_noise"])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gates", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--loss", type=float, default=0.03, help="chance that a capture is lost")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="all classes of the suite")
    asked = parser.parse_args()
    bench = Bench(asked.folder, asked.repeats, asked.jobs, asked.whole, asked.loss)
    floor = bench.noise()
    print(json.dumps({"noise_floor": floor["flips"], "checks": floor["checks"], "checks_that_flipped": len(floor["flipping"])}))
    bench.run("same-0")
    rows = []
    for n in range(asked.gates):
        bench.memgauge("baseline", "set", f"base-{n}", f"same-{n}", "--reason", "the memory as it is")
        bench.run(f"same-{n + 1}")
        bench.run(f"careless-{n}", CARELESS)
        rows.append((bench.gate(f"same-{n + 1}", f"base-{n}"), bench.gate(f"careless-{n}", f"base-{n}")))
        print(json.dumps({"gate": n, "same": rows[-1][0], "careless": rows[-1][1]}), flush=True)
    return _table(rows)


def _table(rows: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> int:
    print(f"{'gate':>4}  {'same memory':<28}careless policy")
    for n, (same, careless) in enumerate(rows):
        of_five = len(BROKEN & set(careless["fell"]))
        beside = len(set(careless["fell"]) - BROKEN)
        print(f"{n:>4}  exit {same['code']}, {same['within_noise']:>3} within noise   exit {careless['code']}, {of_five} of 5 named, {beside} others")
    alarms, misses = sum(same["code"] != 0 for same, _ in rows), sum(careless["code"] != 1 for _, careless in rows)
    print(f"nothing changed: {alarms} of {len(rows)} not green; five scenarios broken: {len(rows) - misses} of {len(rows)} red")
    return int(max(alarms, misses) * 20 > len(rows))


if __name__ == "__main__":
    sys.exit(main())
