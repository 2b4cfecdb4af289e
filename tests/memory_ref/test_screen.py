"""Never-store screening: what must go is gone, what is useful stays, and how often both hold."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memgauge import strict_yaml
from memgauge.memory_ref.policy import Policy, load_policy
from memgauge.memory_ref.screen import REMOVED, Removed, screen

POLICY = load_policy("default")
DATA: Mapping[str, Any] = strict_yaml.load(Path(__file__).parent / "data" / "never_store.yaml").data
MIN_RATE = 0.95


def _held(entry: Mapping[str, str]) -> bool:
    found = screen(entry["text"], POLICY, origin="stated")
    return found.verdict == "reject" if entry["secret"] == "" else entry["secret"] not in found.text


def _untouched(text: str) -> bool:
    found = screen(text, POLICY, origin="stated")
    return found.text == text and found.verdict == "keep"


def test_sixty_true_and_sixty_benign_sentences_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    true, benign = DATA["stored_never"], DATA["benign"]
    assert len(true) == len(benign) == 60
    missed = [entry["text"] for entry in true if not _held(entry)]
    alarms = [text for text in benign if not _untouched(text)]
    with capsys.disabled():
        print(f"\nnever-store: {60 - len(missed)} of 60 caught, {len(alarms)} of 60 benign sentences touched; missed {missed}; touched {alarms}")
    assert 1 - len(missed) / 60 >= MIN_RATE
    assert 1 - len(alarms) / 60 >= MIN_RATE


def test_sentences_written_after_the_rules_are_told_apart_too() -> None:
    missed = [entry["text"] for entry in DATA["later_stored_never"] if not _held(entry)]
    alarms = [text for text in DATA["later_benign"] if not _untouched(text)]
    assert len(missed) <= 2, missed
    assert len(alarms) <= 1, alarms


def test_the_useful_rest_of_a_sentence_is_kept() -> None:
    found = screen("staging login needs 2FA and the password is `Tulip-4417-canary`", POLICY, origin="stated")
    assert found.text == "staging login needs 2FA"
    assert found.verdict == "keep"
    assert [r.kind for r in found.removed] == ["password"]
    assert found.notices == ("Cut out and not kept: password.",)


def test_a_sentence_with_nothing_but_a_secret_is_refused_as_memory_and_kept_cut_as_message() -> None:
    text = "The wifi password at the cabin is swordfish"
    assert screen(text, POLICY, origin="stated").verdict == "reject"
    kept = screen(text, POLICY, origin="message")
    assert kept.text == f"The wifi password at the cabin is {REMOVED}"
    assert kept.removed == (Removed("password", (34, 43)),)
    assert kept.verdict == "keep"


def test_a_message_about_health_stays_in_its_conversation() -> None:
    text = "I was diagnosed with asthma, what should I avoid?"
    assert screen(text, POLICY, origin="message").text == text


@pytest.mark.parametrize("entry", DATA["stored_never"], ids=lambda e: e["text"][:40])
def test_screening_twice_changes_nothing(entry: Mapping[str, str]) -> None:
    once = screen(entry["text"], POLICY, origin="message").text
    again = screen(once, POLICY, origin="message")
    assert again.text == once
    assert again.removed == ()


@pytest.mark.parametrize(
    ("text", "origin", "preset", "verdict"),
    [
        ("I'm allergic to nuts", "stated", "default", "keep"),
        ("I'm allergic to nuts", "inferred", "default", "reject"),
        ("I'm allergic to nuts", "imported", "default", "review"),
        ("I'm allergic to nuts", "stated", "strict", "review"),
        ("I use a wheelchair", "stated", "default", "keep"),
        ("I'm Catholic", "stated", "default", "reject"),
        ("ana is Catholic", "inferred", "default", "reject"),
        ("I prefer short answers", "untrusted", "default", "reject"),
        ("I prefer short answers", "inferred", "default", "keep"),
    ],
)
def test_who_said_it_and_the_policy_decide(text: str, origin: Any, preset: str, verdict: str) -> None:
    found = screen(text, load_policy(preset), origin=origin)
    assert found.verdict == verdict
    if verdict == "keep" and "prefer" not in text:
        assert found.sensitivity == "high"


def test_a_policy_may_allow_health_and_switch_finders_off() -> None:
    allowed = load_policy({"screening.health": "review", "screening.payment": False})
    assert screen("I was diagnosed with asthma", allowed, origin="stated").verdict == "review"
    assert screen("My card is 4111 1111 1111 1111", allowed, origin="message").removed == ()


def test_a_reason_never_holds_the_secret() -> None:
    for entry in DATA["stored_never"]:
        found = screen(entry["text"], POLICY, origin="stated")
        assert not entry["secret"] or entry["secret"] not in found.reason


def test_screening_is_safe_in_threads() -> None:
    texts = [entry["text"] for entry in DATA["stored_never"]] * 4
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda t: screen(t, POLICY, origin="message"), texts))
    assert together == [screen(t, POLICY, origin="message") for t in texts]


def test_a_screened_write_costs_well_under_two_milliseconds() -> None:
    texts = [entry["text"] for entry in DATA["stored_never"]] + list(DATA["benign"])
    _all(texts, POLICY)  # imports and caches
    best = min(_timed(texts) for _ in range(3))
    assert best / len(texts) < 0.002


def _timed(texts: list[str]) -> float:
    start = time.process_time()
    _all(texts, POLICY)
    return time.process_time() - start


def _all(texts: list[str], policy: Policy) -> None:
    for text in texts:
        screen(text, policy, origin="stated")
