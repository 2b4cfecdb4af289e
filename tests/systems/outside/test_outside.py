"""Two memories that were not made for memgauge go through the same exchange: what an adapter author can rely on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memgauge.protocol import VERBS, Manifest, MemorySystem, Receipt, Request, check_answer
from memgauge.records import Scope
from tests.systems.outside.http_memory import HttpMemory

NOW = "2026-03-02T09:00:00+00:00"
Call = Callable[..., Receipt]


def http_memory() -> MemorySystem:
    return HttpMemory()


def langgraph_store() -> MemorySystem:
    pytest.importorskip("langgraph.store.sqlite", reason="langgraph and langgraph-checkpoint-sqlite are not installed")
    from tests.systems.outside.langgraph_store import LangGraphStore

    return LangGraphStore()


@pytest.fixture(params=[http_memory, langgraph_store])
def make(request: pytest.FixtureRequest) -> Callable[[], MemorySystem]:
    factory: Callable[[], MemorySystem] = request.param
    factory()
    return factory


def caller(system: MemorySystem) -> Call:
    """Calls as the harness does: the answer goes over the wire and is checked."""

    def call(op: str, user: str = "ana", tenant: str = "default", **args: Any) -> Receipt:
        line = Request(op=op, now=NOW, scope=Scope(tenant=tenant, user=user), args=args).to_json()
        receipt = Receipt.from_json(json.loads(json.dumps(system.call(Request.from_json(line)).to_json())))
        check_answer(op, receipt)
        return receipt

    return call


@pytest.fixture
def call(make: Callable[[], MemorySystem], tmp_path: Path) -> Iterator[Call]:
    call = caller(make())
    assert call("open", root=str(tmp_path)).ok
    yield call
    call("close")


def texts(receipt: Receipt) -> list[str]:
    return [item["text"] for item in receipt.data["items"]]


def test_it_describes_itself_and_answers_unsupported_to_all_else(call: Call) -> None:
    manifest = Manifest.from_json(call("describe").data["manifest"])
    for op in set(VERBS) - set(manifest.verbs) - {"describe"}:
        assert call(op).status == "unsupported", op
    assert not manifest.supports("context")


def test_what_is_remembered_is_recalled_listed_corrected_and_forgotten(call: Call) -> None:
    home = call("remember", text="I live in Ghent").ids[0]
    cat = call("remember", text="my cat is called Plum").ids[0]
    assert texts(call("recall", query="where do I live")) == ["I live in Ghent"]
    assert sorted(texts(call("list"))) == ["I live in Ghent", "my cat is called Plum"]
    assert call("correct", id=home, text="I live in Lyon").ok
    assert texts(call("recall", query="where do I live")) == ["I live in Lyon"]
    assert call("forget", id=cat).ok
    assert texts(call("list")) == ["I live in Lyon"]
    assert call("forget", id=cat).status == "refused"


def test_a_message_can_be_recalled(call: Call) -> None:
    assert call("append", message_id="m1", role="user", text="the gate code is 7731").ok
    assert texts(call("recall", query="gate code")) == ["the gate code is 7731"]


def test_nothing_found_is_an_empty_list(call: Call) -> None:
    call("remember", text="I live in Ghent")
    for query in ("zxq none", "", '"OR*', "  "):
        assert texts(call("recall", query=query)) == []


@pytest.mark.parametrize("other", ["ben", "Ana", "ana ", "an", "%", "*", "ana.b", "../ana", "a%2Ena"])
def test_another_user_sees_and_changes_nothing(call: Call, other: str) -> None:
    mine = call("remember", text="the marker is Q-88").ids[0]
    assert texts(call("recall", user=other, query="marker")) == []
    assert texts(call("list", user=other)) == []
    unknown = call("forget", user=other, id="nowhere")
    assert call("forget", user=other, id=mine) == unknown
    assert call("correct", user=other, id=mine, text="gone").status == "refused"
    assert texts(call("list", tenant="other")) == []
    assert texts(call("list")) == ["the marker is Q-88"]


def test_without_a_user_everything_is_refused(call: Call) -> None:
    for op, args in (("remember", {"text": "x"}), ("recall", {"query": "x"}), ("list", {}), ("forget", {"id": "1"})):
        assert call(op, user="", **args).status == "refused"


def test_what_cannot_be_honoured_is_not_swallowed(call: Call) -> None:
    assert call("remember", text="a", expires_at="2026-04-01T00:00:00+00:00").status == "unsupported"
    assert call("append", message_id="m1", role="user", text="a", private=True).status == "unsupported"
    assert call("list", kind="goals").status == "unsupported"
    assert texts(call("list", kind="all")) == []


def test_the_same_root_continues(make: Callable[[], MemorySystem], tmp_path: Path) -> None:
    first = caller(make())
    first("open", root=str(tmp_path))
    first("remember", text="I live in Ghent")
    first("close")
    second = caller(make())
    second("open", root=str(tmp_path))
    assert texts(second("list")) == ["I live in Ghent"]
    second("close")
