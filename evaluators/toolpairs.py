"""Tool calls and their results: kept together or dropped together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memgauge.evaluators.case import Case
from memgauge.evaluators.rendered import messages_of, text_of
from memgauge.evaluators.ruling import EVALUATORS, Ruling, failed, passed, unscored
from memgauge.evaluators.witness import answer_name
from memgauge.records import Entry, Expectation


@EVALUATORS.register("tool_pairs")
def tool_pairs(case: Case, expectation: Expectation, entry: Entry) -> Ruling:
    """Every result in the prompt has its call before it, every call all results that the thread holds.

    Calls are known by `calls` and `call_id` of a rendered message; where a system renders none, by what was said word for word.
    """
    said = case.messages(entry)
    called = [call for message in said for call in _calls(message)]
    if not called:
        return unscored("the thread holds no tool call")
    answered = {str(m["call_id"]) for m in said if m.get("call_id")}
    open_calls: list[str] = []
    done: set[str] = set()
    for n, message in enumerate(messages_of(entry.receipt), 1):
        given = _given(message, said)
        open_calls += _calls(given)
        if message.get("role") == "tool" or given.get("call_id"):
            result = str(given.get("call_id") or next((call for call in open_calls if call not in done), ""))
            if result not in open_calls:
                return failed(f"message {n} of {answer_name(entry)} is the result of a call that is not before it")
            done.add(result)
    for call in open_calls:
        if call in answered and call not in done:
            return failed(f"call {called.index(call) + 1 if call in called else '?'} of the thread stands in {answer_name(entry)} without its result")
    return passed()


def _given(rendered: Mapping[str, Any], said: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The message as it was given, when the rendered one does not name its calls itself."""
    if rendered.get("calls") or rendered.get("call_id"):
        return rendered
    content, role = text_of(rendered), rendered.get("role")
    return next((m for m in said if content and m.get("text") == content and m.get("role") == role), rendered)


def _calls(message: Mapping[str, Any]) -> list[str]:
    calls = message.get("calls")
    return [str(call.get("id", "")) for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []
