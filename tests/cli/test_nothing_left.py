"""After a command, whatever way it ends: no process of ours, no temporary folder, and nobody who keeps the caller's pipe open."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgauge.systems.scaffold import scaffold

LIMIT_S = 120.0
RUN = ("run", "recall/gate-code", "--arm", "on", "--out", "out")
MARK = "LEFT_BY_TEST"

HELPED = '''
import subprocess
from memgauge.systems.simple import SimpleMemory

class Mine(SimpleMemory):
    """Starts a helper that never ends by itself, as a client of a local server may, and lets it go only when it is closed."""

    def __init__(self):
        self.rows, self.helper = [], subprocess.Popen(["sleep", "600"])
    def open(self, root): OPEN
    def close(self): CLOSE
    def write(self, user, text): self.rows.append((user, text)); return str(len(self.rows))
    def search(self, user, query, k): return [text for owner, text in self.rows if owner == user][:k]
    def delete(self, user, id): return False
'''


LISTENING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from memgauge.cli import main; main()"
"""The command, deaf to no signal: what a shell starts in the background inherits a Ctrl-C that is ignored."""


@dataclass(frozen=True)
class Ended:
    code: int
    output: str


def run(folder: Path, *argv: str, stop: tuple[signal.Signals, str] | None = None, after_s: float = 0.0) -> Ended:
    """Run a command with one pipe for its output. `stop`: a signal sent once this text has been printed, or to the whole group
    so many seconds after the workers began. Fails where the pipe stays open."""
    token, temporary = secrets.token_hex(8), folder / "tmp"
    temporary.mkdir(exist_ok=True)
    source = str(Path(__file__).parents[2])
    env = {**os.environ, MARK: token, "TMPDIR": str(temporary), "PYTHONPATH": source}
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, env=env, start_new_session=True
    )
    try:
        said = b""
        if stop is not None:
            assert process.stdout is not None
            while stop[1].encode() not in said and (line := process.stdout.readline()):
                said += line
            while after_s and process.poll() is None and not list(temporary.iterdir()):  # until the workers are being started
                time.sleep(0.01)
            time.sleep(after_s)
            if after_s:
                os.killpg(process.pid, stop[0])
            else:
                process.send_signal(stop[0])
        out, _ = process.communicate(timeout=LIMIT_S)  # until the pipe is closed by everybody, which is what a shell waits for
    finally:
        left = still_there(token, process.pid)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    assert left == []
    assert list(temporary.iterdir()) == []
    return Ended(process.returncode, (said + out).decode())


def still_there(token: str, group: int) -> list[int]:
    """Processes of the command that live a moment after it, by the mark of its environment or by its session."""
    time.sleep(0.3)
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            marked = f"{MARK}={token}".encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        if stat[0] != "Z" and (marked or int(stat[3]) == group):
            found.append(int(folder.name))
    return found


def project(folder: Path, text: str, entry: str = '{python: "mine.py:Mine"}') -> Path:
    (folder / "mine.py").write_text(text)
    (folder / "memgauge.yaml").write_text(f"version: 1\nsystems:\n  mine: {entry}\n")
    return folder


def helped(folder: Path, opening: str = "pass", closing: str = "self.helper.kill(); self.helper.wait()", entry: str = "") -> Path:
    text = HELPED.replace("OPEN", opening).replace("CLOSE", closing)
    return project(folder, text, entry or '{python: "mine.py:Mine"}')


pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="strays are found through /proc")


@pytest.mark.parametrize("like", ["python", "command"])
@pytest.mark.parametrize("argv", [RUN, ("system", "check")])
def test_scaffolds(tmp_path: Path, like: str, argv: Sequence[str]) -> None:
    made = scaffold("mine", like)
    entry = made.entry if like == "python" else f'{{command: ["{sys.executable}", "mine.py"]}}'
    assert run(project(tmp_path, made.text, entry), *argv).code == 0


@pytest.mark.parametrize("argv", [RUN, ("system", "check"), ("fuzz", "--steps", "20")])
def test_a_memory_with_a_helper_of_its_own_that_close_ends(tmp_path: Path, argv: Sequence[str]) -> None:
    assert run(helped(tmp_path), *argv).code in (0, 1)


@pytest.mark.parametrize("child", ["false", "true"])
def test_a_helper_that_close_forgets(tmp_path: Path, child: str) -> None:
    entry = f'{{python: "mine.py:Mine", child: {child}}}'
    assert run(helped(tmp_path, closing="pass", entry=entry), *RUN).code == 0


@pytest.mark.parametrize("argv", [RUN, ("system", "check")])
def test_after_an_error(tmp_path: Path, argv: Sequence[str]) -> None:
    ended = run(helped(tmp_path, opening='raise OSError("no such server")', closing="pass"), *argv)
    assert ended.code == 3
    assert "no such server" in ended.output


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_after_a_signal(tmp_path: Path, sent: signal.Signals) -> None:
    ended = run(helped(tmp_path, closing="pass"), "run", "--out", "out", stop=(sent, "running "))
    assert ended.code == 130
    assert "Traceback" not in ended.output


@pytest.mark.parametrize("after_s", [0.01, 0.2, 0.6])
def test_ctrl_c_at_a_terminal_reaches_everybody_and_is_said_once(tmp_path: Path, after_s: float) -> None:
    ended = run(helped(tmp_path, closing="pass"), "run", "--out", "out", stop=(signal.SIGINT, ""), after_s=after_s)
    assert ended.code == 130
    assert "Traceback" not in ended.output


@pytest.mark.parametrize("argv", [["nosuchprogram"], [sys.executable, "nosuch.py"]])
def test_a_program_that_does_not_start_is_one_line_before_any_case(tmp_path: Path, argv: list[str]) -> None:
    ended = run(project(tmp_path, "", f"{{command: {argv}}}"), *RUN)
    assert (ended.code, len(ended.output.splitlines())) == (2, 1)
    assert "system 'mine' does not start: " in ended.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("child", ["false", "true"])
def test_a_file_that_does_not_parse_is_named_with_its_line(tmp_path: Path, child: str) -> None:
    ended = run(project(tmp_path, "x = 1\ndef f(:\n", f'{{python: "mine.py:Mine", child: {child}}}'), *RUN)
    assert (ended.code, len(ended.output.splitlines())) == (2, 1)
    assert "SyntaxError: invalid syntax (mine.py:2)" in ended.output
    assert "frozen" not in ended.output
