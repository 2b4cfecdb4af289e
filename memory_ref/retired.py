"""Passages of messages that no longer hold, because every fact read from them was superseded, corrected or has ended.

The message keeps its bytes and stands verbatim in its own thread. Recall leaves it out; a summary quotes what is left of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from memgauge.memory_ref.excerpts import LEFT_OUT
from memgauge.memory_ref.store import Store

Span = tuple[int, int]
WHOLE: Span = (0, 1 << 30)


def spans(store: Store, messages: Sequence[str]) -> Mapping[str, tuple[Span, ...]]:
    """The retired passages of these messages. A fact whose passage is not known retires the whole message, unless a live fact
    was read from it too."""
    rows = store.database.all(
        """SELECT e.parent AS message, e.first AS first, e.past AS past,
                  f.status IN ('active', 'proposed') AND (f.expires_at IS NULL OR f.expires_at > ?) AS live
           FROM edges e JOIN facts f ON f.id = e.child WHERE e.parent IN (SELECT value FROM json_each(?))""",
        (store.now, json.dumps(list(messages))),
    )
    alive = {(row["message"], row["first"], row["past"]) for row in rows if row["live"]}
    with_live = {message for message, _, _ in alive}
    found: dict[str, set[Span]] = {}
    for row in rows:
        place = (row["message"], row["first"], row["past"])
        if row["live"] or place in alive:
            continue
        if row["first"] is not None and row["past"] is not None:
            found.setdefault(row["message"], set()).add((row["first"], row["past"]))
        elif row["message"] not in with_live:
            found.setdefault(row["message"], set()).add(WHOLE)
    return {message: tuple(sorted(places)) for message, places in found.items()}


def cut(text: str, retired: Sequence[Span]) -> str:
    """The text with each retired passage replaced by a mark; empty when nothing else is left."""
    for first, past in sorted(retired, reverse=True):
        text = text[:first] + LEFT_OUT + text[past:]
    return text if any(char.isalnum() for char in text) else ""
