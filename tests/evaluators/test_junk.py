"""Whatever a memory answers, judging it ends in verdicts."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge.evaluators import diagnose, judge
from memgauge.records import Entry
from memgauge.reports.codec import decode_plan
from tests.evaluators.recording import EXAMPLES
from tests.evaluators.test_examples import lines

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 10), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=12))
JUNK = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)), max_leaves=6
)
PARTS = ("items", "messages", "text", "bundle", "saved", "left_out", "degraded", "allowed", "id", "role", "content", "label", "source_ids", "calls")
DATA = st.dictionaries(
    st.sampled_from(PARTS), st.one_of(JUNK, st.lists(st.dictionaries(st.sampled_from(PARTS), JUNK, max_size=4), max_size=3)), max_size=4
)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
@given(data=DATA, status=st.sampled_from(["ok", "refused", "conflict", "pending"]))
def test_junk_in_an_answer_breaks_no_judge(kind: str, data: dict[str, Any], status: str):
    line = lines(kind)[0]
    plan = decode_plan(line["plan"])
    history = [Entry.from_json(entry) for entry in line["history"]]
    spoiled = [
        dataclasses.replace(entry, receipt={"status": status, "data": data})
        if entry.step == plan.expectations[0].step and entry.type == "call"
        else entry
        for entry in history
    ]
    judgement = judge(plan, spoiled, None, line["assembled_by"])
    assert len(judgement.verdicts) == 1
    diagnose(plan, spoiled, judgement)
