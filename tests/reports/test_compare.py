from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memgauge.errors import CannotDecide, InputError
from memgauge.events import CaseFinished, RunFinished
from memgauge.records import Judgement, Measure, Outcome
from memgauge.reports import card, compare
from memgauge.reports.folder import read_run
from memgauge.reports.run import Run
from tests.bench import compare_null
from tests.reports.conftest import finish, make_history, make_plan, make_verdict, started

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
    assert list(map(str, found.worse)) == ["recall/one[mine]#0::sufficient-1"]
    assert list(map(str, found.better)) == ["recall/two[mine]#0::sufficient-1"]
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
    assert [why for why, _, _ in found.left_out] == ["scenarios left out, for they are not the same"]
    assert card.differing(*found.cards) == ("seed", "tokenizer")
    text = "\n".join(compare.lines(found))
    assert text.index("≠ not alike: seed, tokenizer") < text.index("FLIPS")
    assert re.search(r"≠ seed +0 \| 7\n", text)
    same = compare.compare([compare.side(a), compare.side(run_of("c", _case("one", "pass"), _case("two", "pass")))])[0]
    assert same.left_out == ()
    assert "alike in every part" in "\n".join(compare.lines(same))
    assert "none: every check" in "\n".join(compare.lines(same))


def test_the_card_tells_every_part_of_the_set_up_and_who_wrote_the_adapter(run_of: Callable[..., Run]) -> None:
    told = {"name": "mine", "versions": {"mine": "1.4", "embedder": "small"}, "writes": "extracted", "reads_see_writes": "after_settle",
            "clock": "none", "determinism": "stochastic"}  # fmt: skip
    spec = {
        "name": "mine",
        "builtin": False,
        "config_hash": "9f3c",
        "adapter": "abc",
        "config": {"recall": {"k": 3}},
        "assembly": {"k": 7, "share": 0.4},
    }
    seen = card.card(run_of("a", _case("one", "pass", manifest=told), systems=[spec]), "mine")
    wanted = {"k": "recall.k=3", "unit stored": "extracted", "embedder": "small", "extractor": "not told", "determinism": "stochastic",
              "adapter by": "the user", "adapter": "abc", "configuration": "recall.k=3", "tokenizer": "o200k_base", "versions": "mine 1.4",
              "settling": "asked to settle before a read", "prompt assembled by": "system", "clock": "none", "seed": "0"}  # fmt: skip
    assert {name: seen[name] for name in wanted} == wanted
    harness = card.card(run_of("b", _case("one", "pass", manifest=told, assembled_by="harness"), systems=[spec]), "mine")
    assert (harness["k"], harness["assembly"], harness["prompt assembled by"]) == ("k=7", "k=7, share=0.4", "harness")


def test_scenarios_on_which_people_ruled_otherwise_are_left_out(run_of: Callable[..., Run]) -> None:
    a = run_of("a", _case("one", "pass"), _case("two", "pass"), labels={"recall/two": "x"})
    b = run_of("b", _case("one", "pass"), _case("two", "fail"))
    found = compare.compare([compare.side(a), compare.side(b)])[0]
    assert ("scenarios left out, for people ruled on them otherwise (labels.yaml)", "1 scenario", "recall/two") in found.left_out
    assert not found.worse


def test_success_is_read_off_at_equal_tokens(run_of: Callable[..., Run]) -> None:
    lean = run_of("lean", *(_case(f"s{n}", "pass", tokens=500 + 200) for n in range(4)))
    fat = run_of("fat", *(_case(f"s{n}", "pass", tokens=500 + 900) for n in range(4)))
    (found,) = compare.compare([compare.side(lean), compare.side(fat)])
    assert [(level.size, str(level.champion), str(level.challenger)) for level in found.at_tokens] == [
        ("250 tokens of memory", "4/4", "0/4"), ("500 tokens of memory", "4/4", "0/4"),
        ("1,000 tokens of memory", "4/4", "4/4"), ("2,000 tokens of memory", "4/4", "4/4"),
    ]  # fmt: skip
    assert found.at_tokens[0].ahead is not None
    assert found.at_tokens[0].ahead.words == "-100 points, 4 scenarios: n too small for an interval"
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


def test_repeats_are_counted_as_shares_and_the_largest_fall_comes_first(run_of: Callable[..., Run]) -> None:
    def run(name: str, held: dict[str, int]) -> Run:
        cases = [_case(case, "pass" if n < passes else "fail", repeat=n) for case, passes in held.items() for n in range(5)]
        return run_of(name, *cases, repeats=5)

    (found,) = compare.compare([compare.side(run("a", {"x": 5, "y": 5, "z": 3})), compare.side(run("b", {"x": 4, "y": 0, "z": 3}))])
    assert list(map(str, found.worse)) == ["recall/y[mine]#0::sufficient-1  5/5 → 0/5", "recall/x[mine]#0::sufficient-1  5/5 → 4/5"]


def test_cases_of_one_table_are_one_template(run_of: Callable[..., Run]) -> None:
    names = [f"{table}.{row}" for table in ("tea", "cat") for row in "abcdefgh"]
    old, new = (run_of(word, *(_case(name, outcome) for name in names)) for word, outcome in (("old", "fail"), ("new", "pass")))  # type: ignore[arg-type]
    (found,) = compare.compare([compare.side(old), compare.side(new)])
    assert found.headline is not None
    assert (found.headline.scenarios, found.headline.templates, found.headline.won, found.p) == (16, 2, 2, 0.5)
    assert found.headline.words == "+100 points, 16 scenarios of 2 templates: n too small for an interval"
    assert "cannot tell them apart" in "\n".join(compare.lines(found))


def test_equal_k_is_read_off_where_both_say_what_they_recalled(run_of: Callable[..., Run]) -> None:
    def measured(name: str, value: float) -> CaseFinished:
        plan = make_plan(f"recall/{name}", ["sufficient"], digest="d")
        judged = Judgement(
            verdicts=(make_verdict(plan.expectations[0], "pass"),), measures=(Measure(step="ask", name="recall_all@5/item", value=value),)
        )
        return finish(plan, ["pass"], judgement=judged)

    old, new = run_of("old", *(measured(f"s{n}", 1.0) for n in range(3))), run_of("new", *(measured(f"s{n}", n % 2) for n in range(3)))
    (found,) = compare.compare([compare.side(old), compare.side(new)])
    assert [(level.size, str(level.champion), str(level.challenger)) for level in found.at_k] == [("first 5 items", "3/3", "1/3")]
    (silent,) = compare.compare([compare.side(old), compare.side(run_of("silent", *(_case(f"s{n}", "pass") for n in range(3))))])
    assert silent.at_k == ()


def test_what_cannot_be_compared_is_said(run_of: Callable[..., Run]) -> None:
    a, b = run_of("a", _case("one", "pass")), run_of("b", _case("other", "pass"))
    with pytest.raises(CannotDecide, match="share no scored check"):
        compare.compare([compare.side(a), compare.side(b)])
    with pytest.raises(InputError, match="two sides"):
        compare.compare([compare.side(a)])


def test_with_no_difference_the_alarms_stay_below_the_nominal_rate() -> None:
    """On whole runs; `python -m tests.bench.compare_null` does a thousand of them."""
    alarms = compare_null.alarms(rounds=60, seed=1)
    assert all(count <= 60 * 0.05 + 4 for count in alarms.values())
