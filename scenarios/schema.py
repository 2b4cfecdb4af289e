"""The JSON Schema of a scenario file, made from the models. The committed file beside this one is held equal by a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from memgauge.scenarios.model import CasesSpec, ScenarioSpec, ShortSpec

SCHEMA_FILE = Path(__file__).with_name("scenario.schema.json")
SCHEMA_ID = "urn:memgauge:scenario:1"


class _Plain(GenerateJsonSchema):
    """Leaves out what only lengthens the file: titles that repeat a key, and null for what may be left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"]) if schema.get("default") is None else super().default_schema(schema)


def schema() -> dict[str, Any]:
    """The schema: the long form, the short form, or either with a `cases:` table."""
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [(ScenarioSpec, "validation"), (ShortSpec, "validation"), (CasesSpec, "validation")]
    refs, definitions = models_json_schema(models, schema_generator=_Plain)
    defs = definitions["$defs"]
    table = defs["CasesSpec"]["properties"]["cases"]
    for name in ("ScenarioSpec", "ShortSpec"):
        defs[name]["properties"]["cases"] = table
    del defs["CasesSpec"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "memgauge scenario",
        "$defs": defs,
        "anyOf": [refs[(ScenarioSpec, "validation")], refs[(ShortSpec, "validation")]],
    }


def schema_text() -> str:
    """The schema as it is committed."""
    return json.dumps(schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def write_schema() -> None:
    """Bring the committed file up to date."""
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
