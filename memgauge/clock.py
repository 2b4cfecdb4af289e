"""Time comes from a clock that is passed in. The only module that reads the machine's clock."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from memgauge.errors import InputError

DEFAULT_START = "2026-03-02T09:00:00+00:00"
"""The instant at which every scenario begins unless it says otherwise (a Monday, no daylight-saving change near)."""

_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?([Zz]|[-+][0-9]{2}:[0-9]{2})?")
_DURATION = re.compile(
    r"(?P<sign>-?)P(?!$)(?:(?P<days>[0-9]+)D)?(?:T(?!$)(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+)S)?)?"
)


class Clock(Protocol):
    """Anything that tells the time as an aware datetime."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is set or advanced. Raises InputError where the calendar ends."""

    def __init__(self, start: str | datetime = DEFAULT_START) -> None:
        self._now = parse_instant(start) if isinstance(start, str) else _in_calendar(start)

    def now(self) -> datetime:
        return self._now

    def set(self, instant: datetime) -> None:
        self._now = _in_calendar(instant)

    def advance(self, by: timedelta) -> None:
        try:
            self._now = _in_calendar(self._now + by)
        except OverflowError:
            raise InputError(f"{by.days} days from {self._now.isoformat()} is outside the calendar", hint=_CALENDAR) from None


def parse_instant(text: str) -> datetime:
    """RFC 3339 with an offset, as an aware datetime. Raises InputError; a time without an offset is refused, not guessed."""
    hint = "RFC 3339 with an offset, as 2026-03-02T09:00:00+00:00"
    if not isinstance(text, str) or not _INSTANT.fullmatch(text):
        raise InputError(f"not a time: {text!r}", hint=hint)
    try:
        instant = datetime.fromisoformat(text.upper())
    except ValueError:
        raise InputError(f"not a time: {text!r}", hint=hint) from None
    if instant.tzinfo is None:
        raise InputError(f"a time without an offset: {text!r}", hint=f"write {text}+00:00, or the offset that is meant")
    return _in_calendar(instant)


def format_instant(instant: datetime) -> str:
    """RFC 3339 with its offset, to the second (microseconds only where there are any). Raises InputError for a time without one."""
    return _in_calendar(instant).isoformat()


def parse_duration(text: str) -> timedelta:
    """ISO 8601 days and time parts only (P3D, PT5M, -PT1S). Raises InputError: months and years have no fixed length."""
    found = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InputError(f"not a duration: {text!r}", hint="ISO 8601 with days, hours, minutes, seconds: P3D, PT5M, P1DT2H")
    parts = {k: int(v) for k, v in found.groupdict().items() if k != "sign" and v}
    try:
        span = timedelta(**parts)
    except OverflowError:
        raise InputError(f"a duration too long to add to any date: {text!r}", hint=_CALENDAR) from None
    return -span if found["sign"] else span


_CALENDAR = "times lie between the years 1 and 9999, in UTC too"


def _in_calendar(instant: datetime) -> datetime:
    """The same instant, if it has an offset and every zone can show it: comparing or storing it must not fail later."""
    if instant.tzinfo is None:
        raise InputError(f"a time without an offset: {instant.isoformat()}", hint="give it a tzinfo")
    try:
        instant.astimezone(UTC)
    except OverflowError:
        raise InputError(f"outside the calendar: {instant.isoformat()}", hint=_CALENDAR) from None
    return instant


def wall_ms() -> float:
    """A monotonic reading in milliseconds, for durations only."""
    return time.perf_counter() * 1000.0
