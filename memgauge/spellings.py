"""One value in the forms in which a careful memory may write it: 14 March and 2026-03-14, 840 euros and €840, thirty-eight and 38.

A memory that puts dates, times, sums and numbers into a form of its own has kept the fact. One that shows a forgotten date in
another form has not forgotten it. Only forms of one and the same value are made here; a name or a sentence has one form.
Values are expected, and given, as `memgauge.anchors.fold` leaves them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?({'|'.join(_MONTHS)})")
_MONTH_FIRST = re.compile(rf"({'|'.join(_MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_SUM = re.compile(r"(\d+(?:[.,]\d{2})?) (euros?|dollars?|pounds?)")
_MONEY = {"euro": ("€", "eur"), "dollar": ("$", "usd"), "pound": ("£", "gbp")}
_THOUSANDS = re.compile(r"(\d{1,3})[., '](\d{3})")
_NUMBERED = re.compile(r"([^\W\d][^\d,]*[^\W\d]) (\d+[a-z]?)")
_DIGITS = re.compile(r"[\d ()/.+-]+")
_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
          "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: n for n, word in enumerate(_UNITS)} | {ten: 10 * n for n, ten in enumerate(_TENS, 2)}
_WORDS |= {f"{ten}-{_UNITS[unit]}": _WORDS[ten] + unit for ten in _TENS for unit in range(1, 10)}


@functools.lru_cache(maxsize=4096)
def forms(value: str) -> tuple[str, ...]:
    """The value as given, first, and every other form of it."""
    found = [value]
    for make in _MAKERS:
        found.extend(make(value))
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=4096)
def grouped(value: str) -> re.Pattern[str] | None:
    """The pattern of a number of four digits or more, as codes, cards and phones have it, under any grouping; None for other values."""
    if not _DIGITS.fullmatch(value) or len(digits := re.sub(r"\D", "", value)) < 4:
        return None
    return re.compile(r"(?<![\d])(?<!\d[-./ ])" + r"[-./() ]{0,2}".join(digits) + r"(?![-./ ]?\d)")


def _dates(value: str) -> Iterator[str]:
    """A day of a month: with the month in words before or behind it, or in figures with the year, in either order of day and month."""
    if day_first := _DAY_FIRST.fullmatch(value):
        day, month = int(day_first[1]), _MONTHS.index(day_first[2]) + 1
    elif month_first := _MONTH_FIRST.fullmatch(value):
        day, month = int(month_first[2]), _MONTHS.index(month_first[1]) + 1
    else:
        return
    if not 1 <= day <= 31:
        return
    name = _MONTHS[month - 1]
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    for word in {name, name[:3], f"{name[:3]}.", *(("sept", "sept.") if month == 9 else ())}:
        for number in (f"{day}", f"{day:02d}", f"{day}{ending}", f"{day}."):
            yield f"{number} {word}"
            yield f"{number} of {word}"
            yield f"{word} {number}"
            yield f"{word} the {number}"
    yield f"-{month:02d}-{day:02d}"
    for mark in "./":
        for one, other in ((day, month), (month, day)):
            yield from (f"{one}{mark}{other}{mark}", f"{one:02d}{mark}{other:02d}{mark}")


def _times(value: str) -> Iterator[str]:
    """A time of day: with another mark, without the leading zero, or on a dial of twelve hours."""
    if (clock := _CLOCK.fullmatch(value)) is None or int(clock[1]) > 23 or int(clock[2]) > 59:
        return
    hour, minute = int(clock[1]), clock[2]
    for mark in (":", ".", "h", " h "):
        yield f"{hour:02d}{mark}{minute}"
        if hour < 10 or mark == "h":
            yield f"{hour}{mark}{minute}"
    for mark in ":.":
        for half in ("am", "a.m.") if hour < 12 else ("pm", "p.m."):
            yield from (f"{hour % 12 or 12}{mark}{minute} {half}", f"{hour % 12 or 12}{mark}{minute}{half}")


def _sums(value: str) -> Iterator[str]:
    if (told := _SUM.fullmatch(value)) is None:
        return
    name, (sign, code) = told[2].rstrip("s"), _MONEY[told[2].rstrip("s")]
    whole = told[1] if re.search(r"[.,]", told[1]) else ""
    for number in (told[1],) if whole else (told[1], f"{told[1]}.00", f"{told[1]},00"):
        yield from (f"{number} {name}", f"{number} {name}s", f"{sign}{number}", f"{sign} {number}", f"{number}{sign}", f"{number} {sign}")
        yield from (f"{code} {number}", f"{number} {code}")


def _thousands(value: str) -> Iterator[str]:
    if told := _THOUSANDS.fullmatch(value):
        yield from (f"{told[1]}{mark}{told[2]}" for mark in ("", ",", ".", " ", "'"))


def _numbers(value: str) -> Iterator[str]:
    """A number from thirteen to ninety-nine, in figures for words. Not the other way round: a figure is part of too much."""
    if (number := _WORDS.get(value.replace(" ", "-"), 0)) >= 13:
        yield from (str(number), value.replace("-", " "), value.replace(" ", "-"))


def _numbered(value: str) -> Iterator[str]:
    """A name with its number, as streets have it."""
    if told := _NUMBERED.fullmatch(value):
        name, number = told.groups()
        yield from (f"{number} {name}", f"{number}, {name}", f"{name}, {number}", f"{name} no. {number}", f"{name} nr. {number}", f"{name} #{number}")


_MAKERS: tuple[Callable[[str], Iterator[str]], ...] = (_dates, _times, _sums, _thousands, _numbers, _numbered)
