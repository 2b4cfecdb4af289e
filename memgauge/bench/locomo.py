"""LoCoMo through any system: turns appended with their dates, each question asked once, ids compared with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgauge.bench.dataset import CATEGORIES, LICENCE_NOTE, Conversation, Dataset
from memgauge.bench.retrieval import KS, Answer, scores
from memgauge.clock import wall_ms
from memgauge.errors import SystemFault
from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.records import Scope
from memgauge.tokens import TokenCount

QUOTED = (1, 2, 3, 4)
"""Categories to quote. Category 5 rewards finding the turn that a trick question twists, so it is shown but not quoted."""

DRAGON: Mapping[int, float] = {5: 0.567, 10: 0.662, 25: 0.767, 50: 0.827}
"""Recall of dialogue turns by DRAGON, Table 3 of the paper: its own question set, empty evidence counted as found."""


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Scores of one system on one file, overall, for the quoted categories, and by category."""

    groups: Mapping[str, Mapping[str, float]]
    counts: Mapping[str, int]
    unscored: int
    tokens_mean: float
    query_ms_mean: float
    query_ms_p95: float
    write_ms: float
    sha256: str
    note: str = LICENCE_NOTE

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def run_locomo(dataset: Dataset, open_system: Callable[[Path], MemorySystem], root: Path, count: TokenCount, k: int = max(KS)) -> BenchResult:
    """Run every conversation on a store of its own under `root`. Raises SystemFault when the system cannot append or recall."""
    answers: list[Answer] = []
    write_ms = 0.0
    for conversation in dataset.conversations:
        system = open_system(root / conversation.id)
        started = wall_ms()
        _write(system, conversation)
        write_ms += wall_ms() - started
        answers.extend(_ask(system, conversation, count, k))
        system.call(Request(op="close", now=conversation.sessions[-1].start))
    groups = {"all": answers, "1-4": [a for a in answers if a.category in QUOTED]}
    groups |= {f"{number} {name}": [a for a in answers if a.category == number] for number, name in CATEGORIES.items()}
    times = sorted(a.ms for a in answers)
    return BenchResult(
        groups={name: scores(some) for name, some in groups.items()},
        counts={name: len(some) for name, some in groups.items()},
        unscored=dataset.unscored,
        tokens_mean=sum(a.tokens for a in answers) / len(answers),
        query_ms_mean=sum(times) / len(times),
        query_ms_p95=times[int(0.95 * (len(times) - 1))],
        write_ms=write_ms,
        sha256=dataset.sha256,
    )


def _write(system: MemorySystem, conversation: Conversation) -> None:
    for session in conversation.sessions:
        scope = Scope(user=conversation.id, thread=f"session-{session.number}")
        messages = [{"message_id": t.id, "role": "user", "speaker": t.speaker, "text": t.text} for t in session.turns]
        _ok(system.call(Request(op="append_many", now=session.start, scope=scope, args={"messages": messages})), "append_many")
    last = conversation.sessions[-1].start
    system.call(Request(op="settle", now=last, scope=Scope(user=conversation.id), args={"deadline_ms": 60_000}))


def _ask(system: MemorySystem, conversation: Conversation, count: TokenCount, k: int) -> Iterator[Answer]:
    scope = Scope(user=conversation.id, thread="questions")
    by_text = {turn.text: turn.id for session in conversation.sessions for turn in session.turns}
    now = conversation.sessions[-1].start
    for question in conversation.questions:
        started = wall_ms()
        receipt = system.call(Request(op="recall", now=now, scope=scope, args={"query": question.text, "k": k}))
        spent = wall_ms() - started
        items = _ok(receipt, "recall").data.get("items", [])
        returned = tuple(dict.fromkeys(i for item in items for i in _turn_ids(item, by_text)))
        yield Answer(question.category, question.evidence, returned, sum(count(str(item.get("text", ""))) for item in items), spent)


def _turn_ids(item: Mapping[str, Any], by_text: Mapping[str, str]) -> list[str]:
    """The turns an item stands for: the ids it names, else the turn whose text it is."""
    known = [i for i in item.get("source_ids", ()) if isinstance(i, str)]
    return known or ([by_text[item["text"]]] if item.get("text") in by_text else [])


def _ok(receipt: Receipt, op: str) -> Receipt:
    if not receipt.ok:
        raise SystemFault(f"{op}: {receipt.status}: {receipt.reason or 'no reason given'}", hint="LoCoMo needs append_many and recall")
    return receipt
