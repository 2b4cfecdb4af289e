"""The operation log: what was done, to which ids, how often and at what cost. Never content."""

from __future__ import annotations

import json
from collections.abc import Iterable

from memgauge.memory_ref.database import Row
from memgauge.memory_ref.errors import NotFound
from memgauge.memory_ref.records import Item, Reply
from memgauge.memory_ref.store import Store


def operation(store: Store, op: str, reply: Reply, *, ms: float) -> None:
    """Note one finished operation. `model`, `calls` and `tokens` are what it says it cost; the wait for a model is added to `ms`."""
    if not store.policy.logs.operations:
        return
    cost = reply.data.get("cost", {})
    store.database.insert(
        "operations",
        at=store.now, op=op, ids=json.dumps(reply.ids), revision=reply.revision, count=len(reply.ids),
        model=cost.get("model"), calls=cost.get("calls", 0), tokens=cost.get("tokens", 0),
        ms=ms + cost.get("ms", 0.0),
    )  # fmt: skip


Given = tuple[str, str, str, float | None]
"""A line of the retrieval log: instant, item id, section, score."""


def given(store: Store, reply: Reply, section: str) -> list[Given]:
    """The retrieval log's lines for an answer: which items were given out, without their text."""
    return [
        (store.now, item["id"], item.get("section", section), item.get("score")) for item in reply.data["items"] if item.get("section") != "current"
    ]


def retrievals(store: Store, lines: Iterable[Given]) -> None:
    """Write waiting lines."""
    for line in lines:
        store.database.run("INSERT INTO retrievals (at, item, section, score) VALUES (?, ?, ?, ?)", line)


KINDS = ("operations", "retrievals")


def listed(store: Store, kind: str) -> list[Item]:
    """The lines of a log, newest last, as items whose text holds ids and numbers only."""
    if kind == "operations":
        return [
            Item(id=f"operation-{row['seq']}", kind="operation", text=_told(row), revision=row["revision"], created_at=row["at"])
            for row in store.database.all("SELECT * FROM operations ORDER BY seq")
        ]
    return [
        Item(
            id=f"retrieval-{row['seq']}",
            kind="retrieval",
            text=f"{row['item']} given out in {row['section']}",
            score=row["score"],
            status=None if row["helped"] is None else "helped" if row["helped"] else "did not help",
            created_at=row["at"],
        )
        for row in store.database.all("SELECT * FROM retrievals ORDER BY seq")
    ]


def _told(row: Row) -> str:
    """One operation in words. The time it took stays in the table: equal calls give equal lists."""
    cost = f", {row['calls']} calls and {row['tokens']} tokens of {row['model']}" if row["model"] else ""
    return f"{row['op']}: {row['count']} records ({', '.join(json.loads(row['ids']))}){cost}"


def feedback(store: Store, record: str, *, helped: bool) -> Reply:
    """Note whether an item that was given out helped. It changes no score: use is no evidence of truth. Raises NotFound."""
    known = store.database.value("SELECT 1 FROM search_rows WHERE record = ?", (record,))
    if known is None and store.database.value("SELECT 1 FROM retrievals WHERE item = ?", (record,)) is None:
        raise NotFound("record")
    latest = "SELECT max(seq) FROM retrievals WHERE item = ?"
    if not store.database.run(f"UPDATE retrievals SET helped = ? WHERE seq = ({latest})", (int(helped), record)):
        store.database.insert("retrievals", at=store.now, item=record, section="feedback", helped=int(helped))
    return Reply(ids=(record,))
