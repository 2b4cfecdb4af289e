"""What crosses only corners that the manifest says are none is no leak, and no proof; all else is judged."""

from __future__ import annotations

import pytest

from memgauge.evaluators import judge
from memgauge.protocol import Manifest
from memgauge.records import Verdict
from tests.evaluators.build import ANA, History, expect, item, plan

NONE = {"project": "none", "tenant": "none", "agent": "none"}


def asked(told_in: dict[str, str], scope: dict[str, str], kind: str = "leak") -> Verdict:
    """Ana tells of her cat in one corner; the question comes from ana, in none."""
    history = History()
    history.say("told", "The cat is called Plum.", scope={**ANA, **told_in})
    history.context("after", items=[item("The cat is called Plum.")])
    check = expect(kind, "after", "cat", proof=("seen", "told"))
    return judge(plan(check, tells={"told": "cat"}), history.entries, Manifest(name="it", scope=scope)).verdicts[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("part", ["project", "tenant", "agent"])
def test_a_corner_that_is_none_is_unsupported(part: str) -> None:
    verdict = asked({part: "other"}, NONE)
    assert (verdict.outcome, verdict.reason) == ("unsupported", f"the manifest promises no {part}")


@pytest.mark.parametrize(
    ("told_in", "scope"),
    [
        ({"project": "other"}, {"project": "enforced"}),
        ({"project": "other"}, {"project": "convention"}),
        ({"project": "other"}, {}),  # a manifest that says nothing excuses nothing
        ({"project": "other", "agent": "coach"}, {"project": "none", "agent": "enforced"}),
        ({"user": "ben"}, NONE),
        ({"user": "ben", "project": "other"}, {**NONE, "user": "none"}),
        ({}, NONE),  # the same corner: whatever made it a leak was no corner
    ],
)
def test_what_was_promised_or_crosses_to_another_user_leaks(told_in: dict[str, str], scope: dict[str, str]) -> None:
    assert asked(told_in, scope).outcome == "fail"


def test_other_kinds_are_judged() -> None:
    assert asked({"project": "other"}, NONE, kind="off_topic").outcome == "fail"
