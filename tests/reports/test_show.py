from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.events import RunFinished
from memgauge.records import Entry
from memgauge.reports import show
from memgauge.reports.casefile import open_case
from memgauge.reports.folder import find_case, read_run
from tests.reports.conftest import NOW, finish, make_history, make_plan, started

WriteRun = Callable[..., Path]


def test_a_case_is_told_from_what_was_said_to_where_it_was_lost(standard_run: Path) -> None:
    run = read_run(standard_run)
    text = "\n".join(show.lines(open_case(run, find_case(run, "supersession/moved-city"))))
    for part in ("FAIL", "“I live in Ghent.” ⇒ home", "recall fact-1 (stated): ana lives in Ghent ⇒ home [score 0.8, matches live]",
                 "left out: recall fact-2 (no room, 40 tokens)", "item-1 in recall breaks stale", "retrievable → RANKED → fitted",
                 "memgauge run supersession/moved-city --system mine --arm on"):  # fmt: skip
        assert part in text
    assert text.index("FACTS") < text.index("TIMELINE") < text.index("VERDICTS") < text.index("AGAIN")
    assert text.index("FAIL        stale-1") < text.index("PASS        sufficient-1")


def test_filler_is_folded_and_diagnosis_stands_apart(write_run: WriteRun) -> None:
    filler = [Entry(n=2 + n, type="call", step=f"f{n}", now=NOW, op="append", args={"text": "chatter"}, receipt={"status": "ok"}) for n in range(500)]
    first, last = make_history()
    looked = Entry(n=600, type="diagnosis", step="sufficient-1", now=NOW, op="list", receipt={"status": "ok", "data": {"items": []}})
    plan = make_plan("recall/long", ["sufficient"])
    run = read_run(write_run([started(1), finish(plan, ["fail"], history=(first, *filler, last, looked)), RunFinished(status="complete")]))
    lines = show.lines(open_case(run, run.cases[0]))
    assert len(lines) < 40
    assert "       … 500 quiet steps: no fact stated, nothing judged" in lines
    assert lines.index("LOOKED AFTERWARDS, to find where it was lost") > lines.index("VERDICTS")


def test_no_control_character_is_shown(write_run: WriteRun) -> None:
    plan = make_plan("recall/odd", ["sufficient"])
    run = read_run(write_run([started(1), finish(plan, ["pass"], history=make_history("\x1b[2J\x07bell\r\nnext")), RunFinished(status="complete")]))
    assert all(line.isprintable() for line in show.lines(open_case(run, run.cases[0])))


def test_a_control_is_run_again_with_its_treatment(standard_run: Path) -> None:
    run = read_run(standard_run)
    assert show.again(open_case(run, find_case(run, "recall/home[mine~off]"))) == "memgauge run recall/home --system mine --arm on --arm off"


def test_a_cut_history_is_named(standard_run: Path) -> None:
    run = read_run(standard_run)
    case = find_case(run, "recall/home")
    (standard_run / case.history).write_text('{"n": 1}\n')
    with pytest.raises(InputError, match="the first line must hold the plan"):
        open_case(run, case)
