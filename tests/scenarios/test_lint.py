from __future__ import annotations

import pytest

from memgauge.scenarios import lint_suite
from memgauge.scenarios.loader import read
from memgauge.scenarios.stems import content_stems
from memgauge.strict_yaml import parse

BODY = """
id: {id}
needs_memory: {needs}
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


def rules(*changes: dict[str, object]) -> set[str]:
    base = {"id": "recall/a", "needs": "true", "verb": "say", "told": "[I live in Oslo., Home is Oslo., Oslo is my home.]", "filler": 2}
    base |= {"ask": "Where should the parcel go?", "thread": "t2"}
    return {f.rule for f in lint_suite([read(parse(BODY.format(**(base | change)), "f.yaml"))[0] for change in changes])}


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
    same = [{"id": f"recall/{letter}"} for letter in "abc"]
    assert {"class", "shapes"} <= rules(*same)
    assert not {"class", "shapes"} & rules({"id": "recall/a"}, {"id": "leak/a"})


def test_content_stems_leave_out_function_words_and_cut_unspaced_scripts() -> None:
    assert content_stems("Please remember that the parcels were running late") == {"parcel", "run", "late"}
    assert content_stems("札幌市", "ja") == {"札幌", "幌市"}
