"""The session event log: tool calls that began and ended, in a file of its own (see `eventfile`). Ids, states and times, never content.

Replaying the states tells which calls were under way; it repeats none of them. What the log cannot tell, whether an unfinished call
reached the world, the caller looks up there.

Recovery shows no more than any other read: a call of a private thread only inside it, a call of an agent only to that agent or to the
application itself. Finished calls leave the log with `retention.logs_days`, those of a forgotten thread with the thread.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memgauge.memory_ref import eventfile
from memgauge.memory_ref.errors import Conflict, NotFound, Refused
from memgauge.memory_ref.eventfile import Event
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store

KINDS = ("read", "write", "message", "payment")
STATES = ("done", "failed")
MAX_NAME = 80
"""Characters of a tool's name that are kept: a name, not an argument, a path or a sentence."""
MAX_ID = 200
_NAME = re.compile(rf"[\w.:-]{{1,{MAX_NAME}}}")


def call_begin(store: Store, call_id: str, action: str, kind: str) -> Reply:
    """A tool call is about to run. Raises Refused for an unknown kind and a name that is none, Conflict when the id is in use."""
    if kind not in KINDS:
        raise Refused(f"unknown kind; allowed: {', '.join(KINDS)}")
    if not _NAME.fullmatch(action):
        raise Refused(f"the action is the tool's name: at most {MAX_NAME} letters, digits and _ . : -")
    if not call_id or len(call_id) > MAX_ID:
        raise Refused(f"a call id has 1 to {MAX_ID} characters")
    events = eventfile.repaired(store.database)
    if any(event.call_id == call_id for event in events):
        raise Conflict("the call id is in use", expected="a new call id", actual="a known one")
    where = {"thread": store.scope.thread or "", "agent": store.scope.agent or ""}
    eventfile.append(store.database, Event(eventfile.next_number(events), store.now, call_id, "begin", kind=kind, action=action, **where))
    return Reply(ids=(call_id,))


def call_end(store: Store, call_id: str, state: str) -> Reply:
    """It ended. Raises Refused for an unknown state, NotFound for a call that never began. Ended twice the same way is once."""
    if state not in STATES:
        raise Refused(f"unknown state; allowed: {', '.join(STATES)}")
    events = eventfile.repaired(store.database)
    of_call = [event for event in events if event.call_id == call_id]
    if not of_call:
        raise NotFound("call")
    if of_call[-1].type == "end":
        if of_call[-1].state != state:
            raise Conflict("the call has ended otherwise", expected=state, actual=of_call[-1].state)
    else:
        eventfile.append(store.database, Event(eventfile.next_number(events), store.now, call_id, "end", state=state))
    return Reply(ids=(call_id,))


def recover(store: Store, verified: Mapping[str, Any] | None = None) -> Reply:
    """Unfinished calls that the scope may see, sorted.

    retry: reading again changes nothing, and a write that the outside world shows as not done. confirm: a write nobody
    verified, and a message or payment shown as not done. never: a message or payment nobody verified (twice is worse than
    not at all). What is shown as done is finished, whatever its kind. `calls` tells action, kind, begin and thread of each, for whoever
    looks it up outside. `missing` counts committed lines that are gone from the log; it is named only when there are some.
    """
    shown = {call_id: _shown(value) for call_id, value in (verified or {}).items()}
    events = eventfile.read(store.database)[0]
    open_calls = {call_id: event for call_id, event in _open(events).items() if _visible(store, event)}
    sorted_calls: dict[str, list[str]] = {"retry": [], "confirm": [], "never": []}
    for call_id, event in open_calls.items():
        place = _place(event.kind, shown.get(call_id))
        if place:
            sorted_calls[place].append(call_id)
    calls = {call_id: {"action": one.action, "kind": one.kind, "at": one.at, "thread": one.thread} for call_id, one in open_calls.items()}
    last = eventfile.last(store.database)
    missing = (last if last is not None else eventfile.next_number(events) - 1) - len(events)
    return Reply(ids=tuple(open_calls), data={**sorted_calls, "calls": calls, **({"missing": missing} if missing else {})})


def _open(events: Sequence[Event]) -> dict[str, Event]:
    """The calls that began and did not end, by id."""
    found: dict[str, Event] = {}
    for event in events:
        if event.type == "begin":
            found[event.call_id] = event
        else:
            found.pop(event.call_id, None)
    return found


def _visible(store: Store, event: Event) -> bool:
    if event.agent and store.scope.agent not in (None, event.agent):
        return False
    private = store.database.value("SELECT private FROM threads WHERE id = ?", (event.thread,))
    return not private or event.thread == store.scope.thread


def purge(store: Store, before: str) -> int:
    """Drop the calls that ended at or before an instant, and what was set aside. The number of lines that went."""
    events = eventfile.repaired(store.database)
    ended = {event.call_id for event in events if event.type == "end" and event.at <= before}
    store.database.engine.files.remove(eventfile.path_of(store.database).with_suffix(".torn"))
    return _drop(store, events, ended)


def forget_thread(store: Store, thread: str) -> None:
    """Drop every call of a thread."""
    events = eventfile.repaired(store.database)
    _drop(store, events, {event.call_id for event in events if event.type == "begin" and event.thread == thread})


def _drop(store: Store, events: Sequence[Event], calls: set[str]) -> int:
    kept = [event for event in events if event.call_id not in calls]
    if len(kept) < len(events):
        eventfile.stage(store.database, [dataclasses.replace(event, seq=n) for n, event in enumerate(kept, 1)])
    return len(events) - len(kept)


def clear(store: Store) -> None:
    """Empty the log (forget_all)."""
    eventfile.stage(store.database, [])


def _place(kind: str, done: bool | None) -> str:
    if done:
        return ""
    if kind == "read" or (kind == "write" and done is False):
        return "retry"
    return "confirm" if kind == "write" or done is False else "never"


def _shown(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"done": True, "not done": False, "not_done": False}
    if not isinstance(value, str) or value not in words:
        raise Refused("verified says done or not done for each call id")
    return words[value]
