from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import CannotDecide, InputError
from memgauge.events import CaseFinished, RunFinished
from memgauge.records import Outcome
from memgauge.reports import compare
from memgauge.reports.folder import read_run
from memgauge.reports.run import Run
from tests.reports.conftest import finish, make_history, make_plan, started

WriteRun = Callable[..., Path]


def _case(name: str, outcome: Outcome, system: str = "mine", tokens: int = 900, digest: str = "d", **parts: object) -> CaseFinished:
    plan = make_plan(f"recall/{name}", ["sufficient"], digest=digest)
    return finish(plan, [outcome], system=system, history=make_history(tokens=tokens), **parts)  # type: ignore[arg-type]


@pytest.fixture
def run_of(write_run: WriteRun) -> Callable[..., Run]:
    def make(name: str, *cases: CaseFinished, **parts: object) -> Run:
        return read_run(write_run([started(len(cases), **parts), *cases, RunFinished(status="complete")], name))

    return make


def test_only_checks_scored_on_both_sides_are_compared(run_of: Callable[..., Run]) -> None:
    a = run_of("a", _case("one", "pass"), _case("two", "fail"), _case("three", "unsupported"), _case("gone", "pass"))
    b = run_of("b", _case("one", "fail"), _case("two", "pass"), _case("three", "pass"), _case("edited", "pass"))
    (found,) = compare.compare([compare.side(a), compare.side(b)])
    assert found.worse == ("recall/one[mine]#0.0::sufficient-1",)
    assert found.better == ("recall/two[mine]#0.0::sufficient-1",)
    row = found.classes[0]
    assert [str(counts) for counts in row.common] == ["1/2", "1/2"]
    assert [str(counts) for counts in row.own] == ["2/3 of 4", "3/4"]
    assert found.headline is not None
    assert (found.headline.mean, found.headline.won, found.headline.lost) == (0.0, 1, 1)
    text = "\n".join(compare.lines(found))
    assert text.index("WORSE") < text.index("BETTER") < text.index("SUFFICIENT")
    assert "n too small" in text
    assert "fewer than 6" in text


def test_what_differs_in_the_set_up_is_named_first(run_of: Callable[..., Run]) -> None:
    a = run_of("a", _case("one", "pass"), _case("two", "pass"))
    b = run_of("b", _case("one", "pass"), _case("two", "pass", digest="edited"), tokenizer={"name": "cl100k_base"}, seed=7)
    (found,) = compare.compare([compare.side(a), compare.side(b)])
    names = [what for what, _, _ in found.differing]
    assert names == ["scenarios left out, for they are not the same", "seed", "tokenizer"]
    same = compare.compare([compare.side(a), compare.side(run_of("c", _case("one", "pass"), _case("two", "pass")))])[0]
    assert same.differing == ()
    assert "none: every check" in "\n".join(compare.lines(same))


def test_scenarios_on_which_people_ruled_otherwise_are_left_out(run_of: Callable[..., Run]) -> None:
    a = run_of("a", _case("one", "pass"), _case("two", "pass"), labels={"recall/two": "x"})
    b = run_of("b", _case("one", "pass"), _case("two", "fail"))
    found = compare.compare([compare.side(a), compare.side(b)])[0]
    assert ("scenarios left out, for people ruled on them otherwise (labels.yaml)", "1 scenario", "recall/two") in found.differing
    assert found.worse == ()


def test_success_is_read_off_at_equal_tokens(run_of: Callable[..., Run]) -> None:
    lean = run_of("lean", *(_case(f"s{n}", "pass", tokens=500 + 200) for n in range(4)))
    fat = run_of("fat", *(_case(f"s{n}", "pass", tokens=500 + 900) for n in range(4)))
    (found,) = compare.compare([compare.side(lean), compare.side(fat)])
    assert [(tokens, str(one), str(other)) for tokens, one, other in found.at_tokens] == [
        (250, "4/4", "0/4"), (500, "4/4", "0/4"), (1000, "4/4", "4/4"), (2000, "4/4", "4/4"),
    ]  # fmt: skip
    assert "4/4 [51, 100] %" in "\n".join(compare.lines(found))


def test_two_systems_of_one_run(run_of: Callable[..., Run]) -> None:
    run = run_of("both", *(_case(f"s{n}", "pass" if system == "new" else "fail", system) for n in range(8) for system in ("old", "new")))
    with pytest.raises(InputError, match="2 systems"):
        compare.side(run)
    with pytest.raises(InputError, match="no system 'nwe'"):
        compare.side(run, "nwe")
    (found,) = compare.compare([compare.side(run, "old"), compare.side(run, "new")])
    assert found.headline is not None
    assert (found.headline.won, found.headline.lost) == (8, 0)
    assert found.p == pytest.approx(2 / 2**8)
    assert found.to_json()["sufficient"]["mean"] == 1.0


def test_several_challengers_are_corrected_for(run_of: Callable[..., Run]) -> None:
    old = compare.side(run_of("old", *(_case(f"s{n}", "fail") for n in range(8))))
    new = [compare.side(run_of(f"new{k}", *(_case(f"s{n}", "pass") for n in range(8)))) for k in range(3)]
    alone = compare.compare([old, new[0]])[0].p
    assert compare.compare([old, *new])[0].p == pytest.approx(3 * alone)


def test_what_cannot_be_compared_is_said(run_of: Callable[..., Run]) -> None:
    a, b = run_of("a", _case("one", "pass")), run_of("b", _case("other", "pass"))
    with pytest.raises(CannotDecide, match="share no scored check"):
        compare.compare([compare.side(a), compare.side(b)])
    with pytest.raises(InputError, match="two sides"):
        compare.compare([compare.side(a)])


def test_with_no_difference_the_alarms_stay_below_the_nominal_rate() -> None:
    from memgauge.reports.stats import mcnemar

    generator, alarms = random.Random(1), 0
    for _ in range(1000):
        pairs = [(generator.random() < 0.7, generator.random() < 0.7) for _ in range(40)]
        alarms += mcnemar(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)) <= 0.05
    assert alarms <= 50
