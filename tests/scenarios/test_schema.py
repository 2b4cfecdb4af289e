from __future__ import annotations

import json

from memgauge.checks import CHECKS
from memgauge.protocol import VERBS
from memgauge.scenarios import schema
from memgauge.scenarios.calls import NOT_A_STEP
from memgauge.scenarios.schema import SCHEMA_FILE, schema_text


def test_the_committed_file_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "call memgauge.scenarios.schema.write_schema()"


def test_every_verb_and_every_check_has_its_definition_and_all_are_closed() -> None:
    definitions = schema()["$defs"]
    assert {f"Step_{verb}" for verb in set(VERBS) - NOT_A_STEP} | {f"Check_{kind}" for kind in CHECKS} <= definitions.keys()
    closed = [d for d in definitions.values() if d.get("type") == "object"]
    assert closed
    assert all(d["additionalProperties"] is False for d in closed)
    assert "prefixItems" not in json.dumps(definitions)
