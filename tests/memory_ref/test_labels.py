from __future__ import annotations

from memgauge.memory_ref.counting import cached_counter
from memgauge.tokens import counter
from tests.memory_ref.store_support import Bench


def label_of(bench: Bench, query: str, **scope: str) -> str:
    item = bench.as_(thread="asking", **scope).recall(query).data["items"][0]
    return str(item["label"])


def test_a_label_says_what_it_is_where_it_comes_from_when_and_where_it_applies(bench: Bench) -> None:
    bench.ana.remember("The violin is at the luthier.", kind="episodic")
    assert label_of(bench, "Where is the violin?") == "episodic fact, stated by the user, confirmed by the user, 2026-03-02, everywhere"
    bench.as_(project="atlas").remember("The atlas port is five thousand.", reach="project")
    assert "project atlas" in label_of(bench, "Which port has atlas?", project="atlas")
    bench.ana.note_add("The piano was tuned.")
    assert label_of(bench, "When was the piano tuned?") == "daily note, 2026-03-02, no project"
    bench.ana.append(message_id="m1", role="user", text="The harp has forty strings.")
    assert label_of(bench, "How many strings has the harp?") == "earlier message, said by the user, 2026-03-02, no project"
    bench.ana.decide("We tune with a fork.", kind="choice")
    assert label_of(bench, "Do we tune with a fork?") == "choice, accepted, 2026-03-02, no project"


def test_a_preference_ages_later_than_an_event(bench: Bench) -> None:
    bench.ana.remember("The violin is at the luthier.", kind="episodic")
    bench.ana.remember("The harp is my instrument.", kind="profile")
    bench.advance(days=100)
    assert "confirm before use (aged)" in label_of(bench, "Where is the violin?")
    assert "confirm before use" not in label_of(bench, "Is the harp my instrument?")
    bench.advance(days=300)
    assert "confirm before use (aged)" in label_of(bench, "Is the harp my instrument?")


def test_a_confirmation_makes_it_young_again(bench: Bench) -> None:
    fact = bench.ana.remember("The violin is at the luthier.", kind="episodic").ids[0]
    bench.advance(days=100)
    bench.ana.confirm(fact)
    assert "confirm before use" not in label_of(bench, "Where is the violin?")


def test_a_cached_count_is_the_count() -> None:
    count, cached = counter(), cached_counter("cl100k_base")
    for text in ("", "one two", "京都です", "a\ud800b", "one two"):
        assert cached(text) == count(text)
