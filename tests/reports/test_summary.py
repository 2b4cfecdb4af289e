from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from memgauge.cli import run_command
from memgauge.events import CaseFinished, Event, RunFinished
from memgauge.records import Judgement, Outcome
from memgauge.reports.folder import read_run
from memgauge.reports.screen import BUILTIN_NOTE, MAX_LINES, first_screen, next_steps, plain
from memgauge.reports.summary import RunSummary, summarise
from tests.reports.conftest import finish, make_plan, make_verdict, standard_events, started

WriteRun = Callable[..., Path]
Summarise = Callable[..., RunSummary]


@pytest.fixture
def summary_of(write_run: WriteRun) -> Summarise:
    def make(cases: Iterable[CaseFinished], *, status: str = "complete", planned: int | None = None, **parts: object) -> RunSummary:
        cases = list(cases)
        allow = parts.pop("allow_unmeasured", ())
        events: list[Event] = [started(len(cases) if planned is None else planned, **parts), *cases, RunFinished(status=status)]  # type: ignore[arg-type]
        return summarise(read_run(write_run(events)), allow_unmeasured=allow)  # type: ignore[arg-type]

    return make


def _cases(*outcomes: Outcome, class_: str = "recall") -> list[CaseFinished]:
    return [finish(make_plan(f"{class_}/s{number}", ["sufficient"]), [outcome]) for number, outcome in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (["pass"], 0), (["pass", "fail"], 1), (["fail", "error"], 3), (["pass", "error"], 3), ([], 5), (["skip", "skip"], 5),
        (["unsupported"], 4), (["unscored"], 4), (["not_applicable"], 4), (["pass", "unsupported"], 0), (["skip", "pass"], 0),
    ],
)  # fmt: skip
def test_the_exit_code_follows_from_the_treatment_arm(summary_of: Summarise, outcomes: list[Outcome], code: int) -> None:
    assert summary_of(_cases(*outcomes)).decision.exit_code == code


def test_controls_never_decide(summary_of: Summarise) -> None:
    plan = make_plan("recall/home", ["sufficient"])
    made = summary_of([finish(plan, ["pass"]), finish(plan, ["fail"], arm="off"), finish(plan, ["error"], arm="recent-equal", error="Fault: x")])
    assert made.decision.exit_code == 0
    assert made.control_errors == 1
    assert any("broke in control arms" in line.text for line in first_screen(made))


def test_a_failure_outranks_an_unmeasured_class_and_an_error_both(summary_of: Summarise) -> None:
    cases = _cases("fail") + _cases("unsupported", class_="deletion")
    decision = summary_of(cases).decision
    assert (decision.exit_code, decision.codes, decision.unmeasured) == (1, (1, 4), ("deletion",))
    assert "not measured: deletion" in decision.text


def test_an_unmeasured_class_may_be_allowed_by_name(summary_of: Summarise) -> None:
    cases = _cases("pass") + _cases("unsupported", class_="deletion")
    made = summary_of(cases, allow_unmeasured=["deletion"])
    assert made.decision.exit_code == 0
    assert any("not measured: deletion" in line.text for line in first_screen(made))


def test_an_interrupted_run_is_130_and_a_stopped_harness_3(write_run: WriteRun) -> None:
    for status, code in (("interrupted", 130), ("error", 3)):
        events: list[Event] = [started(5), *_cases("fail"), RunFinished(status=status, reason="why")]  # type: ignore[arg-type]
        assert summarise(read_run(write_run(events, status))).decision.exit_code == code


def test_cases_that_went_missing_are_never_a_pass(summary_of: Summarise) -> None:
    assert summary_of(_cases("pass"), planned=2).decision.exit_code == 3


@pytest.mark.parametrize("broken", range(1, 7))
def test_errors_never_make_a_rate_better(summary_of: Summarise, broken: int) -> None:
    outcomes: list[Outcome] = ["fail", "fail", "pass", "pass", "pass", "pass"]
    made = summary_of(_cases(*outcomes[broken:], *["error"] * broken))  # type: ignore[list-item]
    counts = made.systems[0].counts
    assert counts.planned == 6
    assert counts.passed <= 4
    assert made.decision.exit_code == 3
    assert f"of {counts.planned}" in str(counts)


def test_the_standard_run_says_what_happened(standard_run: Path) -> None:
    made = summarise(read_run(standard_run))
    system = made.systems[0]
    assert (system.counts.planned, system.counts.scored, system.counts.failed) == (10, 9, 2)
    assert dict(system.not_proven) == {"deletion": 1}
    assert {arm: str(counts) for arm, counts in system.benefit.arms.items()} == {"on": "2/2", "off": "0/2", "recent-equal": "1/2"}
    assert system.benefit.ahead["recent-equal"].mean == 0.5
    assert (system.harm.scenarios, system.harm.possible, system.harm.avoided) == (("restraint/small-talk",), 2, 2)
    assert [cause.class_ for cause in made.causes] == ["supersession", "restraint"]


def test_the_first_screen_keeps_its_order_and_its_length(standard_run: Path) -> None:
    lines = first_screen(summarise(read_run(standard_run)))
    assert [line.label for line in lines if line.label] == ["RUN", "VERDICT", "TRUST", "SAFETY", "BENEFIT", "HARM", "COST", "CAUSES", "NEXT"]
    text = "\n".join(plain(lines))
    assert "1 NOT PROVEN" in text
    assert "rows and vectors and bytes not examined" in text
    assert "n too small for an" in text
    assert f"memgauge show 'supersession/moved-city[mine]' --run {standard_run}" in " ".join(text.split())


@pytest.mark.parametrize(
    ("outcomes", "parts", "starts"),
    [
        (["pass", "fail"], {}, "memgauge show 'recall/s1[mine]' --run "),
        (["pass", "pass"], {}, "memgauge baseline set main "),
        (["skip"], {}, "memgauge list scenarios"),
        (["fail"], {"status": "interrupted"}, "memgauge run --resume "),
        (["unsupported"], {}, "memgauge system check mine"),
    ],
)
def test_what_comes_next_is_a_command_that_works_when_typed(
    summary_of: Summarise, outcomes: list[Outcome], parts: dict[str, object], starts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (command,) = next_steps(summary_of(_cases(*outcomes), **parts))
    assert command.startswith(starts)
    monkeypatch.chdir(tmp_path)
    typed = shlex.split(command)[1:]
    if typed[0] in ("show", "baseline", "list"):
        assert run_command(typed) == 0
    else:
        assert run_command([*typed[:-1], *(["x"] if typed[-2].startswith("-") else []), "--help"]) == 0


def test_the_main_cause_is_the_stage_at_which_most_safety_is_lost(summary_of: Summarise) -> None:
    def lost(class_: str, kind: str, stage: str, count: int) -> list[CaseFinished]:
        plans = [make_plan(f"{class_}/{stage}-{n}", [kind, "budget"]) for n in range(count)]
        return [
            finish(plan, ["fail", "fail" if n < count - 1 else "pass"], judgement=Judgement(verdicts=(
                make_verdict(plan.expectations[0], "fail", lost_at=stage),
                make_verdict(plan.expectations[1], "fail" if n < count - 1 else "pass"),
            )))
            for n, plan in enumerate(plans)
        ]  # fmt: skip

    many = lost("recall", "present", "captured", 9)
    made = summary_of(
        [*many, *lost("leak", "leak", "rendered", 2), *lost("deletion", "deleted", "rendered", 2), *lost("time", "expired", "stored", 3)]
    )
    assert [(cause.what, cause.class_, cause.count) for cause in made.causes[:3]] == [
        ("rendered", "deletion", 2),
        ("rendered", "leak", 2),
        ("stored", "time", 3),
    ]
    assert made.example(made.causes[0]).scenario == "deletion/rendered-1", "the case in which least else failed"
    assert next_steps(made)[0].startswith("memgauge show 'deletion/rendered-1[mine]' --run ")


def test_any_run_fits_into_24_lines(summary_of: Summarise) -> None:
    cases = []
    for system in range(9):
        for number in range(40):
            plan = make_plan(f"class{number}/a-rather-long-name-of-a-scenario-{number}", ["sufficient", "stale", "leak", "deleted"])
            cases.append(finish(plan, ["fail", "fail", "unscored", "unsupported"], system=f"system-number-{system}"))
    made = summary_of(cases)
    for width in (60, 80, 120):
        lines = plain(first_screen(made), width)
        assert len(lines) <= MAX_LINES
        assert all(len(line) <= width for line in lines)
        assert lines[-1].startswith("NEXT")
    assert "6 more systems" in "\n".join(plain(first_screen(made)))


def test_no_control_sequence_reaches_the_screen(summary_of: Summarise) -> None:
    plan = make_plan("recall/odd", ["sufficient"])
    case = finish(plan, ["fail"], system="red\x1b[31m\nsystem")
    assert all(line.isprintable() for line in plain(first_screen(summary_of([case]))))


def test_only_built_in_systems_means_a_word_of_warning(summary_of: Summarise) -> None:
    builtin = {"name": "mine", "builtin": True}
    assert first_screen(summary_of(_cases("pass"), systems=[builtin]))[-1].text == BUILTIN_NOTE


def test_a_system_of_the_users_own_needs_no_such_word(summary_of: Summarise) -> None:
    systems = [{"name": "mine", "builtin": True}, {"name": "other", "builtin": False}]
    plan = make_plan("recall/home", ["sufficient"])
    made = summary_of([finish(plan, ["pass"]), finish(plan, ["pass"], system="other")], systems=systems)
    assert not made.builtin_only


def test_memory_that_cannot_show_harm_says_so(summary_of: Summarise) -> None:
    plan = make_plan("recall/home", ["sufficient"])
    text = "\n".join(plain(first_screen(summary_of([finish(plan, ["pass"]), finish(plan, ["fail"], arm="off")]))))
    assert "no scenario passes without memory" in text


def test_without_a_control_nothing_is_said_of_benefit(summary_of: Summarise) -> None:
    text = "\n".join(plain(first_screen(summary_of(_cases("pass")))))
    assert "no control to compare with" in text


def test_the_order_of_events_changes_no_word(write_run: WriteRun) -> None:
    first, *cases, last = standard_events()
    one = plain(first_screen(summarise(read_run(write_run([first, *cases, last], "run-a")))))
    two = plain(first_screen(summarise(read_run(write_run([first, *reversed(cases), last], "run-b")))))
    assert "\n".join(one) == "\n".join(two).replace("run-b", "run-a")


def test_what_broke_is_said_on_the_first_screen(summary_of: Summarise) -> None:
    plans = [make_plan(f"recall/s{n}", ["sufficient"]) for n in range(4)]
    cases = [finish(plan, ["pass"], error="SystemFault: it hung" if n else "SystemFault: it died") for n, plan in enumerate(plans)]
    text = " ".join(" ".join(plain(first_screen(summary_of(cases)))).split())
    assert "4 cases broke: 3 × SystemFault: it hung (e.g. recall/s1[mine]#0.0) · 1 other message" in text
    assert "memgauge show 'recall/s0[mine]'" in text


def test_a_long_list_of_classes_is_counted(summary_of: Summarise) -> None:
    cases = [finish(make_plan(f"class{n:02}/x", ["sufficient"]), ["unsupported"]) for n in range(20)]
    made = summary_of(cases)
    assert made.decision.text.endswith("class05, 14 more (nothing scored there)")
    assert len(made.decision.unmeasured) == 20
