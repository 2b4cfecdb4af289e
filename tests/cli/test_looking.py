"""The commands that look: they answer, in text and in JSON lines, about the same run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SOME, Shell


@pytest.mark.parametrize("what", ["scenarios", "checks", "systems", "saboteurs", "verbs", "measures", "rows", "catalogue", "runs"])
def test_every_list_can_be_had(shell: Shell, what: str) -> None:
    done = shell("list", what, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert lines[-1] == {"type": "summary", "listed": what, "count": len(lines) - 1, "exit_code": 0}


@pytest.mark.parametrize("what", ["scenario", "gate", "project", "policy"])
def test_schemas_are_json_of_files_that_refuse_unknown_keys(shell: Shell, what: str) -> None:
    made = json.loads(shell("schema", what).stdout)
    assert made["$id"] == f"urn:memgauge:{what}:1"
    objects = [part for part in (made, *made["$defs"].values()) if "properties" in part]
    assert objects
    assert all(part.get("additionalProperties") is False for part in objects)


def test_validate_counts_the_built_in_suite(shell: Shell) -> None:
    done = shell("validate")
    assert done.returncode == 0, done.stderr
    assert "scenarios are valid" in done.stdout


def test_show_tells_the_story_of_a_case(shell: Shell, some_run: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    done = shell("show", SOME[0], "--run", str(some_run[0]))
    assert done.returncode == 0, done.stderr
    assert "VERDICTS" in done.stdout
    wrong = shell("show", "supersession/moved-cit", "--run", str(some_run[0]))
    assert wrong.returncode == 2
    assert "moved-city" in wrong.stderr


@pytest.mark.parametrize(("format_", "start"), [("html", "<!"), ("md", "#"), ("json", "{"), ("junit", "<testsuites")])
def test_reports_are_rendered_again(
    shell: Shell, some_run: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path, format_: str, start: str
) -> None:
    path = tmp_path / f"out.{format_}"
    done = shell("report", str(some_run[0]), "--format", format_, "--to", str(path))
    assert done.returncode == 0, done.stderr
    assert path.read_text().lstrip().lower().startswith(start)


def test_a_run_can_be_asked_in_sql(shell: Shell, some_run: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Counts agree with the record; a mistake in the SQL is one line."""
    done = shell("query", "SELECT count(*) AS n FROM checks", "--run", str(some_run[0]), "--json")
    assert json.loads(done.stdout.splitlines()[0])["n"] == len((some_run[0] / "checks.jsonl").read_text().splitlines())
    wrong = shell("query", "SELEC 1", "--run", str(some_run[0]))
    assert (wrong.returncode, len(wrong.stderr.strip().splitlines())) == (2, 1)


def test_doctor_checks_the_tokenizer(shell: Shell) -> None:
    done = shell("doctor")
    assert done.returncode == 0
    assert "rank file checked" in done.stdout


def test_a_new_scenario_is_valid_as_it_is_written(shell: Shell, tmp_path: Path) -> None:
    assert shell("new", "incident/parcel", cwd=tmp_path).returncode == 0
    again = shell("new", "incident/parcel", cwd=tmp_path)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)


def test_a_system_of_ones_own_from_scaffold_to_verdict(shell: Shell, tmp_path: Path) -> None:
    """new, check, run: the file is short, the check says what it unlocks, bare `run` tests it and not the reference."""
    assert shell("system", "new", "mine", cwd=tmp_path).returncode == 0
    assert len((tmp_path / "mine.py").read_text().splitlines()) <= 40
    check = shell("system", "check", "mine", cwd=tmp_path)
    assert check.returncode == 0, check.stderr
    assert "unlocks" in check.stdout
    ran = shell("run", *SOME, "--out", "r", "--json", cwd=tmp_path)
    summary = json.loads(ran.stdout.splitlines()[-1])
    assert ran.returncode in (0, 1, 4), ran.stderr
    assert list(summary["systems"]) == ["mine"]
    again = shell("system", "new", "mine", cwd=tmp_path)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
