"""The page for adapter authors is held against the code: every verb has one exchange, and what it shows is what travels."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

from memgauge.clock import parse_instant
from memgauge.protocol import VERBS, Manifest, Receipt, Request, check_answer

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "reference" / "protocol.md").read_text(encoding="utf-8")
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "object": (dict,), "array": (list,), "any": (object,),
}  # fmt: skip


def sections() -> dict[str, str]:
    """Heading of the third level → what stands under it."""
    parts = re.split(r"^##+ (.+)\n", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def exchange(verb: str) -> tuple[dict[str, Any], dict[str, Any]]:
    blocks = re.findall(r"^```jsonl\n(.*?)^```", sections()[verb], flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, f"{verb}: {len(blocks)} exchanges"
    request, answer = (json.loads(line) for line in blocks[0].splitlines())
    return request, answer


def test_every_verb_has_its_section_in_the_order_of_the_table() -> None:
    assert [heading for heading in sections() if heading in VERBS] == list(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_the_request_is_as_the_harness_sends_it(verb: str) -> None:
    line, _ = exchange(verb)
    request = Request.from_json(line)
    assert request.op == verb
    assert {"id": line["id"], **request.to_json()} == line
    parse_instant(request.now)
    known = VERBS[verb].args
    assert set(request.args) <= set(known)
    assert {name for name, arg in known.items() if arg.required} <= set(request.args)
    for name, value in request.args.items():
        assert isinstance(value, TYPES[known[name].type]), name
        assert isinstance(value, bool) == (known[name].type == "boolean"), name
    assert bool(request.scope.user) == (VERBS[verb].effect != "control" and verb != "surfaces")


@pytest.mark.parametrize("verb", VERBS)
def test_the_answer_is_one_the_harness_takes(verb: str) -> None:
    line, answer = exchange(verb)
    receipt = Receipt.from_json(answer)
    assert answer["id"] == line["id"]
    assert {"id": answer["id"], **receipt.to_json()} == answer
    assert receipt.status == "ok" or receipt.reason
    check_answer(verb, receipt)
    promised = re.match(r"(\w+)[:;,]", VERBS[verb].returns)
    if promised and receipt.ok:
        assert promised[1] in receipt.data


def test_the_manifest_shown_is_one() -> None:
    _, answer = exchange("describe")
    assert Manifest.from_json(answer["data"]["manifest"]).supports("recall")


def test_the_generated_parts_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert generate.rewritten(PAGE) == PAGE, "run: python docs/generate.py"
    for verb in VERBS:
        assert f"<!-- generated: verb {verb} -->" in PAGE
