"""The command fuzz: its exit codes, what it prints, and the file it leaves."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Shell


def test_nothing_found_is_exit_0_and_leaves_no_file(shell: Shell, tmp_path: Path) -> None:
    done = shell("fuzz", "--system", "reference", "--steps", "40", "--seed", "3", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout.splitlines()[-1])
    assert (line["type"], line["found"], line["steps"], line["seed"]) == ("summary", False, 40, 3)
    assert list(tmp_path.iterdir()) == []


def test_a_find_is_exit_1_with_the_promise_the_steps_and_a_valid_file(shell: Shell, tmp_path: Path) -> None:
    done = shell("fuzz", "--system", "reference+correct-adds", "--steps", "200", "--out", "found.yaml", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "found: stale after" in done.stdout
    assert "shrunk to 2" in done.stdout
    assert "fails on reference+correct-adds, passes on the reference" in done.stdout
    assert shell("validate", "found.yaml", cwd=tmp_path).returncode == 0


def test_a_memory_that_takes_nothing_is_not_said_to_be_sound(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(
        "from memgauge.protocol import Manifest, Receipt\n"
        "class Deaf:\n"
        "    def call(self, request):\n"
        "        if request.op == 'describe':\n"
        "            return Receipt(status='ok', data={'manifest': Manifest(name='deaf', verbs={'remember': 'native'}).to_json()})\n"
        "        return Receipt(status='refused' if request.op == 'remember' else 'ok')\n",
        encoding="utf-8",
    )
    done = shell("fuzz", "--system", "deaf.py:Deaf", "--steps", "20", cwd=tmp_path)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "nothing was tested" in done.stdout


def test_unusable_input_is_one_line_and_exit_2(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "there.yaml").write_text("", encoding="utf-8")
    for argv in (("--skip", "stail"), ("--out", "there.yaml"), ("--minutes", "0"), ("--steps", "0"), ("--system", "nobody")):
        done = shell("fuzz", "--system", "reference", *argv, cwd=tmp_path) if argv[0] != "--system" else shell("fuzz", *argv, cwd=tmp_path)
        assert done.returncode == 2, (argv, done.stdout, done.stderr)
        assert len(done.stderr.splitlines()) == 1
