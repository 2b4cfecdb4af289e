"""The plugin: nothing without its flag; with it scenarios are tests, failures name file and line, and nothing shown is no success."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

GOOD = 'id: incident/code\nsay: ["The gate code is 7731."]\nask: "What is the gate code?"\nexpect: "7731"\n'
STALE = """\
id: incident/address
say: ["I live in Ghent.", "I moved to Lyon."]
ask: "Where do I live now?"
expect: "Lyon"
never: "Ghent"
"""

LISTED = """\
id: incident/listed
title: What is remembered is listed
rows: [A1]
source: own
facts:
  home: {anchors: [Ghent], like: [I live in Ghent.], unlike: [I like tea.]}
steps:
  - remember: {text: I live in Ghent.}
  - list: {}
    id: before
    expect: [{check: present, facts: [home]}]
"""
BARE = """\
from memgauge.protocol import Manifest, Receipt, unsupported

class Bare:
    def call(self, request):
        if request.op == "describe":
            told = Manifest(name="bare", verbs={"append": "native"}, scope={"user": "enforced"})
            return Receipt(status="ok", data={"manifest": told.to_json()})
        return Receipt(status="ok") if request.op in ("open", "close", "append", "end_turn") else unsupported(request.op)
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with one scenario and one ordinary test; only plugins that are named are loaded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makefile(".mem.yaml", code=GOOD)
    pytester.makepyfile(test_plain="def test_plain():\n    pass\n")
    return pytester


def _run(project: pytest.Pytester, *argv: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "memgauge.pytest_plugin", "-p", "no:cacheprovider", *argv)


def test_it_is_found_by_its_entry_point() -> None:
    declared = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"memgauge": "memgauge.pytest_plugin"}


def test_without_the_flag_it_is_inert(project: pytest.Pytester) -> None:
    _run(project).assert_outcomes(passed=1)


def test_it_loads_nothing_heavy(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_plain="import sys\ndef test_plain():\n    assert not {'yaml', 'pydantic', 'duckdb', 'typer', 'scipy'} & set(sys.modules)\n"
    )
    _run(project).assert_outcomes(passed=1)


def test_a_scenario_is_a_test(project: pytest.Pytester) -> None:
    result = _run(project, "--memgauge", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["code.mem.yaml::incident/code PASSED*"])


def test_a_failure_names_file_and_line_and_shows_no_traceback(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", address=STALE)
    result = _run(project, "--memgauge", "--memgauge-system", "embed-all")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*address.mem.yaml:3: *stale*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*def runtest*")


def test_a_file_with_mistakes_is_an_error_with_all_of_them(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", bad="id: incident/bad\nsay: hello\nask: who?\nexpct: me\n")
    result = _run(project, "--memgauge")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*bad.mem.yaml:4:1*expect*"])


def test_an_unknown_system_is_one_line(project: pytest.Pytester) -> None:
    result = _run(project, "--memgauge", "--memgauge-system", "refrence")
    result.stdout.fnmatch_lines(["*unknown system 'refrence'*reference*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_workers_collect_the_same(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", address=STALE)
    result = _run(project, "-p", "xdist.plugin", "-n", "2", "--memgauge")
    result.assert_outcomes(passed=3)


def test_a_session_in_which_nothing_could_be_scored_is_no_success(project: pytest.Pytester) -> None:
    project.makepyfile(bare=BARE)
    project.path.joinpath("code.mem.yaml").write_text(LISTED)
    result = _run(project, "--memgauge", "--memgauge-system", "bare.py:Bare", "-rs", "code.mem.yaml")
    result.stdout.fnmatch_lines(["*nothing could be scored*"])
    assert result.ret == 5
