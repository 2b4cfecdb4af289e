"""`schema`: what an editor needs to know of the files that one writes by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memgauge.cli.output import JsonFlag, Output
from memgauge.errors import InputError, nearest

KINDS = ("scenario", "gate", "project", "policy")
"""Files that are written by hand."""


def register(app: typer.Typer) -> None:
    app.command()(schema)


def schema(
    what: Annotated[str, typer.Argument(help="scenario, gate, project or policy.")] = "scenario",
    as_json: JsonFlag = False,
) -> int:
    """Print the JSON Schema of a file that one writes by hand, for editors."""
    if what not in KINDS:
        raise InputError(f"there is no schema of {what!r}", hint=nearest(what, KINDS))
    output, made = Output(as_json), schema_of(what)
    if as_json:
        output.line("schema", {"of": what, "schema": made})
    else:
        output.text(as_text(made))
    output.summary(schema=what, exit_code=0)
    return 0


def schema_of(what: str) -> dict[str, Any]:
    """The schema of one of `KINDS`."""
    from memgauge.config import ProjectFile
    from memgauge.reports.gate_file import GateFile
    from memgauge.scenarios import schema as scenario_schema

    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "scenario": scenario_schema,
        "gate": lambda: _named("gate", GateFile.model_json_schema()),
        "project": lambda: _named("project", ProjectFile.model_json_schema()),
        "policy": lambda: _named("policy", _policy()),
    }
    return makers[what]()


def as_text(schema: dict[str, Any]) -> str:
    """As it is printed, and as `init` writes it."""
    return json.dumps(schema, indent=2, ensure_ascii=False)


def _named(what: str, made: dict[str, Any]) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:memgauge:{what}:1"} | made


def _policy() -> dict[str, Any]:
    """That of a policy file: any of its parts, nested or with dotted names, laid over a preset."""
    from memgauge.memory_ref.policy import PRESETS, Policy

    made: dict[str, Any] = _partial(Policy.model_json_schema())
    made["properties"] |= {"preset": {"enum": list(PRESETS)}}
    return made | {"patternProperties": {r"^\w+(\.\w+)+$": {}}}


def _partial(part: Any) -> Any:
    """A schema in which nothing is required."""
    if isinstance(part, dict):
        return {key: _partial(held) for key, held in part.items() if key != "required" or not isinstance(held, list)}
    return [_partial(held) for held in part] if isinstance(part, list) else part
