"""A store that is a server of its own: the commands by which it is started, stopped, killed, emptied and purged (`lifecycle` in memgauge.yaml)."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from memgauge.errors import SystemFault
from memgauge.systems.process import HARMLESS_ENV, NotStarted
from memgauge.systems.spec import SystemSpec

ROOT = "MEMGAUGE_ROOT"
"""Variable that tells the commands the folder of the case, where a server of its own may keep its files."""
NOW = "MEMGAUGE_NOW"
"""Variable that tells the purge job the instant of the case, in RFC 3339."""
LIMIT_S = 60.0
"""Seconds one command may take. `start` returns when the server answers, and leaves it running behind."""


class Server:
    """The server behind one session. A command that is not given does nothing, so that a system without a server has one too.

    Raises SystemFault when a command fails, NotStarted when that keeps the very first opening from taking place.
    """

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._is_up = False
        self._is_reset = False
        self._was_up = False

    @property
    def exists(self) -> bool:
        return bool(self._spec.lifecycle)

    @property
    def can_be_killed(self) -> bool:
        return "kill" in self._spec.lifecycle

    @property
    def can_be_purged(self) -> bool:
        return "purge" in self._spec.lifecycle

    def start(self, root: Path) -> None:
        """Empty the store, once, and start the server unless it runs."""
        try:
            if not self._is_reset:
                self._run("reset", root)
                self._is_reset = True
            if not self._is_up:
                self._run("start", root)
                self._is_up = self._was_up = True
        except SystemFault as fault:
            raise fault if self._was_up else NotStarted(str(fault), hint=fault.hint) from None

    def stop(self, root: Path) -> None:
        """Stop the server. One that has no command for it goes on, and is not started again."""
        if self._is_up and "stop" in self._spec.lifecycle:
            self._is_up = False
            self._run("stop", root)

    def kill(self, root: Path) -> None:
        """End the server without warning; the next `start` starts it again."""
        self._is_up = False
        self._run("kill", root)

    def purge(self, root: Path, now: str) -> None:
        """Run the job that erases what was deleted a stated period ago."""
        self._run("purge", root, **{NOW: now})

    def _run(self, what: str, root: Path, **more: str) -> None:
        line = self._spec.lifecycle.get(what)
        if not line:
            return
        with tempfile.TemporaryFile() as errors:  # a file, since a server that goes on would hold a pipe open
            try:
                done = subprocess.run(
                    shlex.split(line), env=environment(self._spec, root) | more, cwd=self._spec.folder or None, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=errors, timeout=LIMIT_S, check=False,
                )  # fmt: skip
            except OSError as error:
                raise SystemFault(f"lifecycle {what}: cannot start {shlex.split(line)[0]}: {error.strerror}") from None
            except subprocess.TimeoutExpired:
                hint = "it must return when the store answers, and leave it running: nohup SERVER >/dev/null 2>&1 &" if what == "start" else ""
                raise SystemFault(f"lifecycle {what}: not done within {LIMIT_S:g} s", hint=hint) from None
            if done.returncode:
                raise SystemFault(f"lifecycle {what}: {ending(done.returncode, errors)}")


def ending(code: int, errors: IO[bytes]) -> str:
    """How a command ended, with the last line of what it said on stderr."""
    errors.seek(0)
    last = errors.read().decode(errors="replace").strip().rpartition("\n")[2][:120]
    return f"exit code {code}" + (f"; its last words: {last}" if last else "")


def environment(spec: SystemSpec, root: Path) -> dict[str, str]:
    """What a command of the user's sees: the harmless variables, those the system may see, and the folder of the case."""
    return {name: os.environ[name] for name in (*HARMLESS_ENV, *spec.env) if name in os.environ} | {ROOT: str(root)}
