"""What happens to derived text when the record under it is superseded: it leaves the read paths with it."""

from __future__ import annotations

from memgauge.memory_ref import documents, provenance
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
    for message in provenance.sources(store, fact):
        end_summaries(store, message.id)


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


def end_summaries(store: Store, message_id: str) -> int:
    """Remove summaries that cover a message, and those built on them. Returns how many went."""
    rows = store.database.all("SELECT s.id FROM summaries s, json_each(s.covered) c WHERE c.value = ?", (message_id,))
    gone = {row["id"] for row in rows}
    while True:
        more = {
            row["id"] for row in store.database.all("SELECT id, previous FROM summaries WHERE previous IS NOT NULL") if row["previous"] in gone
        } - gone
        if not more:
            break
        gone |= more
    for summary in sorted(gone):
        store.unindex(summary)
        store.database.run("DELETE FROM summaries WHERE id = ?", (summary,))
        store.database.run("DELETE FROM edges WHERE child = ? OR parent = ?", (summary, summary))
    return len(gone)
