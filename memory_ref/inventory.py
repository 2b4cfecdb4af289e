"""What is stored, why, how long, and by what it is deleted. `docs/reference/data-inventory.md` is made from this table, and a
test holds it against the schema, so that no table can be added in silence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One table or file. `holds_text`: words of the user, or made from them, stand in it. `retention` names the policy value."""

    name: str
    purpose: str
    holds_text: bool
    retention: str
    deleted_by: str


_FORGET = "forget, forget_all"

INVENTORY: tuple[Entry, ...] = (
    Entry("threads", "threads, whether they are private, their active leaf", False, "with their messages", "forget_all, expire"),
    Entry("messages", "the conversation: canonical, all else is derived", True,
          "retention.messages_days; private: retention.private_days", f"{_FORGET}, expire"),
    Entry("facts", "long-term records with scope, trust and status", True,
          "their own end; superseded and rejected: retention.superseded_days", f"{_FORGET}, expire"),
    Entry("notes", "daily notes", True, "notes.retention_days", f"{_FORGET}, expire"),
    Entry("documents", "names and present revisions of curated documents", True, "until the user deletes them", "doc_delete, forget_all"),
    Entry("document_revisions", "texts of the documents", True, "documents.keep_revisions", f"doc_delete, {_FORGET}"),
    Entry("bullets", "lines of the consolidated document that consolidation owns", True, "with their sources", _FORGET),
    Entry("goals", "wanted outcomes with status and order", True, "until the user deletes them", _FORGET),
    Entry("decisions", "boundaries, choices, rules and insights", True, "until the user deletes them", _FORGET),
    Entry("pins", "texts that stand in every prompt", True, "their own end; proposed: capture.pin_days", f"unpin, {_FORGET}, expire"),
    Entry("reviews", "what waits for the user's word", True, "retention.reviews_days", f"review_decide, {_FORGET}, expire"),
    Entry("summaries", "rolling summaries of threads", True, "with the messages they cover", f"{_FORGET}, expire"),
    Entry("edges", "which record was derived from which, and from which characters", False, "with their records", f"{_FORGET}, expire"),
    Entry("search_rows", "words and stems of every searchable record", True, "with their records", f"{_FORGET}, expire"),
    Entry("search_index", "the full-text index over them", True, "with their records", f"{_FORGET}, expire"),
    Entry("search_terms", "a view of the index's terms; stores nothing of its own", True, "with their records", f"{_FORGET}, expire"),
    Entry("tombstones", "marks of what was forgotten: message ids, slots, keyed hashes", False,
          "until the store is deleted", "remember of the same words"),
    Entry("access", "the user's access state", False, "until the store is deleted", "set_access"),
    Entry("idempotency", "keys of writes and what they did: ids, keyed hashes", False, "retention.idempotency_days",
          "expire; forget_all keeps key and hash"),
    Entry("operations", "what was done, to which ids, at what cost", False, "retention.logs_days", "forget_all, expire"),
    Entry("retrievals", "which items were given out, and whether they helped", False, "retention.logs_days", f"{_FORGET}, expire"),
    Entry("backups", "where backups lie and until when", False, "retention.backup_days", "expire"),
    Entry("meta", "owner's mark, secret key, last line of the event log, whether an erase is due", False,
          "until the store is deleted", "deleting the folder"),
    Entry("counters", "the last id of each kind", False, "until the store is deleted", "deleting the folder"),
    Entry("migrations", "which schema steps ran, and when", False, "until the store is deleted", "deleting the folder"),
)  # fmt: skip

FILES: tuple[Entry, ...] = (
    Entry("memory.db", "the tables above, with memory.db-wal and memory.db-shm while open", True, "see the tables", "see the tables"),
    Entry("owner", "empty; says that the store was made, so that an emptied file is not taken for a new user", False,
          "until the store is deleted", "deleting the folder"),
    Entry("events.log", "tool calls that began and ended: ids, names, states, times", False,
          "finished ones: retention.logs_days", "forget_all, forget of a thread, expire"),
    Entry("events.next, events.partial", "a log that is to take the other's place, or was when a crash came", False,
          "until the next removal", "forget_all, forget of a thread, expire"),
    Entry("events.torn", "lines that a crash left half-written or uncommitted", False, "until the next expire", "forget_all, expire"),
)  # fmt: skip


def as_markdown() -> str:
    """The inventory as a page."""
    lines = [
        "# Data inventory",
        "",
        "One folder for each user; files 0600, folders 0700. Encryption at rest is not part of it: put the root on an encrypted volume.",
        "",
    ]
    for title, entries in (("Tables", INVENTORY), ("Files", FILES)):
        lines += [f"## {title}", "", "| name | purpose | holds the user's words | kept | deleted by |", "|---|---|---|---|---|"]
        lines += [f"| {e.name} | {e.purpose} | {'yes' if e.holds_text else 'no'} | {e.retention} | {e.deleted_by} |" for e in entries]
        lines.append("")
    return "\n".join(lines)
