"""The hook for a commit, run as pre-commit runs it: the entry with the names of the files that it is for."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

HOOK = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
GOOD = 'id: incident/code\nsay: ["The gate code is 7731."]\nask: "What is the gate code?"\nexpect: "7731"\n'


def _commit(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    program, *argv = shlex.split(HOOK["entry"])
    assert program == "memgauge"
    files = [name for name in names if re.search(HOOK["files"], name)]
    return subprocess.run([sys.executable, "-m", program, *argv, *files], cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_only_scenario_files_are_looked_at() -> None:
    for name in ("scenarios/one.yaml", "memory/scenarios/deep/two.yml", "tests/three.mem.yaml", "scenarios/with space é.yaml"):
        assert re.search(HOOK["files"], name), name
    for name in ("memgauge.yaml", "gate.yaml", "scenarios/notes.md", "other-scenarios.yaml", "scenarios/scenario.schema.json"):
        assert not re.search(HOOK["files"], name), name


def test_a_mistake_stops_the_commit_and_names_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "good.yaml").write_text(GOOD, encoding="utf-8")
    (folder / "with space é.yaml").write_text(GOOD.replace("/code", "/other").replace("expect", "expct"), encoding="utf-8")
    assert _commit(tmp_path, "scenarios/good.yaml", "gate.yaml").returncode == 0
    stopped = _commit(tmp_path, "scenarios/good.yaml", "scenarios/with space é.yaml")
    assert stopped.returncode == 2
    assert "scenarios/with space é.yaml:4:1: " in stopped.stderr
    assert 'did you mean "expect"?' in stopped.stderr
    assert "Traceback" not in stopped.stderr
