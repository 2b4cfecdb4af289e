from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memgauge.clock import DEFAULT_START, ManualClock, SystemClock, format_instant, parse_duration, parse_instant, wall_ms
from memgauge.errors import InputError


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00+00:00"),
        ("2026-03-02t09:00:00z", "2026-03-02T09:00:00+00:00"),
        ("2026-03-02 09:00:00+00:00", "2026-03-02T09:00:00+00:00"),
        ("2026-03-02T09:00+14:00", "2026-03-02T09:00:00+14:00"),
        ("2026-03-02T09:00:00.5-11:00", "2026-03-02T09:00:00.500000-11:00"),
        ("2024-02-29T23:59:59+05:30", "2024-02-29T23:59:59+05:30"),
        ("9999-12-31T23:59:59+00:00", "9999-12-31T23:59:59+00:00"),
    ],
)
def test_an_instant_keeps_its_offset(text: str, same_as: str) -> None:
    assert format_instant(parse_instant(text)) == same_as


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "yesterday", "2026-03-02", "2026-W10-1T09:00:00Z", "20260302T090000Z", "2026-03-02x09:00:00Z", "2026-03-02T09:00:00",
        "2026-13-02T09:00:00Z", "2026-02-30T09:00:00Z", "2026-03-02T24:00:00Z", "2026-03-02T09:00:00+24:00", "2026-03-02T09:00:00+00:00:30",
        "2026-03-02T09:00:00Z\n", "٢٠٢٦-03-02T09:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", None, 7,
    ],
)  # fmt: skip
def test_what_is_no_instant_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_instant(text)
    assert len(caught.value.lines()) == 1


def test_the_hint_for_a_missing_offset_is_itself_a_time() -> None:
    with pytest.raises(InputError) as caught:
        parse_instant("2026-03-02T09:00:00")
    assert parse_instant(caught.value.hint.split()[1].rstrip(",")) == datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("P3D", timedelta(days=3)),
        ("PT5M", timedelta(minutes=5)),
        ("P1DT2H3M4S", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("-PT1S", timedelta(seconds=-1)),
        ("P0D", timedelta(0)),
    ],
)
def test_durations(text: str, span: timedelta) -> None:
    assert parse_duration(text) == span


@pytest.mark.parametrize(
    "text",
    ["", "P", "PT", "P1DT", "-P", "P1M", "P1Y", "P1W", "p1d", "P-1D", "P1.5D", "P٣D", "P1D\n", "1D", f"P{'9' * 14}D", f"PT{'9' * 40}S", None, 3],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_duration(text)


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock()
    assert clock.now() == clock.now() == parse_instant(DEFAULT_START)
    clock.advance(parse_duration("P1DT1S"))
    assert format_instant(clock.now()) == "2026-03-03T09:00:01+00:00"
    clock.advance(parse_duration("-PT1S"))
    clock.set(clock.now() + timedelta(hours=1))
    assert format_instant(clock.now()) == "2026-03-03T10:00:00+00:00"


def test_a_manual_clock_refuses_times_without_offset_and_the_end_of_the_calendar() -> None:
    naive = datetime(2026, 3, 2)
    with pytest.raises(InputError):
        ManualClock(naive)
    clock = ManualClock("9999-12-30T00:00:00+00:00")
    for move in (lambda: clock.advance(timedelta(days=2)), lambda: clock.set(naive), lambda: clock.advance(timedelta(days=-4_000_000))):
        with pytest.raises(InputError):
            move()
    assert format_instant(clock.now()) == "9999-12-30T00:00:00+00:00"
    with pytest.raises(InputError):
        format_instant(naive)


def test_the_machine_s_clock_is_aware_and_durations_do_not_run_backwards() -> None:
    assert SystemClock().now().tzinfo is UTC
    assert wall_ms() <= wall_ms()
