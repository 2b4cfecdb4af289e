"""A tiny MCP server with the tools of the knowledge graph server that the starter uses; its data is one JSON file. For tests."""

from __future__ import annotations

import json
import os
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

FILE = Path(os.environ["MEMORY_FILE_PATH"])
server = MCPServer("graph")


def load() -> dict[str, list[str]]:
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}  # type: ignore[no-any-return]


@server.tool()
def create_entities(entities: list[dict[str, object]]) -> dict[str, object]:
    """Adds users that are not there yet."""
    nodes = load()
    FILE.write_text(json.dumps({str(entity["name"]): [] for entity in entities} | nodes), "utf-8")
    return {"entities": entities}


@server.tool()
def add_observations(observations: list[dict[str, object]]) -> dict[str, object]:
    """Adds texts to users that are there."""
    nodes = load()
    for entry in observations:
        if entry["entityName"] not in nodes:
            raise ToolError(f"Entity with name {entry['entityName']} not found")
        nodes[str(entry["entityName"])] += entry["contents"]  # type: ignore[arg-type]
    FILE.write_text(json.dumps(nodes), "utf-8")
    return {"results": observations}


@server.tool()
def open_nodes(names: list[str]) -> dict[str, object]:
    """The users of these names, with their texts."""
    return {"entities": [{"name": name, "observations": texts} for name, texts in load().items() if name in names]}


@server.tool()
def delete_observations(deletions: list[dict[str, object]]) -> str:
    """Takes texts from users."""
    nodes = load()
    for entry in deletions:
        gone = entry["observations"]
        nodes[str(entry["entityName"])] = [text for text in nodes.get(str(entry["entityName"]), []) if text not in gone]  # type: ignore[operator]
    FILE.write_text(json.dumps(nodes), "utf-8")
    return "Observations deleted successfully"


@server.tool()
def plain() -> str:
    """Answers words that are no JSON."""
    return "just words"


server.run()
