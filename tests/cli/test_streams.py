"""A command does the same and ends with its own code whatever stands for standard input, output and error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MEMGAUGE = f"{sys.executable} -m memgauge"
NARROW = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
HINTS = ("(free some space)", "(free some space, or write it elsewhere)", "(free some space or choose another --out)")
SCENARIO = 'id: incident/code\nsay: ["Der Türcode ist 7731."]\nask: "Was ist der Türcode?"\nexpect: "7731"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("streams")
    (made / "code.yaml").write_text(SCENARIO, encoding="utf-8")
    return made


def _bash(folder: Path, line: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A line of bash; `$M` is memgauge."""
    given = {**os.environ, "M": MEMGAUGE, **env}
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=given, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("line", ["$M list verbs --json | head -1", "$M list checks | head -1", "$M list checks >&-", "$M list checks 2>/dev/full"])
def test_nobody_reads_on(folder: Path, line: str) -> None:
    done = _bash(folder, line)
    assert (done.returncode, done.stderr if "--json" not in line else "") == (0, "")


def test_all_three_closed_and_the_run_is_the_same(folder: Path) -> None:
    assert _bash(folder, "$M run --suite code.yaml --arm on --out closed <&- >&- 2>&-").returncode == 0
    assert json.loads((folder / "closed" / "cases.jsonl").read_text())["outcome"] == "pass"


def test_letters_that_the_terminal_lacks_are_replaced_and_json_is_whole(folder: Path) -> None:
    assert _bash(folder, "$M run --suite code.yaml --arm on --out narrow -j 1", **NARROW).returncode == 0
    shown = _bash(folder, "$M show incident/code --run narrow", **NARROW)
    assert shown.returncode == 0
    assert "T?rcode" in shown.stdout
    lines = [json.loads(line) for line in _bash(folder, "$M show incident/code --run narrow --json", **NARROW).stdout.splitlines()]
    assert "Türcode" in str(lines[0]["args"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_one_line(folder: Path) -> None:
    done = _bash(folder, "$M list checks > /dev/full")
    assert done.returncode == 3
    assert done.stderr == "memgauge: <stdout>: cannot be written: No space left on device (free some space)\n"


@pytest.mark.parametrize("blocks", [2, 20, 200])
def test_a_disk_that_fills_up_leaves_no_half_file(folder: Path, blocks: int) -> None:
    out = folder / f"full-{blocks}"
    done = _bash(folder, f"ulimit -f {blocks}; $M run --suite code.yaml --arm on -j 1 --out {out.name}")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith(f"memgauge: {out.name}/")
    assert done.stderr.splitlines()[-1].endswith(HINTS)
    assert "Traceback" not in done.stderr
    assert not (out / "results.duckdb").exists()
    assert not [path for path in out.rglob("*") if ".tmp" in path.name]
