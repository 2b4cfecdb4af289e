"""Decisions: proposed → accepted → locked → explicitly unlocked. A locked one is not reopened by ordinary turns.

Boundaries, choices and operating rules can be locked. An insight cannot: what somebody understands of themselves may change.
"""

from __future__ import annotations

from memgauge.memory_ref import access, eligibility
from memgauge.memory_ref.admission import for_memory
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.records import Decision, Reply, from_row
from memgauge.memory_ref.store import Store

KINDS = ("boundary", "choice", "rule", "insight")
LOCKABLE = ("boundary", "choice", "rule")
LIVE = ("proposed", "accepted", "locked")


def decide(store: Store, text: str, kind: str = "choice", status: str = "accepted", message_id: str | None = None) -> Reply:
    """Record a decision. The same words again move a proposed one on to accepted and leave any other as it is."""
    if kind not in KINDS:
        raise Refused(f"unknown kind; allowed: {', '.join(KINDS)}")
    if status not in ("proposed", "accepted"):
        raise Refused("a new decision is proposed or accepted; lock it afterwards")
    access.require_writable(store)
    kept = for_memory(store.policy, text)
    for known in listed(store):
        if store.mark(known.text) == store.mark(kept.text):
            if known.status == "proposed" and status == "accepted":
                return _move(store, known, "accepted")
            return Reply(ids=(known.id,), revision=known.revision)
    decision = store.new_id("decision")
    store.database.insert(
        "decisions",
        id=decision, text=kept.text, kind=kind, status=status, project=store.scope.project, message_id=message_id,
        created_at=store.now, updated_at=store.now, revision=1,
    )  # fmt: skip
    store.index(decision, "decision", kept.text)
    if message_id is not None:
        store.link(decision, message_id)
    return Reply(ids=(decision,), revision=1, notices=kept.notices)


def lock(store: Store, decision_id: str) -> Reply:
    """Close an accepted decision. Raises Refused for one that is still proposed, or that is an insight."""
    decision = find(store, decision_id)
    if decision.kind not in LOCKABLE:
        raise Refused(f"an insight is not locked; lockable are {', '.join(LOCKABLE)}")
    if decision.status == "proposed":
        raise Refused("a proposed decision is accepted before it is locked")
    return _move(store, decision, "locked") if decision.status != "locked" else Reply(ids=(decision.id,), revision=decision.revision)


def unlock(store: Store, decision_id: str) -> Reply:
    """Open a locked decision again; it is accepted then. Raises Refused when it is not locked."""
    decision = find(store, decision_id)
    if decision.status != "locked":
        raise Refused("the decision is not locked")
    return _move(store, decision, "accepted")


def correct(store: Store, decision: Decision, text: str) -> Reply:
    """Put a decision into other words. Raises Refused for a locked one: unlock it first."""
    if decision.status == "locked":
        raise Refused("the decision is locked; unlock it first")
    store.database.run("UPDATE decisions SET text = ?, updated_at = ?, revision = revision + 1 WHERE id = ?", (text, store.now, decision.id))
    store.index(decision.id, "decision", text)
    return Reply(ids=(decision.id,), revision=decision.revision + 1)


def find(store: Store, decision_id: str) -> Decision:
    """One decision of this project or of none. Raises NotFound."""
    condition, values = eligibility.of_project(store, "d", overview=True)
    row = store.database.one(f"SELECT d.* FROM decisions d WHERE d.id = ? AND {condition}", (decision_id, *values))
    if row is None:
        raise NotFound("record")
    return from_row(Decision, row)


def listed(store: Store, *statuses: str, overview: bool = False) -> list[Decision]:
    """Decisions with these statuses (default: the live ones), oldest first."""
    condition, values = eligibility.decisions(store, "d", overview=overview)
    wanted = statuses or LIVE
    rows = store.database.all(
        f"SELECT d.* FROM decisions d WHERE d.status IN ({', '.join('?' * len(wanted))}) AND {condition} ORDER BY d.created_at, d.rowid",
        (*wanted, *values),
    )
    return [from_row(Decision, row) for row in rows]


def _move(store: Store, decision: Decision, status: str) -> Reply:
    store.database.run("UPDATE decisions SET status = ?, updated_at = ?, revision = revision + 1 WHERE id = ?", (status, store.now, decision.id))
    return Reply(ids=(decision.id,), revision=decision.revision + 1)
