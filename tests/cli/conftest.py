"""One small run of the built-in suite, made once and shared: a folder, its exit code, and what was printed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SOME = ("supersession/moved-city", "leak/two-users", "recall/gate-code")

Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Type a command in an empty folder, or in `cwd`; the result has returncode, stdout and stderr."""
    empty = tmp_path_factory.mktemp("empty")

    def typed(*argv: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "memgauge", *argv], cwd=cwd or empty, capture_output=True, text=True, check=False, timeout=300)

    return typed


@pytest.fixture(scope="session")
def some_run(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A run of three scenarios on the reference, all arms."""
    folder = tmp_path_factory.mktemp("run") / "one"
    return folder, shell("run", *SOME, "--out", str(folder), "--json", "-j", "1")
