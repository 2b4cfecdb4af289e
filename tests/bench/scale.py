"""How long a report takes on a run of millions of checks, and how much memory: `python -m tests.bench.scale 10000000`.

The run is made up by DuckDB in seconds: three arms, several hundred scenarios, many seeds; most checks hold. Then every step that a user
waits for is made in a process of its own: load the database, count and render all reports, ask the views. Printed are seconds by the
clock and of all processors, the peak of resident memory and the sizes of what was written.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from memgauge.reports import jsonl
from memgauge.reports.codec import encode
from memgauge.reports.folder import CASES, CHECKS, MANIFEST, MEASURES, SCHEMA, TIMINGS
from tests.reports.conftest import make_history, make_plan

SCENARIOS, CLASSES, CHECKS_A_CASE = 800, 28, 8
ARMS = ("on", "recent-equal", "off")
KINDS = (("sufficient", "benefit"), ("stale", "safety"), ("leak", "safety"), ("present", "benefit"), ("deleted", "safety"), ("count", "integrity"),
         ("budget", "cost"), ("injected", "safety"))  # fmt: skip

CASES_SQL = f"""
CREATE TABLE made AS
SELECT scenario || '[mine' || CASE arm WHEN 'on' THEN '' ELSE '~' || arm END || ']#' || seed || '.0' AS id, *
FROM (SELECT 'class' || lpad((s % {CLASSES})::VARCHAR, 2, '0') || '/a-scenario-with-a-name-' || lpad(s::VARCHAR, 4, '0') AS scenario,
             'class' || lpad((s % {CLASSES})::VARCHAR, 2, '0') AS class, s, seed, arm
      FROM range({SCENARIOS}) scenarios(s), range($seeds) seeds(seed), (SELECT unnest($arms) AS arm))
ORDER BY id
"""
CASE_LINES = """
SELECT id, scenario, class, 1 AS version, 'A scenario' AS title, 'mine' AS system, arm, seed, 0 AS repeat, 'pass' AS outcome, '' AS error,
       $checks AS checks, 'system' AS assembled_by, s % 7 > 0 AS needs_memory, 'quick' AS lane, ['core'] AS tags, ['A4'] AS rows, [] AS catalogue,
       'en' AS language, 'own' AS source, 'synthetic' AS content, 'd' AS digest, 'suite/a.yaml' AS path, 'history/one.jsonl' AS history,
       {'name': 'mine', 'determinism': 'exact'} AS manifest
FROM made ORDER BY id
"""
CHECK_LINES = """
SELECT id || '::' || kind || '-' || k AS id, id AS case_id, kind || '-' || k AS name, scenario, class, 'mine' AS system, arm, seed, 0 AS repeat, kind,
       family, CASE kind WHEN 'deleted' THEN 'api' ELSE '' END AS grade, 1 AS evaluator, outcome, NULL::DOUBLE AS value,
       CASE outcome WHEN 'unscored' THEN 'no proof: nothing showed it' ELSE '' END AS reason,
       CASE outcome WHEN 'fail' THEN 'item-3 (recall) in the context of ask states home ("Ghent"), which another user told' ELSE '' END AS witness,
       CASE WHEN outcome = 'fail' THEN ['ranked', 'stored', 'fitted'][1 + s % 3] ELSE '' END AS lost_at,
       CASE family WHEN 'safety' THEN 'held' ELSE '' END AS proof, ['home'] AS facts, 'ask' AS step
FROM (SELECT *, CASE WHEN roll < (CASE arm WHEN 'on' THEN 3 ELSE 55 END) THEN 'fail' WHEN roll > 97 THEN 'unscored' ELSE 'pass' END AS outcome
      FROM (SELECT made.*, k, kinds[1 + k].kind AS kind, kinds[1 + k].family AS family, hash(id, k) % 100 AS roll
            FROM made, range($checks) checks(k), (SELECT $kinds AS kinds)))
ORDER BY case_id, name
"""
MEASURE_LINES = """
SELECT id AS case_id, scenario, class, 'mine' AS system, arm, 'ask' AS step, name,
       (CASE name WHEN 'messages_stored' THEN 1 + seed % 300 WHEN 'tokens_memory' THEN hash(id) % 400 ELSE 100 + hash(id) % 900 END)::DOUBLE AS value
FROM made, (SELECT unnest(['messages_stored', 'tokens_memory', 'tokens_total']) AS name) ORDER BY case_id, name
"""
TIMING_LINES = """
SELECT id AS case_id, op, 'ask' AS step, (hash(id, op) % 10000) / 1000 AS ms
FROM made, (SELECT unnest(['append', 'case', 'context']) AS op) ORDER BY case_id
"""

LOAD = "from memgauge.reports import store; store.build(folder)"
REPORT = """
from memgauge.reports import html, junit, markdown
from memgauge.reports.folder import read_run
from memgauge.reports.screen import first_screen, plain
from memgauge.reports.summary import summarise
summary = summarise(read_run(folder))
print("\\n".join(plain(first_screen(summary))), file=sys.stderr)
for name, render in (("report.html", html.render), ("summary.md", markdown.render), ("junit.xml", junit.render)):
    (folder / name).write_text(render(summary))
"""
QUERY = """
from memgauge.reports import store
from memgauge.reports.views import VIEWS
for view in VIEWS:
    store.query(folder, f"FROM {view.name}")
"""


def make(folder: Path, rows: int) -> int:
    """Write a run folder of about so many check rows; returns how many."""
    (folder / "history").mkdir(parents=True)
    history = [{"plan": encode(make_plan("class00/one"))}, *(entry.to_json() for entry in make_history())]
    jsonl.write_lines(folder / "history" / "one.jsonl", history)
    seeds = max(1, rows // (SCENARIOS * len(ARMS) * CHECKS_A_CASE))
    kinds = [{"kind": kind, "family": family} for kind, family in KINDS]
    with duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = '{folder}/.tmp'; SET memory_limit = '2GB'")
        connection.execute(CASES_SQL, {"seeds": seeds, "arms": list(ARMS)})
        for file, sql in ((CASES, CASE_LINES), (CHECKS, CHECK_LINES), (MEASURES, MEASURE_LINES), (TIMINGS, TIMING_LINES)):
            given = {name: value for name, value in (("checks", CHECKS_A_CASE), ("kinds", kinds)) if f"${name}" in sql}
            connection.execute(f"COPY ({sql}) TO '{folder / file}' (FORMAT json)", given or None)
    planned = SCENARIOS * seeds * len(ARMS)
    systems = [{"name": "mine", "builtin": False, "config_hash": "9f3c"}]
    manifest = {"status": "complete", "schema": SCHEMA, "planned": planned, "seed": 0, "repeats": 1, "suite": "builtin@1", "systems": systems}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return planned * CHECKS_A_CASE


def step(name: str, code: str, folder: Path) -> None:
    """Run one step in a process of its own and print what it took."""
    program = f"import sys\nfrom pathlib import Path\nfolder = Path(sys.argv[1])\n{code}\n"
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", program, str(folder)])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    spent = used.ru_utime + used.ru_stime
    took = time.perf_counter() - start
    print(f"{name:<8}{took:8.1f} s, {spent:.1f} s of processors, {used.ru_maxrss / 1024:.0f} MiB, exit {process.returncode}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, help="check rows, about")
    parser.add_argument("--folder", type=Path, help="keep the run here; made when it is not there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary) / "run"
        if not (folder / MANIFEST).exists():
            step("make", f"from tests.bench.scale import make; print(make(folder, {given.rows}), 'check rows')", folder)
        for name, code in (("load", LOAD), ("report", REPORT), ("query", QUERY)):
            step(name, code, folder)
        for path in sorted(folder.iterdir()):
            if path.is_file():
                print(f"{path.name:<16}{path.stat().st_size / 2**20:10,.1f} MiB")


if __name__ == "__main__":
    main()
