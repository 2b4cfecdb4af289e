"""Frozen example histories: every kind of check is seen to pass, to fail and to decline, and says today what it said then."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memgauge.checks import CHECKS
from memgauge.evaluators import judge
from memgauge.evaluators.ruling import EVALUATORS
from memgauge.records import Entry, Verdict
from memgauge.reports.codec import decode_plan, encode
from tests.evaluators.recording import FOLDER

DECLINED = ("unscored", "unsupported", "not_applicable", "error")


def lines(kind: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()]


def judged(line: dict[str, Any]) -> Verdict:
    history = [Entry.from_json(entry) for entry in line["history"]]
    return judge(decode_plan(line["plan"]), history, None, line["assembled_by"]).verdicts[0]


def test_every_kind_of_check_has_an_evaluator_and_the_reverse():
    assert EVALUATORS.names() == sorted(CHECKS)


def test_every_kind_of_check_has_examples_and_the_reverse():
    assert sorted(path.stem for path in FOLDER.glob("*.jsonl")) == sorted(CHECKS)


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_a_stored_history_is_judged_as_it_was(kind: str):
    for line in lines(kind):
        assert line["version"] == CHECKS[kind].version, "a new version of a check needs its examples recorded anew"
        assert encode(judged(line)) == line["verdict"], line["name"]


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_every_kind_is_seen_to_pass_to_fail_and_to_decline(kind: str):
    outcomes = {line["name"].split()[0]: set() for line in lines(kind)}
    for line in lines(kind):
        outcomes[line["name"].split()[0]].add(line["verdict"]["outcome"])
    assert outcomes["pass"] == {"pass"}
    assert outcomes["fail"] == {"fail"}
    assert outcomes["decline"] <= set(DECLINED)
    assert outcomes["decline"]


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_no_witness_shows_an_id_of_the_system(kind: str):
    for line in lines(kind):
        witness = line["verdict"].get("witness", "")
        assert not any(raw in witness for raw in ("fact-", "note-1", "goal-1", "pin-", "store.db")), witness
