"""Curated documents with revisions: the user's own, and the consolidated one. Every write names the revision it was made from.

A line that consolidation owns is `- text <!-- bullet-7 -->`. Only such lines are ever touched by anyone but a writer of the
document; all other bytes stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memgauge.memory_ref import access, erase
from memgauge.memory_ref.admission import spoken
from memgauge.memory_ref.errors import Conflict, NotFound, Refused
from memgauge.memory_ref.records import DocumentRevision, Reply, from_row
from memgauge.memory_ref.store import Store

_NEWEST = """SELECT d.id, d.name, d.revision, r.text, r.author, r.created_at
    FROM documents d JOIN document_revisions r ON r.document = d.id AND r.revision = {revision} WHERE d.name = ?"""
_BULLET = re.compile(r"[ \t]*<!-- bullet-[0-9a-f-]+ -->")


def newest(store: Store, name: str) -> DocumentRevision | None:
    """The newest revision of a document, or None."""
    row = store.database.one(_NEWEST.format(revision="d.revision"), (name,))
    return None if row is None else from_row(DocumentRevision, row)


def read(store: Store, name: str, revision: int | None = None) -> Reply:
    """A document's text; `revision` of the reply is the one read. Raises NotFound."""
    if revision is None:
        found = newest(store, name)
    else:
        row = store.database.one(_NEWEST.format(revision="?"), (revision, name))
        found = None if row is None else from_row(DocumentRevision, row)
    if found is None:
        raise NotFound("document")
    return Reply(ids=(found.id,), revision=found.revision, data={"text": found.text, "name": found.name, "author": found.author})


def write(store: Store, name: str, text: str, expected: int, *, author: str = "user") -> Reply:
    """Write a whole document made from revision `expected` (0: a new one). Raises Conflict with both revisions, or Refused."""
    access.require_writable(store)
    if not name.strip():
        raise Refused("a document needs a name")
    kept = spoken(store.policy, text)
    if len(kept.text) > store.policy.documents.max_characters:
        raise Refused(f"{len(kept.text)} characters; a document holds at most {store.policy.documents.max_characters}")
    document, revision = _claim(store, name, expected)
    _add(store, document, revision, kept.text, author)
    return Reply(ids=(document,), revision=revision, notices=kept.notices)


def edit(store: Store, name: str, old: str, new: str, expected: int) -> Reply:
    """Replace one passage that occurs exactly once. Raises Refused when it occurs never or more often, Conflict, NotFound."""
    found = newest(store, name)
    if found is None:
        raise NotFound("document")
    if found.revision != expected:
        raise _conflict(expected, found.revision)
    times = _occurrences(found.text, old) if old else 0
    if not old:
        raise Refused("the passage to replace is empty")
    if times != 1:
        raise Refused(f"the passage occurs {times} times; it must occur exactly once, so name more of it" if times else "the passage does not occur")
    return write(store, name, found.text.replace(old, new), expected)


def delete(store: Store, name: str, expected: int) -> Reply:
    """Delete a document with its revisions. Raises Conflict, NotFound."""
    found = newest(store, name)
    if found is None:
        raise NotFound("document")
    if found.revision != expected:
        raise _conflict(expected, found.revision)
    return Reply(ids=(found.id,), data={"removed": drop(store, found.id)})


def drop(store: Store, document: str) -> dict[str, int]:
    """Remove a document with its revisions and bullets, and have the bytes erased. Returns rows removed by table."""
    name = store.database.value("SELECT name FROM documents WHERE id = ?", (document,))
    if name is None:
        raise NotFound("record")
    removed = {"document_revisions": int(store.database.value("SELECT count(*) FROM document_revisions WHERE document = ?", (document,)))}
    bullets = [row["id"] for row in store.database.all("SELECT id FROM bullets WHERE document = ?", (name,))]
    for bullet in bullets:
        store.database.run("DELETE FROM edges WHERE child = ?", (bullet,))
    removed["bullets"] = store.database.run("DELETE FROM bullets WHERE document = ?", (name,))
    removed["documents"] = store.database.run("DELETE FROM documents WHERE id = ?", (document,))
    erase.prepare(store)
    return {table: n for table, n in removed.items() if n}


def bullet_line(bullet: str, text: str) -> str:
    """The line that consolidation owns for a bullet."""
    return f"- {' '.join(text.split())} <!-- {bullet} -->"


def without_marks(text: str) -> str:
    """A document as a reader sees it: the marks of owned lines left out."""
    return _BULLET.sub("", text)


def drop_bullets(store: Store, bullets: Sequence[str], *, everywhere: bool = False) -> int:
    """Take owned lines out of their document as a new revision; `everywhere`: out of every old revision too, for an erase."""
    dropped = 0
    for bullet in bullets:
        name = store.database.value("SELECT document FROM bullets WHERE id = ?", (bullet,))
        if name is None:
            continue
        store.unindex(bullet)
        store.database.run("DELETE FROM bullets WHERE id = ?", (bullet,))
        dropped += 1
        found = newest(store, name)
        if found is None:
            continue
        left = _without_line(found.text, bullet)
        if left != found.text:
            _claim(store, name, found.revision)
            _add(store, found.id, found.revision + 1, left, "consolidation")
        if everywhere:
            _scrub(store, found.id, bullet)
    return dropped


def _scrub(store: Store, document: str, bullet: str) -> None:
    for row in store.database.all("SELECT revision, text FROM document_revisions WHERE document = ?", (document,)):
        left = _without_line(row["text"], bullet)
        if left != row["text"]:
            store.database.run("UPDATE document_revisions SET text = ? WHERE document = ? AND revision = ?", (left, document, row["revision"]))


def _without_line(text: str, bullet: str) -> str:
    mark = f"<!-- {bullet} -->"
    return "".join(line for line in text.splitlines(keepends=True) if mark not in line)


def _claim(store: Store, name: str, expected: int) -> tuple[str, int]:
    """Move the document to the next revision, if it still is at the expected one. Returns its id and the new revision."""
    row = store.database.one("SELECT id, revision FROM documents WHERE name = ?", (name,))
    actual = 0 if row is None else int(row["revision"])
    if actual != expected:
        raise _conflict(expected, actual)
    if row is None:
        document = store.new_id("document")
        store.database.insert("documents", id=document, name=name, revision=1, created_at=store.now, updated_at=store.now)
        return document, 1
    store.database.run("UPDATE documents SET revision = revision + 1, updated_at = ? WHERE id = ?", (store.now, row["id"]))
    return str(row["id"]), actual + 1


def _add(store: Store, document: str, revision: int, text: str, author: str) -> None:
    store.database.insert("document_revisions", document=document, revision=revision, text=text, author=author, created_at=store.now)
    oldest = revision - store.policy.documents.keep_revisions
    store.database.run("DELETE FROM document_revisions WHERE document = ? AND revision <= ?", (document, oldest))


def _occurrences(text: str, passage: str) -> int:
    """How often a passage occurs, overlaps counted."""
    return sum(text.startswith(passage, start) for start in range(len(text)))


def _conflict(expected: int, actual: int) -> Conflict:
    return Conflict(f"the document is at revision {actual}, the text was made from {expected}: read it again", expected=expected, actual=actual)
