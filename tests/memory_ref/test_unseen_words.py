"""Short cases in other words than the scenarios: told in one way, asked in another, or not meant at all. See data/unseen_words.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgauge.clock import format_instant, parse_duration, parse_instant
from memgauge.protocol import Receipt, Request
from memgauge.records import Scope
from memgauge.systems.reference import ReferenceSystem

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "data" / "unseen_words.yaml").read_text("utf-8"))
MEMORY = ("recall", "longterm", "pinned", "summary", "goals")
BUDGET = {"window": 3000, "reserve": 500}


class Play:
    """One case on a fresh store: the steps of `do` in order, then each question from another thread."""

    def __init__(self, root: Path) -> None:
        self.system, self.root, self.now, self.said = ReferenceSystem(), root, parse_instant("2026-03-02T09:00:00+00:00"), 0
        self.names: dict[str, str] = {}
        self.call("open", {"root": str(root), "config": {}})

    def call(self, op: str, args: dict[str, Any], *, thread: str = "main", user: str = "ana", project: str | None = None) -> Receipt:
        scope = Scope(user="" if op in ("open", "close") else user, thread=thread, project=project)
        receipt = self.system.call(Request(op=op, now=format_instant(self.now), scope=scope, args=args))
        assert receipt.ok, (op, receipt.status, receipt.reason)
        return receipt

    def step(self, step: str | dict[str, Any]) -> None:
        if isinstance(step, str):
            step = {"say": step}
        (op, given), *rest = step.items()
        beside = dict(rest)
        if op == "say":
            self._say(given, **beside)
        elif op == "advance":
            self.now += parse_duration(given)
        elif op == "reopen":
            self.call("close", {})
            self.call("open", {"root": str(self.root), "config": {}})
        elif op == "tool":
            self._append({"role": "assistant", "text": "", "calls": [{"id": "c1", "name": "look", "arguments": {}}]})
            self._append({"role": "tool", "text": given, "call_id": "c1"})
            self.call("end_turn", {"ok": True})
        elif op == "filler":
            self._fill(given)
        else:
            args = given if isinstance(given, dict) else {"text": given}
            save = beside.pop("save", None)
            receipt = self.call(op, {name: self.names.get(str(value), value) for name, value in args.items()}, **beside)
            if save:
                self.names[f"${save}"] = receipt.ids[0]
        self.now += parse_duration("PT1M")

    def _append(self, args: dict[str, Any], **scope: Any) -> str:
        self.said += 1
        self.call("append", {"message_id": f"m{self.said}", **args}, **scope)
        return f"m{self.said}"

    def _say(self, text: str, *, reply: str = "Noted.", private: bool = False, **scope: Any) -> None:
        self.names["#last"] = self._append({"role": "user", "text": text} | ({"private": True} if private else {}), **scope)
        self._append({"role": "assistant", "text": reply}, **scope)
        self.call("end_turn", {"ok": True}, **scope)

    def _fill(self, number: int) -> None:
        said = ("What do you make of puzzle number {} in the paper?", "Here are some thoughts on puzzle number {}.")
        roles = ("user", "assistant")
        messages = [{"message_id": f"f{n}", "role": roles[n % 2], "text": said[n % 2].format(n)} for n in range(number)]
        self.call("append_many", {"messages": messages})
        self.call("end_turn", {"ok": True})

    def asked(self, question: str, **scope: Any) -> list[str]:
        """The texts of all memory in the prompt for a question."""
        answer = self.call("context", {"text": question, "budget": BUDGET}, **({"thread": "asked"} | scope))
        return [item["text"] for item in answer.data["items"] if item.get("section") in MEMORY]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    made = Play(tmp_path)
    yield made
    made.call("close", {})


def named(case: dict[str, Any]) -> str:
    return f"{case['kind']}: {case['do'][-1] if isinstance(case['do'][-1], str) else next(iter(case['do'][-1].values()))}"[:70]


def marked(case: dict[str, Any]) -> Any:
    marks = [pytest.mark.xfail(reason=case["open"], strict=True)] if "open" in case else []
    return pytest.param(case, marks=marks, id=named(case))


@pytest.mark.parametrize("case", [marked(case) for case in CASES])
def test_what_a_question_brings(case: dict[str, Any], play: Play) -> None:
    for step in case["do"]:
        play.step(step)
    for question in case["ask"] if isinstance(case["ask"], list) else [case["ask"]]:
        texts = play.asked(question, **case.get("as", {}))
        whole = "\n".join(texts).casefold()
        assert [one for one in case.get("has", ()) if str(one).casefold() not in whole] == [], (question, texts)
        assert [one for one in case.get("not", ()) if str(one).casefold() in whole] == [], (question, texts)
        assert not (case.get("empty") and texts), (question, texts)
    for marker in case.get("no_bytes", ()):
        holding = [path.name for path in play.root.rglob("*") if path.is_file() and marker.encode() in path.read_bytes()]
        assert holding == [], marker


def test_there_are_many_and_few_are_open() -> None:
    assert len(CASES) >= 150
    assert sum("open" in case for case in CASES) <= len(CASES) // 20
    assert all(case.get("has") or case.get("not") or case.get("empty") for case in CASES)
