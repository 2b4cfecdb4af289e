"""English dates, anchored to the instant a message was said and to the user's zone."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from memgauge.clock import parse_instant
from memgauge.memory_ref.dates import anchor, end_of, expiry, find_dates

SAID = parse_instant("2023-05-24T10:00:00+00:00")  # a Wednesday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I went to Paris last week", "2023-05-15", "2023-05-21"),
        ("My lease ends in two months", "2023-07-24", "2023-07-24"),
        ("See you tomorrow", "2023-05-25", "2023-05-25"),
        ("the day after tomorrow", "2023-05-26", "2023-05-26"),
        ("We met yesterday", "2023-05-23", "2023-05-23"),
        ("I arrived three days ago", "2023-05-21", "2023-05-21"),
        ("The exam is on Friday", "2023-05-26", "2023-05-26"),
        ("We spoke on Friday", "2023-05-19", "2023-05-19"),
        ("next Friday works", "2023-06-02", "2023-06-02"),
        ("last Monday", "2023-05-22", "2023-05-22"),
        ("on Wednesday", "2023-05-31", "2023-05-31"),
        ("this weekend", "2023-05-27", "2023-05-28"),
        ("next month", "2023-06-01", "2023-06-30"),
        ("by the end of the month", "2023-05-31", "2023-05-31"),
        ("at the end of next year", "2024-12-31", "2024-12-31"),
        ("It is due on 12 May", "2024-05-12", "2024-05-12"),
        ("It was sent on 12 May", "2023-05-12", "2023-05-12"),
        ("The launch was moved to 12 June", "2023-06-12", "2023-06-12"),
        ("May 12th, 2025", "2025-05-12", "2025-05-12"),
        ("in February", "2024-02-01", "2024-02-29"),
        ("on 2023-06-01", "2023-06-01", "2023-06-01"),
    ],
)
def test_english_dates_are_found(text: str, first: str, last: str) -> None:
    [found] = find_dates(text, SAID)
    assert (found.first, found.last) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "text",
    ["soon", "in a few days", "nächste Woche", "la semana que viene", "来週", "every Friday", "31 February", "it may 5 times fail", "01/02/2024"],
)
def test_what_is_vague_foreign_or_no_date_is_not_guessed(text: str) -> None:
    assert find_dates(text, SAID) == ()


def test_the_users_day_counts_not_utcs() -> None:
    late = parse_instant("2026-03-02T20:00:00+00:00")  # already Tuesday in Singapore
    assert find_dates("tomorrow", late, "Asia/Singapore")[0].first == date(2026, 3, 4)
    assert find_dates("tomorrow", late)[0].first == date(2026, 3, 3)
    assert end_of(date(2026, 3, 3), "Asia/Singapore") == parse_instant("2026-03-03T16:00:00+00:00")


def test_relative_words_are_anchored_in_the_text() -> None:
    text = "I went to Paris last week and fly home tomorrow"
    assert anchor(text, find_dates(text, SAID)) == "I went to Paris last week (2023-05-15 to 2023-05-21) and fly home tomorrow (2023-05-25)"
    assert anchor("due on 2023-06-01", find_dates("due on 2023-06-01", SAID)) == "due on 2023-06-01"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("The meeting is tomorrow", "2023-05-26T00:00:00+00:00"),
        ("I'm away until Friday", "2023-05-27T00:00:00+00:00"),
        ("I use the lab for the next two weeks", "2023-06-08T00:00:00+00:00"),
        ("the room is mine for one hour", "2023-05-24T11:00:00+00:00"),
        ("The report was due on 2023-05-01", "2023-05-02T00:00:00+00:00"),
        ("I went to Paris last week", None),
        ("We meet every Tuesday", None),
        ("My birthday is on 4 June", None),
        ("I prefer tea", None),
    ],
)
def test_time_bound_statements_end_with_their_day(text: str, end: str | None) -> None:
    assert expiry(text, SAID) == (None if end is None else datetime.fromisoformat(end))


def test_months_are_clamped_and_leap_days_are_right() -> None:
    assert find_dates("in one month", parse_instant("2024-01-31T00:00:00+00:00"))[0].first == date(2024, 2, 29)
    assert find_dates("in one year", parse_instant("2024-02-29T00:00:00+00:00"))[0].first == date(2025, 2, 28)
