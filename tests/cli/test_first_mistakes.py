"""The first things a newcomer gets wrong are told in words that say what to do, with the code of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.cli import run_command
from memgauge.errors import HarnessFault
from memgauge.reports import jsonl


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("argv", [[], ["system"], ["baseline"]])
def test_no_command_shows_the_help_line_by_line(argv: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(argv) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) > 5
    assert "Commands:" in told.err.splitlines()


def test_a_folder_that_is_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "taken").write_text("")
    assert run_command(["new", "incident/x", "--to", "taken/x.yaml"]) == 2
    assert "taken/x.yaml: cannot be written" in capsys.readouterr().err


def test_a_file_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "memgauge.yaml").symlink_to(folder / "nowhere" / "memgauge.yaml")
    assert run_command(["system", "new", "mine"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "memgauge.yaml: cannot be written" in told[0]
    assert not (folder / "mine.py").exists()


def test_a_gate_without_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["gate"]) == 2
    assert "memgauge init" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("run --seed -1", "--seed: got '-1', must be at least 0 (memgauge run --help)"),
        ("run --seed=x", "--seed: got 'x', must be a whole number (memgauge run --help)"),
        ("run -j 0", "--jobs: got '0', must be at least 1 (memgauge run --help)"),
        ("run --timeout soon", "--timeout: got 'soon', must be a number (memgauge run --help)"),
        ("runs prune", "--older-than is missing (memgauge runs prune --help)"),
        ("show", "CASE is missing (memgauge show --help)"),
        ("query a b", "got b, which is one argument too many (memgauge query --help)"),
        ("rnu", "No such command 'rnu'. Did you mean 'run'? (memgauge --help)"),
        ("comment nope.md", "nope.md: cannot be read: No such file or directory (memgauge gate RUN --md FILE writes one)"),
    ],
)
def test_what_was_typed_is_answered_in_one_line(line: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(line.split()) == 2
    assert capsys.readouterr().err == f"memgauge: {told}\n"


def test_what_is_written_makes_its_folder_or_says_why_not(folder: Path) -> None:
    (folder / "baselines").write_text("")
    path = folder / "baselines" / "x.md"
    with pytest.raises(HarnessFault, match=r"x\.md: cannot be written"):
        jsonl.write_text(path, "text")
    assert (folder / "baselines").read_text() == ""
    jsonl.write_text(folder / "deep" / "er" / "x.md", "text")
    assert (folder / "deep" / "er" / "x.md").read_text() == "text"
