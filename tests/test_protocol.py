from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import InputError, SystemFault
from memgauge.protocol import VERBS, Manifest, Receipt, Request, check_answer, unsupported
from memgauge.records import Entry, Scope

NAMES = [
    "status",
    "ids",
    "revision",
    "notices",
    "conflict",
    "reason",
    "retryable",
    "data",
    "op",
    "now",
    "scope",
    "args",
    "name",
    "verbs",
    "user",
    "v",
]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["ok", "native", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(ANY_JSON)
def test_any_json_is_a_record_or_a_fault(line: object) -> None:
    for parse in (Receipt.from_json, Manifest.from_json, Request.from_json):
        with contextlib.suppress(SystemFault, InputError):
            parsed = parse(line)
            assert parse(parsed.to_json()) == parsed


def test_a_request_survives_the_wire() -> None:
    request = Request(
        op="recall", now="2026-03-02T09:00:00+00:00", scope=Scope(user="ana ", project="p"), args={"query": "é\U0001f600"}, idempotency_key="k"
    )
    assert Request.from_json(json.loads(json.dumps(request.to_json()))) == request


def test_a_missing_or_null_user_is_the_empty_text() -> None:
    for scope in ({}, {"user": None}, {"user": ""}):
        assert Request.from_json({"op": "list", "now": "t", "scope": scope}).scope.user == ""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ([], "JSON object"),
        ({"op": "list"}, "op and now"),
        ({"op": "list", "now": "t", "scope": {"usr": "ana"}}, "usr"),
        ({"op": "list", "now": "t", "scope": {"user": 7}}, "user"),
        ({"op": "list", "now": "t", "scope": "ana"}, "scope"),
        ({"op": "list", "now": "t", "args": [1]}, "args"),
    ],
)
def test_a_broken_request_names_its_part(line: object, names: str) -> None:
    with pytest.raises(InputError, match=names):
        Request.from_json(line)


@pytest.mark.parametrize("revision", [0, 1, None])
def test_a_receipt_survives_the_wire(revision: int | None) -> None:
    receipt = Receipt(status="conflict", ids=("a", "b"), revision=revision, notices=("saved",), conflict={"expected": 0, "actual": 1}, retryable=True)
    assert Receipt.from_json(json.loads(json.dumps(receipt.to_json()))) == receipt


def test_an_answer_may_leave_out_or_null_what_it_does_not_know() -> None:
    assert Receipt.from_json({"status": "ok", "ids": None, "data": None, "id": 3, "v": 1}) == Receipt(status="ok")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("ids", "fact-1"),
        ("ids", [1]),
        ("ids", 3),
        ("revision", True),
        ("revision", "2"),
        ("notices", "saved"),
        ("conflict", "yes"),
        ("reason", ["no"]),
        ("retryable", "false"),
        ("data", []),
        ("data", {1: 2}),
        ("items", []),
    ],
)
def test_a_receipt_part_of_the_wrong_shape_is_a_fault_that_names_it(part: str, value: object) -> None:
    with pytest.raises(SystemFault, match=part):
        Receipt.from_json({"status": "ok", part: value})


@pytest.mark.parametrize("line", [None, "ok", ["ok"], {1, 2}, {}, {"status": "done"}, {"status": ["ok"]}])
def test_no_receipt_at_all_is_a_fault(line: object) -> None:
    with pytest.raises(SystemFault):
        Receipt.from_json(line)


@pytest.mark.parametrize(
    ("op", "data", "names"),
    [
        ("recall", {}, "items"),
        ("recall", {"items": "none"}, "items"),
        ("list", {"items": [{"text": "a"}, {"id": "x"}]}, r"items\[1\]"),
        ("list", {"items": ["a"]}, "text"),
        ("context", {"items": []}, "messages"),
        ("context", {"items": [], "messages": [{"role": "user", "content": None}]}, "content"),
        ("explain", {"messages": [{"text": "a"}]}, "message_id"),
    ],
)
def test_an_answer_that_could_pass_for_an_empty_one_is_refused(op: str, data: dict[str, object], names: str) -> None:
    with pytest.raises(SystemFault, match=names):
        check_answer(op, Receipt(status="ok", data=data))
    check_answer(op, Receipt(status="refused", data=data))


@pytest.mark.parametrize("parts", [{"status": "done"}, {"status": "ok", "ids": (1,)}, {"status": "ok", "data": ["x"]}, {"status": "ok", "reason": 3}])
def test_a_receipt_made_in_process_is_checked_as_one_from_a_child(parts: dict[str, object]) -> None:
    with pytest.raises(SystemFault):
        check_answer("forget", Receipt(**parts))  # type: ignore[arg-type]


def test_a_good_answer_is_let_through() -> None:
    check_answer("context", Receipt(status="ok", data={"items": [{"text": ""}], "messages": [{"role": "user", "content": "hi", "calls": []}]}))
    check_answer("forget", Receipt(status="ok"))
    assert unsupported("forget").status == "unsupported"


def test_a_manifest_survives_the_wire() -> None:
    manifest = Manifest(name="m", verbs={"recall": "native"}, scope={"user": "enforced"}, secure_delete=False)
    assert Manifest.from_json(json.loads(json.dumps(manifest.to_json()))) == manifest
    assert manifest.supports("recall")
    assert not manifest.supports("forget")


@pytest.mark.parametrize(
    "line",
    [
        None,
        {},
        {"name": ""},
        {"name": "m", "verb": {}},
        {"name": "m", "verbs": ["recall"]},
        {"name": "m", "verbs": {"remeber": "native"}},
        {"name": "m", "verbs": {"recall": "yes"}},
        {"name": "m", "scope": {"user": "sure"}},
        {"name": "m", "determinism": "often"},
    ],
)
def test_a_broken_manifest_is_a_fault(line: object) -> None:
    with pytest.raises(SystemFault):
        Manifest.from_json(line)


def test_every_verb_says_what_it_is_for_and_what_it_may_do() -> None:
    for verb in VERBS.values():
        assert verb.effect in ("control", "read", "write", "destroy")
        assert verb.doc, verb.name


def test_an_entry_survives_the_wire_even_when_it_is_empty() -> None:
    for entry in (Entry(n=0, type="call", step="", now=""), Entry(n=1, type="scan", step="s", now="t", data={"needles": []})):
        assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry
