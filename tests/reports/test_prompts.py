from __future__ import annotations

from memgauge.records import Entry
from memgauge.reports.prompts import prompt_measures
from tests.reports.conftest import NOW, make_history


def _said(user: str, messages: int) -> Entry:
    args = {"messages": [{"text": "x"}] * messages}
    return Entry(n=0, type="call", step="tell", now=NOW, op="append_many", scope={"tenant": "t", "user": user}, args=args, receipt={"status": "ok"})


def _asked(user: str, **parts: object) -> Entry:
    given = {"n": 0, "type": "call", "step": "ask", "now": NOW, "op": "context", "scope": {"tenant": "t", "user": user},
             "receipt": {"status": "ok"}, "data": {"tokens_total": 30, "injected": 12}}  # fmt: skip
    return Entry(**(given | parts))  # type: ignore[arg-type]


def test_each_answered_prompt_has_its_size_and_the_age_of_the_account() -> None:
    found = {measure.name: measure.value for measure in prompt_measures([_said("ana", 40), _said("ben", 3), _asked("ana")])}
    assert found == {"tokens_total": 30.0, "tokens_memory": 12.0, "messages_stored": 40.0}


def test_reads_made_for_a_diagnosis_and_refused_ones_are_left_out() -> None:
    assert prompt_measures([_asked("ana", type="diagnosis"), _asked("ana", receipt={"status": "refused"}), _asked("ana", op="recall")]) == ()


def test_a_prompt_without_token_counts_has_no_stand_in() -> None:
    assert [measure.name for measure in prompt_measures([_asked("ana", data={})])] == ["messages_stored"]
    assert len(prompt_measures(make_history())) == 3
