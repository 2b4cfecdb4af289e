"""`init`, the jobs for continuous integration, the action and the commit hook: their shell steps are run as they are written."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Shell

ROOT = Path(__file__).parents[2]
GATE = "version: 1\nrules: [{id: no-regressions, rule: no_regressions}, {id: fresh, rule: all_pass, select: {kinds: [stale]}}]\n"
OWN = "version: 1\nsuites: [scenarios/]\n"


def _made(shell: Shell, folder: Path, *argv: str) -> None:
    """A starter in which only its own scenario runs, which is quicker than the whole suite."""
    (folder / "memgauge.yaml").write_text(OWN)
    (folder / "gate.yaml").write_text(GATE)
    done = shell("init", *argv, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "memgauge.yaml").read_text() == OWN, "what is there is kept"


def _steps(folder: Path, scripts: list[tuple[str, dict[str, str]]]) -> tuple[int, str]:
    """Run shell steps one after the other until one fails, with a `pip` that only notes that it was called."""
    shims, summary = folder / ".shims", folder / "step-summary.md"
    shims.mkdir(exist_ok=True)
    for name, text in (("pip", 'echo "pip $*" >> "$PIP_LOG"'), ("memgauge", f'exec "{sys.executable}" -m memgauge "$@"')):
        (shims / name).write_text(f"#!/bin/sh\n{text}\n")
        (shims / name).chmod(0o755)
    shutil.rmtree(folder / "runs", ignore_errors=True)
    base = os.environ | {"PATH": f"{shims}:{os.environ['PATH']}", "PIP_LOG": str(folder / "pip.log"), "GITHUB_STEP_SUMMARY": str(summary),
                         "GITHUB_ACTION_PATH": str(ROOT)}  # fmt: skip
    said = ""
    for script, env in scripts:
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=base | env, capture_output=True, text=True, check=False)
        said += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, said
    return 0, said


def _github(text: str, inputs: dict[str, str]) -> list[tuple[str, dict[str, str]]]:
    """The shell steps of a job or of a composite action with its inputs put in."""
    found: dict[str, Any] = yaml.safe_load(text)
    steps = found["runs"]["steps"] if "runs" in found else found["jobs"]["memgauge"]["steps"]

    def put(value: str) -> str:
        return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda name: inputs[name[1]], value)

    scripts = [(step["run"], {name: put(value) for name, value in step.get("env", {}).items()}) for step in steps if "run" in step]
    assert not [script for script, _ in scripts if "${{" in script], "an input in a script would be code"
    return scripts


def test_init_writes_what_runs_and_never_writes_over(shell: Shell, tmp_path: Path) -> None:
    assert shell("init", cwd=tmp_path).returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    schemas = {f"{kind}.schema.json" for kind in ("scenario", "gate", "project")}
    assert {path.name for path in before} == {"moved-house.yaml", "gate.yaml", "memgauge.yaml", "settings.json", *schemas}
    again = shell("init", cwd=tmp_path)
    assert again.stdout.count("kept") == 4
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    done = shell("run", "starter/*", "leak/two-users", "--out", "r", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert shell("gate", "r", cwd=tmp_path).returncode == 4
    assert shell("baseline", "set", "main", "r", "--reason", "first", cwd=tmp_path).returncode == 0
    gated = shell("gate", "r", cwd=tmp_path)
    assert gated.returncode == 0, gated.stdout


def test_every_file_of_the_starter_names_its_schema_and_so_does_the_editor(shell: Shell, tmp_path: Path) -> None:
    assert shell("init", cwd=tmp_path).returncode == 0
    settings = json.loads((tmp_path / ".vscode" / "settings.json").read_text())["yaml.schemas"]
    assert set(settings) == {f".memgauge/{kind}.schema.json" for kind in ("scenario", "gate", "project")}
    for name, kind in (("scenarios/moved-house.yaml", "scenario"), ("gate.yaml", "gate"), ("memgauge.yaml", "project")):
        first, second, *_ = (tmp_path / name).read_text().splitlines()
        found = (tmp_path / name).parent / first.removeprefix("# yaml-language-server: $schema=")
        assert second == f"# $schema: {first.partition('$schema=')[2]}", "for JetBrains"
        assert found.resolve() == (tmp_path / ".memgauge" / f"{kind}.schema.json").resolve()
        assert found.read_text() == shell("schema", kind).stdout
    found.write_text("{}")
    assert "written  .memgauge/project.schema.json" in shell("init", cwd=tmp_path).stdout, "of an older memgauge"


def test_an_unknown_host_is_one_line(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--ci", "gitea", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("host", ["github", "gitlab", "action"])
def test_the_steps_of_a_job_gate_a_change(shell: Shell, tmp_path: Path, host: str) -> None:
    """Without a baseline 4 with the command; with one 0; with a broken scenario 1, with the failure in summary and annotations."""
    _made(shell, tmp_path, *(["--ci", host] if host != "action" else []))
    if host == "gitlab":
        scripts = [(line, {}) for line in yaml.safe_load((tmp_path / "memgauge.gitlab-ci.yml").read_text())["memgauge"]["script"]]
    elif host == "github":
        scripts = _github((tmp_path / ".github/workflows/memgauge.yml").read_text(), {})
    else:
        text = (ROOT / "action.yml").read_text()
        defaults = {name: told["default"] for name, told in yaml.safe_load(text)["inputs"].items()}
        scripts = _github(text, defaults | {"args": "starter/* -j 1"})
    code, said = _steps(tmp_path, scripts)
    assert code == 4, said
    assert "memgauge baseline set main --reason TEXT" in said
    assert shell("baseline", "set", "main", "runs/head", "--reason", "first", cwd=tmp_path).returncode == 0
    code, said = _steps(tmp_path, scripts)
    assert code == 0, said
    (tmp_path / "memgauge.yaml").write_text(OWN + "systems: {reference: {system: embed-all}}\ndefault: reference\n")
    code, said = _steps(tmp_path, scripts)
    assert code == 1, said
    assert "pip install" in (tmp_path / "pip.log").read_text()
    if host != "gitlab":
        assert "::error file=scenarios/moved-house.yaml,title=starter/moved-house[reference]" in said
        assert "regressed" in (tmp_path / "step-summary.md").read_text()
    else:
        assert "<failure" in (tmp_path / "junit.xml").read_text()


def test_the_commit_hook_validates_the_files_it_is_given(shell: Shell, tmp_path: Path) -> None:
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    program, *argv = hook["entry"].split()
    assert (program, hook["language"]) == ("memgauge", "python")
    assert re.search(hook["files"], "scenarios/moved-house.yaml")
    assert not re.search(hook["files"], "gate.yaml")
    _made(shell, tmp_path)
    assert shell(*argv, "scenarios/moved-house.yaml", cwd=tmp_path).returncode == 0
    (tmp_path / "scenarios" / "bad.yaml").write_text("id: starter/bad\nsay: hello\nask: who?\nexpct: me\n")
    done = shell(*argv, "scenarios/moved-house.yaml", "scenarios/bad.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "scenarios/bad.yaml:4:1" in done.stderr
