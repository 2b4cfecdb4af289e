"""The end of a session: the run folder, whole with workers too, and the gate."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memgauge.reports.folder import read_run
from tests.pytest_plugin import files
from tests.pytest_plugin.files import ADDRESS, CODE, session, split

pytest_plugins = ["pytester"]

GATE = "version: 1\nrules:\n  - {id: no-regressions, rule: no_regressions}\n"
ALL_PASS = "version: 1\nbaseline: {required: false}\nrules:\n  - {id: all, rule: all_pass}\nexceptions:\n"
SKIPPING = """\
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "address" in item.name:
            item.add_marker(pytest.mark.skip("not now"))
"""
SAME = ("cases.jsonl", "checks.jsonl", "measures.jsonl")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    made = files.project(pytester, monkeypatch)
    made.makefile(".mem.yaml", address=ADDRESS)
    made.path.joinpath("gate.yaml").write_text(GATE)
    return made


@pytest.fixture
def in_project(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.chdir(project.path)
    return project


def _memgauge(*argv: str) -> int:
    return subprocess.run([sys.executable, "-m", "memgauge", *argv], check=False, capture_output=True, timeout=120).returncode


@pytest.mark.slow
def test_the_folder_is_that_of_run_with_workers_and_without(in_project: pytest.Pytester) -> None:
    arms = ("--memgauge-arm", "off", "--memgauge-arm", "recent-equal")
    for run, folder, more in ((session, "one", ()), (split, "two", ("--dist", "loadscope"))):
        result = run(in_project, "--memgauge", "--memgauge-out", folder, *arms, *more)
        result.assert_outcomes(passed=3)
        result.stdout.fnmatch_lines([f"run folder: {folder}*report.html*"])
    assert _memgauge("run", "--suite", "address.mem.yaml", "--suite", "code.mem.yaml", "--out", "three", "-j", "1") == 0
    for name in SAME:
        assert len({Path(folder, name).read_bytes() for folder in ("one", "two", "three")}) == 1, name
    manifest = json.loads(Path("two/manifest.json").read_text())
    assert (manifest["status"], manifest["planned"], manifest["ran"]) == ("complete", 6, 6)
    assert manifest["argv"][0] == "pytest"
    assert {path.name for path in Path("two").iterdir()} == {path.name for path in Path("three").iterdir()}


def test_a_session_cut_short_is_no_complete_run(in_project: pytest.Pytester) -> None:
    result = session(in_project, "--memgauge", "--memgauge-system", "embed-all", "--memgauge-out", "cut", "-x")
    result.assert_outcomes(failed=1)
    run = read_run(Path("cut"))
    assert (run.status, run.manifest["reason"]) == ("interrupted", "1 of 2 cases were played")


@pytest.mark.slow
def test_a_skipped_scenario_is_a_skip_and_a_system_that_does_not_start_an_error(in_project: pytest.Pytester) -> None:
    in_project.makeconftest(SKIPPING)
    session(in_project, "--memgauge", "--memgauge-out", "skipped").assert_outcomes(passed=2, skipped=1)
    assert {case.scenario: case.outcome for case in read_run(Path("skipped")).cases} == {"incident/address": "unscored", "incident/code": "pass"}
    result = session(in_project, "--memgauge", "--memgauge-out", "broken", "--memgauge-system", "command: false")
    result.assert_outcomes(passed=1, skipped=1, errors=1)
    assert {case.scenario: case.outcome for case in read_run(Path("broken")).cases}["incident/code"] == "error"


@pytest.mark.slow
def test_the_gate_decides_at_the_end(in_project: pytest.Pytester) -> None:
    gate = ("--memgauge", "--memgauge-gate", "gate.yaml")
    assert session(in_project, *gate, "--collect-only").ret == 0
    result = session(in_project, *gate)  # no baseline yet
    assert result.ret == 4
    result.stdout.fnmatch_lines(["CANNOT TELL *no baseline: memgauge baseline set main*", "GATE * exit code 4"])

    session(in_project, "--memgauge", "--memgauge-out", "first")
    assert _memgauge("baseline", "set", "main", "first", "--reason", "first") == 0
    result = split(in_project, *gate)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["GATE * exit code 0"])

    result = session(in_project, *gate, "-k", "code")  # what is in the baseline and not played is missing, although each test passed
    result.assert_outcomes(passed=1, deselected=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["VIOLATED *no-regressions*"])


@pytest.mark.slow
def test_what_the_gate_lets_fail_is_an_expected_failure(in_project: pytest.Pytester) -> None:
    gate = ("--memgauge", "--memgauge-gate", "gate.yaml", "--memgauge-system", "embed-all", "-rx")
    session(in_project, "--memgauge", "--memgauge-out", "first", "--memgauge-system", "embed-all").assert_outcomes(failed=1, passed=2)
    failed = [check.id.replace("#0.0", "#0") for check in read_run(Path("first")).checks if check.outcome == "fail"]
    entries = "".join(f"  - {{match: '{name}', reason: known, owner: me, expires: '2999-01-01'}}\n" for name in failed)
    Path("gate.yaml").write_text(ALL_PASS + entries)
    result = session(in_project, *gate)
    result.assert_outcomes(xfailed=1, passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["XFAIL *known until 2999-01-01 (me): known*"])

    Path("gate.yaml").write_text(ALL_PASS + entries.replace("2999", "2020"))
    result = session(in_project, *gate)  # an excuse that has ended excuses nothing
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["NOTE *the excuse for *ended on 2020-01-01*"])

    Path("gate.yaml").write_text(GATE)
    assert _memgauge("baseline", "set", "main", "first", "--reason", "as it is") == 0
    result = session(in_project, *gate)
    result.assert_outcomes(xfailed=1, passed=2)
    assert result.ret == 0


@pytest.mark.slow
def test_no_text_of_a_private_scenario_is_said_or_written(in_project: pytest.Pytester) -> None:
    Path("code.mem.yaml").write_text("content: private\n" + CODE.replace("7731", "zebra-7731"))
    Path("address.mem.yaml").write_text("content: private\n" + ADDRESS.replace("Ghent", "Zebraville"))
    result = split(in_project, "--memgauge", "--memgauge-system", "embed-all", "--memgauge-out", "run", "--junitxml", "run/junit.xml", "-rA")
    result.assert_outcomes(failed=1, passed=2)
    said = "\n".join([*result.outlines, *result.errlines])
    assert "private, text withheld" in said
    written = b"".join(path.read_bytes() for path in Path("run").rglob("*") if path.is_file())
    assert "zebra" not in said.lower()
    assert b"zebra" not in written.lower()
