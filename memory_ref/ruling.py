"""The user's ruling on whatever is proposed to him: a review, a proposed fact, pin or decision."""

from __future__ import annotations

from memgauge.memory_ref import decisions, deletion, facts, lookup, pins, remembering, reviews
from memgauge.memory_ref.errors import Refused
from memgauge.memory_ref.records import Decision, Fact, Goal, Note, Pin, Reply
from memgauge.memory_ref.store import Store


def decide(store: Store, record: str, action: str, text: str | None = None) -> Reply:
    """`approve` and `edit` keep it as the user's own word, `delete` forgets it for good, `dont_carry` leaves it out from now on.

    Raises NotFound, Refused for an unknown action, an edit without text, or a record that is not proposed.
    """
    if action not in reviews.ACTIONS:
        raise Refused(f"unknown action; allowed: {', '.join(reviews.ACTIONS)}")
    if action == "edit" and not (text or "").strip():
        raise Refused("an edit needs its text")
    if record.startswith("review-"):
        return reviews.decide(store, record, action, text)
    found = lookup.by_id(store, record)
    if isinstance(found, Goal | Note) or found.status != "proposed":
        raise Refused("it is not proposed: nothing to rule on")
    if action == "delete":
        return deletion.forget(store, found.id)
    if action == "dont_carry":
        return _leave_out(store, found)
    if isinstance(found, Fact):
        if action == "edit":
            return remembering.correct(store, str(text), found.id)
        facts.confirm(store, found)
    elif isinstance(found, Pin):
        return pins.pin(store, text or found.text, found.until)
    elif action == "edit":
        decisions.correct(store, found, str(text))
        return decisions.decide(store, str(text), found.kind)
    else:
        return decisions.decide(store, found.text, found.kind)
    return Reply(ids=(found.id,))


def _leave_out(store: Store, found: Fact | Decision | Pin) -> Reply:
    if isinstance(found, Pin):
        return pins.unpin(store, found.id)
    table = "facts" if isinstance(found, Fact) else "decisions"
    store.database.run(f"UPDATE {table} SET status = 'rejected', updated_at = ? WHERE id = ?", (store.now, found.id))
    return Reply(ids=(found.id,))
