"""A dataset through any system: turns appended with their dates, each question asked once, ids compared with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memgauge.bench.dataset import Conversation, Dataset
from memgauge.bench.retrieval import KS, Answer, scores
from memgauge.clock import wall_ms
from memgauge.errors import SystemFault
from memgauge.protocol import MemorySystem, Receipt, Request
from memgauge.records import Scope
from memgauge.tokens import TokenCount

MOST_AT_ONCE = 500
"""Messages of one `append_many`."""


@dataclass(frozen=True, slots=True)
class BenchResult:
    """Scores of one system on one file, by group of the dataset. A group without a question has no scores."""

    groups: Mapping[str, Mapping[str, float]]
    counts: Mapping[str, int]
    unscored: int
    tokens_mean: float
    query_ms_mean: float
    query_ms_p95: float
    write_ms: float
    sha256: str
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def run_bench(dataset: Dataset, open_system: Callable[[Path], MemorySystem], root: Path, count: TokenCount, k: int = max(KS)) -> BenchResult:
    """Run every conversation on a store of its own under `root`. Raises SystemFault when the system cannot append or recall."""
    answers: list[Answer] = []
    write_ms = 0.0
    for n, conversation in enumerate(dataset.conversations):
        system = open_system(root / str(n))
        started = wall_ms()
        _write(system, conversation)
        write_ms += wall_ms() - started
        answers.extend(_ask(system, conversation, count, k))
        system.call(Request(op="close", now=conversation.sessions[-1].start))
    grouped = {name: [a for a in answers if a.category in categories] for name, categories in dataset.groups.items()}
    times = sorted(a.ms for a in answers)
    return BenchResult(
        groups={name: scores(some) for name, some in grouped.items()},
        counts={name: len(some) for name, some in grouped.items()},
        unscored=dataset.unscored,
        tokens_mean=sum(a.tokens for a in answers) / len(answers),
        query_ms_mean=sum(times) / len(times),
        query_ms_p95=times[int(0.95 * (len(times) - 1))],
        write_ms=write_ms,
        sha256=dataset.sha256,
        notes=dataset.notes,
    )


def _write(system: MemorySystem, conversation: Conversation) -> None:
    for session in conversation.sessions:
        scope = Scope(user=conversation.id, thread=session.id)
        messages = [{"message_id": t.id, "role": t.role, "text": t.text} | ({"speaker": t.speaker} if t.speaker else {}) for t in session.turns]
        for at in range(0, len(messages), MOST_AT_ONCE):
            request = Request(op="append_many", now=session.start, scope=scope, args={"messages": messages[at : at + MOST_AT_ONCE]})
            _ok(system.call(request), "append_many")
    last = conversation.sessions[-1].start
    system.call(Request(op="settle", now=last, scope=Scope(user=conversation.id), args={"deadline_ms": 60_000}))


def _ask(system: MemorySystem, conversation: Conversation, count: TokenCount, k: int) -> Iterator[Answer]:
    scope = Scope(user=conversation.id, thread="questions")
    by_text = {turn.text: turn.id for session in conversation.sessions for turn in session.turns}
    last = conversation.sessions[-1].start
    for question in conversation.questions:
        started = wall_ms()
        receipt = system.call(Request(op="recall", now=max(question.asked_at, last), scope=scope, args={"query": question.text, "k": k}))
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
        raise SystemFault(f"{op}: {receipt.status}: {receipt.reason or 'no reason given'}", hint="a bench needs append_many and recall")
    return receipt
