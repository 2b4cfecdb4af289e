from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memgauge.errors import SystemFault
from memgauge.protocol import Request
from memgauge.systems.load import open_system
from memgauge.systems.process import ProcessSystem, child_argv
from memgauge.systems.spec import parse_entry, parse_system
from tests.systems.asking import ANA, NOW, ask, close, opened, prompt, say

SERVER = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    text = asked["args"].get("text", "")
    answer = {"id": asked["id"], "status": "ok"}
    if text == "noise": print("hello there")
    if text == "shape": print(json.dumps(["no receipt"]), flush=True); continue
    if text == "other": answer["id"] = 99
    if text == "hang": time.sleep(600)
    if text == "die": sys.stderr.write("oh no\\nthe last words\\n"); sys.stderr.flush(); os._exit(4)
    if text == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        answer["ids"] = [str(child.pid)]
    if text == "env": answer["data"] = {"env": sorted(os.environ)}
    if text == "big": answer["data"] = {"x": "y" * 3_000_000}
    if text == "args": answer["data"] = asked
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path):  # type: ignore[no-untyped-def]
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    system = ProcessSystem([sys.executable, str(path)], env=("MEMGAUGE_TEST_KEY",), timeout_s=1.0)
    yield system
    system.kill()


def remember(system: ProcessSystem, text: str):  # type: ignore[no-untyped-def]
    return system.call(Request(op="remember", now=NOW, scope=ANA, args={"text": text}, idempotency_key="k"))


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_request_travels_as_the_protocol_says(server: ProcessSystem) -> None:
    sent = remember(server, "args").data
    assert sent == {
        "id": 1, "v": 1, "op": "remember", "now": NOW, "scope": {"tenant": "default", "user": "ana", "thread": "main"}, "args": {"text": "args"},
        "idempotency_key": "k",
    }  # fmt: skip


def test_large_answers_arrive_whole(server: ProcessSystem) -> None:
    assert len(remember(server, "big").data["x"]) == 3_000_000
    assert remember(server, "fine").ok


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("noise", 'stdout carries protocol only, got the line "hello there"'),
        ("shape", "a receipt must be a JSON object"),
        ("other", "the answer has id 99, the request had 2"),
        ("hang", "no answer within 1 s"),
        ("die", 'the process ended with exit code 4; its last words: "the last words"'),
    ],
)
def test_each_fault_is_named_in_one_line_and_the_process_is_gone(server: ProcessSystem, text: str, said: str) -> None:
    remember(server, "warm")
    pid = server.pid
    with pytest.raises(SystemFault) as fault:
        remember(server, text)
    assert said in str(fault.value)
    assert str(fault.value).startswith("remember: ")
    assert pid is not None
    assert not alive(pid)
    assert server.pid is None


def test_threads_wait_for_one_another(server: ProcessSystem) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: remember(server, "args"), range(80)))
    assert sorted(answer.data["id"] for answer in answers) == list(range(1, 81))


def test_after_a_fault_nothing_is_started_anew(server: ProcessSystem) -> None:
    with pytest.raises(SystemFault):
        remember(server, "die")
    with pytest.raises(SystemFault, match="has ended before"):
        remember(server, "fine")
    assert server.pid is None


def test_a_killed_child_takes_its_children_along_whatever_session_they_lead(server: ProcessSystem) -> None:
    grandchild = int(remember(server, "child").ids[0])
    assert alive(grandchild)
    server.kill()
    for _ in range(50):
        if not alive(grandchild):
            break
        time.sleep(0.02)
    assert not alive(grandchild)


def test_only_harmless_variables_and_those_asked_for_are_seen(server: ProcessSystem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMGAUGE_TEST_KEY", "wanted")
    monkeypatch.setenv("SOME_SECRET_TOKEN", "not wanted")
    asking = ProcessSystem([sys.executable, str(tmp_path / "server.py")], env=("MEMGAUGE_TEST_KEY",))
    seen = remember(asking, "env").data["env"]
    asking.kill()
    assert "MEMGAUGE_TEST_KEY" in seen
    assert "SOME_SECRET_TOKEN" not in seen
    assert "PATH" in seen


def test_a_command_that_does_not_exist_is_one_line() -> None:
    with pytest.raises(SystemFault, match="cannot start /nowhere/memory"):
        ask(open_system(parse_system("command: /nowhere/memory")), "describe")


def test_a_built_in_as_a_child_answers_as_it_does_in_process(tmp_path: Path) -> None:
    answers = []
    for child in (False, True):
        system = opened(open_system(parse_entry("off", {"system": "off", "child": child})), tmp_path / str(child))
        assert isinstance(system, ProcessSystem) is child
        say(system, 1, "Grüße ☕ \u2028 \ud800")
        answers.append(prompt(system, "now"))
        close(system)
    assert answers[0] == answers[1]


CHATTY = """
import os, subprocess
print("imported")
class Chatty:
    def write(self, user, text):
        print("writing", text)
        os.write(1, b"raw bytes\\n")
        subprocess.run(["echo", "from a child"])
        if text == "raise": raise ValueError("not today")
    def search(self, user, query, k): return []
"""


def test_what_a_python_system_prints_never_reaches_the_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chatty_memory.py").write_text(CHATTY)
    spec = parse_entry("chatty", {"python": f"{tmp_path}/chatty_memory.py:Chatty", "child": True})
    system = opened(open_system(spec), tmp_path / "root")
    assert ask(system, "remember", text="x").ok
    with pytest.raises(SystemFault, match=r"last words: \"ValueError: not today \(chatty_memory.py:9\)\""):
        ask(system, "remember", text="raise")


def test_the_child_command_names_its_opener_and_is_never_a_child_of_a_child() -> None:
    argv = child_argv(parse_entry("off", {"system": "off", "child": True}), "some.module:opener")
    assert argv[1:3] == ("-m", "memgauge.systems.child")
    assert json.loads(argv[3])["child"] is False
    assert argv[4:] == ("--opener", "some.module:opener")
    assert os.path.basename(argv[0]).startswith("python")
