from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgauge.memory_ref.errors import Damaged, NotFound, Refused
from memgauge.memory_ref.memory import open_memory
from memgauge.memory_ref.owner import folder_name
from memgauge.memory_ref.session import Session
from memgauge.records import Scope
from tests.memory_ref.store_support import Bench, texts

LOOKALIKES = ("ana", "ana-b", "ana.b", "ana_b", "Ana", "ana ", "ana:b", "an\u00e5", "ana\u030a", "../ana", "%", "*", "a\nb")

BY_ID: dict[str, Callable[[Session, str], Any]] = {
    "correct": lambda s, i: s.correct("mine now", id=i),
    "confirm": lambda s, i: s.confirm(i),
    "forget": lambda s, i: s.forget(i),
    "history": lambda s, i: s.history(i),
    "explain": lambda s, i: s.explain(i),
    "unpin": lambda s, i: s.unpin(i),
    "goal_update": lambda s, i: s.goal_update(i, status="done"),
    "lock": lambda s, i: s.lock(i),
    "unlock": lambda s, i: s.unlock(i),
    "review_decide": lambda s, i: s.review_decide(i, "approve"),
    "feedback": lambda s, i: s.feedback(i, helped=True),
}


def test_lookalike_users_are_strangers(bench: Bench) -> None:
    for n, user in enumerate(LOOKALIKES):
        bench.as_(user).remember(f"My locker is number {n}0{n}, said {n}")
    for n, user in enumerate(LOOKALIKES):
        assert texts(bench.as_(user).list()) == [f"My locker is number {n}0{n}, said {n}"]
    bench.as_("ana").forget_all()
    assert [len(texts(bench.as_(user).list())) for user in LOOKALIKES] == [0] + [1] * (len(LOOKALIKES) - 1)
    assert all(path.parent == bench.root for path in bench.root.iterdir())


def test_tenant_and_user_do_not_run_together() -> None:
    names = {folder_name(Scope(tenant=t, user=u)) for t, u in (("a", "bc"), ("ab", "c"), ("abc", "d"), ("a", "b"))}
    assert len(names) == 4


@pytest.mark.parametrize("scope", [Scope(), Scope(user=""), Scope(user="  "), Scope(user="a\0b"), Scope(user="ana", tenant="")])
def test_no_scope_is_refused_by_every_verb(bench: Bench, scope: Scope) -> None:
    session = bench.memory.session(scope)
    calls: list[Callable[[], Any]] = [
        lambda: session.list(),
        lambda: session.export(),
        lambda: session.recall("x"),
        lambda: session.context("x", {"window": 100}),
        lambda: session.forget_all(),
        lambda: session.remember("x y z"),
        lambda: session.append("m1", "user", "hello"),
        lambda: session.access(),
        lambda: session.authorise("pay"),
    ]
    for call in calls:
        with pytest.raises(Refused, match="the scope names no"):
            call()
    assert not list(bench.root.iterdir())


@pytest.mark.parametrize("verb", BY_ID)
def test_an_id_of_another_user_answers_as_one_that_never_was(bench: Bench, verb: str) -> None:
    ids = [
        bench.ana.remember("Marker Tulip is mine").ids[0],
        bench.ana.goal_add("Plant the Tulip").ids[0],
        bench.ana.pin("Tulip first").ids[0],
        bench.ana.decide("We plant Tulip").ids[0],
    ]
    before = bench.ana.export().data
    for record in ids:
        answers = []
        bench.as_("ben").remember(f"Ben's own {record} is blue")
        for wanted in (record, record.partition("-")[0] + "-999"):
            with pytest.raises(NotFound) as raised:
                BY_ID[verb](bench.as_("ben"), wanted)
            answers.append(str(raised.value))
        assert answers[0] == answers[1]
        assert "Tulip" not in answers[0]
    assert bench.ana.export().data == before


def test_the_same_sentence_of_two_users_is_two_memories(bench: Bench) -> None:
    replies = [bench.as_(user).remember("I prefer aisle seats") for user in ("ana", "ben")]
    assert [reply.data for reply in replies] == [replies[0].data] * 2
    assert replies[0].ids != replies[1].ids
    bench.ana.forget(replies[0].ids[0])
    assert texts(bench.as_("ben").list()) == ["I prefer aisle seats"]


def test_a_private_thread_is_seen_from_inside_only(bench: Bench) -> None:
    secret = bench.as_(thread="p")
    secret.append("p1", "user", "Remember that my secret plan is Orchid.", private=True)
    secret.append("p2", "assistant", "I will.")
    assert secret.end_turn().ids == ()
    with pytest.raises(Refused):
        secret.remember("My plan is Orchid")
    assert texts(secret.list(kind="messages"))[0].startswith("Remember")
    assert texts(bench.ana.list(kind="all")) == []
    assert texts(bench.ana.recall("secret plan")) == []
    assert "Orchid" not in str(bench.ana.export().data)
    with pytest.raises(NotFound):
        bench.ana.explain("p1")
    bench.ana.append("m1", "user", "hello")
    with pytest.raises(Refused):
        bench.ana.append("m2", "user", "now secret", private=True)
    bench.advance(days=2)
    bench.ana.expire()
    assert b"orchid" not in bench.bytes()


def test_files_and_folders_are_the_owners_alone(bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    bench.ana.call_begin("c1", "search", "read")
    for path in (bench.root, *bench.root.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_folder_under_another_name_is_not_served(bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    bench.memory.close()
    [folder] = bench.root.iterdir()
    folder.rename(bench.root / folder_name(Scope(user="ben")))
    with pytest.raises(Damaged):
        bench.as_("ben").list()


def test_an_emptied_file_is_not_taken_for_a_new_user(bench: Bench) -> None:
    bench.ana.remember("I live in Ghent")
    bench.memory.close()
    [path] = bench.root.glob("*/memory.db")
    for name in ("memory.db-wal", "memory.db-shm"):
        path.with_name(name).unlink(missing_ok=True)
    path.write_bytes(b"")
    with pytest.raises(Damaged):
        bench.ana.list()
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(Damaged):
        bench.ana.list()


def test_connections_are_bounded(tmp_path: Path) -> None:
    memory = open_memory(tmp_path, policy={"storage.open_stores": 3})
    for n in range(8):
        memory.session(Scope(user=f"u{n}")).note_add("x y")
    assert len(memory._stores._opened) <= 3
    assert len(texts(memory.session(Scope(user="u0")).list(kind="notes"))) == 1
    memory.close()


def test_what_is_said_of_a_project_stays_in_it_and_what_the_user_says_of_himself_does_not(bench: Bench) -> None:
    alpha = bench.as_(thread="a", project="alpha")
    for n, text in enumerate(
        ("Our database is Postgres.", "Remember that the client is called Orchid.", "I live in Ghent.", "My favourite tea is oolong.")
    ):
        alpha.append(f"m{n}", "user", text)
        alpha.end_turn()
    elsewhere = texts(bench.as_(thread="b", project="beta").list(kind="all"))
    assert {"I live in Ghent", "My favourite tea is oolong"} <= set(elsewhere)
    assert not [text for text in elsewhere if "Postgres" in text or "Orchid" in text]
    assert texts(bench.as_(thread="a2", project="alpha").recall("which database do we use")) == ["Our database is Postgres"]
