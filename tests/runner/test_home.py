from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from memgauge.protocol import Receipt, Request
from memgauge.records import CaseId, Scope, Step
from memgauge.runner.case import CaseWork
from memgauge.runner.home import at_home
from memgauge.runner.hush import hushed
from memgauge.runner.options import RunOptions, Tools
from memgauge.runner.task import case_task, decode, pack
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import ANA, FACT, call, judge, opener, plan
from tests.toy_memory import ToyMemory


class Untidy(ToyMemory):
    """Keeps a copy of every fact in the home folder and in the temporary one."""

    def remember(self, request: Request) -> Receipt:
        (Path.home() / "notes.log").write_text(request.args["text"])
        Path(tempfile.gettempdir(), "work.txt").write_text(request.args["text"])
        return super().remember(request)


def test_what_is_written_at_home_is_found_by_the_scan_and_gone_after_the_case(tmp_path: Path) -> None:
    scan = Step(id="scan", kind="scan", scope=Scope(user="ana"), args={"facts": ["town"]})
    the_plan = plan("untidy", call("r", "remember", ANA, text=FACT.text, tells=("town",)), scan, expectations=())
    spec = SystemSpec(name="untidy", kind="python", target="tests.runner.test_home:Untidy")
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system="untidy", arm="on", seed=0), plan=the_plan, spec=spec)
    tools = Tools(open_system=opener, judge=judge)
    result = decode(case_task(pack(work, tools, RunOptions()), str(tmp_path / "case")))
    assert not result.error
    found = {(hit["surface"], hit["file"]) for needle in result.history[-1].data["needles"] for hit in needle["hits"]}
    assert {("home", "notes.log"), ("home", "work.txt")} <= found
    assert not (tmp_path / "case").exists()


def test_the_environment_is_put_back(tmp_path: Path) -> None:
    before, folder = dict(os.environ), tempfile.gettempdir()
    with at_home(tmp_path):
        assert Path.home() == tmp_path / "home"
        assert tempfile.gettempdir() == str(tmp_path / "home" / "tmp")
        assert Path(os.environ["XDG_CACHE_HOME"]) == Path(before.get("XDG_CACHE_HOME", before["HOME"] + "/.cache"))
    assert dict(os.environ) == before
    assert tempfile.gettempdir() == folder


def test_what_a_system_prints_in_a_private_case_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    for private in (True, False):
        with hushed(private):
            print("to stdout", flush=True)
            os.write(2, b"to stderr, past Python\n")
            subprocess.run(["echo", "from a child"], check=True)
        out, err = capfd.readouterr()
        assert (out, err) == (("", "") if private else ("to stdout\nfrom a child\n", "to stderr, past Python\n"))
