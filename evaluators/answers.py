"""Whether a call was answered as it should be, and what the answer's data says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memgauge.anchors import fold
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, names, passed
from memgauge.evaluators.witness import answer_name
from memgauge.records import Entry, Expectation


@EVALUATORS.register("receipt")
def receipt(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The step was answered with one of these statuses, its reason has the text, and it brought this many notices. A conflict about a
    revision names the one that was expected and the one that is there."""
    allowed = names(expectation.params["status"])
    if entry.status not in allowed:
        return failed(f"{answer_name(entry)} was answered {entry.status or 'nothing'}, not {' or '.join(allowed)}")
    named = entry.receipt.get("conflict")
    if entry.status == "conflict" and "expected" in entry.args and not (isinstance(named, Mapping) and named.get("actual") is not None):
        return failed(f"the conflict told by {answer_name(entry)} does not name the revision that is there")
    wanted = str(expectation.params.get("reason_has", ""))
    if fold(wanted) not in fold(str(entry.receipt.get("reason") or "")):
        said = "what it must" if case.plan.content == "private" else f'"{wanted}"'
        return failed(f"the reason given by {answer_name(entry)} does not say {said}")
    notices, due = len(entry.receipt.get("notices") or ()), expectation.params.get("notices")
    if due is not None and notices != due:
        return failed(f"{answer_name(entry)} brought {notices} notices, not {due}")
    return passed()


@EVALUATORS.register("allowed")
def allowed(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """The question of permission is answered as the policy says. A refusal to answer allows nothing."""
    answer = _data(entry).get("allowed")
    said = answer if isinstance(answer, bool) else None if entry.status == "ok" else False
    if said is expectation.params["allowed"]:
        return passed()
    words = {True: "allowed", False: "not allowed", None: "neither allowed nor forbidden"}
    return failed(f"{answer_name(entry)} says {words[said]}, the policy says {words[bool(expectation.params['allowed'])]}")


@EVALUATORS.register("data")
def data(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """There is a part at the path, and it equals the value if one is given; true is not 1 and a missing part equals nothing."""
    path = str(expectation.params["path"])
    inside: object = dict(entry.receipt) if path.startswith("$.") else _data(entry)
    for part in path.removeprefix("$.").split("."):
        if isinstance(inside, Mapping) and part in inside:
            inside = inside[part]
        elif isinstance(inside, list) and part.isdigit() and int(part) < len(inside):
            inside = inside[int(part)]
        else:
            return failed(f"{answer_name(entry)} has nothing at {path}")
    if "equals" in expectation.params and _canonical(inside) != _canonical(expectation.params["equals"]):
        return failed(f"{path} in {answer_name(entry)} is not what it must be")
    return passed()


@EVALUATORS.register("alike")
def alike(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Nothing in the answer tells it from the answer about something that does not exist."""
    other = case.since(expectation)
    for part, tell in (("status", _status), ("reason", _reason), ("number of notices", _notices), ("shape of the data", _shape_of_data)):
        if tell(entry) != tell(other):
            return failed(f"the {part} of {answer_name(entry)} tells it from {answer_name(other)}")
    return passed()


def _status(entry: Entry) -> object:
    return entry.status, bool(entry.receipt.get("ids")), bool(entry.receipt.get("conflict"))


def _reason(entry: Entry) -> object:
    """The reason with ids and what the request itself said blanked out."""
    text = str(entry.receipt.get("reason") or "")
    for value in (*entry.args.values(), *entry.scope.values()):
        if isinstance(value, str) and value:
            text = text.replace(value, "#")
    return re.sub(r"[\w-]*\d[\w-]*", "#", fold(text))


def _notices(entry: Entry) -> object:
    return len(entry.receipt.get("notices") or ())


def _shape_of_data(entry: Entry) -> object:
    return _shape(_data(entry))


def _shape(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _shape(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_shape(part) for part in value]
    return type(value).__name__


def _data(entry: Entry) -> Mapping[str, Any]:
    found = entry.receipt.get("data")
    return found if isinstance(found, Mapping) else {}


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
