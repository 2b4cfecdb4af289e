from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from memgauge.memory_ref.errors import Refused
from tests.memory_ref.store_support import Bench, texts

ODD = "=cmd|' /C calc'!A0, \"quotes\", émoji 👩‍👩‍👧, tab\t, line\u2028end, <b>&amp;"


def fill(bench: Bench) -> None:
    ana = bench.ana
    ana.append("m1", "user", "Remember that I live in Ghent.")
    ana.append("m2", "assistant", "Noted.", calls=[{"id": "c1", "name": "map", "arguments": {"q": 1}}])
    ana.append("m3", "tool", "a map", call_id="c1")
    ana.end_turn()
    ana.append("m4", "user", "I moved to Lyon.")
    ana.end_turn()
    ana.edit_message("m4", "m5", "I moved to Nice.")
    ana.end_turn()
    ana.remember(ODD, expires_at="2027-01-01T00:00:00+00:00", agents=["a", "b"], sensitivity="high")
    bench.as_(project="shop").remember("The shop uses Go", reach="project")
    ana.goal_add("Learn Welsh")
    ana.decide("No contact on Sundays", kind="boundary")
    ana.pin("Be brief")
    ana.note_add("Watered the beans")
    ana.doc_write("plan", "one\n", expected=0)
    ana.doc_write("plan", "one\ntwo\n", expected=1)
    ana.remember("I live in Rome", source="inferred")
    ana.summarise(keep=1)


def test_out_in_and_out_again_is_equal(bench: Bench, tmp_path: Path) -> None:
    fill(bench)
    bundle = json.loads(json.dumps(bench.ana.export().data["bundle"]))
    other = Bench(tmp_path / "other")
    reply = other.ana.import_(bundle)
    assert reply.data["skipped"] == []
    assert json.loads(json.dumps(other.ana.export().data["bundle"])) == bundle
    assert texts(other.ana.list(kind="all")) == texts(bench.ana.list(kind="all"))
    assert texts(other.ana.recall("where do I live")) == texts(bench.ana.recall("where do I live"))
    again = other.ana.import_(bundle)
    assert again.data["added"] == 0
    assert json.loads(json.dumps(other.ana.export().data["bundle"])) == bundle
    assert other.ana.remember("I prefer green tea").ids[0] not in str(bundle)
    other.memory.close()


def test_ids_that_mean_something_else_here_are_changed(bench: Bench, tmp_path: Path) -> None:
    fill(bench)
    other = Bench(tmp_path / "other")
    mine = other.ana.remember("My cat is called Plum").ids[0]
    other.ana.import_(bench.ana.export().data["bundle"])
    assert texts(other.ana.history(mine)) == ["My cat is called Plum"]
    assert len(other.ana.list(include=["superseded"]).data["items"]) == 1 + len(bench.ana.list(include=["superseded"]).data["items"])
    moved = next(item for item in other.ana.list().data["items"] if "Nice" in item["text"])
    assert [m["message_id"] for m in other.ana.explain(moved["id"]).data["messages"]] == ["m5"]
    assert len(other.ana.history(moved["id"]).data["items"]) == len(
        bench.ana.history(next(i["id"] for i in bench.ana.list().data["items"] if "Nice" in i["text"])).data["items"]
    )
    other.memory.close()


def _broken(bundle: dict[str, Any], how: str) -> dict[str, Any]:
    made = copy.deepcopy(bundle)
    if how == "version":
        made["version"] = 99
    elif how == "part":
        made["colours"] = []
    elif how == "missing":
        del made["facts"][0]["text"]
    elif how == "unknown":
        made["facts"][0]["colour"] = "blue"
    elif how == "status":
        made["facts"][0]["status"] = "very active"
    elif how == "type":
        made["goals"][0] = "learn"
    elif how == "null":
        made["notes"][0]["created_at"] = None
    elif how == "list":
        made["pins"] = "none"
    return made


@pytest.mark.parametrize("how", ["version", "part", "missing", "unknown", "status", "type", "null", "list"])
def test_a_bad_bundle_is_named_and_changes_nothing(bench: Bench, tmp_path: Path, how: str) -> None:
    fill(bench)
    bundle = bench.ana.export().data["bundle"]
    other = Bench(tmp_path / "other")
    before = other.ana.export().data
    with pytest.raises(Refused) as raised:
        other.ana.import_(_broken(bundle, how))
    assert "Ghent" not in str(raised.value)
    assert other.ana.export().data == before
    other.memory.close()


def test_secrets_in_a_bundle_are_not_stored(bench: Bench, tmp_path: Path) -> None:
    bench.ana.remember("I live in Ghent")
    bundle = bench.ana.export().data["bundle"]
    bundle["facts"][0]["text"] = "My password is Tulip-4417-canary"
    other = Bench(tmp_path / "other")
    [skipped] = other.ana.import_(bundle).data["skipped"]
    assert skipped["reason"] == "never stored"
    assert b"tulip" not in other.bytes()
    other.memory.close()


def test_what_an_export_leaves_out_is_listed_in_it(bench: Bench) -> None:
    bench.as_(thread="p").append("p1", "user", "quiet words", private=True)
    bundle = bench.ana.export().data["bundle"]
    assert "private threads" in bundle["left_out"]
    assert "quiet" not in str(bundle)
