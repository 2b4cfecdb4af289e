"""Recall over a transcript, as retrieval benchmarks measure it: the index's bm25 order, with neither minimum nor token cap.

A message lends `neighbour_bonus` of its score to the message before and after it in its thread: in talk, the answer follows the question.
"""

from __future__ import annotations

from memgauge.memory_ref import eligibility
from memgauge.memory_ref.question import plain_expression
from memgauge.memory_ref.records import Item
from memgauge.memory_ref.store import Store


def recall(store: Store, query: str, k: int) -> tuple[Item, ...]:
    """The k best messages the scope may see."""
    expression = plain_expression(query)
    if not expression:
        return ()
    condition, values = eligibility.messages(store, "m")
    hits = store.database.all(
        f"""SELECT m.id, -bm25(search_index) AS value FROM search_index
            JOIN search_rows r ON r.n = search_index.rowid JOIN messages m ON m.id = r.record
            WHERE search_index MATCH ? AND r.kind = 'message' AND {condition} ORDER BY value DESC, m.seq LIMIT ?""",
        (expression, *values, store.policy.recall.candidates),
    )
    own = {row["id"]: float(row["value"]) for row in hits}
    lent = _lent(store, own)
    total = {key: own.get(key, 0.0) + lent.get(key, 0.0) for key in {**own, **lent}}
    best = sorted(total, key=lambda key: -total[key])[:k]  # stable: equal scores stay in the index's order
    rows = {row["id"]: row for row in store.database.all(f"SELECT * FROM messages WHERE id IN ({', '.join('?' * len(best))})", best)}
    return tuple(
        Item(
            id=key, kind="message", text=rows[key]["text"], source_ids=(key,), score=round(total[key], 6), created_at=rows[key]["created_at"],
            reason=f"bm25 {own.get(key, 0.0):.3f}, from its neighbours {lent.get(key, 0.0):.3f}",
        )
        for key in best
    )  # fmt: skip


def _lent(store: Store, own: dict[str, float]) -> dict[str, float]:
    """What each message gets from the messages next to it."""
    bonus = store.policy.recall.neighbour_bonus
    if not bonus:
        return {}
    condition, values = eligibility.messages(store, "m")
    rows = store.database.all(
        f"""SELECT m.id, lag(m.id) OVER near AS before, lead(m.id) OVER near AS after FROM messages m WHERE {condition}
            WINDOW near AS (PARTITION BY m.thread ORDER BY m.seq)""",
        values,
    )
    lent = {row["id"]: bonus * (own.get(row["before"], 0.0) + own.get(row["after"], 0.0)) for row in rows}
    return {key: value for key, value in lent.items() if value}
