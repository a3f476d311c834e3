"""Quiet hours: what players write, and when they are over."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.clock import later, text_of
from felix_async.game.rules import Refusal
from felix_async.text import plain
from felix_async.time.quiet_hours import quiet_named, quiet_until
from felix_async.time.zones import WELL_KNOWN, local_time

NIGHT = "22:00-08:00"
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("written", "quiet"),
    [
        ("22:00-08:00", "22:00-08:00"),
        ("22-8", "22:00-08:00"),
        ("22 – 8", "22:00-08:00"),
        ("10pm-8am", "22:00-08:00"),
        ("10:30 p.m. to 8 a.m.", "22:30-08:00"),
        ("22.00 to 8.00", "22:00-08:00"),
        ("22h-8h30", "22:00-08:30"),
        ("2200-0800", "22:00-08:00"),
        ("12am-12pm", "00:00-12:00"),
        ("13:00 until 14:15", "13:00-14:15"),
        ("22-24", "22:00-00:00"),
        ("off", ""),
        ("OFF", ""),
        ("None", ""),
    ],
)
def test_quiet_hours_may_be_written_like_this(written: str, quiet: str) -> None:
    assert quiet_named(written) == quiet


@pytest.mark.parametrize(
    ("written", "unclear"),
    [
        ("25:00", Refusal("quiet/unclear")),
        ("25:00-8:00", Refusal("quiet/no_time", {"time": plain("25:00")})),
        ("22:00-8:61", Refusal("quiet/no_time", {"time": plain("8:61")})),
        ("13pm-8", Refusal("quiet/no_time", {"time": plain("13pm")})),
        ("0am-8", Refusal("quiet/no_time", {"time": plain("0am")})),
        ("8-8", Refusal("quiet/all_day")),
        ("8am-8:00", Refusal("quiet/all_day")),
        ("0:00-24:00", Refusal("quiet/all_day")),
        ("always", Refusal("quiet/unclear")),
        ("22-8-9", Refusal("quiet/unclear")),
        ("22:00", Refusal("quiet/unclear")),
        ("-5--3", Refusal("quiet/unclear")),
        ("", Refusal("quiet/unclear")),
        ("9" * 100, Refusal("quiet/unclear")),
        ("٢٢-٨", Refusal("quiet/unclear")),
    ],
)
def test_what_is_no_quiet_time_says_why(written: str, unclear: Refusal) -> None:
    assert quiet_named(written) == unclear


@given(st.text(max_size=80))
def test_whatever_is_written_it_is_hours_or_a_reason(written: str) -> None:
    found = quiet_named(written)
    assert isinstance(found, Refusal) or quiet_named(found or "off") == found


def at(text: str) -> str:
    """A stored time, from `2026-03-29 01:30`."""
    return f"{text.replace(' ', 'T')}:00.000000Z"


@each(
    ("now", "quiet", "zone", "over"),
    [
        ("2026-11-20 20:59", NIGHT, BERLIN, None),
        ("2026-11-20 21:00", NIGHT, BERLIN, "2026-11-21 07:00"),
        ("2026-11-21 06:59", NIGHT, BERLIN, "2026-11-21 07:00"),
        ("2026-11-21 07:00", NIGHT, BERLIN, None),
        ("2026-11-20 23:00", "", BERLIN, None),
        ("2026-11-20 12:30", "13:00-15:00", BERLIN, "2026-11-20 14:00"),
        ("2026-11-20 14:00", "13:00-15:00", BERLIN, None),
        ("2026-11-20 21:30", "22:00-00:00", BERLIN, "2026-11-20 23:00"),
        ("2026-11-20 23:30", "22:00-00:00", BERLIN, None),
        ("2026-12-31 22:00", NIGHT, BERLIN, "2027-01-01 07:00"),
        ("2028-02-28 22:00", "22:00-01:00", "+00:00", "2028-02-29 01:00"),
        ("2026-11-20 17:00", NIGHT, "+05:30", "2026-11-21 02:30"),
        ("2026-11-20 09:00", NIGHT, "Pacific/Kiritimati", "2026-11-20 18:00"),
        ("2026-11-20 09:00", NIGHT, "Pacific/Pago_Pago", "2026-11-20 19:00"),
        # A night with the hour that does not exist is an hour shorter, one with an hour twice is longer.
        ("2026-03-28 22:00", NIGHT, BERLIN, "2026-03-29 06:00"),
        ("2026-10-24 21:00", NIGHT, BERLIN, "2026-10-25 07:00"),
        # An end that is skipped: as if the clock had not jumped, half past three.
        ("2026-03-29 00:30", "22:00-02:30", BERLIN, "2026-03-29 01:30"),
        # A beginning that is skipped: from half past one on.
        ("2026-03-29 00:30", "02:30-06:00", BERLIN, "2026-03-29 04:00"),
        ("2026-03-29 00:29", "02:30-06:00", BERLIN, None),
        # Both in the gap.
        ("2026-03-29 01:00", "02:15-02:45", BERLIN, "2026-03-29 01:45"),
        # A beginning that comes twice is the first, an end that does is the second.
        ("2026-10-25 00:30", "02:30-06:00", BERLIN, "2026-10-25 05:00"),
        ("2026-10-25 00:45", "22:00-02:30", BERLIN, "2026-10-25 01:30"),
        # Clocks that jump at midnight.
        ("2026-04-23 22:30", "22:00-00:30", "Africa/Cairo", None),
        ("2026-04-23 21:30", "22:00-08:00", "Africa/Cairo", "2026-04-24 05:00"),
    ],
)
def test_when_quiet_hours_are_over(now: str, quiet: str, zone: str, over: str | None) -> None:
    assert quiet_until(at(now), quiet, zone) == (None if over is None else at(over))


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # see `timezones`
    st.times(),
    st.times(),
    st.sampled_from(WELL_KNOWN),
)
def test_whenever_the_wall_shows_a_quiet_time_it_is_quiet(
    moment: datetime, begin: time, end: time, zone: str
) -> None:
    begin, end = (one.replace(second=0, microsecond=0) for one in (begin, end))
    if begin == end:
        return
    now = text_of(moment)
    shown = local_time(now, zone).time()
    until = quiet_until(now, f"{begin:%H:%M}-{end:%H:%M}", zone)
    if begin <= shown < end if begin < end else (shown >= begin or shown < end):
        assert until is not None
    if until is not None:
        assert now < until <= later(now, timedelta(hours=26).total_seconds())
        assert quiet_until(until, f"{begin:%H:%M}-{end:%H:%M}", zone) is None


def test_hours_or_a_zone_that_are_none_are_an_error() -> None:
    for quiet, zone in (("x", BERLIN), ("22:00-08:00", "x"), ("22:00", BERLIN)):
        with pytest.raises(ValueError, match=r"."):
            quiet_until(at("2026-11-20 21:00"), quiet, zone)
