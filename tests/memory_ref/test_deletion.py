from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memgauge.memory_ref import erase
from memgauge.memory_ref.errors import Conflict, NotFound, Refused, StorageFailed
from memgauge.memory_ref.searchtext import porter
from memgauge.records import Scope
from tests.memory_ref.store_support import Bench, texts

MARKERS = ("Zanzibarites", "quoxing", "Vermilliona")
"""The stems of the first two differ from the words, so that a scan for the words alone would pass a leaking index."""
NEEDLES = [needle.encode() for word in MARKERS for needle in (word.lower(), porter(word.lower()))]
SECRET = f"I live in {MARKERS[0]} near {MARKERS[1]} {MARKERS[2]}"


def residue(bench: Bench) -> set[bytes]:
    data = bench.bytes()
    return {needle for needle in NEEDLES if needle in data}


def check_index(bench: Bench) -> None:
    """The index agrees with its rows, every live record has one row, and no term stands there that no row has."""

    def look(store):  # type: ignore[no-untyped-def]
        database = store.database
        indexed = {row["record"] for row in database.all("SELECT record FROM search_rows")}
        for table in ("facts", "notes", "decisions"):
            assert {row["id"] for row in database.all(f"SELECT id FROM {table}")} <= indexed
        known = " ".join(row["search_text"] for row in database.all("SELECT search_text FROM search_rows")).lower().split()
        stems = {porter(word) for word in known} | set(known)
        assert {row["term"] for row in database.all("SELECT term FROM search_terms")} <= stems
        from memgauge.memory_ref.records import Reply

        return Reply()

    bench.memory.read(Scope(user="ana"), look)
    with bench.memory._stores.borrowed(Scope(user="ana"), "") as (database, _):
        erase.verify(database)


def tell(bench: Bench, text: str, n: int, thread: str = "main") -> None:
    session = bench.as_(thread=thread)
    session.append(f"u{n}", "user", text)
    session.append(f"a{n}", "assistant", "Thank you, noted.")
    session.end_turn()


@pytest.mark.parametrize("by", ["id", "query", "message"])
def test_forgotten_words_leave_every_read_path_and_every_file(bench: Bench, by: str) -> None:
    tell(bench, "My cat is called Plum.", 1)
    tell(bench, f"{SECRET}. My favourite tea is oolong.", 2)
    tell(bench, "I work at Orchid.", 3)
    record = next(item["id"] for item in bench.ana.list().data["items"] if MARKERS[0] in item["text"])
    bench.ana.summarise(keep=0)
    bench.reopen()
    assert len(residue(bench)) == len(set(NEEDLES))
    reply = bench.ana.forget(**{"id": record} if by == "id" else {"query": "where do I live"} if by == "query" else {"message_id": "u2"})
    assert reply.pending is None
    assert reply.data["removed"]["facts"] == (2 if by == "message" else 1)
    shown = str([bench.ana.list(kind="all").data, bench.ana.export().data, bench.ana.recall("where do I live").data])
    shown += str(bench.ana.context("where do I live", {"window": 4000, "reserve": 100}).data)
    assert not any(word.lower() in shown.lower() for word in MARKERS)
    assert residue(bench) == set()
    check_index(bench)
    assert any("Orchid" in text for text in texts(bench.ana.list()))
    assert ("oolong" in shown) == (by != "message")
    ids = [item["id"] for item in bench.ana.list(kind="messages").data["items"]]
    assert ids == ["u1", "a1", "a2", "u3", "a3"] if by == "message" else ids == ["u1", "a1", "u2", "a2", "u3", "a3"]


def test_deleting_again_is_not_found(bench: Bench) -> None:
    record = bench.ana.remember("I live in Ghent").ids[0]
    bench.ana.forget(record)
    for call in (lambda: bench.ana.forget(record), lambda: bench.ana.correct("x", id=record), lambda: bench.ana.history(record)):
        with pytest.raises(NotFound, match=r"^no such record$"):
            call()


def test_what_was_forgotten_is_not_learnt_again_until_the_user_asks(bench: Bench) -> None:
    tell(bench, "I live in Ghent.", 1)
    bundle = bench.ana.export().data["bundle"]
    record = bench.ana.list().data["items"][0]["id"]
    bench.ana.forget(record, keep_source=True)
    assert texts(bench.ana.list(kind="messages")) == ["I live in Ghent.", "Thank you, noted."]
    assert texts(bench.as_(thread="t2").list(kind="messages")) == ["Thank you, noted."]
    skipped = bench.ana.import_(bundle).data["skipped"]
    assert {entry["reason"] for entry in skipped} == {"forgotten"}
    bench.ana.rebuild()
    assert texts(bench.ana.list()) == []
    assert texts(bench.ana.recall("where do I live")) == []
    bench.ana.remember("I live in Ghent")
    assert texts(bench.ana.list()) == ["I live in Ghent"]


def test_an_echo_by_the_assistant_goes_with_its_source(bench: Bench) -> None:
    bench.ana.append("u1", "user", "I live in Ghent.")
    bench.ana.append("a1", "assistant", "So you live in Ghent! The weather in Ghent is mild. Shall we go on?")
    bench.ana.end_turn()
    bench.ana.forget(query="where do I live")
    assert texts(bench.ana.list(kind="messages"))[0] == "[removed] [removed] Shall we go on?"


def test_a_fact_said_twice_survives_the_loss_of_one_message(bench: Bench) -> None:
    tell(bench, "I live in Ghent.", 1)
    tell(bench, "I live in Ghent.", 2, thread="t2")
    bench.ana.forget(message_id="u1")
    assert texts(bench.ana.list()) == ["I live in Ghent"]
    assert [m["message_id"] for m in bench.ana.explain(bench.ana.list().data["items"][0]["id"]).data["messages"]] == ["u2"]


def test_an_open_reader_makes_the_erase_pending_and_the_next_write_finishes_it(bench: Bench) -> None:
    bench.ana.append("u1", "user", f"{SECRET}.")
    bench.ana.end_turn()
    [path] = bench.root.glob("*/memory.db")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM facts").fetchone()
    pending = bench.ana.forget(query="where do I live").pending
    assert pending is not None
    assert texts(bench.ana.list()) == []
    assert residue(bench)
    reader.close()
    bench.ana.note_add("Watered the beans")
    assert residue(bench) == set()


def test_a_pending_erase_is_finished_at_the_next_opening(bench: Bench) -> None:
    bench.ana.remember(SECRET)
    [path] = bench.root.glob("*/memory.db")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM facts").fetchone()
    assert bench.ana.forget(query="where do I live").pending
    bench.memory.close()
    reader.close()
    bench.reopen()
    bench.ana.list()
    assert residue(bench) == set()


def test_forget_all_is_for_one_user_and_keeps_his_settings(bench: Bench) -> None:
    for user in ("ana", "ben"):
        bench.as_(user).remember(SECRET)
    bench.ana.set_access(enabled=False)
    bench.as_("cy").forget_all()
    bench.ana.forget_all()
    assert texts(bench.ana.list(kind="all")) == []
    assert texts(bench.as_("ben").list()) == [SECRET]
    assert bench.ana.access().data["can_write"] is False
    folders = {path.parent.name for path in bench.root.glob("*/memory.db") if MARKERS[0].lower().encode() in path.read_bytes().lower()}
    assert len(folders) <= 1
    with pytest.raises(Refused):
        bench.as_("").forget_all()


def test_a_request_sent_again_brings_nothing_back(bench: Bench) -> None:
    bench.as_(key="one").remember(SECRET)
    bench.as_(key="two").append("m1", "user", SECRET)
    bench.ana.forget_all()
    assert bench.as_(key="one").remember(SECRET).data == {"repeated": True}
    assert bench.as_(key="two").append("m1", "user", SECRET).ids == ()
    assert texts(bench.ana.list(kind="all")) == []
    assert bench.as_(key="three").remember(SECRET).data["outcome"] == "added"


def test_a_backup_that_still_holds_it_is_named_with_its_end(bench: Bench, tmp_path: Path) -> None:
    record = bench.ana.remember(SECRET).ids[0]
    bench.ana.backup(str(tmp_path / "copy.db"))
    reply = bench.ana.forget(record)
    [held] = reply.data["backups"]
    assert held["path"].endswith("copy.db")
    assert held["expires_at"].startswith("2026-04-01")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    bench.advance(days=31)
    bench.ana.expire()
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_holds_every_acknowledged_row(bench: Bench, tmp_path: Path) -> None:
    for n in range(5):
        bench.ana.note_add(f"Note number {n}")
    bench.ana.backup(str(tmp_path / "copy.db"))
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        assert copy.execute("SELECT count(*) FROM notes").fetchone() == (5,)
    copy.close()


def test_the_old_value_of_a_corrected_record_goes_with_it(bench: Bench) -> None:
    record = bench.ana.remember(SECRET).ids[0]
    bench.ana.correct("I live in Lyon", id=record)
    bench.ana.forget(record)
    assert texts(bench.ana.list(include=["superseded"])) == []
    assert residue(bench) == set()


def test_words_that_fit_no_record_may_fit_a_message(bench: Bench) -> None:
    tell(bench, "The heron nests behind the old mill.", 1)
    bench.ana.forget(query="where does the heron nest")
    assert texts(bench.ana.list(kind="messages")) == ["Thank you, noted."]
    with pytest.raises(NotFound):
        bench.ana.forget(query="where does the heron nest")


def test_a_line_of_the_consolidated_document_goes_from_every_revision(bench: Bench) -> None:
    tell(bench, f"{SECRET}.", 1)
    tell(bench, f"{SECRET}.", 2, thread="t2")
    bench.ana.consolidate()
    before = bench.ana.doc_read("consolidated")
    bench.ana.doc_write("consolidated", before.data["text"] + "My own line\n", expected=before.revision)
    assert MARKERS[0] in bench.ana.doc_read("consolidated").data["text"]
    bench.ana.forget(query="where do I live")
    assert bench.ana.doc_read("consolidated").data["text"] == "My own line\n"
    assert residue(bench) == set()
    with pytest.raises(Conflict):
        bench.ana.doc_write("consolidated", "from the old text", expected=before.revision + 1)
    bench.ana.consolidate()
    assert bench.ana.doc_read("consolidated").data["text"] == "My own line\n"


def test_a_forgotten_bullet_does_not_come_back_from_its_sources(bench: Bench) -> None:
    tell(bench, "I live in Ghent.", 1)
    tell(bench, "I live in Ghent.", 2, thread="t2")
    bullet = bench.ana.consolidate().data["written"][0]
    bench.ana.forget(bullet)
    bench.ana.consolidate()
    assert b"ghent" not in bench.bytes()


def test_a_document_can_be_forgotten_with_all_its_revisions(bench: Bench) -> None:
    document = bench.ana.doc_write("plan", f"{SECRET}\n", expected=0).ids[0]
    bench.ana.doc_write("plan", "other\n", expected=1)
    bench.ana.forget(document)
    assert residue(bench) == set()
    with pytest.raises(NotFound):
        bench.ana.doc_read("plan")


@pytest.mark.parametrize("keep_source", [False, True])
def test_a_thread_goes_with_what_came_from_it_only(bench: Bench, keep_source: bool) -> None:
    tell(bench, f"{SECRET}. I work at Orchid.", 1, thread="gone")
    tell(bench, "I work at Orchid.", 2)
    bundle = bench.ana.export().data["bundle"]
    bench.ana.forget(thread="gone", keep_source=keep_source)
    assert texts(bench.ana.list()) == ["I work at Orchid"]
    assert [m["message_id"] for m in bench.ana.explain(bench.ana.list().ids[0]).data["messages"]] == (["u1", "u2"] if keep_source else ["u2"])
    assert texts(bench.ana.recall("where do I live")) == []
    assert (residue(bench) == set()) is not keep_source
    bench.ana.import_(bundle)
    assert MARKERS[0] not in str(bench.ana.list(kind="all").data)
    with pytest.raises(NotFound):
        bench.ana.forget(thread="never")


def test_forgetting_one_message_leaves_the_same_words_of_another(bench: Bench) -> None:
    tell(bench, "I work at Orchid.", 1)
    tell(bench, "I work at Orchid.", 2)
    bench.ana.forget(message_id="u1")
    assert texts(bench.ana.list(kind="messages")) == ["Thank you, noted.", "I work at Orchid.", "Thank you, noted."]
    assert texts(bench.ana.list()) == ["I work at Orchid"]


def test_a_backup_that_failed_is_not_listed_and_a_repeated_one_is_one(bench: Bench, tmp_path: Path) -> None:
    bench.ana.remember("I live in Ghent")
    (tmp_path / "copy.db.partial").mkdir()
    with pytest.raises(StorageFailed):
        bench.ana.backup(str(tmp_path / "copy.db"))
    assert bench.ana.forget(query="where do I live").data["backups"] == []
    for _ in range(2):
        bench.as_(key="b1").backup("evening/copy.db")
    assert (bench.root / "evening" / "copy.db").is_file()
    assert [surface["kind"] for surface in bench.ana.surfaces().data["surfaces"]] == ["backup", "files"]
    with pytest.raises(Refused):
        bench.ana.backup("evening/copy.db")
    with pytest.raises(Refused):
        bench.ana.backup(f"{next(bench.root.glob('*/memory.db')).parent.name}/copy.db")


def test_a_backup_that_a_crash_cut_short_is_made_by_the_same_request_again(bench: Bench) -> None:
    bench.as_(key="b1").backup("copy.db")
    (bench.root / "copy.db").unlink()  # as a crash leaves it between the registration and the copy
    bench.as_(key="b1").backup("copy.db")
    assert (bench.root / "copy.db").is_file()
    (bench.root / "copy.db.partial-journal").write_bytes(b"what another crash left")
    bench.advance(days=40)
    bench.ana.expire()
    assert list(bench.root.glob("copy.db*")) == []
