from __future__ import annotations

from pathlib import Path

from memgauge.records import Scope
from memgauge.systems.conversation import HISTORY_MESSAGES
from memgauge.systems.off import Off
from memgauge.systems.transcript import Transcript
from memgauge.tokens import count_messages, counter
from tests.systems.asking import ANA, BEN, ask, close, opened, prompt, say

OTHER = Scope(user="ana", thread="other")


def test_the_window_is_the_current_thread_of_the_current_user(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    say(off, 1, "mine", ANA)
    say(off, 2, "elsewhere", OTHER)
    say(off, 3, "his", BEN)
    assert prompt(off, "now", application=["Be brief."]) == ["Be brief.", "mine", "now"]
    close(off)


def test_it_is_durable_and_a_half_written_line_is_no_message(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    say(off, 1, "kept")
    close(off)
    with (tmp_path / "messages.jsonl").open("a") as file:
        file.write('{"message_id": "m2", "role": "user", "te')
    again = opened(Off(), tmp_path)
    assert prompt(again, "now") == ["kept", "now"]
    close(again)


def test_a_message_sent_twice_is_kept_once(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    say(off, 1, "once")
    say(off, 1, "once")
    assert prompt(off, "now") == ["once", "now"]
    close(off)


def long_thread(tmp_path: Path, messages: int) -> Off:
    off = Off()
    opened(off, tmp_path)
    many = [
        {"message_id": f"m{i}", "role": "user" if i % 2 else "assistant", "text": f"Message number {i} about the garden."} for i in range(messages)
    ]
    ask(off, "append_many", messages=many)
    return off


def test_history_takes_its_share_and_no_more(tmp_path: Path) -> None:
    off = long_thread(tmp_path, 200)
    count = counter()
    for window in (200, 500, 800):
        shown = prompt(off, "now", budget={"window": window, "reserve": 50})
        fixed = count_messages(["now"], count)
        spent = count_messages(shown, count) - fixed
        share = int((window - 50 - fixed) * 0.6)
        assert share - 20 < spent <= share
    assert len(prompt(off, "now", budget={"window": 100000, "reserve": 0})) == HISTORY_MESSAGES + 1
    close(off)


def test_recent_extra_widens_the_window_by_that_many_tokens(tmp_path: Path) -> None:
    off = long_thread(tmp_path, 200)
    count = counter()
    for budget in ({"window": 500, "reserve": 50}, {"window": 100000, "reserve": 0}):
        plain = count_messages(prompt(off, "now", budget=budget), count)
        wider = count_messages(prompt(off, "now", budget={**budget, "recent_extra": 100}), count)
        assert 85 <= wider - plain <= 115
    assert count_messages(prompt(off, "now", budget={"window": 200, "reserve": 50, "recent_extra": 10000}), count) <= 150
    close(off)


def test_half_a_tool_exchange_is_left_out(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    say(off, 1, "calling", role="assistant", calls=[{"id": "c1", "name": "weather", "arguments": {}}])
    say(off, 2, "sunny", role="tool", call_id="c1")
    say(off, 3, "calling again", role="assistant", calls=[{"id": "c2", "name": "weather", "arguments": {}}])
    assert prompt(off, "now") == ["calling", "sunny", "now"]
    messages = ask(off, "context", text="now", budget={"window": 30, "reserve": 0}).data["messages"]
    assert [m["content"] for m in messages] == ["now"]
    close(off)


def test_it_refuses_what_cannot_fit_and_what_has_no_user(tmp_path: Path) -> None:
    off = opened(Off(), tmp_path)
    refused = ask(off, "context", text="word " * 100, budget={"window": 60, "reserve": 10})
    assert refused.status == "refused"
    assert refused.data["needed"] > refused.data["available"] == 50
    assert ask(off, "append", Scope(), message_id="m", role="user", text="x").status == "refused"
    assert ask(off, "remember", text="x").status == "unsupported"
    close(off)


def test_the_transcript_holds_everything_the_user_said_and_nothing_of_others(tmp_path: Path) -> None:
    system = opened(Transcript(), tmp_path)
    say(system, 1, "mine", ANA)
    say(system, 2, "elsewhere", OTHER)
    say(system, 3, "his", BEN)
    assert prompt(system, "now", budget={"window": 12, "reserve": 0}) == ["elsewhere", "mine", "now"]
    close(system)
