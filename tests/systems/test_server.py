"""A store that is a server, with the commands that start, stop, kill and empty it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memgauge.errors import SystemFault
from memgauge.records import CaseId, Step
from memgauge.runner.case import CaseResult, CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.systems.server import Server
from memgauge.systems.spec import SystemSpec, parse_entry
from tests.runner.plans import ANA, call, judge, opener, plan

NOTE = f"{sys.executable} -c \"import os,sys; open(os.environ['MEMGAUGE_ROOT'] + '/../commands', 'a').write(sys.argv[1] + ' ')\" "
COMMANDS = {what: NOTE + what for what in ("reset", "start", "stop", "kill")}


def play(root: Path, *steps: Step) -> tuple[CaseResult, list[str]]:
    """The result, and the commands in the order in which they ran."""
    spec = SystemSpec(name="Safe", kind="python", target="tests.runner.shared:Safe", lifecycle=COMMANDS)
    the_plan = plan("server", *steps, expectations=(), lane="process")
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system="Safe", arm="on", seed=0), plan=the_plan, spec=spec)
    result = run_case(work, Tools(open_system=opener, judge=judge), RunOptions(), root)
    return result, (root / "commands").read_text().split()


def test_a_server_is_emptied_once_started_and_stopped_for_a_reopen(tmp_path: Path) -> None:
    result, commands = play(tmp_path, call("r", "remember", text="I live in Ghent."), Step(id="again", kind="reopen"), call("l", "list"))
    assert not result.error
    assert commands == ["reset", "start", "stop", "start", "stop"]


def test_a_kill_ends_the_server_and_the_next_opening_starts_it(tmp_path: Path) -> None:
    ops = [{"op": "remember", "args": {"text": f"Fact number {n}."}} for n in range(4)]
    result, commands = play(tmp_path, Step(id="crash", kind="kill", scope=ANA, args={"ops": ops}), call("l", "list"))
    assert not result.error
    assert commands == ["reset", "start", "kill", "start", "stop"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{sys.executable} -c \"import sys; sys.exit('port in use')\"", "lifecycle start: exit code 1; its last words: port in use"),
        ("no-such-program-here", "lifecycle start: cannot start no-such-program-here"),
    ],
)
def test_a_command_that_fails_says_so(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(SystemFault, match=why):
        Server(SystemSpec(name="x", lifecycle={"start": line})).start(tmp_path)


def test_a_server_that_runs_on_behind_its_command_holds_nothing_up(tmp_path: Path) -> None:
    server = Server(SystemSpec(name="x", lifecycle={"start": "sh -c 'sleep 3 &'"}))
    server.start(tmp_path)
    server.start(tmp_path)
    server.stop(tmp_path)


def test_the_project_file_gives_the_commands() -> None:
    spec = parse_entry("mine", {"python": "mine:Mine", "lifecycle": {"start": "pg_ctl start"}})
    assert spec.lifecycle == {"start": "pg_ctl start"}
    assert SystemSpec.from_json(spec.to_json()) == spec
