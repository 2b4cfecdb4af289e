from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.protocol import Manifest, MemorySystem, Receipt, Request
from memgauge.records import Step
from memgauge.systems.check import Checked, check_system, needs, unlocks
from memgauge.systems.load import open_system
from memgauge.systems.scaffold import scaffold
from memgauge.systems.spec import SystemSpec, parse_entry
from tests.runner.plans import ask, call, plan
from tests.toy_memory import ToyMemory

PLANS = [
    plan("one", call("r", "remember", text="x"), ask("q")),
    plan("two", call("r", "remember", text="x"), call("l", "list")),
    plan("three", call("r", "pin", text="x"), call("l", "export")),
    plan("four", Step(id="k", kind="kill", args={"ops": [{"op": "remember", "args": {}}]}), call("e", "end_turn"), ask("q")),
]


def check(system: MemorySystem, root: Path) -> Checked:
    return check_system(SystemSpec(name="it"), PLANS, root, lambda _: system)


def states(checked: Checked) -> dict[str, bool | None]:
    return {probe.what: probe.ok for probe in checked.probes}


def test_an_honest_memory_works_in_all(tmp_path: Path) -> None:
    checked = check(ToyMemory(), tmp_path)
    assert set(states(checked).values()) == {True}
    assert checked.exit_code == 0
    assert (checked.planned, checked.unlocked) == (4, 3)
    assert "unlocks 3 of 4 scenarios in full" in "\n".join(checked.lines())


class Leaky(ToyMemory):
    def owner(self, request: Request) -> str:
        return "everybody"


class Deaf(ToyMemory):
    def forget(self, request: Request) -> Receipt:
        return Receipt(status="ok")


class Broken(ToyMemory):
    def recall(self, request: Request) -> Receipt:
        raise KeyError("index")


@pytest.mark.parametrize(
    ("system", "what", "said", "code"),
    [
        (Leaky, "another user sees nothing", "it sees what the first user wrote", 1),
        (Deaf, "delete", "it is still found", 1),
        (Broken, "read back by recall", "KeyError: 'index' (test_check.py:", 3),
    ],
)
def test_what_does_not_work_is_said_and_the_rest_is_tried(tmp_path: Path, system: type[ToyMemory], what: str, said: str, code: int) -> None:
    checked = check(system(), tmp_path)
    failed = {probe.what: probe.detail for probe in checked.probes if probe.ok is False}
    assert said in failed[what]
    assert states(checked)["close"] is True
    assert checked.exit_code == code


class Full(ToyMemory):
    def remember(self, request: Request) -> Receipt:
        return Receipt(status="error", reason="the disk is full")

    append = remember


def test_where_nothing_could_be_written_nothing_is_looked_for(tmp_path: Path) -> None:
    checked = check(Full(), tmp_path)
    said = {probe.what: (probe.state, probe.detail) for probe in checked.probes}
    assert said["write"] == ("FAILS", "remember answered error: the disk is full")
    for what in ("read back by recall", "another user sees nothing", "continues after a reopen", "delete"):
        assert said[what] == ("not tried", "nothing could be written")
    assert said["close"] == ("works", "")
    assert checked.exit_code == 1


def test_a_system_that_does_not_open_ends_the_check(tmp_path: Path) -> None:
    class Closed(ToyMemory):
        def call(self, request: Request) -> Receipt:
            raise OSError("no such server")

    checked = check(Closed(), tmp_path)
    assert [probe.what for probe in checked.probes] == ["open"]
    assert "OSError: no such server" in checked.lines()[0]


def test_missing_verbs_are_counted_where_they_alone_are_missing() -> None:
    manifest = Manifest(name="m", verbs={"remember": "native", "pin": "native", "recall": "native"})
    assert needs(PLANS[3]) == {"remember", "context"}
    assert unlocks(manifest, PLANS) == (0, (("context", 2), ("export", 1), ("list", 1)))


@pytest.mark.parametrize("like", ["python", "command"])
def test_a_scaffold_is_short_and_works_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, like: str) -> None:
    made = scaffold("my-memory", like)
    assert made.file == "my_memory.py"
    assert len(made.text.splitlines()) <= 40
    (tmp_path / made.file).write_text(made.text)
    path = str(tmp_path / made.file)
    spec = parse_entry("my-memory", {"python": f"{path}:MyMemory"} if like == "python" else {"command": [sys.executable, path]})
    (tmp_path / "root").mkdir()
    checked = check_system(spec, PLANS, tmp_path / "root", open_system)
    assert states(checked) == {
        "open": True, "a new user has nothing": True, "write": True, "read back by recall": True, "read back by context": True, "list": None,
        "another user sees nothing": True, "continues after a reopen": True, "delete": True, "close": True,
    }  # fmt: skip


def test_a_name_that_cannot_be_a_file_is_refused() -> None:
    for name in ("my memory", "1st", "über", ""):
        with pytest.raises(InputError):
            scaffold(name, "python")
    with pytest.raises(InputError, match="unknown kind"):
        scaffold("mine", "ruby")


def test_a_store_that_holds_somebody_s_data_is_left_alone(tmp_path: Path) -> None:
    class Used(ToyMemory):
        written = 0

        def call(self, request: Request) -> Receipt:
            if request.op == "recall":
                return Receipt(status="ok", data={"items": [{"text": "a customer's"}]})
            self.written += request.op in ("remember", "append", "forget")
            return super().call(request)

    system = Used()
    checked = check(system, tmp_path)
    assert checked.probes[-1].detail == "it has 1 records before anything was written"
    assert system.written == 0
