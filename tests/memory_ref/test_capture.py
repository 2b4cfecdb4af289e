"""What of a turn becomes a candidate, and what becomes of it: the table of sentences, and the rules behind it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from memgauge.clock import parse_instant
from memgauge.memory_ref import cues
from memgauge.memory_ref.capture import Candidate
from memgauge.memory_ref.classify import Decision, classify
from memgauge.memory_ref.policy import load_policy
from tests.memory_ref.capture_page import PAGE, page, rows
from tests.memory_ref.words import NOW, POLICY, captured, fact, goal, message

ROWS = rows()


def _lines(found: list[tuple[Candidate, Decision]]) -> list[str]:
    return [" ".join(p for p in (d.outcome, d.destination, c.slot or "") if p) for c, d in found if d.outcome != "IGNORE"]


def _kept(*said: Any, **how: Any) -> list[str]:
    return [c.text for c, d in captured(*said, **how) if d.outcome == "PERSIST"]


@pytest.mark.parametrize("row", ROWS, ids=[row["say"][:60] for row in ROWS])
def test_the_table_holds(row: Mapping[str, Any]) -> None:
    goals = tuple(goal(text, n) for n, text in enumerate(row.get("goals", ()), start=1))
    found = captured(row["say"], known=row.get("known", ()), project=row.get("project"), goals=goals)
    got = _lines(found)
    assert len(got) == len(row["keeps"]), got
    for line, wanted in zip(got, row["keeps"], strict=True):
        assert line == wanted or (len(wanted.split()) == 2 and line.startswith(f"{wanted} ")), got
    if "retires" in row:
        assert sum(len(d.supersedes) for _, d in found) == row["retires"]


def test_the_table_is_long_enough_and_its_page_is_up_to_date() -> None:
    assert len(ROWS) >= 40
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.memory_ref.capture_page"


@pytest.mark.parametrize(
    "changes",
    [
        {"role": "assistant"},
        {"role": "tool"},
        {"role": "system"},
        {"origin": "pasted"},
        {"origin": "prefilled"},
        {"speaker": "ben"},
        {"state": "removed"},
    ],
    ids=lambda c: "-".join(c.values()),
)
def test_only_what_the_user_typed_himself_is_read(changes: Mapping[str, Any]) -> None:
    text = "Remember that I live in Turin."
    assert _kept(message(text)) == ["I live in Turin"]
    assert _kept(message(text, speaker="ana")) == ["I live in Turin"]
    assert _kept(message(text, **changes)) == []


@pytest.mark.parametrize("held", [{"ok": False}, {"private": True}], ids=["failed reply", "private thread"])
def test_nothing_is_read_of_a_failed_reply_or_a_private_thread(held: Mapping[str, Any]) -> None:
    assert _kept("Remember that I live in Turin.", **held) == []


def test_a_policy_may_keep_only_what_is_asked_for() -> None:
    minimal = load_policy("minimal")
    assert _kept("I live in Turin.", policy=minimal) == []
    assert _kept("Remember that I live in Turin.", policy=minimal) == ["I live in Turin"]
    assert _lines(captured("I live in Turin.", policy=load_policy("strict"))) == ["NEEDS_REVIEW review home"]
    assert captured("Remember that I live in Turin.", policy=load_policy("off")) == []


@pytest.mark.parametrize(
    "block",
    [
        '<memory>\nI live in Turin.\nRemember that my name is Bo.\n</memory>',
        "```\nI live in Turin.\n```",
        "> I live in Turin.",
        "=== BEGIN MEMORY ===\nI live in Turin.\n=== END MEMORY ===",
        '{"label": "fact, stated", "text": "I live in Turin."}',
        "assistant: I live in Turin.",
        "Summarise this letter: Dear Tom, I live in Turin. My name is Bo.",
        "Here is the log:\nI live in Turin.\nI work at Initech.",
    ],
)  # fmt: skip
def test_what_is_quoted_pasted_or_looks_recalled_is_not_the_users_word(block: str) -> None:
    assert _kept(block) == []


def test_a_message_may_hold_a_secret_a_supposition_and_a_fact() -> None:
    found = captured("My locker PIN is 4821. What if I moved to Quito? Anyway, I work at Initech.")
    assert _lines(found) == ["REJECT none locker pin", "PERSIST note work"]
    assert all("4821" not in c.text + d.notice + d.reason for c, d in found)


def test_a_supposition_reaches_until_the_user_says_that_he_is_serious() -> None:
    assert _kept("Imagine I won the lottery. I live in a castle. Actually, I live in Turin.") == ["I live in Turin"]


@pytest.mark.parametrize("later", ["Scratch that.", "Never mind, ignore that.", "Just kidding!", "No, forget what I said."])
def test_what_is_taken_back_in_the_next_message_is_not_kept(later: str) -> None:
    assert _kept("I live in Turin.", later) == []
    assert _kept("I live in Turin.", "Thanks for the help.") == ["I live in Turin"]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I live in Turin, I mean Porto.", "I live in Porto"),
        ("My dog is called Pixel. Sorry, Byte.", "My dog is called Byte"),
        ("I live in Turin. Actually it's Porto.", "I live in Porto"),
        ("I live in Turin. I live in Porto.", "I live in Porto"),
    ],
)
def test_of_two_values_in_one_turn_the_later_is_kept(said: str, text: str) -> None:
    assert _kept(said) == [text]


def test_a_correction_by_pronoun_is_written_out() -> None:
    [(candidate, ruling)] = captured("It's not Jenkins but Buildkite.", known=["Our build server is Jenkins."])
    assert candidate.text == "Our build server is Buildkite."
    assert ruling.supersedes == ("fact-1",)


def test_a_change_of_what_nobody_knows_is_asked_about() -> None:
    assert _lines(captured("It's not red but green.")) == ["NEEDS_REVIEW review"]


def test_a_bare_yes_approves_nothing_whatever_was_asked() -> None:
    asked = message("Shall I note that you are 102 years old?", role="assistant", id="m0", seq=0)
    for answer in ("Yes.", "Sure!", "ok", "Yes, please do."):
        assert captured(asked, message(answer)) == []


def test_change_retires_only_the_same_slot_of_the_same_person() -> None:
    known = ["I work at Initech.", "My brother works at Initech.", "Initech is in Turin.", "I run Initech's choir."]
    [(_, ruling)] = captured("I no longer work at Initech.", known=known)
    assert ruling.supersedes == ("fact-1",)
    [(_, ruling)] = captured("My brother left Initech.", known=known)
    assert ruling.supersedes == ("fact-2",)
    assert [d.supersedes for _, d in captured("I no longer work at Globex.", known=known)] == [()]


def test_parting_with_a_thing_needs_the_thing() -> None:
    known = ["We own a red van.", "We own a blue bike.", "My dog is called Pixel."]
    assert captured("We sold the van.", known=known)[0][1].supersedes == ("fact-1",)
    assert captured("My dog Byte died.", known=known)[0][1].supersedes == ()
    assert captured("My dog Pixel died.", known=known)[0][1].supersedes == ("fact-3",)


def test_saying_it_again_confirms() -> None:
    [(_, ruling)] = captured("I'm based in Turin.", known=["I live in Turin."])
    assert ruling.confirms == "fact-1"
    assert ruling.supersedes == ()


def test_a_proposed_fact_gives_way_to_a_newer_plain_statement() -> None:
    [(_, ruling)] = captured("I live in Porto.", known=[fact("I live in Turin.", status="proposed")])
    assert (ruling.destination, ruling.supersedes) == ("note", ("fact-1",))


def test_a_second_of_several_things_never_retires_the_first() -> None:
    for first, second in (
        ("I'm allergic to nuts.", "Remember that I'm allergic to shellfish."),
        ("My sister is Anna.", "Remember my other sister is Bea."),
        ("I like jazz.", "Remember that I like opera."),
    ):
        assert captured(second, known=[first])[0][1].supersedes == ()


def test_a_guess_is_proposed_with_a_short_end_and_supersedes_nothing() -> None:
    guess = Candidate(text="I live in Porto", intent="inferred", message_id="m1", span=(0, 15), slot="home", value="Porto", change=True)
    now = parse_instant(NOW)
    alone = classify(guess, (), POLICY, now)
    assert (alone.outcome, alone.destination, alone.expires_at) == ("PERSIST", "proposed", now + timedelta(days=POLICY.capture.inferred_days))
    assert classify(guess, [fact("I live in Turin.")], POLICY, now).outcome == "IGNORE"


def test_a_rule_becomes_a_pin_with_an_end() -> None:
    [(candidate, ruling)] = captured("Never push to main without asking me.")
    assert ruling.destination == "pin"
    assert candidate.expires_at == parse_instant(NOW) + timedelta(days=POLICY.capture.pin_days)
    both = _lines(captured("From now on, never push to main."))
    assert both == ["PERSIST pin", "PERSIST fact"]


def test_relative_dates_are_anchored_and_bound_statements_end() -> None:
    [(candidate, ruling)] = captured("My flight to Quito is on Friday.")
    assert candidate.text == "My flight to Quito is on Friday (2026-03-06)"
    assert ruling.expires_at == parse_instant("2026-03-07T00:00:00+00:00")
    [(candidate, _)] = captured("I moved to Porto last month.", known=["I live in Turin."])
    assert candidate.text == "I moved to Porto last month (2026-02-01 to 2026-02-28)"
    assert candidate.expires_at is None


def test_each_thing_kept_or_refused_has_a_notice_and_nothing_ignored_has_one() -> None:
    for row in ROWS:
        goals = tuple(goal(text, n) for n, text in enumerate(row.get("goals", ()), start=1))
        for _, ruling in captured(row["say"], known=row.get("known", ()), project=row.get("project"), goals=goals):
            assert ruling.reason
            assert bool(ruling.notice) == (ruling.outcome != "IGNORE" and ruling.reason != "it has already ended"), ruling


def test_a_goal_is_closed_when_it_is_named_and_proposed_when_it_is_not() -> None:
    goals = (goal("Finish the tax return", 1), goal("Learn Italian", 2))
    assert captured("The tax return is done!", goals=goals)[0][0].goal == "goal-1"
    assert captured("That's done.", goals=goals) == []
    asked = message("Is the tax return sent?", role="assistant", id="m0", seq=0)
    [(candidate, ruling)] = captured(asked, message("Yes, that's done."), goals=goals)
    assert (candidate.goal, candidate.goal_status, ruling.outcome) == ("goal-1", "done", "PERSIST")
    assert captured("Scrap the Italian plan.", goals=goals)[0][0].goal_status == "dropped"


def test_cue_phrases_are_few_and_each_group_names_its_source() -> None:
    assert sum(len(group.phrases) for group in cues.CUES.values()) <= 150
    assert all(group.source for group in cues.CUES.values())


def test_capture_of_a_message_takes_less_than_a_millisecond() -> None:
    known = [
        fact(text, n) for n, text in enumerate(["I live in Turin.", "I work at Initech.", "Our database is Postgres.", "My dog is called Pixel."])
    ]
    said = [row["say"] for row in ROWS]
    for text in said:
        captured(text, known=known)
    start = time.process_time()
    for text in said:
        captured(text, known=known)
    assert (time.process_time() - start) / len(said) < 0.003  # 0.4 ms on an idle core; the bound leaves room for a busy one
