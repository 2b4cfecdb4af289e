"""Every verb of the reference memory with every argument of a wrong sort: refused with a reason, never an exception."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memgauge.protocol import VERBS, Receipt, Request
from memgauge.records import Scope
from memgauge.systems.reference import ReferenceSystem

NOW = "2026-03-02T09:00:00+00:00"
ANA = Scope(user="ana", thread="main")
HERE = ("describe", "open", "close")
SAMPLE: dict[str, Any] = {"string": "x", "object": {}, "array": [], "integer": 1, "boolean": True, "number": 0.5, "any": "x"}
WRONG: dict[str, tuple[Any, ...]] = {
    "string": (5, 1.5, True, [], {}, None),
    "integer": ("1", 1.5, True, [], {}),
    "number": ("1", True, [], {}),
    "boolean": ("yes", 1, [], {}),
    "object": ("x", 1, [], True),
    "array": ("x", 1, {}, True),
    "any": (),
}
ODD: dict[str, tuple[Any, ...]] = {
    "string": ("", " ", "\ud800", "a\x00b", "\u202e", "x" * 5000, "%", "' OR 1=1 --", "NaN", "9999-99-99"),
    "integer": (-1, 0, 2**70, -(2**70)),
    "number": (-1.0, 2.0, 1e308, float("nan"), float("inf")),
    "boolean": (),
    "object": ({"x": {"y": [None]}}, {"window": -1}, {"window": "x"}, {"window": 2**70}, {"version": 99}, {"\ud800": 1}),
    "array": ([None], [[]], [{}], ["\ud800"], [{"message_id": 5, "role": "user", "text": None}], [1, 2]),
    "any": (),
}


def cases(table: dict[str, tuple[Any, ...]]) -> Iterator[tuple[str, str, Any]]:
    for op, verb in VERBS.items():
        if op not in HERE:
            for name, arg in verb.args.items():
                for value in table[arg.type]:
                    if value is not None or arg.required:
                        yield op, name, value


def sample(op: str) -> dict[str, Any]:
    args = {name: SAMPLE[arg.type] for name, arg in VERBS[op].args.items() if arg.required}
    return args | {"role": "user"} if op == "append" else args


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> ReferenceSystem:
    memory = ReferenceSystem()
    root = tmp_path_factory.mktemp("odd") / "store"
    assert memory.call(Request(op="open", now=NOW, args={"root": str(root)})).ok
    assert memory.call(Request(op="remember", now=NOW, scope=ANA, args={"text": "I like tea."})).ok
    return memory


def called(system: ReferenceSystem, op: str, args: dict[str, Any], scope: Scope = ANA) -> Receipt:
    return system.call(Request(op=op, now=NOW, scope=scope, args=args))


@pytest.mark.parametrize("op", [op for op in VERBS if op not in HERE])
def test_a_wrong_sort_of_argument_is_refused_by_name(system: ReferenceSystem, op: str) -> None:
    for verb, name, value in cases(WRONG):
        if verb == op:
            receipt = called(system, op, {**sample(op), name: value})
            assert receipt.status == "refused", (name, value)
            assert name in (receipt.reason or ""), (name, value)


@pytest.mark.parametrize("op", [op for op in VERBS if op not in HERE])
def test_an_odd_value_is_answered_and_what_is_not_done_has_a_reason(system: ReferenceSystem, op: str) -> None:
    for verb, name, value in cases(ODD):
        if verb == op:
            receipt = called(system, op, {**sample(op), name: value})
            assert receipt.ok or receipt.reason, (name, value, receipt.status)


@pytest.mark.parametrize("part", ["tenant", "user", "agent", "project", "thread", "task"])
def test_half_a_character_in_a_scope_is_answered(system: ReferenceSystem, part: str) -> None:
    scope = Scope(**{"user": "ana", part: "\ud800"})
    for op in ("remember", "list", "recall", "context"):
        receipt = called(system, op, {**sample(op), **({"budget": {"window": 2000}} if op == "context" else {})}, scope)
        assert receipt.ok or receipt.reason


def test_an_empty_text_is_refused_as_empty_and_half_a_character_as_such(tmp_path: Path, system: ReferenceSystem) -> None:
    for text in ("", "  "):
        assert "empty" in (called(system, "remember", {"text": text}).reason or "")
    receipt = called(system, "remember", {"text": "half \ud800 a character"})
    assert receipt.status == "refused"
    assert "character" in (receipt.reason or "")


def test_control_verbs_need_no_user(system: ReferenceSystem) -> None:
    for op, verb in VERBS.items():
        if verb.effect == "control" and op not in HERE:
            assert called(system, op, {}, Scope()).ok, op
