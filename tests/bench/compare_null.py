"""Does `compare` cry wolf? `nice python -m tests.bench.compare_null [--rounds 1000]` sets two runs of one memory side by side, again and again.

Whole run folders, written and read: cases, verdicts, measures of tokens and of recall. Sixty scenarios of 40 templates, some of
which are easy and some hard, so that scenarios of a template rise and fall together; up to three checks each; some have no score on one
side. In half of the rounds each case is repeated. Nothing differs between the two sides but chance. An alarm is a difference that
is not said to be possibly none, and the sentence that the data tell the two apart. Exit code 1 for more alarms than the nominal 5 %.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from memgauge.records import Json
from memgauge.reports import compare, jsonl
from memgauge.reports.folder import CASES, CHECKS, MANIFEST, MEASURES, SCHEMA, read_run
from memgauge.reports.run import TIMINGS, Run
from memgauge.reports.stats import Difference, template

NOMINAL = 0.05
SCENARIOS = [f"recall/s{n}" for n in range(30)] + [f"recall/t{n}.{row}" for n in range(10) for row in "abc"]


def made(generator: random.Random, ease: dict[str, float], folder: Path, repeats: int) -> Run:
    """One run folder, read back: whether a case holds hangs on how easy its template is, how the template fared this time, and luck."""
    fared = {name: generator.gauss(held, 0.4) for name, held in ease.items()}
    cases, checks, measures = [], [], []
    for scenario in SCENARIOS:
        for repeat in range(repeats):
            case: Json = {"id": f"{scenario}[mine]#0.{repeat}", "scenario": scenario, "repeat": repeat}
            luck = generator.gauss(fared[template(scenario)], 0.5)
            asked = 1 + len(scenario) % 3
            cases.append({**_CASE, **case, "checks": asked})
            for n in map(str, range(asked)):
                outcome = "unscored" if generator.random() < 0.03 else "pass" if generator.gauss(luck, 0.4) > 0 else "fail"
                line = {"case_id": case["id"], "scenario": scenario, "step": n}
                checks.append({**_CHECK, **line, "id": f"{case['id']}::{n}", "name": n, "repeat": repeat, "outcome": outcome})
                values = {"tokens_memory": generator.uniform(50, 3000), "recall_all@5/item": float(generator.random() < 0.7)}
                measures += [{**_MEASURE, **line, "name": name, "value": value} for name, value in values.items()]
    folder.mkdir()
    jsonl.write_json(folder / MANIFEST, {**_RUN, "planned": len(cases), "repeats": repeats})
    for name, lines in ((CASES, cases), (CHECKS, checks), (MEASURES, measures), (TIMINGS, [])):
        jsonl.write_lines(folder / name, lines)
    return read_run(folder)


_RUN: Json = {"status": "complete", "schema": SCHEMA, "seed": 0, "systems": [{"name": "mine"}]}
_CASE: Json = {
    "class": "recall", "version": 1, "title": "", "system": "mine", "arm": "on", "seed": 0, "outcome": "pass", "error": "",
    "assembled_by": "system", "needs_memory": True, "lane": "quick", "tags": [], "rows": [], "catalogue": [], "language": "en", "source": "own",
    "content": "synthetic", "digest": "d", "path": "", "history": "", "manifest": {},
}  # fmt: skip
_CHECK: Json = {
    "class": "recall", "system": "mine", "arm": "on", "seed": 0, "kind": "sufficient", "family": "benefit", "grade": "", "evaluator": 1,
    "value": None, "reason": "", "witness": "", "lost_at": "", "proof": "", "facts": [],
}  # fmt: skip
_MEASURE: Json = {"class": "recall", "system": "mine", "arm": "on"}


def alarms(rounds: int, seed: int) -> Counter[str]:
    """How often each difference that a comparison tells was said to be one, of so many rounds."""
    generator, found = random.Random(seed), Counter[str]()
    for number in range(rounds):
        ease = {template(scenario): generator.gauss(0.3, 0.5) for scenario in SCENARIOS}
        with tempfile.TemporaryDirectory() as folder:
            sides = [compare.side(made(generator, ease, Path(folder, name), repeats=1 + 2 * (number % 2))) for name in ("one", "other")]
            (pair,) = compare.compare(sides)
        found["told apart"] += pair.settled
        found["exact p"] += pair.p <= NOMINAL
        for said, difference in _differences(pair):
            found[said] += difference is not None and difference.clear
    return found


def _differences(pair: compare.Comparison) -> Iterator[tuple[str, Difference | None]]:
    yield "as they ran", pair.headline
    yield from ((level.size, level.ahead) for level in (*pair.at_tokens, *pair.at_k))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = alarms(asked.rounds, asked.seed)
    for said, count in found.items():
        print(json.dumps({"difference": said, "alarms": count, "of": asked.rounds, "share": count / asked.rounds}))
    return int(max(found.values()) > NOMINAL * asked.rounds)


if __name__ == "__main__":
    sys.exit(main())
