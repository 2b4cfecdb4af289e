"""The file of the session event log: JSON lines that are added to, and a shorter file in their place when calls are dropped.

Each line carries a sequence number, a checksum over the rest and an end mark. The database commits a line by its number: what stands
behind the last committed one, torn or whole, comes from a crash or a failed call, is seen by nobody, and is set aside in `events.torn`
before the next line is added. A shorter log is written beside the old one, committed by its digest, and put in its place after that. So
the log and the tables are changed together or not at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memgauge.memory_ref.database import Database

VERSION = 1
LAST = "log_last"
"""Row of `meta`: the number of the last committed line. Not there in a store that is older than this rule."""
STAGED = "log_staged"
"""Row of `meta`: the digest of the shorter log that is to take the old one's place."""


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


def path_of(database: Database) -> Path:
    """The file beside the database."""
    return database.path.with_name("events.log")


def _digest(whole: bytes) -> str:
    return hashlib.sha256(whole).hexdigest()


def finish(database: Database) -> None:
    """Put a shorter log in the old one's place, where that is due, and let go of what was set aside. Inside a write transaction, so that
    no writer comes in between."""
    due = database.value("SELECT value FROM meta WHERE key = ?", (STAGED,))
    if due is None:
        return
    path, files = path_of(database), database.engine.files
    staged = path.with_suffix(".next")
    whole = _bytes(staged)
    if _digest(whole) == due:  # else it has taken its place before a crash
        database.tracer("replace", path.name)
        if whole:
            files.rename(staged, path)
        else:
            files.remove(path, staged)
    files.remove(*map(path.with_suffix, (".torn", ".partial")))
    database.run("DELETE FROM meta WHERE key = ?", (STAGED,))


def stage(database: Database, events: Sequence[Event]) -> None:
    """A shorter log, which counts from the commit on. What was committed before takes its place first, since it lies under the same name."""
    finish(database)
    whole = b"".join(map(_line, events))
    database.tracer("statement", "event log")
    database.engine.files.write(path_of(database).with_suffix(".next"), whole)
    for key, value in ((LAST, len(events)), (STAGED, _digest(whole))):
        database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def last(database: Database) -> int | None:
    """The sequence number of the last line that was committed; None before the first."""
    found: int | None = database.value("SELECT value FROM meta WHERE key = ?", (LAST,))
    return found


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


def read(database: Database) -> tuple[list[Event], bytes, bytes]:
    """The committed events, the bytes they stand in, and the bytes behind them."""
    path = path_of(database)
    due = database.value("SELECT value FROM meta WHERE key = ?", (STAGED,))
    raw = _bytes(path.with_suffix(".next")) if due is not None else b""
    if _digest(raw) != due:
        raw = _bytes(path)  # nothing is staged, or it has taken its place meanwhile
    committed = last(database)
    events: list[Event] = []
    good = 0
    for line in raw.splitlines(keepends=True):
        event = _parsed(line[:-1]) if line.endswith(b"\n") else None
        if event is None or (committed is not None and event.seq > committed):
            break
        events.append(event)
        good += len(line)
    return events, raw[:good], raw[good:]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def repaired(database: Database) -> list[Event]:
    """The committed events, after what stood behind them was set aside. Called inside a write transaction, the lock between processes."""
    finish(database)
    events, whole, rest = read(database)
    if rest:
        path, files = path_of(database), database.engine.files
        files.append(path.with_suffix(".torn"), rest)
        files.write(path.with_suffix(".partial"), whole)
        database.tracer("replace", path.name)
        files.rename(path.with_suffix(".partial"), path)
    return events


def next_number(events: Sequence[Event]) -> int:
    """The sequence number that the next event gets."""
    return events[-1].seq + 1 if events else 1


def append(database: Database, event: Event) -> None:
    """One more line, which counts from the commit on."""
    database.tracer("statement", "event log")
    database.engine.files.append(path_of(database), _line(event))
    database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (LAST, event.seq))
