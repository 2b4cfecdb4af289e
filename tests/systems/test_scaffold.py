"""The starters: short, and each works as it is on what it is for."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memgauge.errors import InputError
from memgauge.protocol import Request
from memgauge.records import Scope
from memgauge.systems.load import open_system
from memgauge.systems.scaffold import KINDS, scaffold
from memgauge.systems.spec import SystemSpec
from tests.systems.outside.http_memory import MemoryServer

NOW = "2026-03-02T09:00:00+00:00"
GRAPH = Path(__file__).parent / "outside" / "mcp_graph.py"


@pytest.mark.parametrize("kind", KINDS)
def test_a_starter_is_at_most_forty_lines_of_python(kind: str) -> None:
    made = scaffold("my-notes", kind)
    ast.parse(made.text)
    assert len(made.text.splitlines()) <= 40
    assert max(map(len, made.text.splitlines())) <= 150
    assert made.file == "my_notes.py"
    assert "NAME" not in made.text.replace("entityName", "").replace("NAME_", "")


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        scaffold("mine", "langgrph")
    assert "langgraph" in caught.value.hint


def _opened(kind: str, root: Path, **changes: str) -> Any:
    made = scaffold("mine", kind)
    text = made.text
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    module = ModuleType(f"starter_{kind}")
    exec(compile(text, made.file, "exec"), module.__dict__)
    sys.modules[module.__name__] = module
    system = open_system(SystemSpec(name="mine", kind="python", target=f"{module.__name__}:Mine"))
    root.mkdir(exist_ok=True)
    assert system.call(Request(op="open", now=NOW, args={"root": str(root), "config": {}})).ok
    return system


def _lives(system: Any) -> None:
    """Written, found by its user alone, deleted by its user alone."""

    def call(op: str, user: str, **args: object) -> Any:
        return system.call(Request(op=op, now=NOW, scope=Scope(user=user, thread="t"), args=args))

    def found(user: str) -> list[str]:
        return [item["text"] for item in call("recall", user, query="where is the harbour", k=5).data["items"]]

    [first] = call("remember", "ana", text="The harbour is in the north").ids
    call("remember", "bob", text="The harbour is in the south")
    assert found("ana") == ["The harbour is in the north"]
    call("forget", "bob", id=first)
    assert found("ana") == ["The harbour is in the north"]
    call("forget", "ana", id=first)
    assert found("ana") == []
    assert found("bob") == ["The harbour is in the south"]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    server = MemoryServer(tmp_path / "memories.json")
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server.url
    server.shutdown()
    server.server_close()


def test_the_python_starter_works(tmp_path: Path) -> None:
    _lives(_opened("python", tmp_path / "root"))


def test_the_mcp_starter_works(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    system = _opened("mcp", tmp_path / "root", **{'["npx", "-y", "@modelcontextprotocol/server-memory"]': repr([sys.executable, str(GRAPH)])})
    _lives(system)
    system.call(Request(op="close", now=NOW))


def test_the_langgraph_starter_works(tmp_path: Path) -> None:
    pytest.importorskip("langgraph.store.sqlite", reason="langgraph-checkpoint-sqlite is not installed")
    _lives(_opened("langgraph", tmp_path / "root"))


def test_the_http_starter_works(tmp_path: Path, address: str) -> None:
    _lives(_opened("http", tmp_path / "root", **{"http://127.0.0.1:8000": address}))
