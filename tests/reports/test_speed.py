"""Reports of a whole suite must not make a run feel slow: bound in processor time, which other work on the machine does not stretch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from memgauge.events import Event, RunFinished
from memgauge.records import Arm
from tests.reports.conftest import finish, make_plan, started

SECONDS = 3.0
ARMS: tuple[Arm, ...] = ("on", "off", "recent-equal")
BUILD = """
import sys, time
from pathlib import Path
from memgauge.reports import html, junit, markdown, store
from memgauge.reports.folder import read_run
from memgauge.reports.screen import first_screen, plain
from memgauge.reports.summary import summarise
folder = Path(sys.argv[1])
summary = summarise(read_run(folder))
store.build(folder)
for render in (html.render, markdown.render, junit.render):
    render(summary)
plain(first_screen(summary))
print(time.process_time())
"""


def test_all_reports_of_150_scenarios_on_three_arms(write_run: Callable[..., Path]) -> None:
    cases = [
        finish(make_plan(f"class{n % 15}/s{n}", ["sufficient", "stale", "leak"]), ["pass" if n % 9 else "fail", "pass", "unscored"], arm=arm)
        for n in range(150)
        for arm in ARMS
    ]
    events: list[Event] = [started(len(cases)), *cases, RunFinished(status="complete")]
    done = subprocess.run([sys.executable, "-c", BUILD, str(write_run(events))], capture_output=True, text=True, check=True)
    assert float(done.stdout) < SECONDS
