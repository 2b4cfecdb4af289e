"""A system in a process of its own, in any language: one JSON line per request on its stdin, one JSON line per answer on its stdout."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence

from memgauge.errors import SystemFault
from memgauge.protocol import Receipt, Request
from memgauge.systems.spec import REQUEST_LIMIT_S, SystemSpec
from memgauge.systems.strays import CASE_MARK
from memgauge.systems.tree import kill_tree

HARMLESS_ENV = (
    CASE_MARK,
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV",
    "PYTHONDONTWRITEBYTECODE", "PYTHONUSERBASE", "TIKTOKEN_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
)  # fmt: skip
"""Variables a child sees without being asked for. Keys and tokens of the caller's environment are not among them."""

STARTING_S = 20.0
"""Seconds the first answer may take on top of the limit: an interpreter starts, imports, loads."""
ENDING_S = 1.0
"""Seconds a child that has closed its output has to end."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one answer, beyond which the child is taken to have lost its mind."""


def child_argv(spec: SystemSpec, opener: str = "memgauge.systems.load:open_system") -> tuple[str, ...]:
    """The command that serves a Python system over JSON lines. `opener` is the `module:attr` that makes a system of a spec."""
    return (sys.executable, "-m", "memgauge.systems.child", json.dumps({**spec.to_json(), "child": False}), "--opener", opener)


class NotStarted(SystemFault):
    """The child cannot be started, or ended before its first answer. No case can be asked, so nobody should begin one."""

    exit_code = 2


class ProcessSystem:
    """A child that answers requests. It starts with the first request and ends with the answer to `close`, or when killed.

    One pipe carries one request at a time: threads that call at once wait for one another. Raises SystemFault when the child
    dies, says nothing within `timeout_s`, or writes a line that is not a receipt. After a fault the whole process tree is
    gone, and so is this system: a child started anew would not have been opened.
    """

    def __init__(self, argv: Sequence[str], *, env: Sequence[str] = (), folder: str = "", timeout_s: float = REQUEST_LIMIT_S) -> None:
        self._argv = list(argv)
        self._env = {name: os.environ[name] for name in (*HARMLESS_ENV, *env) if name in os.environ}
        self._folder = folder or None
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""
        self._sent = 0
        self._is_over = False
        self._turn = threading.Lock()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def call(self, request: Request) -> Receipt:
        with self._turn:
            return self._call(request)

    def _call(self, request: Request) -> Receipt:
        if self._is_over:
            raise SystemFault(f"{request.op}: the process has ended before")
        process = self._process or self._start()
        self._sent += 1
        line = json.dumps({"id": self._sent, **request.to_json()}).encode() + b"\n"
        limit = self._timeout_s + (STARTING_S if self._sent == 1 else 0.0)
        try:
            assert process.stdin is not None
            process.stdin.write(line)
            process.stdin.flush()
        except (BrokenPipeError, ConnectionError):
            raise self._ended(request.op) from None
        receipt = self._receipt(self._read_line(request.op, limit), request.op)
        if request.op == "close":
            self._finish()
        return receipt

    def kill(self) -> None:
        """SIGKILL the child and everything it started, or see that it never starts. Harmless when it is gone."""
        if self._process is not None:
            kill_tree(self._process)
        self._release()

    def _start(self) -> subprocess.Popen[bytes]:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        try:
            self._process = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=self._env,
                cwd=self._folder,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise NotStarted(f"cannot start {self._argv[0]}: {error.strerror}", hint="check the command and its folder") from None
        return self._process

    def _read_line(self, op: str, timeout_s: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        stdout = self._process.stdout.fileno()
        until = time.monotonic() + timeout_s
        parts = [self._pending]
        size = len(self._pending)
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            if left <= 0 or not select.select([stdout], [], [], left)[0]:
                self.kill()
                start = f" ({STARTING_S:g} of them to start)" if self._sent == 1 else ""
                raise SystemFault(f"{op}: no answer within {timeout_s:g} s{start}; the process was killed")
            parts.append(os.read(stdout, 1 << 16))
            size += len(parts[-1])
            if not parts[-1]:
                raise self._ended(op)
            if size > LONGEST_LINE:
                self.kill()
                raise SystemFault(f"{op}: an answer of more than {LONGEST_LINE >> 20} MiB; the process was killed")
        line, _, self._pending = b"".join(parts).partition(b"\n")
        return line

    def _receipt(self, line: bytes, op: str) -> Receipt:
        try:
            answer = json.loads(line)
        except ValueError:
            self.kill()
            raise SystemFault(f"{op}: stdout carries protocol only, got the line {_quoted(line)}", hint="print to stderr") from None
        try:
            receipt = Receipt.from_json(answer)
        except SystemFault as fault:
            self.kill()
            raise SystemFault(f"{op}: {fault}") from None
        if answer.get("id") != self._sent:
            sent = self._sent
            self.kill()
            raise SystemFault(f"{op}: the answer has id {answer.get('id')!r}, the request had {sent}")
        return receipt

    def _ended(self, op: str) -> SystemFault:
        assert self._process is not None
        kill_tree(self._process, grace_s=ENDING_S)
        code = self._process.returncode
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._errors.seek(0)
        last = [line for line in self._errors.read().decode(errors="replace").splitlines() if line.strip()][-1:]
        self._release()
        kind = NotStarted if self._sent == 1 else SystemFault
        return kind(f"{op}: the process ended with {how}" + (f"; its last words: {_quoted(last[0].encode())}" if last else ""))

    def _finish(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            raise SystemFault("close: the process still runs 5 s after its answer; it was killed") from None
        self._release()

    def _release(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout, self._errors):
                if pipe is not None:
                    try:
                        pipe.close()
                    except BrokenPipeError:  # unsent bytes of a dead child
                        continue
        self._process = None
        self._is_over = True


def _quoted(line: bytes) -> str:
    text = line.decode(errors="replace")
    return json.dumps(text if len(text) <= 120 else text[:117] + "...")
