"""What waits for the user's word: conflicts, sensitive statements, drafts of a session note. Nothing here enters a prompt."""

from __future__ import annotations

from memgauge.memory_ref import decisions, eligibility, erase, facts, goals, pins, removal, tombstones
from memgauge.memory_ref.admission import for_memory
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.facts import Statement
from memgauge.memory_ref.records import Reply, Review, from_row
from memgauge.memory_ref.store import Store

ACTIONS = ("approve", "edit", "delete", "dont_carry")


def add(store: Store, said: Statement, reason: str, *, class_: str | None = None, control: bool = False) -> str:
    """Put a screened statement before the user; the same one twice is one review. Returns its id."""
    for known in listed(store):
        if store.mark(known.text) == store.mark(said.text):
            return known.id
    review = store.new_id("review")
    store.database.insert(
        "reviews",
        id=review, text=said.text, kind=said.kind, slot=said.slot, **{"class": class_}, reason=reason, control=int(control), status="pending",
        source=said.source, sensitivity=said.sensitivity, reach=said.reach, project=said.project, task=said.task, thread=store.scope.thread,
        message_id=said.message_id, expires_at=said.expires_at, created_at=store.now,
    )  # fmt: skip
    if said.message_id is not None:
        store.link(review, said.message_id, *(said.span or (None, None)))
    return review


def decide(store: Store, review_id: str, action: str, text: str | None = None) -> Reply:
    """The user's ruling. `approve` and `edit` keep it as an approved record, `delete` removes it for good, `dont_carry` leaves it out.

    Raises NotFound, Refused for a review that was ruled on. The action is one of ACTIONS (see `ruling`).
    """
    review = find(store, review_id)
    if review.status != "pending":
        raise Refused("it was ruled on before")
    if action == "delete":
        tombstones.put(store, mark=store.mark(review.text))
        removed = removal.remove(store, [review.id])
        erase.prepare(store)
        return Reply(ids=(review.id,), data={"removed": dict(removed)})
    record = _keep(store, review, text if action == "edit" and text else review.text) if action in ("approve", "edit") else None
    status = "dont_carry" if record is None else "approved"
    store.database.run("UPDATE reviews SET status = ?, decided_at = ?, record = ? WHERE id = ?", (status, store.now, record, review.id))
    return Reply(ids=(review.id,) if record is None else (record, review.id))


def settle(store: Store, message_id: str, *, record: str | None) -> None:
    """What waited only because of its language, and was read from this message, needs no ruling any more: a record holds it, or it is over."""
    store.database.run(
        """UPDATE reviews SET status = ?, decided_at = ?, record = ? WHERE status = 'pending' AND class = 'language' AND message_id = ?""",
        ("dont_carry" if record is None else "approved", store.now, record, message_id),
    )


def find(store: Store, review_id: str) -> Review:
    """One review of this project or of none. Raises NotFound."""
    condition, values = eligibility.of_project(store, "r", overview=True)
    row = store.database.one(f"SELECT r.* FROM reviews r WHERE r.id = ? AND {condition}", (review_id, *values))
    if row is None:
        raise NotFound("record")
    return from_row(Review, row)


def listed(store: Store, *statuses: str) -> list[Review]:
    """Reviews with these statuses (default: pending), oldest first."""
    condition, values = eligibility.of_project(store, "r", overview=True)
    wanted = statuses or ("pending",)
    marks = ", ".join("?" * len(wanted))
    rows = store.database.all(
        f"SELECT r.* FROM reviews r WHERE r.status IN ({marks}) AND {condition} ORDER BY r.created_at, r.rowid", (*wanted, *values)
    )
    return [from_row(Review, row) for row in rows]


def _keep(store: Store, review: Review, text: str) -> str:
    kept = for_memory(store.policy, text, review=True)  # the user's ruling is the word that sensitive text waits for
    if review.kind == "goal":
        goal, _, status = str(review.slot).partition(":")
        return goals.goal_update(store, goal, status=status).ids[0]
    if review.kind == "pin":
        return pins.pin(store, kept.text, review.expires_at).ids[0]
    if review.kind in decisions.KINDS:
        return decisions.decide(store, kept.text, review.kind, message_id=review.message_id).ids[0]
    span = store.database.one("SELECT first, past FROM edges WHERE child = ? AND parent = ?", (review.id, review.message_id))
    saved = facts.put(
        store,
        Statement(
            text=kept.text,
            kind=review.kind,
            slot=review.slot,
            source="stated" if review.source == "inferred" else review.source,
            explicit=True,
            approved=True,
            message_id=review.message_id,
            span=None if span is None or span["first"] is None else (span["first"], span["past"]),
            reach=review.reach,
            project=review.project,
            task=review.task,
            sensitivity="high" if "high" in (review.sensitivity, kept.sensitivity) else "low",
            expires_at=review.expires_at,
        ),
    )
    return saved.id
