"""A run that was cut short goes on where it was; a case that broke is tried again; a run done twice is held against itself."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgauge.reports import jsonl
from tests.cli.conftest import Shell

SCENARIO = 'id: recall/s{n}\nsay: ["The {thing} code is {n}11.", "My tea is green."]\nask: "What is the {thing} code?"\nexpect: "{n}11"\n'
THINGS = ("locker", "alarm", "printer", "boat", "cellar")

MINE = """
import os, time
from pathlib import Path
from memgauge.systems.simple import SimpleMemory

class Mine(SimpleMemory):
    name = "mine"
    def open(self, root): self.rows = []
    def write(self, user, text):
        HOOK
        self.rows.append(text)
        return str(len(self.rows))
    def search(self, user, query, k):
        words = set(query.lower().strip("?").split())
        return sorted(self.rows, key=lambda row: -len(words & set(row.lower().strip(".").split())))[:2]
"""
SLOW = "time.sleep(0.2)"
FLAKY = """
        if "alarm" in text and not Path("was-there").exists():
            Path("was-there").touch()
            raise OSError("the line is busy")"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scenarios").mkdir()
    for number, thing in enumerate(THINGS):
        (tmp_path / "scenarios" / f"s{number}.yaml").write_text(SCENARIO.format(n=number, thing=thing))
    (tmp_path / "memgauge.yaml").write_text('version: 1\nsystems: {mine: {python: "mine.py:Mine"}}\nsuites: [scenarios/]\n')
    return memory(tmp_path, "pass")


def memory(project: Path, hook: str) -> Path:
    (project / "mine.py").write_text(MINE.replace("HOOK", hook))
    return project


def cut(project: Path, sent: signal.Signals, *argv: str, after: int = 4) -> int:
    """Run, and send a signal once so many cases have ended; the exit code."""
    deaf_to_nothing = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from memgauge.cli import main; main()"
    with (project / "cut.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", deaf_to_nothing, "run", "--out", "cut", "-j", "1", *argv], cwd=project, stderr=log, stdout=log
        )
    partial, until = project / "cut" / "cases.partial.jsonl", time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None and (not partial.exists() or partial.read_bytes().count(b"\n") < after):
        time.sleep(0.01)
    assert process.poll() is None, (project / "cut.log").read_text()
    process.send_signal(sent)
    return process.wait(timeout=60)


def summary(stdout: str) -> dict[str, object]:
    return json.loads(stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGKILL, "started"), (signal.SIGINT, "interrupted")])
def test_a_run_that_was_cut_short_ends_as_if_it_had_not(shell: Shell, project: Path, sent: signal.Signals, status: str) -> None:
    memory(project, SLOW)
    assert shell("run", "--out", "whole", cwd=project).returncode == 0
    assert cut(project, sent) == (-9 if sent == signal.SIGKILL else 130)
    before = jsonl.read_json(project / "cut" / "manifest.json")
    assert (before["status"], before["planned"]) == (status, 15)
    done = shell("run", "--resume", "cut", cwd=project)
    assert done.returncode == 0, done.stderr
    reused = jsonl.read_json(project / "cut" / "manifest.json")["resumed"][0]["reused"]
    assert 4 <= reused < 15
    assert f"went on: {reused} cases reused, 0 run again" in done.stdout
    for name in ("checks.jsonl", "cases.jsonl", "measures.jsonl"):
        assert (project / "cut" / name).read_bytes() == (project / "whole" / name).read_bytes(), name
    assert not (project / "cut" / "cases.partial.jsonl").exists()
    assert {path.name for path in (project / "cut" / "history").iterdir()} == {path.name for path in (project / "whole" / "history").iterdir()}
    again = shell("run", "--resume", "cut", cwd=project)
    assert (again.returncode, "the run is complete" in again.stderr, len(again.stderr.splitlines())) == (2, True, 1)


@pytest.mark.slow
def test_what_is_not_as_it_was_runs_again_and_is_named(shell: Shell, project: Path) -> None:
    memory(project, SLOW)
    cut(project, signal.SIGKILL, "--arm", "on", after=4)
    lines = (project / "cut" / "cases.partial.jsonl").read_text().splitlines()
    edited = json.loads(lines[0])["case"]["scenario"].removeprefix("recall/")
    path = project / "scenarios" / f"{edited}.yaml"
    path.write_text(path.read_text().replace("My tea is green.", "My tea is black."))
    with (project / "cut" / "cases.partial.jsonl").open("a") as file:
        file.write('{"case": {"id": "cut in the mid')  # as a kill leaves it
    done = shell("run", "--resume", "cut", cwd=project)
    assert done.returncode == 0, done.stderr
    assert f"went on: {len(lines) - 1} cases reused, 1 run again: 1 × scenario edited" in done.stdout


@pytest.mark.slow
def test_a_case_that_broke_is_tried_again_and_every_try_is_kept(shell: Shell, project: Path) -> None:
    memory(project, FLAKY)
    assert shell("run", "--out", "plain", "--arm", "on", cwd=project).returncode == 3
    done = shell("run", "--resume", "plain", "--retry-errors", "1", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "went on: 4 cases reused, 1 run again: 1 × they broke" in done.stdout
    assert "1 case broke and ran again: their checks 2/2 of 3, those of the others 8/8 of 12" in " ".join(done.stdout.split())
    tries = list(jsonl.read_lines(project / "plain" / "attempts.jsonl"))
    assert [("the line is busy" in line["case"]["error"], line["case"]["outcome"]) for line in tries] == [(True, "error")]
    assert (project / "plain" / tries[0]["case"]["history"]).is_file()
    (project / "was-there").unlink()
    done = shell("run", "--out", "within", "--arm", "on", "--retry-errors", "2", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(jsonl.read_lines(project / "within" / "attempts.jsonl"))) == 1
    assert (project / "within" / "checks.jsonl").read_bytes() == (project / "plain" / "checks.jsonl").read_bytes()


@pytest.mark.slow
def test_a_failure_is_never_tried_again(shell: Shell, project: Path) -> None:
    memory(project, "return 'x'")
    done = shell("run", "--out", "r", "--arm", "on", "--retry-errors", "3", cwd=project)
    assert done.returncode == 1
    assert not (project / "r" / "attempts.jsonl").exists()
    done = shell("run", "--resume", "r", "--retry-errors", "1", cwd=project)
    assert (done.returncode, "the run is complete" in done.stderr) == (2, True)


@pytest.mark.slow
def test_a_run_that_goes_on_keeps_its_selection(shell: Shell, project: Path) -> None:
    memory(project, SLOW)
    cut(project, signal.SIGINT, "recall/s1", "recall/s2", after=1)
    for argv in (("--tag", "smoke"), ("recall/s1",), ("--out", "elsewhere"), ("--check-determinism",)):
        done = shell("run", "--resume", "cut", *argv, cwd=project)
        assert (done.returncode, "keeps its own selection" in done.stderr, len(done.stderr.splitlines())) == (2, True, 1)


@pytest.mark.slow
def test_twice_the_same_or_the_check_is_named(shell: Shell, project: Path) -> None:
    done = shell("run", "--out", "same", "--arm", "on", "--check-determinism", cwd=project)
    assert (done.returncode, "every byte of checks.jsonl came out the same" in done.stdout) == (0, True), done.stdout + done.stderr
    memory(project, FLAKY.replace('raise OSError("the line is busy")', "return 'lost'"))
    done = shell("run", "--out", "other", "--arm", "on", "--check-determinism", "--json", cwd=project)
    assert done.returncode == 3, done.stdout
    assert "NONDETERMINISTIC: recall/s1[mine]#0.0::" in done.stderr
    assert summary(done.stdout)["exit_code"] == 3
    assert (project / "other" / "again" / "checks.jsonl").is_file()
