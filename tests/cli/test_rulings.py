"""What a run was unsure of, ruled on by a person, and what the judge makes of the ruling."""

from __future__ import annotations

import functools
import pickle
from pathlib import Path

import pytest

from memgauge.cli.rulings import read_labels, ruled_judge
from memgauge.errors import InputError
from memgauge.evaluators import judge
from memgauge.evaluators.doubts import doubts
from memgauge.evaluators.labels import LabelKey
from memgauge.records import CasePlan, Fact
from tests.evaluators.build import History, expect, item, plan

HOME = Fact(id="home", anchors=(("Lyon",),), claim=("live", "home"), text="I live in Lyon.")
TEXT = "Lyon, more or less"


def unsure() -> tuple[CasePlan, History]:
    """A case in which the anchors of a fact are there and its claim is not."""
    history = History()
    history.context("after", items=[item(TEXT)])
    return plan(expect("present", "after", "home", id="c"), facts={"home": HOME}), history


def test_a_ruling_settles_what_no_rule_could() -> None:
    one, history = unsure()
    first = judge(one, history.entries)
    found = doubts(one, history.entries, first)
    assert first.verdicts[0].outcome == "unscored"
    assert [(doubt.key.fact, doubt.text, doubt.check) for doubt in found] == [("home", TEXT, "c")]
    for said, outcome in ((True, "pass"), (False, "fail")):
        assert judge(one, history.entries, labels={found[0].key: said}).verdicts[0].outcome == outcome
    assert doubts(one, history.entries, first, {found[0].key: True}) == []


def test_a_ruling_holds_for_its_text_and_scenario_only() -> None:
    one, history = unsure()
    for key in (LabelKey.of("other/one", "home", TEXT), LabelKey.of(one.scenario, "home", f"{TEXT} now")):
        assert judge(one, history.entries, labels={key: True}).verdicts[0].outcome == "unscored"
    assert LabelKey.of("a/b", "home", " LYON,  more or less") == LabelKey.of("a/b", "home", "Lyon, more or less")


def test_a_file_of_rulings_reaches_the_judge_of_workers(tmp_path: Path) -> None:
    one, history = unsure()
    assert ruled_judge(tmp_path) is judge
    key = LabelKey.of(one.scenario, "home", TEXT)
    (tmp_path / "labels.yaml").write_text(f"{key.scenario}:\n  {key.fact}:\n    '{key.text}': true\n", encoding="utf-8")
    made = pickle.loads(pickle.dumps(ruled_judge(tmp_path)))
    assert isinstance(made, functools.partial)
    assert made(one, history.entries).verdicts[0].outcome == "pass"


@pytest.mark.parametrize("text", ["- a\n", "a/b: {home: {abc: maybe}}\n", "a/b: [home]\n"])
def test_a_file_that_cannot_be_used_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "labels.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"labels\.yaml"):
        read_labels(tmp_path / "labels.yaml")
