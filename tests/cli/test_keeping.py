"""`trend`, `runs prune` and `run --keep-content` as they are typed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

MARKER = "Quillfeather"
PRIVATE = f'id: incident/private\ncontent: private\nsay: ["My gate code is {MARKER}."]\nask: "What is my gate code?"\nexpect: "{MARKER}"\n'


@pytest.fixture
def three(some_run: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path) -> Path:
    """A working folder with two old runs, of which one is a baseline's, and a new one."""
    for name, days in (("old", 40), ("accepted", 40), ("new", 1)):
        folder = tmp_path / "runs" / name
        shutil.copytree(some_run[0], folder)
        then = time.time() - days * 86400
        os.utime(folder / "manifest.json", (then, then))
    return tmp_path


def test_old_runs_go_but_not_that_of_a_baseline(shell: Shell, three: Path) -> None:
    assert shell("baseline", "set", "main", "runs/accepted", "--reason", "first", cwd=three).returncode == 0
    (three / "runs" / "notes").mkdir()
    dry = shell("runs", "prune", "--older-than", "P30D", "--dry-run", cwd=three)
    assert "would go" in dry.stdout
    assert len(list((three / "runs").iterdir())) == 4
    done = shell("runs", "prune", "--older-than", "P30D", cwd=three)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (three / "runs").iterdir()} == {"accepted", "new", "notes"}


@pytest.mark.parametrize("age", ["30", "-P1D", "P0D"])
def test_an_age_that_is_none_deletes_nothing(shell: Shell, three: Path, age: str) -> None:
    assert shell("runs", "prune", f"--older-than={age}", cwd=three).returncode == 2
    assert len(list((three / "runs").iterdir())) == 3


def test_a_trend_over_all_runs(shell: Shell, three: Path) -> None:
    done = shell("trend", "--json", cwd=three)
    stops = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    assert [stop["folder"] for stop in stops] == ["accepted", "new", "old"]
    assert [(stop["fell"], stop["rose"]) for stop in stops] == [(0, 0)] * 3
    assert shell("trend", cwd=three / "runs").returncode == 5


def test_private_texts_are_kept_only_where_asked_and_only_for_their_owner(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(PRIVATE)
    done = shell("run", "--suite", "s.yaml", "--arm", "on", "--out", "r", "--keep-content", "kept", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    kept = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert [path.name for path in kept] == ["incident--private.reference.on.jsonl"]
    assert MARKER in kept[0].read_text()
    assert {oct(path.stat().st_mode & 0o777) for path in (tmp_path / "kept", kept[0].parent)} == {"0o700"}
    assert kept[0].stat().st_mode & 0o777 == 0o600
    outside = [path for path in (tmp_path / "r").rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()]
    assert outside == []
    assert MARKER not in done.stdout + done.stderr


def test_a_folder_that_others_may_read_is_refused_before_anything_runs(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(PRIVATE)
    (tmp_path / "open").mkdir(mode=0o755)
    done = shell("run", "--suite", "s.yaml", "--out", "r", "--keep-content", "open", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "chmod 700" in done.stderr
    assert not (tmp_path / "r").exists()
