"""The reference memory through the protocol alone."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memgauge.memory_ref.session import Session
from memgauge.protocol import VERBS, Manifest, Receipt, Request
from memgauge.records import Scope
from memgauge.systems.reference import ReferenceSystem

NOW = "2026-03-02T09:00:00+00:00"


class Opened:
    def __init__(self, root: Path, config: Mapping[str, Any] | None = None) -> None:
        self.system = ReferenceSystem()
        assert self("open", root=str(root), config=dict(config or {})).ok

    def __call__(self, op: str, *, scope: Scope | None = None, now: str = NOW, key: str | None = None, **args: Any) -> Receipt:
        return self.system.call(Request(op=op, now=now, scope=scope or Scope(user="ana", thread="main"), args=args, idempotency_key=key))


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return Opened(tmp_path / "store")


def test_every_verb_is_native_and_answered(opened: Opened) -> None:
    manifest = Manifest.from_json(opened("describe").data["manifest"])
    assert [op for op in VERBS if manifest.verbs[op] != "native"] == []
    assert manifest.clock == "argument"
    assert manifest.determinism == "exact"
    assert manifest.versions["sqlite"]
    for op, verb in VERBS.items():
        if op in ("open", "close", "describe"):
            continue
        sample = {"string": "x", "object": {}, "array": [], "integer": 1, "boolean": True, "number": 0.5}
        args = {name: sample[arg.type] for name, arg in verb.args.items() if arg.required}
        if op == "append":
            args["role"] = "user"
        assert opened(op, **args).status in ("ok", "refused", "conflict"), op


def test_the_methods_take_exactly_the_arguments_of_the_verbs() -> None:
    for op, verb in VERBS.items():
        if op in ("open", "close", "describe"):
            continue
        parameters = dict(inspect.signature(getattr(Session, "import_" if op == "import" else op)).parameters)
        del parameters["self"]
        assert set(parameters) == set(verb.args), op
        assert {name for name, p in parameters.items() if p.default is p.empty} == {name for name, arg in verb.args.items() if arg.required}, op


def test_a_receipt_is_json_and_survives_the_wire(opened: Opened) -> None:
    opened("append", message_id="m1", role="user", text="Remember that I prefer aisle seats.")
    for receipt in (
        opened("end_turn"),
        opened("list"),
        opened("context", text="seats?", budget={"window": 2000}),
        opened("export"),
        opened("access"),
    ):
        assert Receipt.from_json(json.loads(json.dumps(receipt.to_json()))).to_json() == receipt.to_json()


@pytest.mark.parametrize(
    ("op", "args", "said"),
    [
        ("remember", {}, "remember needs text"),
        ("remember", {"text": 5}, "text must be of type string"),
        ("remember", {"text": "I like tea", "colour": "blue"}, "no argument 'colour'"),
        ("list", {"limit": True}, "limit must be of type integer"),
        ("remember", {"text": "I like tea", "expires_at": "soon"}, "not a time"),
        ("context", {"text": "x", "budget": {}}, "window"),
        ("forget", {}, "name an id"),
        ("forget", {"id": "fact-1", "query": "tea"}, "one of the four"),
        ("list", {"kind": "x') OR 1=1 --"}, "unknown kind"),
        ("recall", {"query": "tea", "kinds": ["x') OR 1=1 --"]}, "unknown kind"),
        ("list", {"include": ["%"]}, "unknown status"),
    ],
)
def test_wrong_arguments_are_refused_by_name(opened: Opened, op: str, args: dict[str, Any], said: str) -> None:
    receipt = opened(op, **args)
    assert receipt.status == "refused"
    assert said in (receipt.reason or "")


def test_an_unknown_verb_is_unsupported_and_a_closed_memory_refuses(opened: Opened) -> None:
    assert opened("dream").status == "unsupported"
    opened("close")
    assert opened("list").status == "refused"


def test_conflicts_name_both_revisions(opened: Opened) -> None:
    opened("doc_write", name="plan", text="a", expected=0)
    receipt = opened("doc_write", name="plan", text="b", expected=0)
    assert receipt.status == "conflict"
    assert receipt.conflict == {"expected": 0, "actual": 1}


def test_the_clock_is_the_requests(opened: Opened) -> None:
    opened("remember", text="The fair is on", expires_at="2026-03-02T10:00:00+01:00", now="2026-03-02T08:59:58+00:00")
    assert opened("list", now="2026-03-02T08:59:59+00:00").data["total"] == 1
    assert opened("list", now="2026-03-02T17:00:00+08:00").data["total"] == 0


def test_a_repeat_with_the_same_key_is_one_memory(opened: Opened) -> None:
    first, again = (opened("note_add", text="Watered the beans", key="k") for _ in range(2))
    assert first.ids == again.ids
    assert len(opened("list", kind="notes").ids) == 1


def test_the_same_root_continues(tmp_path: Path) -> None:
    first = Opened(tmp_path / "store")
    first("remember", text="I prefer aisle seats")
    first("close")
    assert Opened(tmp_path / "store")("list").data["items"][0]["text"] == "I prefer aisle seats"


def test_equal_requests_give_equal_answers(tmp_path: Path) -> None:
    def run(name: str) -> list[Any]:
        memory = Opened(tmp_path / name)
        for n, text in enumerate(
            ("I live in Ghent.", "Remember that I prefer aisle seats.", "I moved to Lyon.", "Never delete files without asking me.")
        ):
            memory("append", message_id=f"m{n}", role="user", text=text)
            memory("end_turn")
        answers = [
            memory("list", kind="all"),
            memory("context", text="Where do I live?", budget={"window": 3000}),
            memory("recall", query="seats"),
            memory("export"),
        ]
        return [answer.to_json() for answer in answers]

    assert run("a") == run("b")


def test_the_policy_is_the_configuration(tmp_path: Path) -> None:
    memory = Opened(tmp_path / "store", {"preset": "off"})
    assert memory("remember", text="I like tea").status == "refused"
    bad = ReferenceSystem().call(Request(op="open", now=NOW, args={"root": str(tmp_path / "x"), "config": {"recal": {}}}))
    assert bad.status == "refused"
    assert 'did you mean "recall"' in (bad.reason or "")
    bad = ReferenceSystem().call(Request(op="open", now=NOW, args={"root": str(tmp_path / "x"), "config": {"trace": {"kill": 1}}}))
    assert "kill_at" in (bad.reason or "")


def test_the_trace_key_kills_the_process_at_that_point(tmp_path: Path) -> None:
    code = """
import sys
from memgauge.protocol import Request
from memgauge.records import Scope
from memgauge.systems.reference import ReferenceSystem
system = ReferenceSystem()
for op, args in (("open", {"root": sys.argv[1], "config": {"trace": {"kill_at": 3}}}), ("note_add", {"text": "Watered the beans"})):
    print(system.call(Request(op=op, now="2026-03-02T09:00:00+00:00", scope=Scope(user="ana"), args=args)).status, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "store")], capture_output=True, text=True, check=False)
    assert done.returncode == -9
    assert done.stdout == "ok\n"


def test_no_error_says_what_its_reader_may_not_see(opened: Opened) -> None:
    record = opened("remember", text="Marker Tulip is mine").ids[0]
    ben = Scope(user="ben")
    for op, args in (
        ("correct", {"query": "Marker Tulip", "text": "no"}),
        ("forget", {"query": "Marker Tulip"}),
        ("history", {"id": record}),
        ("explain", {"id": record}),
        ("confirm", {"id": record}),
    ):
        receipt = opened(op, scope=ben, **args)
        assert receipt.status == "refused"
        assert receipt.reason == "no such record"
        assert receipt.ids == ()
