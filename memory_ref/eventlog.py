"""The session event log: tool calls that began and ended, as JSON lines in an append-only file. Ids, states and times, never content.

Each line carries a sequence number, a checksum over the rest and an end mark. A torn tail (a crash in the middle of a write) is
found when the log is read for writing, set aside in `events.torn`, and cut off before the next line is added. Replaying the
states tells which calls were under way; it repeats none of them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memgauge.memory_ref.errors import Conflict, NotFound, Refused, StorageFailed
from memgauge.memory_ref.records import Reply
from memgauge.memory_ref.store import Store

VERSION = 1
KINDS = ("read", "write", "message", "payment")
STATES = ("done", "failed")
MAX_NAME = 80
"""Characters of a tool's name that are kept: a name, not an argument."""


@dataclass(frozen=True, slots=True)
class Event:
    seq: int
    at: str
    call_id: str
    type: Literal["begin", "end"]
    kind: str = ""
    action: str = ""
    state: str = ""


def call_begin(store: Store, call_id: str, action: str, kind: str) -> Reply:
    """A tool call is about to run. Raises Refused for an unknown kind, Conflict when the id is in use."""
    if kind not in KINDS:
        raise Refused(f"unknown kind; allowed: {', '.join(KINDS)}")
    if len(action) > MAX_NAME:
        raise Refused(f"the action is the tool's name, at most {MAX_NAME} characters")
    events = _repaired(store)
    if any(event.call_id == call_id for event in events):
        raise Conflict("the call id is in use", expected="a new call id", actual="a known one")
    _append(store, Event(len(events) + 1, store.now, call_id, "begin", kind=kind, action=action))
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
        _append(store, Event(len(events) + 1, store.now, call_id, "end", state=state))
    return Reply(ids=(call_id,))


def recover(store: Store, verified: Mapping[str, Any] | None = None) -> Reply:
    """Unfinished calls, sorted.

    retry: reading again changes nothing, and a write that the outside world shows as not done. confirm: a write nobody
    verified, and a message or payment shown as not done. never: a message or payment nobody verified (twice is worse than
    not at all). What is shown as done is finished, whatever its kind.
    """
    shown = {call_id: _shown(value) for call_id, value in (verified or {}).items()}
    open_calls: dict[str, Event] = {}
    for event in _read(store)[0]:
        if event.type == "begin":
            open_calls[event.call_id] = event
        else:
            open_calls.pop(event.call_id, None)
    sorted_calls: dict[str, list[str]] = {"retry": [], "confirm": [], "never": []}
    for call_id, event in open_calls.items():
        place = _place(event.kind, shown.get(call_id))
        if place:
            sorted_calls[place].append(call_id)
    return Reply(ids=tuple(open_calls), data=sorted_calls)


def clear(store: Store) -> None:
    """Remove the log and what was set aside (forget_all)."""
    for path in (_path(store), _path(store).with_suffix(".torn")):
        store.database.tracer("replace", path.name)
        path.unlink(missing_ok=True)


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
    return Event(data["seq"], data["at"], data["call"], data["type"], data["kind"], data["action"], data["state"])


def _read(store: Store) -> tuple[list[Event], bytes, bytes]:
    """The whole events, the bytes they stand in, and the bytes behind the first line that is not whole."""
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
    events, whole, torn = _read(store)
    if torn:
        path = _path(store)
        _write(path.with_suffix(".torn"), torn, append=True)
        partial = path.with_suffix(".partial")
        _write(partial, whole, append=False)
        store.database.tracer("replace", path.name)
        os.replace(partial, path)
    return events


def _append(store: Store, event: Event) -> None:
    store.database.tracer("statement", "event log")
    _write(_path(store), _line(event), append=True)


def _write(path: Path, data: bytes, *, append: bool) -> None:
    try:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | (os.O_APPEND if append else os.O_TRUNC), 0o600)
        try:
            os.write(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise StorageFailed(f"the event log cannot be written ({error.strerror})") from error
