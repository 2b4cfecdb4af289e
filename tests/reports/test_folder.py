from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import HarnessFault, InputError
from memgauge.events import CaseFinished, RunFinished
from memgauge.records import Entry
from memgauge.reports.codec import decode_plan, encode
from memgauge.reports.folder import RunFolder, find_case, read_history, read_manifest, read_run
from memgauge.reports.summary import summarise
from tests.reports.conftest import NOW, finish, make_plan, standard_events, started

WriteRun = Callable[..., Path]


def test_a_run_is_read_back_as_it_was_written(standard_run: Path) -> None:
    run = read_run(standard_run)
    assert (run.status, run.manifest["planned"], len(run.cases), len(run.checks)) == ("complete", 18, 18, 30)
    assert [check.id for check in run.checks] == sorted(check.id for check in run.checks)
    failed = {check.id for check in run.checks if check.outcome == "fail" and check.arm == "on"}
    assert failed == {"supersession/moved-city[mine]#0.0::stale-1", "restraint/small-talk[mine]#0.0::sufficient-1"}
    assert not (standard_run / "cases.partial.jsonl").exists()
    assert not list(standard_run.glob(".*"))


def test_order_of_cases_does_not_change_a_byte(write_run: WriteRun) -> None:
    first, *cases, last = standard_events()
    one = write_run([first, *cases, last], "one")
    random.Random(7).shuffle(cases)
    two = write_run([first, *cases, last], "two")
    for name in ("cases.jsonl", "checks.jsonl", "measures.jsonl"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    assert sorted(path.name for path in (one / "history").iterdir()) == sorted(path.name for path in (two / "history").iterdir())


def test_the_stored_history_needs_nothing_else_to_be_judged_again(standard_run: Path) -> None:
    run = read_run(standard_run)
    plan, history = read_history(run, find_case(run, "supersession/moved-city"))
    assert plan == make_plan("supersession/moved-city")
    assert history == finish(plan, ["pass", "fail"]).history
    assert history[1].data["tokens_total"] == 900


def test_a_plan_survives_the_codec() -> None:
    plan = make_plan("recall/x", ["sufficient", "leak"], needs_memory=False, lane="process")
    assert decode_plan(json.loads(json.dumps(encode(plan)))) == plan


@pytest.mark.parametrize("broken", [[], {"scenario": "a/b"}, {"scenario": "a/b", "steps": [{"nonsense": 1}]}, {"steps": 3}])
def test_a_broken_plan_is_refused(broken: object) -> None:
    with pytest.raises(ValueError, match=r"CasePlan|Step"):
        decode_plan(broken)


def test_cases_are_on_disk_before_the_run_ends(tmp_path: Path) -> None:
    handler = RunFolder(tmp_path / "run")
    handler.handle(started(2))
    handler.handle(finish(make_plan("recall/home"), ["pass", "pass"]))
    assert read_manifest(tmp_path / "run")["status"] == "started"
    line = json.loads((tmp_path / "run/cases.partial.jsonl").read_text())
    assert line["case"]["outcome"] == "pass"
    assert len(line["checks"]) == 2
    with pytest.raises(InputError, match="has not ended"):
        read_run(tmp_path / "run")


def test_an_interrupted_run_keeps_what_ran(write_run: WriteRun) -> None:
    run = read_run(write_run([started(9), finish(make_plan("recall/home"), ["pass", "pass"]), RunFinished(status="interrupted", reason="Ctrl-C")]))
    assert (run.status, run.manifest["planned"], len(run.cases)) == ("interrupted", 9, 1)


def test_an_expectation_without_a_verdict_is_an_error_and_never_missing(write_run: WriteRun) -> None:
    plan = make_plan("recall/home")
    run = read_run(write_run([started(1), finish(plan, ["pass", "pass"], error="SystemFault: died"), RunFinished(status="complete")]))
    assert [(check.outcome, check.reason) for check in run.checks] == [("error", "SystemFault: died")] * 2
    assert run.cases[0].outcome == "error"


def test_names_that_are_no_file_names_stay_apart(write_run: WriteRun) -> None:
    plan = make_plan("recall/home")
    cases = [finish(plan, ["pass", "pass"], system=system, repeat=repeat) for system in ("a:b", "a/b", "../b") for repeat in (0, 1)]
    folder = write_run([started(6), *cases, RunFinished(status="complete")])
    files = sorted(path.name for path in (folder / "history").iterdir())
    assert len(files) == 6
    assert all(file.startswith("recall--home.") for file in files)


def test_a_folder_that_holds_a_run_is_not_written_over(standard_run: Path) -> None:
    with pytest.raises(InputError, match="already holds a run"):
        RunFolder(standard_run)


def test_events_out_of_order_are_a_fault_of_the_harness(tmp_path: Path) -> None:
    with pytest.raises(HarnessFault, match="before the run had started"):
        RunFolder(tmp_path / "run").handle(finish(make_plan("recall/home"), ["pass", "pass"]))


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("manifest.json", "", "not JSON"),
        ("manifest.json", "[]", "an object is needed"),
        ("manifest.json", '{"status": "complete"}', "'schema' is missing"),
        ("manifest.json", '{"status": "complete", "schema": 99, "planned": 1}', "format 99"),
        ("manifest.json", '{"status": "fine", "schema": 1, "planned": 1}', "allowed: started"),
        ("checks.jsonl", '{"id": "x"}', "is missing"),
        ("checks.jsonl", '{"value": NaN}', "NaN is not a number"),
        ("checks.jsonl", "{half", "not JSON"),
        ("cases.jsonl", '{"surprise": 1}', "unknown part 'surprise'"),
        ("timings.jsonl", '{"case_id": "x", "op": "recall"}', "'ms' is missing"),
    ],
)
def test_a_broken_file_is_one_line_that_names_the_place(standard_run: Path, file: str, text: str, says: str) -> None:
    (standard_run / file).write_text(text)
    for use in (summarise, lambda run: (run.cases, run.checks, run.timings)):
        with pytest.raises(InputError, match=says) as caught:
            use(read_run(standard_run))
        assert file in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not (standard_run / "results.duckdb").exists()


@pytest.mark.parametrize("file", ["manifest.json", "cases.jsonl", "checks.jsonl", "measures.jsonl", "timings.jsonl"])
def test_a_missing_file_is_named(standard_run: Path, file: str) -> None:
    (standard_run / file).unlink()
    with pytest.raises(InputError, match=file):
        read_run(standard_run)


def test_a_history_outside_the_folder_is_refused(standard_run: Path) -> None:
    text = (standard_run / "cases.jsonl").read_text().replace("history/recall--home.mine.on.jsonl", "../../secret.jsonl")
    (standard_run / "cases.jsonl").write_text(text)
    run = read_run(standard_run)
    with pytest.raises(InputError, match="outside the run folder"):
        read_history(run, find_case(run, "recall/home"))


def test_an_unknown_case_gets_the_nearest_name(standard_run: Path) -> None:
    with pytest.raises(InputError, match="no case") as caught:
        find_case(read_run(standard_run), "recall/hone")
    assert "recall/home" in caught.value.hint


MARKER = "Zuiderzeestraat"


def _private_case() -> CaseFinished:
    plan = make_plan("incident/private-1", content="private", title=f"Title {MARKER}", source=MARKER, path=f"/home/{MARKER}.yaml")
    args = {"text": MARKER, "client_history": [{"role": "user", "content": MARKER}]}
    receipt = {"status": "ok", "notices": [f"saved {MARKER}"], "data": {"items": [{"id": MARKER, "text": MARKER, MARKER: 1}]}}
    scope = {"user": MARKER, "thread": "main"}
    history = (Entry(n=1, type="call", step="ask", now=NOW, op="context", scope=scope, args=args, receipt=receipt, data={"x": [MARKER]}),)
    event = finish(plan, ["pass", "fail"], history=history, timings=({"op": "context", "step": "ask", "ms": 1.0, "note": MARKER},))
    verdicts = tuple(
        type(verdict)(**{name: getattr(verdict, name) for name in type(verdict).__slots__} | {"witness": MARKER if verdict.witness else ""})
        for verdict in event.judgement.verdicts
    )
    return finish(plan, ["pass", "fail"], history=history, judgement=type(event.judgement)(verdicts=verdicts), timings=event.timings)


def test_no_private_word_reaches_the_folder(write_run: WriteRun) -> None:
    plan = make_plan("incident/private-2", content="private")
    broken = finish(plan, ["pass", "pass"], error=f"ValueError: {MARKER} in Ghent")
    folder = write_run([started(2), _private_case(), broken, RunFinished(status="complete")])
    written = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}
    for word in (MARKER, "Ghent", "Where do I live"):
        assert [path.name for path, text in written.items() if word in text] == []
    run = read_run(folder)
    assert [case.error for case in run.cases] == ["", "ValueError (private, message withheld)"]
    kept, history = read_history(run, run.cases[0])
    assert kept.facts["home"].text.startswith("private:16:")
    assert history[0].receipt["status"] == "ok"
    timed = next(timing for timing in run.timings if timing["op"] == "context")
    assert (timed["step"], timed["ms"]) == ("ask", 1.0), "what is no text stays, or nobody could count it"
    assert history[0].args["text"] == history[0].receipt["data"]["items"][0]["text"] == history[0].args["client_history"][0]["content"]


def test_the_hash_of_a_private_text_differs_from_run_to_run(write_run: WriteRun) -> None:
    texts = []
    for name in ("one", "two"):
        run = read_run(write_run([started(1), _private_case(), RunFinished(status="complete")], name))
        texts.append(read_history(run, run.cases[0])[1][0].args["text"])
    assert texts[0] != texts[1]
    assert texts[0].split(":")[:2] == texts[1].split(":")[:2]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """A mistake of the user, told before anything runs."""
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        RunFolder(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_checks_that_were_cut_off_between_two_lines_are_missed(standard_run: Path) -> None:
    path = standard_run / "checks.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    for use in (summarise, lambda run: run.checks):
        with pytest.raises(InputError, match=r"checks\.jsonl: holds \d+ checks, its cases tell of \d+"):
            use(read_run(standard_run))
