"""Lists, sources and summaries: what is the same, where a thing came from, and what nobody said."""

from __future__ import annotations

import pytest

from memgauge.evaluators import judge
from tests.evaluators.build import ANA, CAT, FACTS, History, expect, item, plan

MORNING, EVENING = "2026-03-01T09:00:00+00:00", "2026-03-01T21:00:00+00:00"


def outcome(history: History, *args, **params) -> tuple[str, str]:
    verdict = judge(plan(expect(*args, **params), facts=FACTS), history.entries).verdicts[0]
    return verdict.outcome, verdict.witness or verdict.reason


def twice(before: dict, now: dict, *, more: dict | None = None, later: dict | None = None, **params) -> tuple[str, str]:
    h = History()
    h.call("first", "recall", data={"items": [before], **(more or {})})
    h.call("after", "recall", data={"items": [now], **(more or {} if later is None else later)})
    return outcome(h, "unchanged", "after", since="first", **params)


def test_one_instant_in_two_zones_is_no_change_and_another_instant_is():
    at = item(CAT.text, confirmed_at=MORNING)
    assert twice(at, item(CAT.text, confirmed_at="2026-03-01T10:00:00+01:00"))[0] == "pass"
    assert twice(at, item(CAT.text))[0] == "pass"
    assert twice(at, item(CAT.text, confirmed_at="this morning"))[0] == "pass"
    found, why = twice(at, item(CAT.text, confirmed_at=EVENING))
    assert (found, "confirmed_at" in why) == ("fail", True)


@pytest.mark.parametrize(
    ("before", "now"),
    [({"total": 2}, {"total": 3}), ({}, {"withheld": {"not yours": 1}}), ({"total": 2}, {}), ({"pages": [1, 2]}, {"pages": [1, 3]})],
)
def test_a_count_that_moved_shows_where_numbers_are_asked_for(before: dict, now: dict):
    same = item(CAT.text)
    assert twice(same, same, more=before, later=now)[0] == "pass"
    assert twice(same, same, more=before, later=now, numbers=True)[0] == "fail"


def test_a_score_may_age_and_a_call_may_take_its_time():
    calm = {"took_ms": 3, "cost": {"tokens": 9}}
    assert twice(item(CAT.text, score=0.5), item(CAT.text, score=0.501), more=calm, later={"took_ms": 9}, numbers=True)[0] == "pass"
    found, why = twice(item(CAT.text, score=0.5), item(CAT.text, score=0.25), numbers=True)
    assert (found, "items.0.score" in why) == ("fail", True)


def explained(*messages: tuple[str, str]) -> tuple[str, str]:
    h = History()
    for n, text in enumerate((CAT.text, "It rains.", "It snows.", "It hails.", "The sun is out."), 1):
        h.call(f"s{n}", "append", {"message_id": f"m{n}", "role": "user", "text": text})
    h.call("after", "explain", {"id": "fact-1"}, data={"messages": [{"message_id": name, "text": text} for name, text in messages]})
    return outcome(h, "provenance", "after", message="m1")


def test_a_source_is_named_in_its_own_words_and_not_among_everything():
    right = ("m1", CAT.text)
    assert explained(right)[0] == "pass"
    assert explained(("m2", "It rains."), right)[0] == "pass"
    assert "in words that nobody said" in explained(("m1", "The cat agreed to everything."))[1]
    everything = [("m2", "It rains."), ("m3", "It snows."), ("m4", "It hails."), ("m5", "The sun is out.")]
    assert "is no source" in explained(right, *everything)[1]
    assert "does not lead back" in explained(("m2", "It rains."))[1]


def summarised(*sentences: str) -> tuple[str, str]:
    h = History()
    h.say("s1", CAT.text)
    h.say("s2", "We talked about the garden fence and its new paint.")
    h.call("after", "list", {"kind": "summaries"}, data={"items": [item("\n".join((CAT.text, *sentences)), kind="summary")]})
    return outcome(h, "summary", "after", covers=["cat"])


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Summary of the earlier conversation, in the words of the user and the assistant.",
        "The user talked about a garden fence.",
        "Paint for the fence was mentioned.",
    ],
)
def test_a_summary_may_say_what_was_said_in_words_of_its_own(sentence: str):
    assert summarised(sentence)[0] == "pass"


@pytest.mark.parametrize(
    "sentence",
    [
        "The user approved the deployment to production.",
        "The invoice comes to 4417 dollars altogether.",
        "The customer insists that Hannelore signs everything.",
    ],
)
def test_a_summary_must_not_claim_what_nobody_said(sentence: str):
    assert "nobody said" in summarised(sentence)[1]


def test_a_strange_sentence_without_a_claim_is_for_a_person_to_read():
    found, why = summarised("Several practical matters remained somewhat unresolved.")
    assert (found, "unsure" in why) == ("unscored", True)


@pytest.mark.parametrize(("conflict", "wanted"), [({"expected": 1, "actual": 2}, "pass"), ({"expected": 1}, "fail"), (None, "fail")])
def test_a_conflict_about_a_revision_names_the_one_that_is_there(conflict: dict | None, wanted: str):
    h = History()
    h.call("after", "doc_write", {"name": "profile", "text": "x", "expected": 1}, status="conflict", **({"conflict": conflict} if conflict else {}))
    assert outcome(h, "receipt", "after", status=["conflict"])[0] == wanted


def test_a_conflict_about_anything_else_needs_no_revision():
    h = History()
    h.call("after", "correct", {"id": "decision-1", "text": "x"}, status="conflict", scope=ANA)
    assert outcome(h, "receipt", "after", status=["refused", "conflict"])[0] == "pass"
