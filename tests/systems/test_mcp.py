from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgauge.errors import SystemFault
from memgauge.systems.mcp import McpServer

pytest.importorskip("mcp", reason="the extra mcp is not installed")

GRAPH = [sys.executable, str(Path(__file__).parent / "outside" / "mcp_graph.py")]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[McpServer]:
    started = McpServer(GRAPH, env={"MEMORY_FILE_PATH": str(tmp_path / "graph.json")})
    yield started
    started.close()


def test_tools_are_functions(server: McpServer) -> None:
    assert "open_nodes" in server.tools()
    server.call("create_entities", entities=[{"name": "ana", "entityType": "user"}])
    server.call("add_observations", observations=[{"entityName": "ana", "contents": ["I cycle"]}])
    assert server.call("open_nodes", names=["ana"])["entities"] == [{"name": "ana", "observations": ["I cycle"]}]


def test_words_that_are_no_json_are_the_answer(server: McpServer) -> None:
    assert server.call("plain") in ("just words", {"result": "just words"})


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("add_observations", {"observations": [{"entityName": "bob", "contents": ["x"]}]}, "bob not found"),
        ("no_such_tool", {}, "no_such_tool"),
        ("open_nodes", {"names": 3}, "open_nodes"),
    ],
)
def test_an_error_of_a_tool_is_a_fault_of_the_system(server: McpServer, tool: str, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(SystemFault, match=words):
        server.call(tool, **arguments)


@pytest.mark.parametrize("argv", [["no-such-program-here"], [sys.executable, "-c", "pass"]])
def test_a_server_that_does_not_start_is_one_clear_line(argv: list[str]) -> None:
    with pytest.raises(SystemFault, match="did not start") as caught:
        McpServer(argv, timeout_s=5)
    assert len(caught.value.lines()) == 1
