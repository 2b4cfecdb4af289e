from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memgauge.errors import SystemFault
from memgauge.protocol import Manifest
from memgauge.records import Scope
from memgauge.systems.load import as_system
from memgauge.systems.simple import SimpleMemory, SimpleSystem, looks_simple
from tests.systems.asking import ANA, BEN, ask, close, opened, texts


class Three(SimpleMemory):
    """The smallest useful memory."""

    def __init__(self) -> None:
        self.rows: dict[str, list[str]] = {}

    def write(self, user: str, text: str) -> Any:
        self.rows.setdefault(user, []).append(text)

    def search(self, user: str, query: str, k: int) -> Any:
        return self.rows.get(user, [])[:k]

    def delete(self, user: str, id: str) -> Any:
        before = self.rows.get(user, [])
        self.rows[user] = [text for text in before if text != id]
        return len(before) > len(self.rows[user])


def manifest(memory: object) -> Manifest:
    return Manifest.from_json(ask(SimpleSystem(memory), "describe").data["manifest"])


def test_the_manifest_follows_from_the_functions() -> None:
    found = manifest(Three())
    assert found.verbs == {"remember": "native", "recall": "native", "forget": "native"}
    assert (found.name, found.clock, found.durable, found.threads) == ("Three", "none", False, False)

    class More(Three):
        name, version, processes = "more", "1.2", True

        def open(self, root: Path) -> None: ...

        def list(self, user: str, now: datetime, project: str | None) -> list[str]:
            return []

    found = manifest(More())
    assert (found.name, found.versions, found.clock, found.durable, found.processes) == ("more", {"version": "1.2"}, "argument", True, True)
    assert found.scope == {"user": "enforced", "project": "enforced", "tenant": "none", "agent": "none", "thread": "none", "task": "none"}


def test_write_search_and_delete_go_through(tmp_path: Path) -> None:
    system = opened(SimpleSystem(Three()), tmp_path)
    assert ask(system, "remember", text="tea").ok
    assert texts(ask(system, "recall", query="x")) == ["tea"]
    assert texts(ask(system, "recall", BEN, query="x")) == []
    assert ask(system, "forget", id="tea").ok
    assert ask(system, "forget", id="tea").status == "refused"
    assert ask(system, "correct", id="tea", text="x").status == "unsupported"
    assert ask(system, "remember", Scope(), text="x").status == "refused"
    close(system)


@pytest.mark.parametrize(
    ("returned", "ids"), [(None, ()), ("a", ("a",)), (7, ("7",)), (["a", 2], ("a", "2")), ({"id": 3, "x": 1}, ("3",)), (True, ())]
)
def test_what_write_may_return(returned: Any, ids: tuple[str, ...]) -> None:
    class Writes(Three):
        def write(self, user: str, text: str) -> Any:
            return returned

    assert ask(SimpleSystem(Writes()), "remember", text="x").ids == ids


def test_an_id_given_by_write_names_the_hit_of_search() -> None:
    class Named(Three):
        def write(self, user: str, text: str) -> Any:
            super().write(user, text)
            return f"id-{len(self.rows[user])}"

    system = SimpleSystem(Named())
    ask(system, "remember", text="tea")
    assert ask(system, "recall", query="x").data["items"][0]["id"] == "id-1"


@pytest.mark.parametrize("hits", [["tea"], [("tea", 0.5)], [{"text": "tea", "score": 0.5, "id": 9}], (text for text in ["tea"])])
def test_what_search_may_return(hits: Any) -> None:
    class Searches(Three):
        def search(self, user: str, query: str, k: int) -> Any:
            return hits

    item = ask(SimpleSystem(Searches()), "recall", query="x").data["items"][0]
    assert item["text"] == "tea"
    assert isinstance(item["id"], str)


WRONG = [("tea", "search returned a str"), ({"text": "tea"}, "returned a dict"), (3, "returned a int"), ([3], "returned the hit 3")]


@pytest.mark.parametrize(("hits", "said"), WRONG)
def test_what_search_may_not_return_is_named_with_a_hint(hits: Any, said: str) -> None:
    class Searches(Three):
        def search(self, user: str, query: str, k: int) -> Any:
            return hits

    with pytest.raises(SystemFault) as fault:
        ask(SimpleSystem(Searches()), "recall", query="x")
    assert said in str(fault.value)
    assert "text" in fault.value.hint


def test_a_function_is_given_what_its_signature_names() -> None:
    seen: list[dict[str, Any]] = []

    class Asks:
        def write(self, user: str, text: str, now: datetime, project: str | None, message_id: str | None) -> None:
            seen.append({"now": now, "project": project, "message_id": message_id})

        def search(self, user: str, query: str, **more: Any) -> list[str]:
            seen.append(more)
            return []

    system = SimpleSystem(Asks(), name="asks")
    scope = Scope(user="ana", project="garden", thread="t")
    ask(system, "remember", scope, text="x", message_id="m1")
    assert seen[0] == {"now": datetime.fromisoformat("2026-03-02T09:00:00+00:00"), "project": "garden", "message_id": "m1"}
    ask(system, "recall", scope, query="q", k=9)
    assert (seen[1]["k"], seen[1]["thread"], seen[1]["scope"]) == (9, "t", scope)


def test_a_record_may_be_named_by_words_when_they_find_one() -> None:
    system = SimpleSystem(Three())
    for text in ("I like tea", "I like mate"):
        ask(system, "remember", text=text)
    assert ask(system, "forget", query="like").status == "refused"
    ids = {i["text"]: i["id"] for i in ask(system, "recall", query="").data["items"]}
    receipt = ask(system, "forget", query="tea like")
    assert receipt.status == "refused"  # this memory knows no ids, only texts: what was looked up is handed over as it is
    assert ids["I like tea"] in str(receipt.reason)


def test_what_counts_as_a_simple_memory() -> None:
    assert looks_simple(Three())
    assert not looks_simple(SimpleMemory())
    assert isinstance(as_system(Three, "three"), SimpleSystem)
    assert isinstance(as_system(lambda: Three(), "made"), SimpleSystem)
    assert ANA.user == "ana"


@pytest.mark.parametrize("limit", [{"expires_at": "2026-05-01T00:00:00+00:00"}, {"agents": ["coach"]}, {"reach": "user"}, {"sensitivity": "high"}])
def test_a_limit_that_write_does_not_name_is_unsupported_and_nothing_is_stored(tmp_path: Path, limit: dict[str, Any]) -> None:
    system = opened(SimpleSystem(Three()), tmp_path)
    answer = ask(system, "remember", text="tea", **limit)
    assert (answer.status, answer.reason) == ("unsupported", f"write takes no {next(iter(limit))}, so it cannot be kept to")
    assert texts(ask(system, "recall", query="tea")) == []


def test_a_limit_that_write_names_is_handed_to_it(tmp_path: Path) -> None:
    class Careful(Three):
        def write(self, user: str, text: str, expires_at: str | None, agents: list[str] | None) -> Any:  # type: ignore[override]
            super().write(user, f"{text} {expires_at} {agents}")

    system = opened(SimpleSystem(Careful()), tmp_path)
    assert ask(system, "remember", text="tea", agents=["coach"]).ok
    assert texts(ask(system, "recall", query="tea")) == ["tea None ['coach']"]


def test_a_memory_says_that_it_is_not_deterministic() -> None:
    class Dicing(SimpleMemory):
        determinism = "stochastic"

        def search(self, user: str, query: str, k: int) -> list[str]:
            return []

    assert ask(SimpleSystem(Dicing()), "describe").data["manifest"]["determinism"] == "stochastic"
