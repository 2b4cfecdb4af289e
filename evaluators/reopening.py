"""A store that does not open again after a kill or a reopen. What it acknowledged is lost, and that is the memory's fault.

An exception on any other call stays an error, for nobody can tell it from a fault of the adapter. Here the same adapter has
opened the same store before, so that only what the store holds can be wrong.
"""

from __future__ import annotations

from memgauge.checks import CheckKind
from memgauge.evaluators.case import Case
from memgauge.evaluators.ruling import Ruling, failed, unscored
from memgauge.records import Entry


def unopened(case: Case, entry: Entry) -> Entry | None:
    """The kill or reopen since which the store has not been open, if the entry stands in that time."""
    last = next((e for e in reversed(case.history) if e.type in ("kill", "reopen") and e.n < entry.n), None)
    return last if last is not None and not _opened(last) else None


def _opened(event: Entry) -> bool:
    return event.status != "error" if event.type == "reopen" else event.data.get("reopened") is not False


def not_opened(case: Case, event: Entry) -> str:
    """The sentence about it. The system's own words are left out where a private scenario could stand in them."""
    said = str(event.receipt.get("reason") or event.data.get("reason") or "")
    why = f": {said}" if said and case.plan.content == "synthetic" else ""
    return f"after {event.type} {event.step} the store did not open again{why}"


def rule(case: Case, kind: CheckKind, entry: Entry) -> Ruling | None:
    """The ruling on a check of a step that found no store: what should be there is not, and of what should be away nothing is known."""
    event = unopened(case, entry)
    if event is None:
        return None
    is_there = kind.family in ("benefit", "integrity") and kind.name != "abstains"
    return failed(not_opened(case, event)) if is_there else unscored(not_opened(case, event))
