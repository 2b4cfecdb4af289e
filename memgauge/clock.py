"""Time comes from a clock that is passed in. The only module that reads the machine's clock."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from memgauge.errors import InputError

DEFAULT_START = "2026-03-02T09:00:00+00:00"
"""The instant at which every scenario begins unless it says otherwise (a Monday, no daylight-saving change near)."""

_DURATION = re.compile(r"(?P<sign>-?)P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?)?")


class Clock(Protocol):
    """Anything that tells the time as an aware datetime."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is set or advanced."""

    def __init__(self, start: str | datetime = DEFAULT_START) -> None:
        self._now = parse_instant(start) if isinstance(start, str) else start

    def now(self) -> datetime:
        return self._now

    def set(self, instant: datetime) -> None:
        self._now = instant

    def advance(self, by: timedelta) -> None:
        self._now += by


def parse_instant(text: str) -> datetime:
    """RFC 3339 with an offset, as an aware datetime. Raises InputError; a time without an offset is refused, not guessed."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"not a time: {text!r}", hint="RFC 3339 with an offset, as 2026-03-02T09:00:00+00:00") from None
    if instant.tzinfo is None:
        raise InputError(f"a time without an offset: {text!r}", hint=f"write {text}+00:00, or the offset that is meant")
    return instant


def format_instant(instant: datetime) -> str:
    """RFC 3339 with its offset, to the second (microseconds only where there are any)."""
    return instant.isoformat()


def parse_duration(text: str) -> timedelta:
    """ISO 8601 days and time parts only (P3D, PT5M, -PT1S). Raises InputError: months and years have no fixed length."""
    found = _DURATION.fullmatch(text)
    if found is None or text.endswith(("P", "T")):
        raise InputError(f"not a duration: {text!r}", hint="ISO 8601 with days, hours, minutes, seconds: P3D, PT5M, P1DT2H")
    parts = {k: int(v) for k, v in found.groupdict().items() if k != "sign" and v}
    span = timedelta(**parts)
    return -span if found["sign"] else span


def wall_ms() -> float:
    """A monotonic reading in milliseconds, for durations only."""
    return time.perf_counter() * 1000.0
