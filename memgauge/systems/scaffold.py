"""The file with which the test of a memory starts: at most 40 lines, three functions to fill. Each starter works as it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from memgauge.errors import InputError, nearest

KINDS = ("python", "command", "http", "mcp", "langgraph", "mem0")
"""What a starter is for: a class, a program in any language, a server behind HTTP or MCP, two known libraries."""


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A new file: its name, its text, and the line of the project file that names the system (YAML, in flow style)."""

    file: str
    text: str
    entry: str


def scaffold(name: str, like: str) -> Scaffold:
    """The starting file of a system. Raises InputError for a name that cannot be a module, or an unknown kind."""
    if like not in KINDS:
        raise InputError(f"unknown kind {like!r}", where="--like", hint=nearest(like, KINDS))
    module = name.replace("-", "_")
    if not module.isidentifier() or not module.isascii():
        raise InputError(f"{name!r} cannot be the name of a system", hint="letters, digits, - and _, as in my-memory")
    file = f"{module}.py"
    kind = "".join(part.capitalize() for part in module.split("_")) or "Memory"
    starter = (files("memgauge.systems.starters") / f"{like}.txt").read_text("utf-8")
    entry = f'{{command: ["python", {json.dumps(file)}]}}' if like == "command" else f'{{python: "{file}:{kind}"}}'
    return Scaffold(file, starter.replace("NAME", name).replace("CLASS", kind), entry)
