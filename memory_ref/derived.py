"""What happens to derived text when the record under it is superseded: it leaves the read paths with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memgauge.memory_ref import documents, provenance, summaries
from memgauge.memory_ref.store import Store


def retire(store: Store, fact: str) -> None:
    """Notes of the fact are superseded, bullets built on it leave their document (as a new revision), summaries that cover its
    messages end and are built anew from what is still right."""
    notes = twins(store, fact)
    below = set(provenance.descendants(store, fact)) | notes
    for note in sorted(notes):
        below.update(provenance.descendants(store, note))
    for record in sorted(below):
        store.database.run("UPDATE notes SET status = 'superseded' WHERE id = ?", (record,))
    documents.drop_bullets(store, sorted(record for record in below if record.startswith("bullet-")))
    renew_summaries(store, [one for message in provenance.sources(store, fact) for one in end_summaries(store, message.id)])


def twins(store: Store, record: str) -> set[str]:
    """Notes and facts on a slot that were read from the very passage this record was read from."""
    return {
        row["child"]
        for row in store.database.all(
            """SELECT a.child FROM edges a JOIN edges b ON b.parent = a.parent AND b.first = a.first AND b.past = a.past
               WHERE b.child = ? AND a.child != b.child AND (a.child GLOB 'note-*' OR a.child GLOB 'fact-*')""",
            (record,),
        )
    }


@dataclass(frozen=True, slots=True)
class Ended:
    """A summary that was removed: its thread, and how many messages it stood for."""

    thread: str
    covered: int


def end_summaries(store: Store, message_id: str) -> list[Ended]:
    """Remove summaries that cover a message. Each names all it covers, so those built on such a one cover the message too."""
    rows = store.database.all(
        "SELECT s.id, s.thread, json_array_length(s.covered) AS covered FROM summaries s, json_each(s.covered) c WHERE c.value = ?", (message_id,)
    )
    for row in rows:
        store.database.run("DELETE FROM summaries WHERE id = ?", (row["id"],))
        store.database.run("DELETE FROM edges WHERE child = ?", (row["id"],))
    return [Ended(row["thread"], row["covered"]) for row in rows]


def renew_summaries(store: Store, ended: Iterable[Ended]) -> None:
    """Summarise anew, from what is left of the messages, what the ended summaries stood for."""
    if not store.policy.summaries.enabled:
        return
    furthest: dict[str, int] = {}
    for one in ended:
        furthest[one.thread] = max(one.covered, furthest.get(one.thread, 0))
    for thread, covered in sorted(furthest.items()):
        length = store.database.value("SELECT count(*) FROM messages WHERE thread = ? AND on_branch = 1", (thread,))
        summaries.summarise(replace(store, scope=replace(store.scope, thread=thread)), max(0, length - covered))
