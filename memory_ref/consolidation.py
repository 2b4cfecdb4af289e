"""Consolidation: what was said twice, or approved, becomes a line of the consolidated document; all other bytes stay as they are.

A line is owned when it carries the mark of a bullet and still reads as consolidation wrote it. A line that the user edited is his;
one that he deleted is not written again. Said twice means two independent mentions: on two days or in two threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memgauge.memory_ref import access, documents, facts, notes, tombstones
from memgauge.memory_ref.documents import bullet_line
from memgauge.memory_ref.records import Bullet, Fact, Note, Reply, from_row
from memgauge.memory_ref.store import Store


@dataclass(frozen=True, slots=True)
class Folded:
    """The new text, and what became of the bullets: written as new, removed, and left alone because the user edited or deleted them."""

    text: str
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def fold(text: str, owned: Mapping[str, str], wanted: Mapping[str, str]) -> Folded:
    """Bring a document to the wanted bullets, touching owned lines only. Pure and idempotent.

    `owned`: id → text of each bullet as it was last written; `wanted`: id → text of each that should stand. New ones go behind the
    last owned line, else to the end.
    """
    lines = text.splitlines(keepends=True)
    ending = "\r\n" if "\r\n" in text else "\n"
    kept: list[str] = []
    last, standing, removed = None, set(), []
    for line in lines:
        bullet = next((one for one in owned if f"<!-- {one} -->" in line), None)
        if bullet is None:
            kept.append(line)
            continue
        standing.add(bullet)
        if line.rstrip("\r\n") != bullet_line(bullet, owned[bullet]):
            kept.append(line)  # the user's words now
        elif bullet in wanted:
            kept.append(bullet_line(bullet, wanted[bullet]) + line[len(line.rstrip("\r\n")) :])
            last = len(kept)
        else:
            removed.append(bullet)
    new = [one for one in wanted if one not in owned]
    place = len(kept) if last is None else last
    if new and place and not kept[place - 1].endswith(("\n", "\r")):
        kept[place - 1] += ending
    kept[place:place] = [bullet_line(one, wanted[one]) + ending for one in new]
    edited = tuple(one for one in owned if one in wanted and one not in standing)
    return Folded("".join(kept), tuple(new), tuple(removed), edited)


def consolidate(store: Store) -> Reply:
    """Fold lasting facts and notes into the consolidated document. The reply's revision is the document's; asked again it changes
    nothing. Raises Refused when memory may not be written, Conflict never: reading and writing are one transaction."""
    access.require_writable(store)
    policy = store.policy.consolidation
    found = documents.newest(store, policy.document)
    text, revision = ("", 0) if found is None else (found.text, found.revision)
    if not policy.enabled:
        return Reply(revision=revision, data={"written": [], "removed": []})
    rows = store.database.all("SELECT * FROM bullets WHERE document = ? ORDER BY rowid", (policy.document,))
    owned = {bullet.id: bullet.text for bullet in (from_row(Bullet, row) for row in rows)}
    wanted = dict(owned)
    for source in _lasting(store):
        if len(wanted) >= policy.max_bullets:
            break
        wanted[_claim(store, source, policy.document)] = source.text
    folded = fold(text, owned, wanted)
    if folded.text == text:
        return Reply(revision=revision, data={"written": [], "removed": []})
    reply = documents.write(store, policy.document, folded.text, revision, author="consolidation")
    return Reply(
        ids=reply.ids, revision=reply.revision, notices=reply.notices, data={"written": list(folded.written), "removed": list(folded.removed)}
    )


@dataclass(frozen=True, slots=True)
class _Source:
    """What a new bullet is made of: a fact with its notes, or notes of the same words."""

    text: str
    fact: Fact | None
    notes: tuple[Note, ...]


def _lasting(store: Store) -> list[_Source]:
    """Facts and notes that have earned a line and have none: lasting, the user's own, open to all his threads, not sensitive."""
    entries = [note for note in notes.listed(store) if note.project is None]
    by_mark: dict[str, list[Note]] = {}
    for note in entries:
        by_mark.setdefault(store.mark(note.text), []).append(note)
    found: list[_Source] = []
    for fact in facts.live(store):
        twins = tuple(note for note in entries if _told_by(store, fact, note))
        if (
            twins
            and _may_last(fact)
            and (fact.approved or _mentions(store, [fact.id, *(n.id for n in twins)]) >= store.policy.consolidation.mentions)
        ):
            found.append(_Source(fact.text, fact, twins))
    taken = {note.id for source in found for note in source.notes} | {note.id for note in entries if note.slot is not None}
    for same in by_mark.values():
        if not any(note.id in taken for note in same) and _mentions(store, [note.id for note in same]) >= store.policy.consolidation.mentions:
            found.append(_Source(same[0].text, None, tuple(same)))
    return [source for source in found if not _barred(store, source)]


def _may_last(fact: Fact) -> bool:
    return (
        fact.reach == "user"
        and fact.agents is None
        and fact.source == "stated"
        and fact.expires_at is None
        and (fact.sensitivity == "low" or fact.always)
    )


def _told_by(store: Store, fact: Fact, note: Note) -> bool:
    """Whether the note was read from a passage the fact was read from, or says the same."""
    if store.mark(note.text) == fact.normal:
        return True
    return note.slot is not None and note.slot == fact.slot and note.message_id is not None and note.message_id in _messages(store, fact.id)


def _messages(store: Store, record: str) -> set[str]:
    return {
        row["parent"] for row in store.database.all("SELECT e.parent FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = ?", (record,))
    }


def _mentions(store: Store, records: Sequence[str]) -> int:
    """Independent mentions: distinct pairs of thread and local day of the messages; a note written by hand counts for itself."""
    zone = ZoneInfo(store.policy.notes.zone)
    seen: set[tuple[str, str]] = set()
    for record in records:
        rows = store.database.all(
            "SELECT m.thread, m.created_at FROM edges e JOIN messages m ON m.id = e.parent WHERE e.child = ? AND m.state = 'live' AND m.on_branch",
            (record,),
        )
        seen |= {(row["thread"], datetime.fromisoformat(row["created_at"]).astimezone(zone).date().isoformat()) for row in rows}
        if not rows and record.startswith("note-"):
            seen.add((record, ""))
    return len(seen)


def _barred(store: Store, source: _Source) -> bool:
    """Forgotten, or written before (then the user edited or deleted the line, or it stands there)."""
    records = [note.id for note in source.notes] + ([source.fact.id] if source.fact else [])
    marks = ", ".join("?" * len(records))
    written = store.database.value(f"SELECT 1 FROM edges WHERE child GLOB 'bullet-*' AND parent IN ({marks}) LIMIT 1", records)
    return written is not None or any(tombstones.stops(store, store.mark(source.text), note.message_id, note.slot) for note in source.notes)


def _claim(store: Store, source: _Source, document: str) -> str:
    """Record the bullet with what it was made of; the fact is lasting from now on, its notes are folded in."""
    bullet = store.new_id("bullet")
    store.database.insert("bullets", id=bullet, document=document, text=source.text, created_at=store.now, confirmed_at=store.now)
    for note in source.notes:
        store.link(bullet, note.id)
        store.database.run("UPDATE notes SET status = 'consolidated' WHERE id = ?", (note.id,))
    if source.fact is not None:
        store.link(bullet, source.fact.id)
        store.database.run("UPDATE facts SET status = 'active', updated_at = ? WHERE id = ?", (store.now, source.fact.id))
    return bullet
