"""Scenarios as tests: inert unless asked, collected from everywhere they may be named, and a failure that says what to do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from memgauge.pytest_plugin.settings import OPTIONS
from tests.pytest_plugin import files
from tests.pytest_plugin.files import ADDRESS, BROKEN, CODE, session, split

pytest_plugins = ["pytester"]

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
    return files.project(pytester, monkeypatch)


def test_it_is_found_by_its_entry_point() -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"memgauge": "memgauge.pytest_plugin"}


def test_unasked_it_is_inert_and_loads_nothing_heavy(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_plain="import sys\ndef test_plain():\n    assert not {'yaml', 'pydantic', 'duckdb', 'typer', 'scipy', 'pebble'} & set(sys.modules)\n"
    )
    project.path.joinpath("memgauge.yaml").write_text("version: 1\nsuites: [.]\n")
    result = session(project, "--strict-markers")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*memgauge*scenario*")


def test_a_scenario_is_a_test_that_k_and_m_select(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", address=ADDRESS)
    result = session(project, "--memgauge", "--strict-markers", "-v", "-k", "incident")
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.fnmatch_lines(["address.mem.yaml::incident/address PASSED*", "code.mem.yaml::incident/code PASSED*"])
    for chosen in (("-m", "memgauge(tag='quick')"), ("-k", "quick")):
        listed = session(project, "--memgauge", "--collect-only", "-q", *chosen).outlines
        assert [line for line in listed if "::" in line] == ["code.mem.yaml::incident/code"]


def test_a_failure_is_its_evidence_in_a_few_lines(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", address=ADDRESS)
    result = session(project, "--memgauge", "--memgauge-system", "embed-all", "--junitxml", "junit.xml")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "address.mem.yaml:3: *stale*Ghent*lost at *",
            "again: memgauge run incident/address --suite address.mem.yaml --arm on --system embed-all && memgauge show incident/address",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*def runtest*")
    case = ElementTree.parse(project.path / "junit.xml").find(".//testcase[@name='incident/address']")
    assert case is not None
    assert "Ghent" in case.findtext("failure", "")
    session(project, "--memgauge", "--lf").assert_outcomes(passed=1)  # of all tests, the one that failed


@pytest.mark.slow
def test_a_hang_and_a_crash_are_errors_of_exactly_their_tests(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", address=ADDRESS, tea=CODE.replace("7731", "8842").replace("incident/code", "incident/tea"))
    project.makepyfile(broken=BROKEN)
    result = split(project, "--memgauge", "--memgauge-system", "broken.py:Broken", "--memgauge-timeout", "5", "--junitxml", "junit.xml")
    result.assert_outcomes(errors=2, failed=1, passed=1)
    result.stdout.fnmatch_lines(["address.mem.yaml:3: *no result within 5 s*", "code.mem.yaml:4: *worker process ended*"], consecutive=False)
    broken = [case.get("name") for case in ElementTree.parse(project.path / "junit.xml").iter("testcase") if case.find("error") is not None]
    assert sorted(map(str, broken)) == ["incident/address", "incident/code"]


def test_scenarios_are_collected_where_they_are_named(project: pytest.Pytester) -> None:
    for folder, text in {
        "mine": CODE.replace("/code", "/mine"),
        "own": CODE.replace("/code", "/own"),
        "else": CODE.replace("/code", "/else"),
    }.items():
        project.mkdir(folder).joinpath("one.yaml").write_text(text)
    project.path.joinpath("memgauge.yaml").write_text("version: 1\nsuites: [own/]\n")
    project.makeini("[pytest]\nmemgauge = true\nmemgauge_suite = mine\ntestpaths = test_plain.py code.mem.yaml\n")
    listed = session(project, "--collect-only", "-q").outlines
    assert [line for line in listed if "::" in line] == ["test_plain.py::test_plain", "code.mem.yaml::incident/code", "mine/one.yaml::incident/mine"]
    listed = session(project, "--collect-only", "-q", ".", "else/one.yaml").outlines
    assert [line for line in listed if "one.yaml" in line] == [f"{name}/one.yaml::incident/{name}" for name in ("else", "mine", "own")]


def test_the_built_in_suite_is_collected_by_name(project: pytest.Pytester) -> None:
    result = session(project, "--memgauge-suite", "builtin@1", "-v", "-k", "moved-city", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["builtin@1::supersession/moved-city PASSED*"])


def test_a_marked_function_is_a_scenario_with_fixtures_and_assertions_of_its_own(project: pytest.Pytester) -> None:
    project.mkdir("cases").joinpath("two.yaml").write_text(ADDRESS)
    project.makepyfile(
        test_own="""
        import pytest

        @pytest.mark.memgauge("code.mem.yaml", "cases/")
        def test_held(memgauge, tmp_path):
            assert memgauge.id.scenario.startswith("incident/")

        @pytest.mark.memgauge("code.mem.yaml")
        def test_more(memgauge):
            assert len(memgauge.history) == 0, "too much happened"

        def test_nothing_named():
            pass
        """
    )
    result = session(project, "-v", "test_own.py")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*test_held?incident/address? PASSED*", "*test_held?incident/code? PASSED*", "*too much happened*"])
    project.makepyfile(test_own="def test_unmarked(memgauge):\n    pass\n")
    result = session(project, "test_own.py")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*test_unmarked: say which scenarios*@pytest.mark.memgauge*"])


def test_a_file_with_mistakes_is_an_error_with_all_of_them(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", bad="id: incident/bad\nsay: hello\nask: who?\nexpct: me\n")
    result = session(project, "--memgauge")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*bad.mem.yaml:4:1*expect*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_one_id_is_one_scenario(project: pytest.Pytester) -> None:
    project.makefile(".mem.yaml", again=CODE.replace("7731", "8842"))
    result = session(project, "--memgauge")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*code.mem.yaml: 'incident/code' is also the id of *again.mem.yaml*"])


@pytest.mark.slow
def test_nothing_shown_is_no_success(project: pytest.Pytester) -> None:
    project.makepyfile(bare=BARE)
    project.path.joinpath("code.mem.yaml").write_text(LISTED)
    result = session(project, "--memgauge", "--memgauge-system", "bare.py:Bare", "-rs", "code.mem.yaml")
    result.stdout.fnmatch_lines(["*nothing could be scored*"])
    assert result.ret == 5
    project.path.joinpath("code.mem.yaml").rename(project.path / "code.yaml")
    result = split(project, "--memgauge")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*no scenario was collected*"])


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["--memgauge-system", "refrence"], "*unknown system 'refrence'*reference*"),
        (["--memgauge-suite", "builtin@2"], "*there is no suite 'builtin@2' (this version has builtin@1)*"),
        (["--memgauge-suite", "scenariso"], "*scenariso: no such file or folder*"),
        (["--memgauge-timeout", "soon"], "*--memgauge-timeout: got 'soon' (seconds above 0)*"),
        (["--memgauge-seed", "-1"], "*--memgauge-seed: got '-1' (a whole number from 0)*"),
        (["--memgauge-arm", "of", "--memgauge-out", "x"], '*did you mean "off"?*'),
        (["--memgauge-arm", "off"], "*--memgauge-arm: nothing would show the controls*"),
        (["--memgauge-baseline", "main"], "*--memgauge-baseline: there is nothing to decide*"),
        (["--memgauge-gate", "gaet.yaml"], "*there is no gate file*"),
        (["--memgauge-out", "test_plain.py"], "*is a file, not a folder*"),
    ],
)
def test_a_mistake_in_the_options_is_one_line_before_any_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], argv: list[str], line: str
) -> None:
    project = files.project(pytester, monkeypatch)
    result = project.runpytest_inprocess("-p", "memgauge.pytest_plugin", *argv)
    assert result.ret == 4
    result.stderr.fnmatch_lines([line])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_every_option_is_on_the_page() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "how-to", "pytest.md").read_text(encoding="utf-8")
    assert "\n".join(map(_row, OPTIONS)) in page


def _row(option: tuple[str, str, dict[str, str]]) -> str:
    name, twin, rest = option
    spelt = f"--memgauge{'-' if name else ''}{name} {rest.get('metavar', '')}".strip()
    return f"| `{spelt}` | {f'`memgauge_{name}`'.replace('_`', '`') if twin else ''} | {rest['help']} |"
