from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import unicodedata
import zlib
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from memgauge.clock import ManualClock
from memgauge.records import CasePlan, Fact, Json, Scope, Step
from memgauge.runner.look import find
from memgauge.runner.needles import by_id, needle, stem
from memgauge.runner.scan import scan_surfaces
from memgauge.runner.session import Session
from tests.runner.plans import TOY, call, plan
from tests.runner.test_period import play
from tests.toy_memory import ToyMemory

SECRET = "Zanzibarité"
FACT = Fact(id="code", anchors=((SECRET,),), text=f"The codename is {SECRET}.")


def the_plan(fact: Fact = FACT, *others: Step) -> CasePlan:
    return plan("scan", call("told", "remember", text=fact.text, tells=(fact.id,)), *others, expectations=())


def found(data: bytes, fact: Fact = FACT) -> set[tuple[str, str]]:
    """(form, encoding) of every hit."""
    return {(form, encoding) for _, _, encoding, form in find(data, [needle(fact, the_plan(fact))])}


def nfc(text: str) -> bytes:
    return unicodedata.normalize("NFC", text).encode()


PLANTED = {
    "utf-8": b"\x00\x01" + nfc(SECRET) + b"\xff",
    "utf-8 NFD": b"\x00" + unicodedata.normalize("NFD", SECRET).encode(),
    "utf-8 folded": nfc(SECRET.upper().lower()),
    "utf-16le": SECRET.encode("utf-16-le"),
    "utf-16be": SECRET.encode("utf-16-be"),
    "json escapes": json.dumps({"text": SECRET}).encode(),
    "base64 +0": base64.b64encode(nfc(SECRET + " and more")),
    "base64 +1": base64.b64encode(b"x" + nfc(SECRET + " and more")),
    "base64 +2": base64.b64encode(b"xy" + nfc(SECRET + " and more")),
    "hex folded": (b"before" + nfc(SECRET) + b"after").hex().upper().encode(),
    "gzip/utf-8": b"head" + gzip.compress(b"a few words about " + nfc(SECRET)),
    "zlib/utf-8": b"head" + zlib.compress(b"a few words about " + nfc(SECRET)) + b"tail",
    "zlib/zlib/utf-8": zlib.compress(zlib.compress(nfc(SECRET))),
}


@pytest.mark.parametrize("encoding", PLANTED)
def test_a_secret_is_found_in_every_encoding(encoding: str) -> None:
    assert ("anchor", encoding) in found(PLANTED[encoding])


def test_base64_is_found_wherever_it_starts_and_ends() -> None:
    for before in range(7):
        for after in range(4):
            text = base64.b64encode(b"b" * before + nfc(SECRET) + b"a" * after)
            assert any(name.startswith("base64") for _, name in found(text)), (before, after)


def test_nothing_is_found_where_nothing_is() -> None:
    other = Fact(id="other", anchors=(("Quoxing",),), text="The supplier is Quoxing.")
    for data in PLANTED.values():
        assert found(data, other) == set()
    assert found(b"The codename is . The codename of something else.") == set()


def test_the_index_term_of_an_anchor_is_looked_for() -> None:
    fact = Fact(id="code", anchors=(("zanzibarites",),))
    assert stem("zanzibarites") == "zanzibarit"
    assert found(b"\x030zanzibarit\x01\x02", fact) == {("stem", "utf-8")}


def test_words_that_other_texts_have_too_prove_nothing() -> None:
    fact = Fact(id="home", anchors=(("Birch Lane 9",),), text="I live at Birch Lane 9.")
    alone = needle(fact, the_plan(fact))
    assert {(f.kind, f.text) for f in alone.forms} >= {("pair", "Birch Lane"), ("pair", "Lane 9"), ("stem", "birch"), ("stem", "lane")}
    shared = needle(fact, the_plan(fact, call("o", "remember", text="Birch trees line the lane at 9.")))
    assert {f.kind for f in shared.forms} == {"sentence", "anchor"}


def test_a_short_anchor_counts_only_as_a_word() -> None:
    fact = Fact(id="floor", anchors=(("42",),))
    assert found(b"2e9042f1 142 421", fact) == set()
    assert found(b"floor 42, left", fact) == {("anchor", "utf-8")}


def test_digits_inside_a_checksum_are_no_residue_and_as_an_index_term_they_are() -> None:
    fact = Fact(id="code", anchors=(("9156",),))
    assert found(b'{"sum": "3fa9156be0"}', fact) == set()
    assert found(b"the berth 9156.", fact)
    assert found(b"\x00\x0509156\x01\x02", fact)


def scan(root: Path, *facts: Fact, plan: CasePlan | None = None) -> Json:
    store = root / "store"
    store.mkdir(exist_ok=True)
    session = Session(TOY, lambda _: ToyMemory(), store, ManualClock(), "")
    session.open()
    try:
        return scan_surfaces(session, facts or (FACT,), plan or the_plan(), Scope(user="ana"), {})
    finally:
        session.close()


def hits(result: Json) -> list[Json]:
    return [{**hit, "form": n["form"]} for n in result["needles"] for hit in n["hits"]]


def test_files_below_the_root_are_scanned_and_the_secret_is_never_said(tmp_path: Path) -> None:
    deep = tmp_path / "store" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "notes.txt").write_bytes(b"12345" + nfc(FACT.text))
    result = scan(tmp_path)
    assert next((h["file"], h["offset"], h["form"]) for h in hits(result)) == ("a/b/notes.txt", 5, "sentence")
    assert SECRET not in json.dumps(result, ensure_ascii=False)
    assert result["surfaces"] == [{"name": "root folder", "kind": "files", "depth": "bytes", "examined": True, "bytes": 5 + len(nfc(FACT.text))}]


def test_a_file_named_by_the_secret_is_found_and_its_name_is_not_said(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / f"about {SECRET}.txt").write_bytes(b"nothing in it")
    result = scan(tmp_path)
    assert [(h["file"], h["offset"]) for h in hits(result) if h["form"] == "anchor"] == [("file 1, whose name holds it", "name")]
    assert SECRET not in json.dumps(result, ensure_ascii=False)


def test_rows_and_index_terms_of_a_database_are_surfaces_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    database = sqlite3.connect(tmp_path / "store" / "m.db")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    database.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter')")
    database.execute("INSERT INTO words(rowid, text) VALUES (1, 'quoxings here')")
    database.commit()
    fact = Fact(id="code", anchors=(("quoxings",),))
    result = scan(tmp_path, fact, plan=the_plan(fact))
    rows = [h for h in hits(result) if h["surface"] == "rows of m.db"]
    assert rows == [{"surface": "rows of m.db", "file": "m.db", "offset": "words", "encoding": "fts5 term", "form": "stem"}]
    assert {k: v for k, v in result["surfaces"][1].items() if k != "bytes"} == {
        "name": "rows of m.db",
        "kind": "sql",
        "depth": "rows",
        "examined": True,
    }
    database.execute("INSERT INTO notes VALUES (1, 'about QUOXINGS')")
    database.commit()
    again = scan(tmp_path, fact, plan=the_plan(fact))
    assert {h["offset"] for h in hits(again) if h["surface"] == "rows of m.db"} == {"words", "notes"}
    assert any(h["file"] == "m.db-wal" for h in hits(again))
    database.close()


def test_a_scan_leaves_the_locks_of_an_open_database_alone(tmp_path: Path) -> None:
    """Closing any handle of a file drops the locks of the whole process on it; another process could then write in between."""
    import subprocess
    import sys

    (tmp_path / "store").mkdir()
    path = tmp_path / "store" / "m.db"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("CREATE TABLE t (x)")
    store = Session(TOY, lambda _: ToyMemory(), path.parent, ManualClock(), "")
    store.open()
    database.execute("BEGIN EXCLUSIVE")
    scan_surfaces(store, [FACT], the_plan(), Scope(user="ana"), {})
    write = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('INSERT INTO t VALUES (1)')"
    other = subprocess.run([sys.executable, "-c", write], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr
    database.execute("ROLLBACK")
    database.close()
    store.close()


def test_a_surface_outside_the_root_is_scanned_and_an_unreadable_kind_is_named(tmp_path: Path) -> None:
    from memgauge.protocol import Manifest, Receipt, Request

    log = tmp_path / "app.log"
    log.write_bytes(nfc(SECRET))

    class WithSurfaces(ToyMemory):
        manifest = Manifest(name="toy", verbs={"surfaces": "native"})

        def surfaces(self, request: Request) -> Receipt:
            places = [{"name": "log", "kind": "logs", "path": str(log)}, {"name": "cache", "kind": "redis", "path": "6379"}]
            return Receipt(status="ok", data={"surfaces": places})

    store = tmp_path / "store"
    store.mkdir()
    session = Session(TOY, lambda _: WithSurfaces(), store, ManualClock(), "")
    session.open()
    result = scan_surfaces(session, [FACT], the_plan(), Scope(user="ana"), {})
    session.close()
    assert [(h["surface"], h["file"]) for h in hits(result) if h["form"] == "anchor"] == [("log", "app.log")]
    assert [s["name"] for s in result["surfaces"]] == ["log", "cache", "root folder"]
    cache = result["surfaces"][1]
    assert (cache["kind"], cache["examined"], cache["bytes"]) == ("redis", False, 0)
    assert cache["reason"].startswith("surface 'cache': kind 'redis'")


POINTS = {"name": "points", "kind": "command", "argv": ["cat", "$MEMGAUGE_ROOT/points.json"], "grade": "vectors"}


@pytest.mark.parametrize(("name", "outcome", "depths"), [
    ("Pointing", "pass", {"vectors": "pass", "bytes": "pass"}),
    ("Orphaning", "fail", {"vectors": "fail", "bytes": "pass"}),
])  # fmt: skip
def test_a_vector_without_its_text_is_known_by_the_id_of_its_record(tmp_path: Path, name: str, outcome: str, depths: dict[str, str]) -> None:
    verdicts, _ = play(tmp_path, name, surfaces=(POINTS,))
    assert (verdicts["bytes"].outcome, verdicts["bytes"].depths) == (outcome, depths)
    assert (" as id in " in verdicts["bytes"].witness) == (outcome == "fail")


def test_an_id_is_found_whole_and_never_by_chance() -> None:
    made = by_id("code", ["mem-1", "7", "1234567890", "abcd", "0.25"])
    assert [form.text for form in made.forms] == ["mem-1", "1234567890"]
    assert [offset for _, offset, _, _ in find(b'[{"id": "mem-10"}, {"id": "mem-1"}]', [made])] == [27]


def surfaces_of(tmp_path: Path, *named: Json) -> list[Json]:
    store = tmp_path / "store"
    store.mkdir()
    session = Session(replace(TOY, surfaces=named), lambda _: ToyMemory(), store, ManualClock(), "")
    session.open()
    found: list[Json] = scan_surfaces(session, [FACT], the_plan(), Scope(user="ana"), {})["surfaces"]
    session.close()
    return found


def test_surfaces_of_the_project_file_are_looked_at_and_each_has_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("opened")
    found = surfaces_of(
        tmp_path,
        {"name": "log", "kind": "logs", "path": str(tmp_path / "log")},
        {"name": "log", "kind": "files", "path": str(tmp_path / "none")},
        {"name": "root folder", "kind": "files", "path": "$MEMGAUGE_ROOT"},
    )
    assert [(s["name"], s["examined"], s.get("reason", ""), s.get("named", False)) for s in found] == [
        ("log", True, "", True), ("log (2)", True, "nothing lies there", True), ("root folder", True, "", True),
    ]  # fmt: skip


def test_a_surface_that_is_none_is_named_with_its_mistake_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    found = surfaces_of(tmp_path, {"name": "points", "kind": "http", "path": "localhost:6333"}, {"name": "db", "kind": "sql", "url": "x"})
    assert [(s["name"], s["examined"]) for s in found] == [("points", False), ("db", False), ("root folder", True)]
    assert found[0]["reason"] == "surface 'points': path is no URL that begins with http:// or https://"
    assert found[1]["reason"].startswith("unknown key 'url'")


def test_rows_of_a_duckdb_file_are_a_surface_though_its_pages_hide_the_text(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with duckdb.connect(str(tmp_path / "store" / "m.duckdb")) as owner:
        owner.execute("CREATE TABLE memories (text VARCHAR)")
        owner.executemany("INSERT INTO memories VALUES (?)", [[FACT.text], ["The supplier is Greenfield."]])
        result = scan(tmp_path)
        assert "rows of m.duckdb" in {h["surface"] for h in hits(result)}
        owner.execute("DELETE FROM memories WHERE text LIKE '%codename%'")
        assert "rows of m.duckdb" not in {h["surface"] for h in hits(scan(tmp_path))}
    (tmp_path / "store" / "torn.duckdb").write_bytes((tmp_path / "store" / "m.duckdb").read_bytes()[:9000])
    torn = next(s for s in scan(tmp_path)["surfaces"] if s["name"] == "rows of torn.duckdb")
    assert not torn["examined"]
    assert torn["reason"]
