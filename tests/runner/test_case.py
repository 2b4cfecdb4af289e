from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memgauge.protocol import Manifest, Receipt, Request
from memgauge.records import CaseId, CasePlan, Entry, Expectation, Scope, Step
from memgauge.runner.case import CaseResult, CaseWork, run_case
from memgauge.runner.options import RunOptions, Tools
from memgauge.systems.spec import SystemSpec
from tests.runner.plans import ANA, TOY, ask, call, diagnose, judge, plan, told
from tests.toy_memory import ToyMemory

OPEN_TOWN = ("town",)


class Recording(ToyMemory):
    """A toy that keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []

    def call(self, request: Request) -> Receipt:
        self.requests.append(request)
        return super().call(request)


def play(the_plan: CasePlan, root: Path, system: Any = None, spec: SystemSpec = TOY, **parts: Any) -> CaseResult:
    made = system if system is not None else ToyMemory()
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system=spec.name, arm="on", seed=0), plan=the_plan, spec=spec, **parts)
    return run_case(work, Tools(open_system=lambda _: made, judge=judge, diagnose=diagnose), RunOptions(), root)


def entry(result: CaseResult, step: str) -> Entry:
    return next(e for e in result.history if e.step == step)


def test_a_name_stands_for_the_record_its_step_made(tmp_path: Path) -> None:
    steps = (
        call("r", "remember", text="I live in Ghent.", save_as="home", tells=OPEN_TOWN),
        call("f", "forget", id="$home"),
        call("l", "list"),
    )
    result = play(plan("names", *steps, expectations=()), tmp_path)
    assert not result.error
    assert entry(result, "f").args == {"id": "rec-1"}
    assert entry(result, "l").receipt["data"]["items"] == []


def test_a_name_without_a_receipt_is_found_by_what_the_record_says(tmp_path: Path) -> None:
    class Silent(ToyMemory):
        def remember(self, request: Request) -> Receipt:
            super().remember(request)
            return Receipt(status="ok")

    steps = (
        call("other", "remember", text="I like tea."),
        call("r", "remember", text="I live in Ghent.", save_as="home", tells=OPEN_TOWN),
        call("f", "forget", id="$home"),
    )
    assert entry(play(plan("by-list", *steps, expectations=()), tmp_path, Silent()), "f").args == {"id": "rec-2"}


def test_a_name_nothing_is_known_of_is_unsupported_and_the_case_goes_on(tmp_path: Path) -> None:
    steps = (
        call("r", "pin", text="Never delete.", save_as="rule"),
        call("u", "unpin", id="$rule"),
        call("text", "remember", text="It costs $5, not $rule."),
        call("l", "list"),
    )
    result = play(plan("unknown", *steps, expectations=()), tmp_path)
    assert [e.status for e in result.history] == ["unsupported", "unsupported", "ok", "ok"]
    assert entry(result, "u").receipt["reason"] == "nothing is known as $rule"
    assert entry(result, "l").receipt["data"]["items"][0]["text"] == "It costs $5, not $rule."


def test_the_clock_follows_from_the_plan_alone(tmp_path: Path) -> None:
    system = Recording()
    steps = (
        call("a", "remember", text="x"),
        call("missing", "pin", text="y"),
        Step(id="wait", kind="advance", args={"by": "P2D"}),
        call("b", "list"),
    )
    result = play(plan("clock", *steps, expectations=(), start="2026-03-02T09:00:00+01:00"), tmp_path, system)
    assert [e.now for e in result.history] == [
        "2026-03-02T09:00:00+01:00",
        "2026-03-02T09:00:01+01:00",
        "2026-03-04T09:00:02+01:00",
        "2026-03-04T09:00:02+01:00",
    ]
    assert [r.now for r in system.requests if r.op == "list"] == ["2026-03-04T09:00:02+01:00"]


def test_writes_carry_a_key_and_reads_do_not(tmp_path: Path) -> None:
    system = Recording()
    again = Step(id="again", kind="call", op="remember", scope=ANA, args={"text": "x"}, idempotency_key="same")
    play(plan("keys", call("a", "remember", text="x"), again, call("b", "list"), expectations=()), tmp_path, system)
    keys = {r.op: r.idempotency_key for r in system.requests}
    assert keys["remember"] == "same"
    assert next(r for r in system.requests if r.op == "remember").idempotency_key == "test/keys/0"
    assert keys["list"] is None


def test_a_prompt_is_counted_by_the_harness(tmp_path: Path) -> None:
    steps = (call("r", "remember", text="I live in Ghent."), ask("after", "Which town?", application=["Be brief."]))
    result = play(plan("tokens", *steps), tmp_path)
    data = entry(result, "after").data
    # tokens of "Be brief.", of the JSON line with the fact, of "Which town?" (cl100k)
    assert data["tokens"] == [3, 11, 3]
    assert data["tokens_total"] == 3 + 11 + 3 + 3 * 4 + 3
    assert data["fixed_tokens"] == 3 + 3 + 2 * 4 + 3
    assert data["injected"] == 11 + 4


def test_a_question_is_asked_twice_only_when_a_check_compares(tmp_path: Path) -> None:
    checks = (Expectation(id="p", kind="prefix", step="twice"), Expectation(id="q", kind="prefix", step="once", params={"since": "twice"}))
    result = play(plan("twice", ask("twice"), ask("once"), expectations=checks), tmp_path)
    assert entry(result, "twice").data["again"] == entry(result, "twice").receipt
    assert "again" not in entry(result, "once").data


def test_a_failure_is_looked_into_and_judged_again(tmp_path: Path) -> None:
    result = play(plan("lost", ask("after")), tmp_path)
    assert [(e.type, e.op, e.step) for e in result.history] == [("call", "context", "after"), ("diagnosis", "list", "c1")]
    assert [(v.outcome, v.lost_at) for v in result.judgement.verdicts] == [("fail", "stored")]
    good = play(told("kept"), tmp_path / "good")
    assert all(e.type != "diagnosis" for e in good.history)


def test_settle_is_called_before_the_first_read_after_writes(tmp_path: Path) -> None:
    class Late(Recording):
        manifest = Manifest(name="late", verbs={"remember": "native", "list": "native"}, reads_see_writes="after_settle")

        def call(self, request: Request) -> Receipt:
            if request.op == "settle":
                self.requests.append(request)
                return Receipt(status="ok")
            return super().call(request)

    system = Late()
    steps = (call("a", "remember", text="x"), call("b", "remember", text="y"), call("c", "list"), call("d", "list"))
    result = play(plan("late", *steps, expectations=()), tmp_path, system)
    assert [r.op for r in system.requests][2:-1] == ["remember", "remember", "settle", "list", "list"]
    assert [e.step for e in result.history] == ["a", "b", "settle before c", "c", "d"]


def test_an_error_answer_is_recorded_and_the_case_goes_on(tmp_path: Path) -> None:
    class Failing(ToyMemory):
        def list(self, request: Request) -> Receipt:
            return Receipt(status="error", reason="disk full", retryable=True)

    result = play(plan("error", call("l", "list"), ask("after"), expectations=()), tmp_path, Failing())
    assert not result.error
    assert [e.status for e in result.history] == ["error", "ok"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Receipt(status="ok", data={"items": "none"}), "data.items must be a list"),
        (Receipt(status="ok", data={"items": [{"text": "x", "score": float("nan")}]}), "what JSON cannot hold"),
        (Receipt(status="ok", data={"items": [{"text": "x", "seen": {1, 2}}]}), "what JSON cannot hold"),
        (None, "list answered with a NoneType, not a Receipt"),
    ],
)
def test_an_answer_outside_the_protocol_is_a_fault_named_by_its_step(tmp_path: Path, answer: Any, said: str) -> None:
    class Odd(ToyMemory):
        def list(self, request: Request) -> Receipt:
            return answer  # type: ignore[no-any-return]

    result = play(plan("odd", call("l", "list")), tmp_path, Odd())
    assert result.error.startswith("step l: list")
    assert said in result.error
    assert [v.outcome for v in result.judgement.verdicts] == ["error"]


def test_what_a_system_does_to_its_answer_later_changes_no_history(tmp_path: Path) -> None:
    class Sly(ToyMemory):
        given: list[dict[str, Any]]

        def list(self, request: Request) -> Receipt:
            self.given = [{"text": "before"}]
            return Receipt(status="ok", data={"items": self.given})

        def recall(self, request: Request) -> Receipt:
            self.given[0]["text"] = "after"
            return Receipt(status="ok", data={"items": []})

    result = play(plan("sly", call("l", "list"), call("r", "recall", query="x"), expectations=()), tmp_path, Sly())
    assert entry(result, "l").receipt["data"]["items"] == [{"text": "before"}]


def test_a_reopen_continues_the_store_and_another_root_is_empty(tmp_path: Path) -> None:
    steps = (
        call("a", "remember", text="x"),
        Step(id="re", kind="reopen"),
        call("same", "list"),
        Step(id="elsewhere", kind="reopen", args={"root": "copy"}),
        call("other", "list"),
        Step(id="back", kind="reopen"),
        call("again", "list"),
    )
    the_plan = plan("reopen", *steps, expectations=())
    work = CaseWork(id=CaseId(scenario=the_plan.scenario, system="toy", arm="on", seed=0), plan=the_plan, spec=TOY)
    result = run_case(work, Tools(open_system=lambda _: ToyMemory(), judge=judge), RunOptions(), tmp_path)
    sizes = {e.step: len(e.receipt["data"]["items"]) for e in result.history if e.op == "list"}
    assert sizes == {"same": 1, "other": 0, "again": 1}


def test_a_plan_adds_to_the_configuration_of_the_system_it_names(tmp_path: Path) -> None:
    seen: list[Mapping[str, Any]] = []

    class Configured(ToyMemory):
        def call(self, request: Request) -> Receipt:
            if request.op == "open":
                seen.append(request.args["config"])
            return super().call(request)

    spec = SystemSpec(name="toy+faulty", target="toy", config={"k": 5, "floor": 1}, saboteur="faulty")
    play(plan("config", expectations=(), config={"toy": {"k": 9}, "other": {"k": 1}}), tmp_path, Configured(), spec)
    assert seen == [{"k": 9, "floor": 1}]


def test_namespaced_users_are_not_those_of_the_plan_and_histories_show_those_of_the_plan(tmp_path: Path) -> None:
    class Shared(Recording):
        manifest = Manifest(name="shared", verbs={"remember": "native", "list": "native"}, isolation="namespace")

    system = Shared()
    result = play(plan("shared", call("a", "remember", text="x"), expectations=()), tmp_path, system)
    sent = next(r.scope.user for r in system.requests if r.op == "remember")
    assert sent.startswith("memgauge-")
    assert sent.endswith("-ana")
    assert entry(result, "a").scope == ANA.to_json()
    assert Scope.from_json(entry(result, "a").scope).user == "ana"


def test_a_backup_lies_below_the_root_whatever_path_is_asked_for(tmp_path: Path) -> None:
    class Backups(Recording):
        manifest = Manifest(name="backups", verbs={"backup": "native"})

        def backup(self, request: Request) -> Receipt:
            return Receipt(status="ok", data={"path": request.args["path"]})

    system = Backups()
    result = play(plan("backup", call("a", "backup", path="b/x.db"), call("b", "backup", path="/etc/x.db"), expectations=()), tmp_path, system)
    sent = [r.args["path"] for r in system.requests if r.op == "backup"]
    assert sent == [str(tmp_path / "store" / "b/x.db"), str(tmp_path / "store" / "etc/x.db")]
    assert entry(result, "b").args == {"path": "/etc/x.db"}
