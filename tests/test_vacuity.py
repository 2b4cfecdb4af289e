"""Ways to satisfy the words and miss the point. One test each, named after the trick: it must not pay here."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from memgauge.cli.coverage import row_lines
from memgauge.errors import InputError, InputErrors
from memgauge.evaluators import diagnose, judge
from memgauge.events import CaseFinished
from memgauge.protocol import VERBS, Request
from memgauge.records import CasePlan, Entry
from memgauge.runner import RunOptions, run_pairs
from memgauge.saboteurs import SABOTEURS
from memgauge.saboteurs.opener import open_system
from memgauge.saboteurs.selftest import Catch, alike
from memgauge.scenarios import builtin, compile_case, lint_suite
from memgauge.scenarios.loader import read
from memgauge.strict_yaml import parse
from memgauge.systems.reference import ReferenceSystem
from memgauge.systems.spec import SystemSpec
from tests.evaluators.build import History, expect, item, plan
from tests.scenarios.test_lint import rules

ROOT = Path(__file__).parents[1]
SUITE = builtin()
PLANS = [compile_case(scenario, 0) for scenario in SUITE]
CORE = {"append", "append_many", "end_turn", "remember", "recall", "context", "list", "forget"}
G, L, C = item("ana lives in Ghent", "fact-1"), item("ana moved to Lyon", "fact-2"), item("the cat is called Plum", "fact-3")
LANGUAGES = ("en", "de", "fr", "es", "ja", "zh", "ar", "ru")


def test_near_copies_do_not_make_a_suite() -> None:
    assert len(PLANS) >= 150
    assert len({one.shape for one in PLANS}) >= 90
    assert max(Counter(one.class_ for one in PLANS).values()) <= 0.15 * len(PLANS)
    assert sum({step.op for step in one.steps if step.op} <= CORE for one in PLANS) >= 60
    languages = Counter(one.language for one in PLANS)
    assert {name: languages[name] for name in LANGUAGES if languages[name] < 12} == {}


def test_facts_do_not_all_arrive_by_remember() -> None:
    telling = [[step.op for step in one.steps if step.tells] for one in PLANS]
    told = [ops for ops in telling if ops]
    assert sum("remember" not in ops for ops in told) >= 0.6 * len(told)


def test_questions_that_repeat_the_words_of_the_fact_are_complained_of() -> None:
    same = {"ask": "Where do I live at home?", "told": "[I live at home in Oslo., Home is Oslo., Oslo.]"}
    assert "other words" in rules(same)
    assert [str(finding) for finding in lint_suite(SUITE)] == []


def test_a_budget_in_which_all_fits_is_complained_of() -> None:
    assert "budget does not bind" in rules({"id": "budget/a", "filler": 20}, copies=1)
    assert "budget does not bind" in rules({"id": "long-thread/a", "filler": 20}, copies=1)


def caught(name: str, *broken: str, by: tuple[str, ...] | None = None, **parts: object) -> Catch:
    made = Catch(
        name=name, rows=("A4",), harmless=False, quiet=False, twin=None, by=broken if by is None else by, witness="item-1", stages={},
        broken=broken, scored=100, unsure=0, classes=("recall",), errors=0, error="", full=True,
    )  # fmt: skip
    return replace(made, **parts)


def test_loud_faults_an_error_or_another_check_are_not_a_catch() -> None:
    assert len(list(SABOTEURS)) >= 60
    assert sum(fault.quiet for _, fault in SABOTEURS) >= 15
    assert [fault.name for _, fault in SABOTEURS if not fault.harmless and not (fault.rows and fault.classes and fault.kinds)] == []
    assert caught("a", "s::x").good
    assert not caught("a", "s::x", by=()).good
    assert not caught("a", "s::x", errors=1).good
    assert not caught("a", "s::x", quiet=True, classes=("recall", "leak", "time")).good
    assert not caught("a", *(f"s::{n}" for n in range(6)), quiet=True).good


def test_two_faults_that_fail_the_same_checks_are_named_unless_they_are_twins() -> None:
    one, same, other = caught("one", "s::x", "s::y"), caught("same", "s::y", "s::x"), caught("other", "s::x")
    assert alike([one, same, other]) == [("one", "same")]
    assert alike([one, replace(same, twin="one")]) == []
    assert alike([replace(one, twin="third"), replace(same, twin="third")]) == []
    assert alike([replace(one, full=False), same]) == []


def test_a_tag_alone_shows_no_row() -> None:
    assert {line["status"] for line in row_lines(PLANS, None)} == {"claimed"}


def test_the_reference_cannot_hide_behind_unsupported() -> None:
    answer = ReferenceSystem().call(Request(op="describe", now="2026-03-01T09:00:00+00:00"))
    verbs = answer.data["manifest"]["verbs"] if "manifest" in answer.data else answer.data["verbs"]
    assert {verb: verbs.get(verb) for verb in VERBS if verbs.get(verb) != "native"} == {}


def test_a_seed_changes_more_than_names() -> None:
    """With the drawn values blanked out, what is said still differs from seed to seed in most scenarios that draw any."""
    drawn = [scenario for scenario in SUITE if scenario.spec.values]
    assert sum(len({_without_values(compile_case(scenario, seed)) for seed in range(5)}) > 1 for scenario in drawn) >= 0.75 * len(drawn)


def _without_values(one: CasePlan) -> str:
    said = "\n".join(str(step.args) for step in one.steps)
    for fact in one.facts.values():
        for spelling in sorted({word for group in fact.anchors for word in group}, key=len, reverse=True):
            said = said.replace(spelling, "…")
    return said


def test_sending_everything_is_not_sufficient() -> None:
    def outcome(*items: dict[str, object], tokens: int = 100) -> str:
        history = History()
        history.context("after", items=items, tokens=[tokens])
        return judge(plan(expect("sufficient", "after", "new_home", misleading=["old_home"])), history.entries).verdicts[0].outcome

    assert (outcome(L, C), outcome(L, G, C)) == ("pass", "fail")


def test_the_model_that_fuzz_and_tests_compare_with_is_no_reference_in_disguise() -> None:
    files = [ROOT / "tests" / "toy_memory.py", *(ROOT / "memgauge" / "fuzz").glob("*.py")]
    imported = {name for file in files for name in _imports(file)}
    assert files[1:]
    assert [name for name in imported if "memory_ref" in name or "reference" in name] == []


def _imports(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    return {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names} | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}


def test_a_witness_is_no_constant() -> None:
    history = History()
    history.listing("before", G, L)
    history.call("gone", "forget", {"id": "fact-1"})
    history.listing("after", G, L)
    checks = [expect("deleted", "after", fact, proof=("seen", "before"), id=fact) for fact in ("old_home", "new_home")]
    witnesses = [verdict.witness for verdict in judge(plan(*checks), history.entries).verdicts]
    assert len(set(witnesses)) == 2
    assert all(re.search(r"item-\d", witness) and "forgotten" in witness for witness in witnesses)


def test_a_verdict_comes_from_the_history_and_nowhere_else() -> None:
    def outcomes(*items: dict[str, object]) -> list[str]:
        history = History()
        history.context("after", items=items)
        checks = [expect("present", "after", fact, id=fact) for fact in ("old_home", "new_home")]
        return [verdict.outcome for verdict in judge(plan(*checks), history.entries).verdicts]

    assert (outcomes(G, L), outcomes(L)) == (["pass", "pass"], ["fail", "pass"])


@pytest.fixture(scope="module")
def played() -> list[Entry]:
    """The history of one deletion scenario on the reference."""
    one = next(p for p in PLANS if p.scenario == "deletion/only-my-own")
    reference = SystemSpec(name="reference", target="reference")
    events = run_pairs([(one, reference)], ("on",), judge, diagnose, RunOptions(in_process=True), open_system=open_system)
    return list(next(event for event in events if isinstance(event, CaseFinished)).history)


def test_an_acknowledged_id_is_read_again(played: list[Entry]) -> None:
    made = {name: entry.n for entry in played if entry.op in ("remember", "end_turn") for name in entry.receipt.get("ids", ())}
    seen = {item.get("id"): entry.n for entry in played if entry.op in ("list", "recall", "context") for item in _items(entry)}
    assert made
    assert [name for name, n in made.items() if seen.get(name, 0) < n] == []


def _items(entry: Entry) -> list[dict[str, object]]:
    return list(entry.receipt.get("data", {}).get("items", ()))


def test_a_memory_that_never_writes_proves_nothing_about_residue() -> None:
    judged = [(one, check) for one in PLANS for check in one.expectations if check.kind == "residue"]
    assert judged
    for one, check in judged:
        assert check.proof is not None
        assert check.proof.kind == "bytes_seen", one.scenario


def test_the_broken_files_are_no_special_cases() -> None:
    """Any line taken out of a valid scenario leaves a valid one, or one clear complaint with its place."""
    lines = (ROOT / "scenarios" / "suite" / "supersession--moved-city.yaml").read_text(encoding="utf-8").splitlines()
    told: list[list[str]] = []
    for n in range(len(lines)):
        try:
            read(parse("\n".join(lines[:n] + lines[n + 1 :]), "f.yaml"))
        except (InputError, InputErrors) as error:
            told.append(error.lines())
    assert 0 < len(told) < len(lines)
    assert [line for one in told for line in one if not re.match(r"f\.yaml:\d+:\d+: ", line)] == []
