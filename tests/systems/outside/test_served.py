"""A memory behind a server of its own, from start to purge: what the lifecycle commands and its surfaces make of it."""

from __future__ import annotations

import pickle
import shlex
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgauge.evaluators import judge
from memgauge.records import CaseId, CasePlan, Expectation, Json, Step, Verdict
from memgauge.runner.case import CaseResult, CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.task import case_task, decode, pack, try_opening
from memgauge.systems import server
from memgauge.systems.check import check_system
from memgauge.systems.load import as_system
from memgauge.systems.spec import SystemSpec, parse_entry
from tests.runner.forgetful import Purging
from tests.runner.plans import ANA, call, opener
from tests.runner.test_period import the_plan

SERVER = Path(__file__).with_name("memory_server.py")
PYTHON = shlex.quote(sys.executable)


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def shell(script: str) -> str:
    return f"sh -c {shlex.quote(script)}"


def lines(port: int, folder: Path, fault: str = "") -> Json:
    """The entry of the project file."""
    url, here = f"http://127.0.0.1:{port}", shlex.quote(str(folder))
    up = f"import socket, time\nwhile socket.socket().connect_ex(('127.0.0.1', {port})): time.sleep(0.02)"
    start = f"{PYTHON} {SERVER} {port} {here}/rows.json {fault} >/dev/null 2>&1 & echo $! > {here}/pid; {PYTHON} -S -c {shlex.quote(up)}"
    purge = f"import os, urllib.parse as p, urllib.request as u; u.urlopen('{url}/purge?now=' + p.quote(os.environ['MEMGAUGE_NOW']), timeout=5)"
    return {
        "python": "tests.systems.outside.served_memory:Served",
        "config": {"url": url},
        "erase_within": "P30D",
        "lifecycle": {
            "reset": f"rm -f {here}/rows.json",
            "start": shell(start),
            "stop": shell(f"kill $(cat {here}/pid); while kill -0 $(cat {here}/pid) 2>/dev/null; do sleep 0.02; done"),
            "kill": shell(f"kill -9 $(cat {here}/pid)"),
            "purge": f"{PYTHON} -c {shlex.quote(purge)}",
        },
        "surfaces": [
            {"name": "export", "kind": "http", "path": f"{url}/export"},
            {"name": "points", "kind": "http", "path": f"{url}/points", "grade": "vectors"},
            {"name": "disk", "kind": "command", "argv": ["cat", f"{folder}/rows.json"], "grade": "bytes"},
        ],
    }


def play(root: Path, entry: Mapping[str, Any], plan: CasePlan | None = None) -> tuple[dict[str, Verdict], CaseResult]:
    work = CaseWork(id=CaseId(scenario="test/served", system="served", arm="on", seed=0), plan=plan or the_plan(), spec=parse_entry("served", entry))
    result = run_case(work, Tools(open_system=opener, judge=judge), RunOptions(), root)
    return {verdict.check: verdict for verdict in result.judgement.verdicts}, result


def listens(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def killed() -> CasePlan:
    """Two writes, and a kill in or after them."""
    ops = [{"op": "remember", "args": {"text": f"On day {n} there is soup."}} for n in range(2)]
    steps = (call("told", "remember", text="Lunch is at noon."), Step(id="crash", kind="kill", scope=ANA, args={"ops": ops}))
    return replace(the_plan(), steps=steps, lane="process", expectations=(Expectation(id="durable", kind="durable", step="crash"),))


def test_a_server_that_keeps_its_promises(tmp_path: Path, port: int) -> None:
    verdicts, result = play(tmp_path, lines(port, tmp_path))
    assert not result.error
    assert (verdicts["api"].outcome, verdicts["bytes"].outcome, verdicts["bytes"].within) == ("pass", "pass", "P30D")
    assert verdicts["bytes"].depths == {"rows": "pass", "vectors": "pass", "bytes": "pass"}
    assert not listens(port)


@pytest.mark.parametrize(
    ("fault", "depths"),
    [
        ("keeps", {"rows": "fail", "vectors": "fail", "bytes": "fail"}),
        ("orphans", {"rows": "pass", "vectors": "fail", "bytes": "fail"}),
    ],
)
def test_what_the_purge_leaves_is_found_at_its_depth(tmp_path: Path, port: int, fault: str, depths: dict[str, str]) -> None:
    verdicts, _ = play(tmp_path, lines(port, tmp_path, fault))
    assert verdicts["api"].outcome == "pass"
    assert (verdicts["bytes"].outcome, verdicts["bytes"].depths) == ("fail", depths)


def test_a_surface_that_held_it_and_is_gone_is_not_clean(tmp_path: Path, port: int) -> None:
    entry = lines(port, tmp_path)
    once = f"test ! -e {tmp_path}/second && touch {tmp_path}/second && cat {tmp_path}/rows.json"
    entry["surfaces"] = [{"name": "dump", "kind": "command", "argv": ["sh", "-c", once]}]
    verdicts, _ = play(tmp_path, entry)
    assert verdicts["bytes"].outcome == "unscored"
    assert verdicts["bytes"].reason == "it was in surface 1 (dump, command) before; not examined: surface 1 (dump, command): exit code 1"
    assert verdicts["bytes"].depths["rows"] == "unscored"


def test_the_words_of_a_failing_command_are_left_out_where_they_hold_the_needle(tmp_path: Path, port: int) -> None:
    entry = lines(port, tmp_path)
    entry["surfaces"] = [{"name": "dump", "kind": "command", "argv": ["sh", "-c", f"cat {tmp_path}/rows.json >&2; exit 4"]}]
    verdicts, result = play(tmp_path, entry)
    reasons = [s["reason"] for e in result.history for s in e.data.get("surfaces", ()) if s["name"] == "dump"]
    assert reasons[0] == "its words are left out: they hold what is looked for"
    assert verdicts["bytes"].outcome == "unscored"


def test_a_kill_ends_the_server_and_shows_what_it_had_not_written(tmp_path: Path, port: int) -> None:
    assert play(tmp_path / "a", lines(port, tmp_path), killed())[0]["durable"].outcome == "pass"
    verdicts, _ = play(tmp_path / "b", lines(port, tmp_path, "buffers"), killed())
    assert verdicts["durable"].outcome == "fail"
    assert not listens(port)


def test_without_a_kill_command_a_kill_shows_nothing(tmp_path: Path, port: int) -> None:
    entry = lines(port, tmp_path, "buffers")
    del entry["lifecycle"]["kill"]
    verdicts, _ = play(tmp_path, entry, killed())
    assert (verdicts["durable"].outcome, verdicts["durable"].reason) == (
        "unsupported", "only its client could be killed: give the kill command of the server behind it (lifecycle)",
    )  # fmt: skip


def test_without_a_reset_command_the_records_of_another_case_stop_the_run(tmp_path: Path, port: int) -> None:
    entry = lines(port, tmp_path)
    del entry["lifecycle"]["reset"]
    assert not play(tmp_path / "a", entry)[1].error
    _, second = play(tmp_path / "b", entry)
    assert second.stop
    assert "give a reset command under lifecycle" in second.error


def test_a_server_that_no_command_stops_is_started_once_and_ended_with_its_case(tmp_path: Path, port: int) -> None:
    entry = lines(port, tmp_path)
    del entry["lifecycle"]["stop"]
    spec = parse_entry("served", entry)
    work = CaseWork(id=CaseId(scenario="test/served", system="served", arm="on", seed=0), plan=the_plan(), spec=spec)
    result = decode(case_task(pack(work, Tools(open_system=opener, judge=judge), RunOptions()), str(tmp_path / "case")))
    assert not result.error
    assert {v.outcome for v in result.judgement.verdicts} == {"pass"}
    assert not listens(port)


def test_cases_with_one_server_behind_them_run_one_at_a_time(tmp_path: Path, port: int) -> None:
    specs = (parse_entry("served", lines(port, tmp_path)), SystemSpec(name="toy", kind="python", target="tests.toy_memory:ToyMemory"))
    assert try_opening(pickle.dumps((specs, opener)), str(tmp_path / "trial")) == ("", 1)
    assert try_opening(pickle.dumps((specs[1:], opener)), str(tmp_path / "other")) == ("", None)


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ("sh -c 'echo port in use >&2; exit 3'", "system 'served' does not start: lifecycle start: exit code 3; its last words: port in use"),
        (
            "sleep 30",
            "system 'served' does not start: lifecycle start: not done within 0.5 s (it must return when the store answers, and leave it running",
        ),
    ],
)
def test_a_server_that_does_not_start_is_told_before_any_case(
    tmp_path: Path, port: int, start: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LIMIT_S", 0.5)
    entry = lines(port, tmp_path)
    entry["lifecycle"] |= {"start": start, "reset": "true"}
    told, _ = try_opening(pickle.dumps(((parse_entry("served", entry),), opener)), str(tmp_path / "trial"))
    assert told.startswith(why)


def test_system_check_starts_the_server_and_reads_its_surfaces(tmp_path: Path, port: int) -> None:
    entry = lines(port, tmp_path)
    entry["surfaces"].append({"name": "gone", "kind": "http", "path": "http://127.0.0.1:9/"})
    entry["surfaces"].append({"name": "empty", "kind": "command", "argv": ["true"]})
    found = {p.what: (p.state, p.detail) for p in check_system(parse_entry("served", entry), (), tmp_path / "root", opener).probes}
    assert found["surface points (http, vectors)"][0] == "works"
    assert found["surface gone (http, rows)"] == ("FAILS", "no answer (Connection refused)")
    assert found["surface empty (command, rows)"] == (
        "FAILS", "what was written is not in its 0 bytes, so nothing can be shown of its deletion there",
    )  # fmt: skip
    assert found["continues after a reopen"][0] == "works"
    assert not listens(port)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([{"name": "points", "kind": "htp", "path": "x"}], "surface 'points': kind 'htp' (did you mean \"http\"?)"),
        (["points"], "a surface is an object with name, kind and path"),
    ],
)
def test_system_check_says_what_is_wrong_with_a_surface_that_the_memory_names(tmp_path: Path, told: list[Any], why: str) -> None:
    class Telling(Purging):
        def surfaces(self) -> list[Any]:
            return told

    spec = SystemSpec(name="telling", kind="python", target="x:y")
    found = {p.what: (p.state, p.detail) for p in check_system(spec, (), tmp_path, lambda _: as_system(Telling, "telling")).probes}
    assert found["surfaces"] == ("FAILS", why)
    assert found["delete"][0] == "works"
