from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memgauge.errors import InputError
from memgauge.events import CaseFinished, Event, RunFinished, RunStarted
from memgauge.protocol import Receipt, Request
from memgauge.records import CasePlan, Judgement
from memgauge.runner.options import RunOptions
from memgauge.runner.run import run
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import FAULTY, TOY, diagnose, judge, opener, told
from tests.toy_memory import ToyMemory


def events(plans: Sequence[CasePlan], system: SystemSpec = TOY, arms: Sequence[str] = ("on",), **options: object) -> list[Event]:
    return list(run(plans, arms, [system], judge, diagnose, RunOptions(**options), open_system=opener))  # type: ignore[arg-type]


def cases(found: Sequence[Event]) -> dict[str, CaseFinished]:
    return {str(event.id): event for event in found if isinstance(event, CaseFinished)}


BREAKS = {
    "hang": "no result within 5 s",
    "exit": "ended with exit code 7",
    "exit-0": "the worker process ended itself without a word",
    "kill": "signal 9 (SIGKILL)",
    "raise": "append raised ValueError: this text is not to my taste (faulty.py:",
    "leave": "append raised SystemExit: 3",
    "nonsense": "append answered with a dict, not a Receipt",
    "raise-on-close": "close raised RuntimeError: cannot let go",
}


def test_each_way_of_breaking_costs_exactly_its_own_case() -> None:
    plans = [told(f"good-{i}") for i in range(3)] + [told(word, f"{word} please", f"{word} please") for word in BREAKS] + [told("last")]
    found = events(plans, FAULTY, jobs=2, limit_s=5)
    by_id = cases(found)
    assert isinstance(found[0], RunStarted)
    assert found[0].planned == len(plans) == len(by_id)
    assert found[-1] == RunFinished(status="complete")
    broken = {event.id.scenario.split("/")[1]: event for event in by_id.values() if event.error}
    assert set(broken) == set(BREAKS)
    for word, event in broken.items():
        assert BREAKS[word] in event.error
        assert "\n" not in event.error
        assert [(v.outcome, v.reason) for v in event.judgement.verdicts] == [("error", event.error)]
    for event in by_id.values():
        if not event.error:
            assert [v.outcome for v in event.judgement.verdicts] == ["pass"]


def test_one_worker_two_workers_and_none_yield_the_same_cases() -> None:
    plans = [told(f"case-{i}") for i in range(5)]
    arms = ("on", "off", "recent-equal")
    one, two, none = (cases(events(plans, arms=arms, **how)) for how in ({"jobs": 1}, {"jobs": 2}, {"in_process": True}))
    assert sorted(one) == sorted(two) == sorted(none)
    assert len(one) == 15
    for name, event in one.items():
        assert not event.error
        assert event.history
        assert event.history == two[name].history == none[name].history
        assert event.judgement == two[name].judgement == none[name].judgement


def test_recent_equal_gets_exactly_the_tokens_that_memory_injected() -> None:
    by_id = cases(events([told("one")], arms=("on", "recent-equal"), in_process=True))
    on, control = by_id["test/one[toy]#0.0"], by_id["test/one[toy~recent-equal]#0.0"]
    injected = next(e.data["injected"] for e in on.history if e.step == "after")
    assert injected > 0
    asked = next(e for e in control.history if e.step == "after")
    assert asked.args["budget"] == {"window": 4000, "reserve": 500, "recent_extra": injected}
    assert control.manifest["name"] == "off"


def test_a_placebo_has_as_many_tokens_and_nothing_of_the_matter() -> None:
    by_id = cases(events([told("one")], arms=("on", "placebo"), in_process=True))
    on, control = by_id["test/one[toy]#0.0"], by_id["test/one[toy~placebo]#0.0"]
    wanted, given = (next(e.data["injected"] for e in case.history if e.step == "after") for case in (on, control))
    assert wanted - 4 <= given <= wanted
    assert control.manifest["name"] == "off"
    assert [v.outcome for v in on.judgement.verdicts] == ["pass"]
    assert [v.outcome for v in control.judgement.verdicts] == ["fail"]


def test_a_placebo_takes_what_the_user_said_elsewhere_before_small_talk() -> None:
    plan = told("one")
    kite = replace(plan.steps[0], id="aside", op="append", scope=replace(plan.steps[0].scope, thread="aside"),
                   args={"message_id": "m9", "role": "user", "text": "My kite is red."})  # fmt: skip
    by_id = cases(events([replace(plan, steps=(kite, *plan.steps))], arms=("on", "placebo"), in_process=True))
    asked = next(e for e in by_id["test/one[toy~placebo]#0.0"].history if e.step == "after")
    assert asked.args["budget"]["placebo"]["texts"][0] == "My kite is red."


def test_memory_without_a_kind_runs_the_memory_and_shows_none_of_it() -> None:
    by_id = cases(events([told("one")], arms=("on", "on-without:fact", "on-without:goal"), in_process=True))
    outcomes = {name: [v.outcome for v in case.judgement.verdicts] for name, case in by_id.items()}
    assert outcomes == {
        "test/one[toy]#0.0": ["pass"], "test/one[toy~on-without:fact]#0.0": ["fail"], "test/one[toy~on-without:goal]#0.0": ["pass"],
    }  # fmt: skip
    assert by_id["test/one[toy~on-without:fact]#0.0"].manifest["name"] == "toy"


def test_recent_equal_is_skipped_where_the_treatment_broke_and_off_is_not() -> None:
    by_id = cases(events([told("raise", "raise please")], FAULTY, arms=("on", "off", "recent-equal"), in_process=True))
    outcome = {name: [v.outcome for v in event.judgement.verdicts] for name, event in by_id.items()}
    assert outcome == {
        "test/raise[faulty]#0.0": ["error"],
        "test/raise[faulty~off]#0.0": ["fail"],
        "test/raise[faulty~recent-equal]#0.0": ["skip"],
    }
    assert [name for name, event in by_id.items() if event.error] == ["test/raise[faulty]#0.0"]


def test_control_arms_leave_out_process_scenarios() -> None:
    plans = [told("quick"), replace(told("killed"), lane="process")]
    found = events(plans, arms=("on", "off"), in_process=True)
    assert sorted(cases(found)) == ["test/killed[toy]#0.0", "test/quick[toy]#0.0", "test/quick[toy~off]#0.0"]
    assert isinstance(found[0], RunStarted)
    assert found[0].planned == 3


def test_repeats_are_cases_of_their_own() -> None:
    assert sorted(cases(events([told("one")], in_process=True, repeats=3))) == [f"test/one[toy]#0.{i}" for i in range(3)]


def interrupting(plan: CasePlan, *_: object) -> Judgement:
    raise KeyboardInterrupt


def test_an_interrupt_ends_the_run_and_keeps_what_ran() -> None:
    found = list(run([told("one"), told("two")], ["on"], [TOY], interrupting, None, RunOptions(in_process=True), open_system=opener))
    assert [type(event) for event in found] == [RunStarted, RunFinished]
    assert found[-1] == RunFinished(status="interrupted", reason="stopped by the user")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    events([told("hang", question="hang please"), told("fine")], FAULTY, limit_s=1, jobs=2)
    assert list(tmp_path.iterdir()) == []


def broken(plan: CasePlan, *_: object) -> Judgement:
    raise ZeroDivisionError("a bug of ours")


def test_a_bug_in_the_judge_is_the_harness_s_error_and_not_a_verdict() -> None:
    found = list(run([told("one")], ["on"], [TOY], broken, None, RunOptions(in_process=True), open_system=opener))
    case = cases(found)["test/one[toy]#0.0"]
    assert case.error == "harness: ZeroDivisionError: a bug of ours"
    assert [v.outcome for v in case.judgement.verdicts] == ["error"]


def slow(plan: CasePlan, *rest: object) -> Judgement:
    time.sleep(0.3)
    return judge(plan, *rest)  # type: ignore[arg-type]


def test_a_worker_killed_between_cases_costs_no_case() -> None:
    """A pool breaks when an idle worker dies. The runner begins it anew."""
    stream = run([told(f"case-{i}") for i in range(4)], ["on"], [TOY], slow, None, RunOptions(jobs=1), open_system=opener)
    found: list[Event] = []
    killed = False
    for event in stream:
        found.append(event)
        if isinstance(event, CaseFinished) and not killed:
            killed = True
            worker = next(child for child in multiprocessing.active_children())
            os.kill(worker.pid or 0, signal.SIGKILL)
    assert found[-1] == RunFinished(status="complete")
    assert len(cases(found)) == 4
    assert len([case for case in cases(found).values() if case.error]) <= 1


class Picky(ToyMemory):
    """Refuses a configuration it does not know."""

    def call(self, request: Request) -> Receipt:
        if request.op == "open" and request.args["config"]:
            return Receipt(status="refused", reason="unknown key k")
        return super().call(request)


def test_a_configuration_the_system_refuses_is_told_before_the_run_begins() -> None:
    picky = SystemSpec(name="picky", kind="python", target="tests.runner.test_run:Picky")
    assert all(not case.error for case in cases(events([told("one")], picky, in_process=True)).values())
    with pytest.raises(InputError, match="picky refused to open: unknown key k"):
        events([told("one")], picky.with_config({"k": 1}), in_process=True)


@pytest.mark.parametrize("how", [{"in_process": True}, {"jobs": 1}])
def test_a_system_that_does_not_exist_is_refused_before_the_run_begins(how: dict[str, object]) -> None:
    missing = SystemSpec(name="mine", kind="python", target="tests.toy_memory:ToyMemry")
    with pytest.raises(InputError, match=r"tests.toy_memory has no ToyMemry \(did you mean \"ToyMemory\"\?\)"):
        next(iter(run([told("one")], ["on"], [TOY, missing], judge, None, RunOptions(**how), open_system=opener)))  # type: ignore[arg-type]
