"""The optional model, on a scripted server: what of its answers is taken, what is dropped, and what happens when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memgauge.errors import InputError
from memgauge.memory_ref import digest, model_digest
from memgauge.memory_ref.completion import Answer, client
from memgauge.memory_ref.digest import Line
from memgauge.memory_ref.policy import load_policy
from tests.memory_ref.scripted_model import Script, scripted
from tests.memory_ref.store_support import Bench, texts


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as made:
        yield made


def policy(script: Script, **changes: Any) -> dict[str, Any]:
    return {"model.enabled": True, "model.base_url": script.url, "model.name": "small-1", **{f"model.{key}": value for key, value in changes.items()}}


@pytest.fixture
def bench(script: Script, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "store", policy(script, retries=0))
    yield made
    made.memory.close()


def ask(script: Script, **changes: Any) -> Answer:
    made = client(load_policy(policy(script, **changes)).model)
    assert made is not None
    return made("Do it.", "material")


def say(bench: Bench, *said: str) -> None:
    for text in said:
        n = len(bench.ana.list("messages").data["items"])
        bench.ana.append(message_id=f"m{n}", role="user", text=text)


def operations(bench: Bench) -> list[str]:
    return texts(bench.ana.list("operations"))


# --- the client ---------------------------------------------------------------------------------------------------------


def test_no_model_is_asked_unless_the_policy_says_so(script: Script, tmp_path: Path) -> None:
    assert client(load_policy().model) is None
    made = Bench(tmp_path / "s", {"model.base_url": script.url, "model.name": "small-1"})
    say(made, "I keep an old barometer.")
    made.ana.end_turn()
    made.ana.summarise(keep=0)
    assert script.asked == []
    made.memory.close()


def test_the_key_comes_from_the_named_variable(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="MG_TEST_KEY is not set"):
        client(load_policy(policy(script, key_env="MG_TEST_KEY")).model)
    monkeypatch.setenv("MG_TEST_KEY", "k-123")
    ask(script, key_env="MG_TEST_KEY")
    ask(script)
    assert script.keys == ["Bearer k-123", None]
    with pytest.raises(InputError, match="needs its name"):
        client(load_policy(policy(script, name="")).model)


@pytest.mark.parametrize("url", ["http://example.org/v1", "ftp://127.0.0.1", "localhost:11434"])
def test_an_address_that_would_send_in_clear_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"model\.base_url"):
        load_policy({"model.base_url": url})


def test_a_busy_endpoint_is_asked_again_a_bounded_number_of_times(script: Script) -> None:
    script.answers = [503, {"a": 1}]
    found = ask(script, retries=1)
    assert (found.data, found.calls, found.failure, found.tokens) == ({"a": 1}, 2, "", 50)
    script.answers = [429]
    found = ask(script, retries=2)
    assert (found.data, found.calls, found.failure) == ({}, 3, "the model's endpoint answered with status 429")


@pytest.mark.parametrize(
    ("answer", "said"),
    [(401, "status 401"), (302, "status 302"), ("Sorry, I cannot.", "no JSON object"), ("{broken}", "no JSON object"), ("[1]", "no JSON object")],
)
def test_what_will_not_change_is_asked_once(script: Script, answer: str | int, said: str) -> None:
    script.answers = [answer]
    found = ask(script, retries=3)
    assert (found.calls, found.data) == (1, {})
    assert said in found.failure
    assert len(script.asked) == 1


def test_a_slow_or_dripping_endpoint_is_left_in_time(script: Script) -> None:
    script.wait = 0.5
    found = ask(script, timeout_s=0.1, retries=3)
    assert found.failure == "the model did not answer in time"
    assert found.ms < 450
    script.wait, script.drip = 0.0, 0.02
    found = ask(script, timeout_s=0.2)
    assert found.failure == "the model did not answer in time"
    assert found.ms < 450


def test_an_endpoint_that_is_not_there_is_a_reason_and_words_around_the_json_are_no_fault(script: Script) -> None:
    made = client(load_policy(policy(script, base_url="http://127.0.0.1:9/v1", retries=0)).model)
    assert made is not None
    assert "cannot be reached" in made("a", "b").failure
    script.answers, script.usage = ['Here you are:\n```json\n{"a": 1}\n```'], None
    found = ask(script)
    assert found.data == {"a": 1}
    assert found.tokens > 5  # counted here, since the server said nothing


# --- summaries ----------------------------------------------------------------------------------------------------------

SAID = (
    Line("m1", "user", "As for the crates, please never ship crate KX-7 by air."),
    Line("m2", "user", "We talked about the lake house and the boats for quite a while."),
    Line("m3", "assistant", "I would suggest the train to Lyon at 9:40."),
    Line("m4", "user", 'My neighbour said "the fence is mine" again.'),
)


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        (("m1", "Never ship crate KX-7 by air."), True),
        (("m1", "Ship crate KX-7 by air."), False),  # the negation is lost
        (("m1", "Never ship crate KX-8 by air."), False),  # another code
        (("m1", "Never ship the crate by air."), False),  # the code is lost
        (("m1", "Never ship crate KX-7 by air or Marlene will sue."), False),  # a name that nobody said
        (("m1", "Never ship crate KX-7 by air; payment was approved and insurance settled yesterday."), False),  # an addition
        (("m2", "Talked about the lake house and the boats."), True),
        (("m2", "Only talked about the lake house and the boats."), False),  # an obligation nobody said
        (("m3", "Suggest the train to Lyon at 9:40."), True),
        (("m3", "The user wants the train to Lyon at 9:40."), False),  # the assistant's words, put into the user's mouth
        (("m3", "Suggest \"the train\" to Lyon at 9:40."), False),  # a quotation, and no user's turn
        (("m4", "Neighbour said \"the fence is mine\" again."), True),
        (("m4", "Neighbour said \"the fence\" and \"is yours\" again."), False),
        (("m9", "Never ship crate KX-7 by air."), False),  # no such message
    ],
)  # fmt: skip
def test_a_line_is_taken_only_when_it_tells_what_was_said(line: tuple[str, str], taken: bool) -> None:
    found = model_digest.checked(SAID, {"lines": [{"id": line[0], "text": line[1]}]})
    assert (line[1] in [one.text for one in found.lines]) is taken
    assert found.dropped == (not taken)
    kept = " ".join(one.text for one in found.lines)
    assert "KX-7" in kept
    assert "9:40" in kept
    assert "never" in kept.lower()


@pytest.mark.parametrize("answer", [{}, {"lines": "all"}, {"lines": [1, None, {"id": 4}, {"id": "m1", "text": ""}, {"id": "m1", "text": ["x"]}]}])
def test_a_strange_answer_leaves_what_must_not_be_lost(answer: dict[str, Any]) -> None:
    assert [one.message_id for one in model_digest.checked(SAID, answer).lines] == ["m1", "m3"]


def test_a_summary_in_the_models_words_is_stored_with_its_name_and_its_cost(script: Script, bench: Bench) -> None:
    say(bench, "As for the crates, please never ship crate KX-7 by air.", "Write to ana@example.org if in doubt.", "Bye for now, see you!")
    script.answers = [{"lines": [{"id": "m0", "text": "Never ship crate KX-7 by air."}, {"id": "m0", "text": "Payment approved."}]}]
    reply = bench.ana.summarise(keep=1)
    [item] = bench.ana.list("summaries").data["items"]
    assert item["text"].splitlines() == [digest.HEADER, "- [m0] user: Never ship crate KX-7 by air."]
    assert reply.data["dropped"] == 1
    assert "ana@example.org" not in json.dumps(script.asked)  # personal data is not sent either
    assert operations(bench)[-1].endswith("1 calls and 50 tokens of small-1")
    assert [one["message_id"] for one in bench.ana.explain(item["id"]).data["messages"]] == ["m0"]
    bench.ana.forget(message_id="m0")
    assert b"kx-7" not in bench.bytes()


def test_a_summary_goes_on_from_the_one_before(script: Script, bench: Bench) -> None:
    say(bench, "As for the crates, please never ship crate KX-7 by air.", "Also, never paint crate KX-9 red.")
    script.answers = [{"lines": [{"id": "m0", "text": "Never ship crate KX-7 by air."}]}, {"lines": []}]
    bench.ana.summarise(keep=1)
    bench.ana.summarise(keep=0)
    assert [line["text"] for line in script.material()] == ["Never ship crate KX-7 by air.", "Also, never paint crate KX-9 red."]
    text = texts(bench.ana.list("summaries"))[-1]
    assert (text.count("KX-7"), text.count("KX-9")) == (1, 1)


def test_a_failing_model_leaves_the_extractive_summary_and_says_so(script: Script, bench: Bench) -> None:
    say(bench, "Please never ship crate KX-7 by air.")
    script.answers = [500]
    reply = bench.ana.summarise(keep=0)
    assert reply.data["degraded"] == ["summary: the model's endpoint answered with status 500; made by rules alone"]
    assert "Please never ship crate KX-7 by air." in texts(bench.ana.list("summaries"))[0]
    assert "1 calls and 0 tokens of small-1" in operations(bench)[-1]


def test_a_long_thread_is_summarised_at_the_end_of_its_turn(script: Script, tmp_path: Path) -> None:
    made = Bench(tmp_path / "s", {**policy(script), "summaries.window_tokens": 200, "model.capture": False})
    made.ana.append_many([{"message_id": f"m{n}", "role": "user", "text": f"Never ship crate KX-{n} by air."} for n in range(40)])
    script.answers = [500]
    reply = made.ana.end_turn()
    assert len(made.ana.list("summaries").data["items"]) == 1
    assert [line.partition(":")[0] for line in operations(made)[-2:]] == ["end_turn", "summarise"]
    assert reply.data["degraded"][0].startswith("summary: ")
    made.memory.close()


# --- capture ------------------------------------------------------------------------------------------------------------


def propose(script: Script, *entries: tuple[str, str] | tuple[str, str, str]) -> None:
    script.answers = [{"candidates": [{"id": id_, "quote": quote, "guess": "".join(guess)} for id_, quote, *guess in entries]}]


UNREAD = "My old barometer sits above the piano."


def test_what_the_rules_do_not_read_is_kept_in_the_users_own_words(script: Script, bench: Bench) -> None:
    say(bench, f"{UNREAD} What is the weather like?")
    propose(script, ("m0", "old barometer sits above the piano"))
    reply = bench.ana.end_turn()
    assert [(one["text"], one["outcome"]) for one in reply.data["saved"]] == [(UNREAD.rstrip("."), "PERSIST")]
    [fact] = bench.ana.list("facts").data["items"]
    assert (fact["status"], fact["source_ids"]) == ("proposed", ["m0"])
    assert "Noted" in reply.notices[0]
    assert operations(bench)[-1].endswith("1 calls and 50 tokens of small-1")


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (UNREAD, "I own a telescope"),  # never said
        ("If I were rich, my old barometer would sit above a piano.", "my old barometer would sit above a piano"),
        ("Does my old barometer sit above the piano?", "my old barometer sit above the piano"),
        ("He said my old barometer sits above the piano.", "my old barometer sits above the piano"),
        ("> My old barometer sits above the piano.", "My old barometer sits above the piano."),
        ("The old barometer sits above the piano.", "The old barometer sits above the piano."),  # nobody's
        ("My barometer has the password Zebra-9921-lamp.", "My barometer has the password"),
    ],
)
def test_what_is_not_the_users_plain_word_is_not_kept(script: Script, bench: Bench, said: str, quote: str) -> None:
    say(bench, said)
    propose(script, ("m0", quote))
    bench.ana.end_turn()
    assert texts(bench.ana.list("facts")) == []
    assert b"zebra-9921" not in bench.bytes()


def test_the_models_guess_is_proposed_ends_soon_and_is_never_about_what_may_not_be_concluded(script: Script, bench: Bench) -> None:
    say(bench, UNREAD)
    propose(script, ("m0", UNREAD, "Seems to be a friend of Marlene"))
    bench.ana.end_turn()
    assert texts(bench.ana.list("facts")) == []  # a name that the clause does not hold
    say(bench, "My second barometer hangs in the hall.", "My third barometer hangs in the kitchen.")
    propose(
        script, ("m1", "My second barometer hangs in the hall", "Seems to collect barometers"), ("m2", "My third barometer hangs", "Is a Catholic")
    )
    reply = bench.ana.end_turn()
    [fact] = bench.ana.list("facts").data["items"]
    assert (fact["text"], fact["status"], fact["expires_at"][:10]) == ("Seems to collect barometers", "proposed", "2026-03-09")
    assert "guess" in reply.data["saved"][0]["reason"]
    assert bench.ana.authorise("collect").data["allowed"] is False


def test_the_rules_go_first_and_a_model_supersedes_nothing(script: Script, bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    say(bench, "I live in Lyon.")
    propose(script, ("m0", "I live in Lyon"), ("m0", "I live in Lyon", "moved house"))
    reply = bench.ana.end_turn()
    assert [one["outcome"] for one in reply.data["saved"]] == ["NEEDS_REVIEW"]
    assert texts(bench.ana.list("facts")) == ["I live in Ghent"]


def test_nothing_is_sent_of_private_threads_failed_replies_pasted_text_and_paused_memory(script: Script, bench: Bench) -> None:
    bench.as_(thread="secret").append("p0", "user", UNREAD, private=True)
    bench.as_(thread="secret").end_turn()
    bench.ana.append("m0", "user", UNREAD, origin="pasted")
    bench.ana.append("m1", "assistant", UNREAD)
    bench.ana.append("m2", "tool", UNREAD, call_id="c1")
    bench.ana.end_turn()
    say(bench, UNREAD)
    bench.ana.end_turn(ok=False)
    bench.ana.set_access(enabled=False)
    say(bench, UNREAD)
    bench.ana.end_turn()
    assert script.asked == []


def test_a_failing_model_leaves_the_rules_and_says_so(script: Script, bench: Bench) -> None:
    say(bench, "Remember that I prefer aisle seats.")
    script.answers = ["no idea"]
    reply = bench.ana.end_turn()
    assert reply.data["degraded"] == ["capture: the model answered no JSON object; made by rules alone"]
    assert texts(bench.ana.list("facts")) == ["I prefer aisle seats"]


def test_a_repeated_request_asks_the_model_once(script: Script, bench: Bench) -> None:
    say(bench, UNREAD)
    propose(script, ("m0", UNREAD))
    first = bench.as_(key="k1").end_turn()
    again = bench.as_(key="k1").end_turn()
    assert first.ids == again.ids
    assert len(script.asked) == 1
