"""The session note: what is surfaced, the control sample beside it, and what the user's rulings say about surfacing."""

from __future__ import annotations

from pathlib import Path

from memgauge.clock import ManualClock
from memgauge.memory_ref.drafting import drafted, missed_by_surfacing
from memgauge.memory_ref.memory import open_memory
from memgauge.records import Scope
from tests.memory_ref.words import POLICY, message

SAID = (
    "I realise the real question is time, not money.",
    "That's not right, the shop opens at nine.",
    "I don't want to talk about the divorce.",
    "Part of me wants to leave.",
    "We planted beans along the fence.",
    "The roof of the shed leaks in autumn.",
    "Should I move the beans?",
)
THREAD = [message(text, id=f"m{n}", seq=n) for n, text in enumerate(SAID)]


def test_four_classes_are_surfaced_and_a_sample_of_the_rest() -> None:
    found = drafted(THREAD, POLICY.review)
    assert [line.class_ for line in found] == ["correction", "boundary", "framing", "tension", None]
    assert [line.control for line in found] == [False, False, False, False, True]
    assert found[-1].text in SAID[4:6]
    assert found[0].message_id == "m1"


def test_the_same_thread_gives_the_same_draft() -> None:
    assert drafted(THREAD, POLICY.review) == drafted(THREAD, POLICY.review)


def test_a_thread_with_nothing_to_carry_gives_nothing_but_its_sample() -> None:
    assert drafted([message("Hi there!")], POLICY.review) == ()
    assert drafted([message("I realise I was wrong.", role="assistant"), message("I realise I was wrong.", origin="pasted")], POLICY.review) == ()


def test_the_users_rulings_measure_what_surfacing_missed(tmp_path: Path) -> None:
    memory = open_memory(tmp_path, clock=ManualClock())
    session = memory.session(Scope(user="ana", thread="main"))
    for n, text in enumerate(SAID):
        session.append(f"m{n}", "user", text)
    items = session.draft().data["items"]
    assert session.draft().data["items"] == items
    control = next(item for item in items if item["label"] == "control")
    for item in items:
        if item is not control:
            session.review_decide(item["id"], "dont_carry")
    kept = session.review_decide(control["id"], "approve")
    assert len(kept.ids) == 2
    measured = memory.read(Scope(user="ana"), lambda store: _reply(missed_by_surfacing(store)))
    assert measured.data == {"kept": 1, "ruled": 1}
    assert session.draft().data["items"] == []
    memory.close()


def test_a_secret_never_enters_a_draft(tmp_path: Path) -> None:
    memory = open_memory(tmp_path, clock=ManualClock())
    session = memory.session(Scope(user="ana", thread="main"))
    session.append("m1", "user", "That's not right, the password is Zebra-9921-lamp.")
    assert "Zebra" not in str(session.draft())
    memory.close()


def _reply(counts: tuple[int, int]) -> object:
    from memgauge.memory_ref.records import Reply

    return Reply(data={"kept": counts[0], "ruled": counts[1]})
