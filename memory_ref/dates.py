"""English dates, anchored: "last week" is a week of the calendar only together with the instant it was said and the user's zone.

Rules for English only. In any other language, and for vague words ("soon", "a few days"), the date is unknown and never guessed.
Conventions, where English is ambiguous: a bare weekday is the next one after the day of speaking (the one before, beside a past
tense), "next Friday" is the Friday of the following week (ISO, Monday first), a month or a day without a year is the nearest to come.
"""

from __future__ import annotations

import calendar
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = tuple(name.lower() for name in calendar.month_name)
_NUMBERS = {
    word: n for n, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"])
} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
}
_DAY = "|".join(_DAYS)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_N = r"(?P<n>\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_PAST = re.compile(
    r"\b(?:was|were|went|had|did|been|came|saw|met|got|took|made|left|bought|ate|flew|drove|spoke|ran|wrote|gave|said|told|heard|felt|sold|lost|won|sent|paid|began|broke|chose|"
    r"fell|grew|knew|rode|sat|stood|spent|taught|thought|wore|became|built|caught|drank|slept|swam|\w{2,}ed)\b",
    re.I,
)
_AIMS = re.compile(r"\b(?:to|until|till|due|by|for)\s+(?:on\s+)?$", re.I)
_RECURS = re.compile(r"\b(?:every|each|daily|weekly|monthly|yearly|annually|always|usually|birthday|anniversary|born)\b|\bon \w+days\b", re.I)


@dataclass(frozen=True, slots=True)
class Dated:
    """Words of a text that name days. `first` and `last` are local calendar days, both included; `span` are characters of the text."""

    words: str
    span: tuple[int, int]
    first: date
    last: date
    exact: bool = False

    def __str__(self) -> str:
        return self.first.isoformat() if self.first == self.last else f"{self.first.isoformat()} to {self.last.isoformat()}"


_Rule = Callable[[re.Match[str], date, bool], tuple[date, date] | None]


def find_dates(text: str, said_at: datetime, zone: str = "UTC") -> tuple[Dated, ...]:
    """Every date the text names, in order. `said_at` is aware; `zone` an IANA name. What cannot be anchored is left out."""
    if not _GATE.search(text):
        return ()
    today = said_at.astimezone(ZoneInfo(zone)).date()
    past = _PAST.search(text) is not None
    taken: list[Dated] = []
    for pattern, rule, exact in _rules():
        for found in pattern.finditer(text):
            if any(found.start() < other.span[1] and other.span[0] < found.end() for other in taken):
                continue
            try:
                days = rule(found, today, past and not _AIMS.search(text, 0, found.start()))
            except (ValueError, OverflowError):  # 31 February, year 10000: not a date
                continue
            if days is not None:
                taken.append(Dated(found.group(), found.span(), *days, exact))
    return tuple(sorted(taken, key=lambda d: d.span))


def anchor(text: str, dates: tuple[Dated, ...]) -> str:
    """The text with the calendar days set behind relative words, so that they stay true when read later. What recurs has no one day."""
    if _RECURS.search(text):
        return text
    for found in reversed(dates):
        if not found.exact:
            text = f"{text[: found.span[1]]} ({found}){text[found.span[1] :]}"
    return text


def end_of(day: date, zone: str = "UTC") -> datetime:
    """The first instant after a local day, in UTC. What is good through that day expires exactly then."""
    return datetime.combine(day + timedelta(days=1), time(0), ZoneInfo(zone)).astimezone(UTC)


TIME_BOUND = re.compile(
    r"\b(?:until|till|this (?:week|weekend|month|evening|afternoon|morning)|tonight|for the next|"
    r"today only|only (?:for )?today|just (?:for )?today|for today|for (?:an?|\d+|one|two|three|four|five|six) (?:hours?|minutes?))\b",
    re.I,
)
"""Words that bound a statement in time, whatever it is about."""


def stated_end(text: str, said_at: datetime, zone: str = "UTC") -> datetime | None:
    """The end a text states for itself ("until Friday", "for the next two weeks"), or None. It lies after `said_at`."""
    end = expiry(text, said_at, zone) if TIME_BOUND.search(text) else None
    return end if end is not None and end > said_at else None


def expiry(text: str, said_at: datetime, zone: str = "UTC") -> datetime | None:
    """When a time-bound statement stops being true, or None: for statements of the past, for what recurs, and for what has no date."""
    found = _HOURS.search(text)
    if found:
        unit = timedelta(hours=1) if found["unit"].lower().startswith("h") else timedelta(minutes=1)
        return said_at.astimezone(UTC) + unit * _number(found["n"])
    if _RECURS.search(text):
        return None
    today = said_at.astimezone(ZoneInfo(zone)).date()
    span = _SPELL.search(text)
    if span:
        return end_of(_shift(today, _number(span["n"]), span["unit"]), zone)
    dates = find_dates(text, said_at, zone)
    if not dates or (dates[-1].last < today and not _BOUND.search(text)):
        return None
    return end_of(max(d.last for d in dates), zone)


_BOUND = re.compile(r"\b(?:deadline|due|until|till|by|expires?|ends?)\b", re.I)
_HOURS = re.compile(rf"\b(?:for (?:the )?(?:next )?|in ){_N} (?P<unit>hour|minute)s?\b", re.I)
_SPELL = re.compile(rf"\bfor (?:the next|another) {_N} (?P<unit>day|week|month|year)s?\b", re.I)
_GATE = re.compile(
    rf"\b(?:to(?:day|night|morrow)|yesterday|last night|this (?:morning|afternoon|evening)|(?:{_DAY})|(?:last|this|next|coming)\s+\w|ago|from now|"
    rf"in {_N} (?:day|week|month|year)|end of|\d{{4}}-\d\d-\d\d)|(?:{_MONTH})",
    re.I,
)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]


def _shift(day: date, n: int, unit: str) -> date:
    unit = unit.lower()
    if unit in ("day", "week"):
        return day + timedelta(days=n * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + n * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _one(day: date) -> tuple[date, date]:
    return day, day


def _named(found: re.Match[str], today: date, past: bool) -> tuple[date, date]:
    offsets = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "last night": -1, "day after tomorrow": 2, "day before yesterday": -2}
    return _one(today + timedelta(days=offsets.get(found["name"].lower(), 0)))


def _period(found: re.Match[str], today: date, past: bool) -> tuple[date, date]:
    step = {"last": -1, "next": 1}.get(found["which"].lower().split()[-1], 0)
    unit = found["unit"].lower()
    monday = today - timedelta(days=today.weekday())
    if unit in ("week", "weekend"):
        first = monday + timedelta(days=7 * step + (5 if unit == "weekend" else 0))
        return first, monday + timedelta(days=7 * step + 6)
    if unit == "month":
        return _month(_shift(today.replace(day=1), step, "month"))
    return date(today.year + step, 1, 1), date(today.year + step, 12, 31)


def _month(first: date) -> tuple[date, date]:
    return first, first.replace(day=calendar.monthrange(first.year, first.month)[1])


def _weekday(found: re.Match[str], today: date, past: bool) -> tuple[date, date]:
    which = (found["which"] or "").lower()
    ahead = (_DAYS.index(found["day"].lower()) - today.weekday()) % 7 or 7
    if which == "last" or (past and which in ("", "on")):
        return _one(today + timedelta(days=ahead - 7 if ahead < 7 else -7))
    if which == "next":
        monday = today - timedelta(days=today.weekday())
        return _one(monday + timedelta(days=7 + _DAYS.index(found["day"].lower())))
    return _one(today + timedelta(days=ahead))


def _counted(found: re.Match[str], today: date, past: bool) -> tuple[date, date] | None:
    if past and not found["dir"]:
        return None  # "I read it in a week" is how long it took
    sign = -1 if found["dir"] and found["dir"].lower() == "ago" else 1
    return _one(_shift(today, sign * _number(found["n"]), found["unit"]))


def _closing(found: re.Match[str], today: date, past: bool) -> tuple[date, date]:
    unit, later = found["unit"].lower(), 1 if (found["which"] or "").lower() == "next" else 0
    if unit == "week":
        return _one(today + timedelta(days=6 - today.weekday() + 7 * later))
    if unit == "month":
        return _one(_month(_shift(today.replace(day=1), later, "month"))[1])
    return _one(date(today.year + later, 12, 31))


def _calendar(found: re.Match[str], today: date, past: bool) -> tuple[date, date] | None:
    month = _MONTHS.index(found["month"].lower())
    day, year = found.groupdict().get("d"), found["year"]
    if day is None:
        first = date(int(year) if year else today.year, month, 1)
        if not year and past and first > today:
            first = first.replace(year=today.year - 1)
        elif not year and not past and _month(first)[1] < today:
            first = first.replace(year=today.year + 1)
        return _month(first)
    there = date(int(year) if year else today.year, month, int(day))
    if not year and past and there > today:
        there = there.replace(year=today.year - 1)
    elif not year and not past and there < today:
        there = there.replace(year=today.year + 1)
    return _one(there)


def _iso(found: re.Match[str], today: date, past: bool) -> tuple[date, date]:
    return _one(date.fromisoformat(found.group()))


@functools.cache
def _rules() -> tuple[tuple[re.Pattern[str], _Rule, bool], ...]:
    """Compiled with the first text that may name a date."""
    return tuple(_each_rule())


def _each_rule() -> Iterator[tuple[re.Pattern[str], _Rule, bool]]:
    def rule(pattern: str, make: _Rule, *, exact: bool = False, case: bool = False) -> tuple[re.Pattern[str], _Rule, bool]:
        return re.compile(pattern, 0 if case else re.I), make, exact

    year = r"(?:,? (?P<year>\d{4}))"
    yield rule(r"\b\d{4}-\d\d-\d\d\b", _iso, exact=True)
    yield rule(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b{year}?", _calendar, case=True)
    yield rule(rf"\b(?P<month>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b{year}?", _calendar, case=True)
    yield rule(rf"\b(?:in|by|until|till|since|last|next) (?P<month>{_MONTH})\b{year}?", _calendar, case=True)
    yield rule(r"\bthe (?P<name>day after tomorrow|day before yesterday)\b", _named)
    yield rule(r"\b(?P<name>today|tonight|tomorrow|yesterday|last night|this (?:morning|afternoon|evening))\b", _named)
    yield rule(r"\b(?:the )?end of (?:the |(?P<which>this|next) )?(?P<unit>week|month|year)\b", _closing)
    yield rule(r"\b(?P<which>last|this|next|this coming|the coming) (?P<unit>weekend|week|month|year)\b", _period)
    yield rule(
        r"(?<!every )(?<!each )(?<!from )(?<!\bmy )(?<!\bour )(?<!\byour )(?<!\bthe )"
        rf"\b(?:(?P<which>last|this coming|this|next|coming|on|by|until|till|before|due) )?(?P<day>{_DAY})\b(?!s)",
        _weekday,
    )
    yield rule(rf"\bin {_N} (?P<unit>day|week|month|year)s?\b(?P<dir>)", _counted)
    yield rule(rf"\b{_N} (?P<unit>day|week|month|year)s? (?P<dir>ago|from now)\b", _counted)
