from __future__ import annotations

import pytest

from memgauge.scenarios import lint_suite
from memgauge.scenarios.loader import read
from memgauge.scenarios.stems import content_stems
from memgauge.strict_yaml import parse

BODY = """
id: {id}
needs_memory: {needs}
values: {values}
facts:
  home: {{anchors: [Oslo], like: [Oslo it is.], unlike: [Bergen it is.]}}
steps:
  - {verb}: {told}
    tells: [home]
  - filler: {{messages: {filler}}}
  - ask: {ask}
    thread: {thread}
    needs: [home]
    budget: {{window: 1000, reserve: 500}}
"""


def rules(*changes: dict[str, object], copies: int = 10) -> set[str]:
    """Rules that complain about so many copies of each changed scenario."""
    base = {
        "id": "recall/a",
        "needs": "true",
        "verb": "say",
        "told": "[I live in Oslo., Home is Oslo., Oslo is my home.]",
        "filler": 2,
        "values": "{x: city}",
    }
    base |= {"ask": "Where should the parcel go?", "thread": "t2"}
    scenarios = [read(parse(BODY.format(**(base | change)), "f.yaml"))[0] for change in changes for _ in range(copies)]
    return {finding.rule for finding in lint_suite(scenarios)}


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        ("off passes", {"thread": "main"}, {"thread": "main", "filler": 40}),
        ("off passes", {"thread": "main"}, {"thread": "main", "needs": "false"}),
        ("wordings", {"told": "[I live in Oslo., Home is Oslo.]"}, {}),
        ("budget does not bind", {"id": "budget/a", "filler": 100}, {"id": "budget/a", "filler": 200}),
        ("told by remember", {"verb": "remember", "told": "Oslo is home."}, {}),
        ("harm", {}, {"needs": "false"}),
        ("other words", {"ask": "Where do I live at home?", "told": "[I live at home in Oslo., Home is Oslo., Oslo.]"}, {}),
    ],
)
def test_a_rule_bites_and_lets_go(rule: str, bad: dict[str, object], good: dict[str, object]) -> None:
    assert rule in rules(bad)
    assert rule not in rules(good)


def test_rules_about_the_whole_suite() -> None:
    assert {"class", "shapes"} <= rules({})
    different = [{"id": f"{name}/a"} for name in ("recall", "leak", "harm", "time", "goals", "access", "tools", "review", "capture", "windows")]
    assert not {"class", "shapes"} & rules(*different, copies=1)


def test_a_few_scenarios_are_no_suite() -> None:
    assert not {"harm", "class", "shapes", "other words"} & rules({}, copies=9)


def test_an_incident_without_values_needs_one_wording() -> None:
    assert rules({"told": "[I live in Oslo.]", "values": "{}"}, copies=1) == set()


def test_content_stems_leave_out_function_words_and_cut_unspaced_scripts() -> None:
    assert content_stems("Please remember that the parcels were running late") == {"parcel", "run", "late"}
    assert content_stems("札幌市", "ja") == {"札幌", "幌市"}
