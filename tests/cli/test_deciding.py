"""Gate, baseline and compare as they are typed, on a run that was changed by hand."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

GATE = """\
version: 1
rules:
  - {id: no-regressions, rule: no_regressions}
  - {id: nobody-is-harmed, rule: all_pass, select: {kinds: [leak]}}
"""

Accepted = tuple[Path, Path]


@pytest.fixture
def accepted(shell: Shell, some_run: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path) -> Accepted:
    """A working folder with a gate file, a run whose every check passed, and a baseline of it."""
    folder = tmp_path / "run"
    shutil.copytree(some_run[0], folder)
    _set_outcomes(folder, lambda line: line["outcome"] not in ("pass", "not_applicable") and line["arm"] == "on", "pass")
    (tmp_path / "gate.yaml").write_text(GATE)
    done = shell("baseline", "set", "main", str(folder), "--reason", "the first", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path, folder


def _set_outcomes(folder: Path, chosen: object, outcome: str) -> int:
    lines = [json.loads(line) for line in (folder / "checks.jsonl").read_text().splitlines()]
    changed = [line for line in lines if chosen(line)]  # type: ignore[operator]
    for line in changed:
        line |= {"outcome": outcome, "witness": "it shows" if outcome == "fail" else "", "lost_at": "ranked" if outcome == "fail" else ""}
    (folder / "checks.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return len(changed)


def test_the_gate_holds_when_nothing_changed(shell: Shell, accepted: Accepted) -> None:
    cwd, folder = accepted
    before = {path: path.read_bytes() for path in (cwd / "baselines").iterdir()}
    done = shell("gate", str(folder), "--json", cwd=cwd)
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, summary["exit_code"], summary["changes"]["regressed"]) == (0, 0, []), done.stderr
    assert {path: path.read_bytes() for path in (cwd / "baselines").iterdir()} == before


def test_a_broken_check_is_named_with_its_stage(shell: Shell, accepted: Accepted) -> None:
    cwd, folder = accepted
    assert _set_outcomes(folder, lambda line: line["kind"] == "sufficient" and line["class"] == "supersession" and line["arm"] == "on", "fail")
    done = shell("gate", str(folder), "--md", "comment.md", "--html", "gate.html", cwd=cwd)
    assert done.returncode == 1, done.stderr
    page = (cwd / "gate.html").read_text()
    assert "1: the gate is violated" in page
    assert '<section id="rules">' in page
    assert '<section id="changed">' in page
    assert "VIOLATED    no-regressions" in done.stdout
    comment = (cwd / "comment.md").read_text()
    assert "**regressed** `supersession/moved-city[reference]" in comment
    assert "Lost at **ranked**" in comment
    assert "regressed" in shell("baseline", "diff", "main", "--run", str(folder), cwd=cwd).stdout


def test_without_a_baseline_the_gate_cannot_decide(shell: Shell, accepted: Accepted) -> None:
    cwd, folder = accepted
    shutil.rmtree(cwd / "baselines")
    done = shell("gate", str(folder), cwd=cwd)
    assert done.returncode == 4
    assert "memgauge baseline set main --reason TEXT" in done.stdout
    assert shell("gate", str(folder), "--baseline", "other", cwd=cwd).returncode == 4


def test_a_baseline_is_shown_and_listed(shell: Shell, accepted: Accepted) -> None:
    cwd, _ = accepted
    assert "the first" in shell("baseline", "list", cwd=cwd).stdout
    shown = shell("baseline", "show", "main", "--json", cwd=cwd).stdout.splitlines()
    assert json.loads(shown[-1])["checks"] == len(shown) - 1


@pytest.mark.parametrize(
    "argv",
    [("baseline", "set", "main"), ("baseline", "set", "../x", "--reason", "y"), ("gate", "--gate", "none.yaml"), ("compare", "nowhere", "nowhere")],
)
def test_wrong_input_is_one_line_and_code_2(shell: Shell, accepted: Accepted, argv: tuple[str, ...]) -> None:
    cwd, folder = accepted
    run = (str(folder),) if argv[0] != "compare" else ()
    done = shell(*argv, *run, cwd=cwd)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_run_against_itself_has_no_flips(shell: Shell, accepted: Accepted) -> None:
    cwd, folder = accepted
    done = shell("compare", str(folder), str(folder), cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert "FLIPS       none" in done.stdout
    assert "CARD        alike in every part" in done.stdout


def test_a_sweep_runs_every_combination(shell: Shell, tmp_path: Path) -> None:
    done = shell("sweep", "reference", "--set", "recall.k=1,5", "--class", "supersession", "--out", "swept", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["name"] for line in lines[:-1]] == ["reference@recall.k=1", "reference@recall.k=5"]
    assert "against_first" in lines[1]


@pytest.mark.parametrize("text", ["recall.k", "recall.k=1", "recall.k=1,", "=1,2", "recall.k=1,1"])
def test_a_sweep_that_varies_nothing_is_refused(shell: Shell, tmp_path: Path, text: str) -> None:
    done = shell("sweep", "reference", "--set", text, cwd=tmp_path)
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())
