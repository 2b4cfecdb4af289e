"""What the user takes back in a later message: "scratch that", "forget what I said"."""

from __future__ import annotations

import re

from memgauge.memory_ref import cues, derived, utterance
from memgauge.memory_ref.records import Message, from_row
from memgauge.memory_ref.store import Store

_TAKES_BACK = re.compile(
    r"(?:(?:no|wait|oh|ah|hmm|well|actually|sorry|ok|okay)\W+)*"
    r"(?:scratch that|strike that|forget (?:that|what i (?:just )?said)|"
    r"ignore (?:that|what i (?:just )?said)|disregard that|i take that back|i was wrong)\b(?! about\b)",
    re.I,
)
"""Narrower than the cue group `refute`: "never mind" is as often said of a question."""


def take_back(store: Store, message: Message) -> None:
    """Reject the last thing stated in the user's message before, when this one opens by taking it back. Where that message asked
    something, the words may mean the question, and nothing is done."""
    if message.role != "user" or not _TAKES_BACK.match(cues.fold(message.text).strip()):
        return
    row = store.database.one(
        "SELECT * FROM messages WHERE thread = ? AND role = 'user' AND seq < ? AND on_branch = 1 ORDER BY seq DESC LIMIT 1",
        (message.thread, message.seq),
    )
    if row is None:
        return
    before = from_row(Message, row)
    if any(clause.mood in ("question", "request") for clause in utterance.clauses(before.text)):
        return
    stated = store.database.all(
        """SELECT f.id AS id FROM facts f JOIN edges e ON e.child = f.id
           WHERE e.parent = ? AND f.status IN ('active', 'proposed') ORDER BY e.first, f.rowid""",
        (before.id,),
    )
    if stated:
        store.database.run("UPDATE facts SET status = 'rejected', updated_at = ? WHERE id = ?", (store.now, stated[-1]["id"]))
        derived.retire(store, stated[-1]["id"])
    if len(stated) <= 1:
        store.database.run("UPDATE messages SET recallable = 0 WHERE id = ?", (before.id,))
