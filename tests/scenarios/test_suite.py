"""The built-in suite itself: clean under its own lint, for several seeds, and fast to load."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from memgauge.anchors import fold, stands_in
from memgauge.records import CasePlan
from memgauge.scenarios import Scenario, builtin, compile_case, lint_suite
from memgauge.scenarios.recognise import check_facts
from memgauge.scenarios.references import check_references

SUITE = builtin()
CLASSES = (
    "access", "branches", "budget", "capture", "concurrency", "consolidation", "decisions", "deletion", "documents",
    "durability", "elliptical", "goals", "harm", "incident", "injection", "leak", "long-thread", "precision", "recall", "recovery",
    "retention", "review", "summaries", "supersession", "time", "tools", "transfer", "windows",
)  # fmt: skip


def test_lint_finds_nothing() -> None:
    assert [str(finding) for finding in lint_suite(SUITE)] == []


def test_every_class_is_there_and_every_file_is_named_after_its_scenario() -> None:
    assert sorted({s.class_ for s in SUITE}) == list(CLASSES)
    for scenario in SUITE:
        assert scenario.path.endswith(f"/{scenario.id.replace('/', '--').split('.')[0]}.yaml")
        assert scenario.title
        assert scenario.rows


def test_smoke_scenarios_are_one_of_each_basic_kind() -> None:
    smoke = Counter(s.class_ for s in SUITE if "smoke" in s.tags)
    assert smoke == dict.fromkeys(("recall", "supersession", "deletion", "leak", "concurrency", "durability"), 1)


@pytest.mark.parametrize("seed", range(1, 7))
def test_other_seeds_keep_facts_apart_and_the_shape(seed: int) -> None:
    for scenario in SUITE:
        plan = compile_case(scenario, seed)
        assert [str(fault) for fault in check_facts(scenario, plan)] == []
        assert plan.shape == compile_case(scenario, 0).shape
        assert [e.id for e in plan.expectations] == [e.id for e in compile_case(scenario, 0).expectations]


def test_values_vary_with_the_seed() -> None:
    drawn = [scenario for scenario in SUITE if scenario.spec.values]
    changed = [s for s in drawn if len({compile_case(s, seed).digest for seed in range(4)}) == 4]
    assert len(changed) == len(drawn)


def test_no_anchor_stands_in_an_application_text_or_a_title() -> None:
    for scenario in SUITE:
        plan = compile_case(scenario, 0)
        texts = [fold(text) for text in (*_application(plan), scenario.title)]
        assert not [f.id for f in plan.facts.values() for t in texts if all(any(stands_in(s, t) for s in group) for group in f.anchors)], scenario.id


def _application(plan: CasePlan) -> list[str]:
    return [str(text) for step in plan.steps for text in step.args.get("application", ())]


def test_references_hold_after_loading() -> None:
    assert [str(fault) for scenario in SUITE for fault in check_references(scenario)] == []


def test_loading_and_compiling_a_hundred_and_fifty_takes_a_second_and_a_half_at_most() -> None:
    def once() -> float:
        started = time.process_time()
        loaded: list[Scenario] = builtin()
        for scenario in loaded:
            compile_case(scenario, 0)
        return (time.process_time() - started) / len(loaded) * 150

    assert min(once() for _ in range(3)) < 1.5
