"""The session event log: tool calls that began and ended, as JSON lines in an append-only file. Ids, states and times, never content.

Each line carries a sequence number, a checksum over the rest and an end mark. A torn tail (a crash in the middle of a write) is
found when the log is read for writing, set aside in `events.torn`, and cut off before the next line is added. Replaying the
states tells which calls were under way; it repeats none of them. What the log cannot tell, whether an unfinished call reached the
world, the caller looks up there.

Recovery shows no more than any other read: a call of a private thread only inside it, a call of an agent only to that agent or to the
application itself. Finished calls leave the log with `retention.logs_days`, those of a forgotten thread with the thread.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memgauge.memory_ref.database import Database
from memgauge.memory_ref.errors import Conflict, NotFound, Refused, StorageFailed
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store

VERSION = 1
KINDS = ("read", "write", "message", "payment")
STATES = ("done", "failed")
MAX_NAME = 80
"""Characters of a tool's name that are kept: a name, not an argument, a path or a sentence."""
MAX_ID = 200
_NAME = re.compile(rf"[\w.:-]{{1,{MAX_NAME}}}")


@dataclass(frozen=True, slots=True)
class Event:
    seq: int
    at: str
    call_id: str
    type: Literal["begin", "end"]
    kind: str = ""
    action: str = ""
    state: str = ""
    thread: str = ""
    agent: str = ""


def call_begin(store: Store, call_id: str, action: str, kind: str) -> Reply:
    """A tool call is about to run. Raises Refused for an unknown kind and a name that is none, Conflict when the id is in use."""
    if kind not in KINDS:
        raise Refused(f"unknown kind; allowed: {', '.join(KINDS)}")
    if not _NAME.fullmatch(action):
        raise Refused(f"the action is the tool's name: at most {MAX_NAME} letters, digits and _ . : -")
    if not call_id or len(call_id) > MAX_ID:
        raise Refused(f"a call id has 1 to {MAX_ID} characters")
    events = _repaired(store)
    if any(event.call_id == call_id for event in events):
        raise Conflict("the call id is in use", expected="a new call id", actual="a known one")
    where = {"thread": store.scope.thread or "", "agent": store.scope.agent or ""}
    _append(store, Event(_next(events), store.now, call_id, "begin", kind=kind, action=action, **where))
    return Reply(ids=(call_id,))


def call_end(store: Store, call_id: str, state: str) -> Reply:
    """It ended. Raises Refused for an unknown state, NotFound for a call that never began. Ended twice the same way is once."""
    if state not in STATES:
        raise Refused(f"unknown state; allowed: {', '.join(STATES)}")
    events = _repaired(store)
    of_call = [event for event in events if event.call_id == call_id]
    if not of_call:
        raise NotFound("call")
    if of_call[-1].type == "end":
        if of_call[-1].state != state:
            raise Conflict("the call has ended otherwise", expected=state, actual=of_call[-1].state)
    else:
        _append(store, Event(_next(events), store.now, call_id, "end", state=state))
    return Reply(ids=(call_id,))


def recover(store: Store, verified: Mapping[str, Any] | None = None) -> Reply:
    """Unfinished calls that the scope may see, sorted.

    retry: reading again changes nothing, and a write that the outside world shows as not done. confirm: a write nobody
    verified, and a message or payment shown as not done. never: a message or payment nobody verified (twice is worse than
    not at all). What is shown as done is finished, whatever its kind. `calls` tells action, kind, begin and thread of each, for whoever
    looks it up outside. `missing` counts lines that are gone from the log's middle; it is named only when there are some.
    """
    shown = {call_id: _shown(value) for call_id, value in (verified or {}).items()}
    events = _read(store)[0]
    open_calls = {call_id: event for call_id, event in _open(events).items() if _visible(store, event)}
    sorted_calls: dict[str, list[str]] = {"retry": [], "confirm": [], "never": []}
    for call_id, event in open_calls.items():
        place = _place(event.kind, shown.get(call_id))
        if place:
            sorted_calls[place].append(call_id)
    calls = {call_id: {"action": one.action, "kind": one.kind, "at": one.at, "thread": one.thread} for call_id, one in open_calls.items()}
    missing = events[-1].seq - len(events) if events else 0
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
    events = _repaired(store)
    ended = {event.call_id for event in events if event.type == "end" and event.at <= before}
    _path(store).with_suffix(".torn").unlink(missing_ok=True)
    return _drop(store, events, ended)


def forget_thread(store: Store, thread: str) -> None:
    """Drop every call of a thread."""
    events = _repaired(store)
    _drop(store, events, {event.call_id for event in events if event.type == "begin" and event.thread == thread})


def _drop(store: Store, events: Sequence[Event], calls: set[str]) -> int:
    kept = [event for event in events if event.call_id not in calls]
    if len(kept) < len(events):
        _replace(store, b"".join(_line(dataclasses.replace(event, seq=n)) for n, event in enumerate(kept, 1)))
    return len(events) - len(kept)


def clear(store: Store) -> None:
    """Empty the log (forget_all). The files go when the transaction is committed: a crash before that must leave them whole."""
    store.database.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('log_clear_due', ?)", (store.now,))


def finish(database: Database) -> None:
    """Remove the log and what was set aside, where that is due. Inside a write transaction, so that no writer comes in between."""
    if not _is_cleared(database):
        return
    path = database.path.with_name("events.log")
    for each in (path, path.with_suffix(".torn")):
        database.tracer("replace", each.name)
        each.unlink(missing_ok=True)
    database.run("DELETE FROM meta WHERE key = 'log_clear_due'")


def _is_cleared(database: Database) -> bool:
    return database.value("SELECT 1 FROM meta WHERE key = 'log_clear_due'") is not None


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


def _path(store: Store) -> Path:
    return store.database.path.with_name("events.log")


def _line(event: Event) -> bytes:
    body = json.dumps(
        {
            "v": VERSION,
            "seq": event.seq,
            "at": event.at,
            "type": event.type,
            "call": event.call_id,
            "kind": event.kind,
            "action": event.action,
            "state": event.state,
            "thread": event.thread,
            "agent": event.agent,
        },
        ensure_ascii=False,
        sort_keys=True,
    )
    return f"{hashlib.sha256(body.encode()).hexdigest()[:16]} {body} .\n".encode()


def _parsed(line: bytes) -> Event | None:
    text = line.decode("utf-8", "replace")
    sum_, _, rest = text.partition(" ")
    body = rest.removesuffix(" .")
    if body == rest or hashlib.sha256(body.encode()).hexdigest()[:16] != sum_:
        return None
    data = json.loads(body)
    where = {"thread": data.get("thread", ""), "agent": data.get("agent", "")}  # the first lines of version 1 had neither
    return Event(data["seq"], data["at"], data["call"], data["type"], data["kind"], data["action"], data["state"], **where)


def _read(store: Store) -> tuple[list[Event], bytes, bytes]:
    """The whole events, the bytes they stand in, and the bytes behind the first line that is not whole."""
    if _is_cleared(store.database):
        return [], b"", b""
    try:
        raw = _path(store).read_bytes()
    except FileNotFoundError:
        return [], b"", b""
    events: list[Event] = []
    good = 0
    for line in raw.splitlines(keepends=True):
        event = _parsed(line[:-1]) if line.endswith(b"\n") else None
        if event is None:
            break
        events.append(event)
        good += len(line)
    return events, raw[:good], raw[good:]


def _repaired(store: Store) -> list[Event]:
    """The events, after a torn tail was set aside. Called inside a write transaction, which is the lock between processes."""
    finish(store.database)
    events, whole, torn = _read(store)
    if torn:
        _write(_path(store).with_suffix(".torn"), torn, append=True)
        _replace(store, whole)
    return events


def _replace(store: Store, whole: bytes) -> None:
    """Put a new log in the old one's place; a crash leaves one of the two."""
    path = _path(store)
    partial = path.with_suffix(".partial")
    _write(partial, whole, append=False)
    store.database.tracer("replace", path.name)
    os.replace(partial, path)


def _next(events: Sequence[Event]) -> int:
    return events[-1].seq + 1 if events else 1


def _append(store: Store, event: Event) -> None:
    store.database.tracer("statement", "event log")
    _write(_path(store), _line(event), append=True)


def _write(path: Path, data: bytes, *, append: bool) -> None:
    try:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | (os.O_APPEND if append else os.O_TRUNC), 0o600)
        try:
            while data:  # a disk that fills up takes a part, and refuses the rest at the next try
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise StorageFailed(f"the event log cannot be written ({error.strerror})", retryable=True) from error
