"""Memory without one kind of record: what is cut from a prompt, and what is never touched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memgauge.protocol import Receipt, Request
from memgauge.records import Scope
from memgauge.systems.spec import SystemSpec
from memgauge.systems.without import Withholding

SPEC = SystemSpec(name="mine", target="mine")
ANA = Scope(user="ana", thread="t")
TEA, FERRY = "Ana drinks <green> tea.", "The ferry leaves at 9."


class Canned:
    """Answers every read in the same words."""

    def __init__(self, items: list[dict[str, Any]], contents: list[str]) -> None:
        self.items = items
        self.messages = [{"role": "user", "content": content} for content in contents]

    def call(self, request: Request) -> Receipt:
        return Receipt(status="ok", data={"items": self.items, "messages": self.messages} if request.op in ("context", "recall") else {})


def item(kind: str, text: str, section: str = "recall") -> dict[str, Any]:
    return {"id": text[:3], "kind": kind, "text": text, "section": section}


def ask(memory: Any, op: str = "context", **args: Any) -> Receipt:
    made: Receipt = memory.call(Request(op=op, now="2026-03-02T09:00:00Z", scope=ANA, args={"text": "What now?", "query": "tea", **args}))
    return made


def prompt(items: list[dict[str, Any]], *contents: str, kind: str = "fact", said: str = "") -> list[str]:
    memory = Withholding(lambda spec: Canned(items, list(contents)), kind)(SPEC)
    if said:
        ask(memory, "append", text=said)
    return [message["content"] for message in ask(memory).data["messages"]]


@pytest.mark.parametrize(
    ("content", "left"),
    [
        (f"Known:\n{json.dumps({'label': 'fact', 'text': TEA})}\n{json.dumps({'label': 'note', 'text': FERRY})}", None),
        (f"Known:\n- {TEA}\n- {FERRY}", f"Known:\n- {FERRY}"),
        (f"- {FERRY}\n- {TEA}", f"- {FERRY}"),
        (f"- {TEA}\n- {FERRY}", f"- {FERRY}"),
        (f"Known: {FERRY} {TEA}", f"Known: {FERRY} "),
        ("<b>Ana drinks &lt;green&gt; tea.</b>\n- " + FERRY, None),
    ],
)
def test_an_item_is_cut_however_it_was_written_and_the_rest_stays(content: str, left: str | None) -> None:
    seen = prompt([item("fact", TEA), item("note", FERRY)], content, "What now?")
    assert seen[-1] == "What now?"
    assert FERRY in seen[0]
    assert "tea" not in seen[0]
    assert left is None or seen[0] == left


def test_a_block_with_nothing_left_in_it_is_gone() -> None:
    assert prompt([item("fact", TEA)], f"- {TEA}", "What now?") == ["What now?"]


def test_what_somebody_said_and_the_question_stay_whatever_an_item_repeats() -> None:
    seen = prompt([item("fact", TEA), item("fact", "What now?")], TEA, f"- {TEA}\n- {FERRY}", "What now?", said=TEA)
    assert seen == [TEA, f"- {FERRY}", "What now?"]
    assert prompt([item("message", TEA, "recent")], TEA, "What now?", kind="message") == [TEA, "What now?"]


def test_the_list_and_what_is_recalled_go_without_it_too() -> None:
    memory = Withholding(lambda spec: Canned([item("fact", TEA), item("note", FERRY)], []), "fact")(SPEC)
    for op in ("recall", "context"):
        assert [one["kind"] for one in ask(memory, op).data["items"]] == ["note"]


def test_another_kind_changes_nothing() -> None:
    assert prompt([item("fact", TEA)], f"- {TEA}", "What now?", kind="goal") == [f"- {TEA}", "What now?"]
