"""A store that is a server of its own: the commands by which it is started, stopped, killed and emptied (`lifecycle` in memgauge.yaml)."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from memgauge.errors import SystemFault
from memgauge.systems.process import HARMLESS_ENV
from memgauge.systems.spec import SystemSpec

ROOT = "MEMGAUGE_ROOT"
"""Variable that tells the commands the folder of the case, where a server of its own may keep its files."""
LIMIT_S = 60.0
"""Seconds one command may take. `start` returns when the server answers, and leaves it running behind."""


class Server:
    """The server behind one session. A command that is not given does nothing, so that a system without a server has one too."""

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._is_up = False
        self._is_reset = False

    @property
    def can_be_killed(self) -> bool:
        return "kill" in self._spec.lifecycle

    def start(self, root: Path) -> None:
        """Empty the store, once, and start the server unless it runs. Raises SystemFault when a command fails."""
        if not self._is_reset:
            self._run("reset", root)
            self._is_reset = True
        if not self._is_up:
            self._run("start", root)
            self._is_up = True

    def stop(self, root: Path) -> None:
        if self._is_up:
            self._is_up = False
            self._run("stop", root)

    def kill(self, root: Path) -> None:
        """End the server without warning; the next `start` starts it again."""
        self._is_up = False
        self._run("kill", root)

    def _run(self, what: str, root: Path) -> None:
        line = self._spec.lifecycle.get(what)
        if not line:
            return
        env = {name: os.environ[name] for name in (*HARMLESS_ENV, *self._spec.env) if name in os.environ} | {ROOT: str(root)}
        with tempfile.TemporaryFile() as errors:  # a file, since a server that goes on would hold a pipe open
            try:
                done = subprocess.run(
                    shlex.split(line), env=env, cwd=self._spec.folder or None, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=errors, timeout=LIMIT_S, check=False,
                )  # fmt: skip
            except OSError as error:
                raise SystemFault(f"lifecycle {what}: cannot start {shlex.split(line)[0]}: {error.strerror}") from None
            except subprocess.TimeoutExpired:
                raise SystemFault(f"lifecycle {what}: not done within {LIMIT_S:g} s") from None
            if done.returncode:
                errors.seek(0)
                last = errors.read().decode(errors="replace").strip().rpartition("\n")[2][:120]
                raise SystemFault(f"lifecycle {what}: exit code {done.returncode}" + (f"; its last words: {last}" if last else ""))
