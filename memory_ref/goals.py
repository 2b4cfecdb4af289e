"""Goals: wanted outcomes with a status and an order. Only active ones may enter a prompt."""

from __future__ import annotations

from memgauge.memory_ref import access, eligibility
from memgauge.memory_ref.admission import for_memory
from memgauge.memory_ref.errors import NotFound, Refused
from memgauge.memory_ref.records import Goal, Reply, from_row
from memgauge.memory_ref.store import Store

STATUSES = ("active", "paused", "done", "dropped")


def goal_add(store: Store, text: str, order: int | None = None, message_id: str | None = None) -> Reply:
    """Start a goal. An active goal with the same words is kept as it is. Smaller order comes first; default: last."""
    access.require_writable(store)
    kept = for_memory(store.policy, text)
    for goal in listed(store, "active"):
        if store.mark(goal.text) == store.mark(kept.text):
            return Reply(ids=(goal.id,), revision=goal.revision, notices=kept.notices)
    goal_id = store.new_id("goal")
    position = order if order is not None else 1 + (store.database.value("SELECT max(position) FROM goals") or 0)
    store.database.insert(
        "goals",
        id=goal_id, text=kept.text, status="active", position=position, project=store.scope.project, message_id=message_id,
        created_at=store.now, updated_at=store.now, revision=1,
    )  # fmt: skip
    if message_id is not None:
        store.link(goal_id, message_id)
    return Reply(ids=(goal_id,), revision=1, notices=kept.notices)


def goal_update(store: Store, goal_id: str, *, status: str | None = None, text: str | None = None, order: int | None = None) -> Reply:
    """Change a goal's status, words or order. Raises NotFound, Refused."""
    goal = find(store, goal_id)
    if status is not None and status not in STATUSES:
        raise Refused(f"unknown status; allowed: {', '.join(STATUSES)}")
    kept = None if text is None else for_memory(store.policy, text)
    store.database.run(
        "UPDATE goals SET status = ?, text = ?, position = ?, updated_at = ?, revision = revision + 1 WHERE id = ?",
        (status or goal.status, goal.text if kept is None else kept.text, goal.position if order is None else order, store.now, goal.id),
    )
    return Reply(ids=(goal.id,), revision=goal.revision + 1, notices=() if kept is None else kept.notices)


def find(store: Store, goal_id: str) -> Goal:
    """One goal of this project or of none. Raises NotFound."""
    condition, values = eligibility.of_project(store, "g", overview=True)
    row = store.database.one(f"SELECT g.* FROM goals g WHERE g.id = ? AND {condition}", (goal_id, *values))
    if row is None:
        raise NotFound("record")
    return from_row(Goal, row)


def listed(store: Store, *statuses: str, overview: bool = False) -> list[Goal]:
    """Goals with these statuses (default: all), in order."""
    condition, values = eligibility.goals(store, "g", overview=overview)
    wanted = statuses or STATUSES
    rows = store.database.all(
        f"SELECT g.* FROM goals g WHERE g.status IN ({', '.join('?' * len(wanted))}) AND {condition} ORDER BY g.position, g.created_at, g.rowid",
        (*wanted, *values),
    )
    return [from_row(Goal, row) for row in rows]
