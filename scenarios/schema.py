"""The JSON Schema of a scenario file, made from the models. The committed file beside this one is held equal by a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from memgauge.scenarios.model import CasesSpec, ScenarioSpec, ShortSpec

SCHEMA_FILE = Path(__file__).with_name("scenario.schema.json")
SCHEMA_ID = "urn:memgauge:scenario:1"


def schema() -> dict[str, Any]:
    """The schema: the long form, the short form, or either with a `cases:` table."""
    refs, definitions = models_json_schema([(ScenarioSpec, "validation"), (ShortSpec, "validation"), (CasesSpec, "validation")])
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
