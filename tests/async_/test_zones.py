"""Zones as players write them, and times of day as their clocks show them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.clock import text_of, time_of
from felix_async.time.zones import (
    WELL_KNOWN,
    Unknown,
    guessed_offset,
    instant,
    is_place,
    is_zone,
    local_time,
    offset_at,
    second_instant,
    zone_for,
    zone_named,
    zone_of,
    zones_like,
)
from felix_events.store.rows import Choice

NOON = "2026-11-20T12:00:00.000000Z"
JULY = "2026-07-20T12:00:00.000000Z"


# ---- what players write
@each(
    ("written", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("europe berlin", "Europe/Berlin"),
        ("  Berlin ", "Europe/Berlin"),
        ("BERLIN", "Europe/Berlin"),
        ("Berlin, Germany", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("new_york", "America/New_York"),
        ("São Paulo", "America/Sao_Paulo"),
        ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ("Port au Prince", "America/Port-au-Prince"),
        ("US/Pacific", "US/Pacific"),
        ("Calcutta", "Asia/Calcutta"),
        ("UTC", "+00:00"),
        ("gmt", "+00:00"),
        ("UTC+1", "+01:00"),
        ("utc + 1", "+01:00"),
        ("GMT-5", "-05:00"),
        ("+05:30", "+05:30"),
        ("+0530", "+05:30"),
        ("-3", "-03:00"),
        ("UTC-00:00", "+00:00"),
        ("+14", "+14:00"),
        ("UTC+5:45", "+05:45"),
    ],
)
def test_a_zone_may_be_written_like_this(written: str, zone: str) -> None:
    assert zone_named(written) == zone
    assert is_zone(zone)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("Europe/Berln", ("Europe/Berlin",)),
        ("Sidney", ("Australia/Sydney",)),
        ("Germany", ("Europe/Berlin", "Europe/Busingen")),
        ("Japan", ("Asia/Tokyo",)),
        ("zulu", ()),
        ("CET", ("Europe/Berlin", "Europe/Paris", "Europe/Madrid")),
        ("EST", ("America/New_York", "America/Toronto")),
        ("AEST", ("Australia/Sydney", "Australia/Brisbane")),
        ("the moon", ()),
        ("", ()),
        ("+15:00", ()),
        ("+01:10", ()),
        ("UTC+1:75", ()),
        ("+99", ()),
        ("x" * 61, ()),
        ("Europe", ("Europe/London", "Europe/Berlin", "Europe/Paris")),
        ("Europe/Nowhere", ()),
    ],
)
def test_what_is_no_zone_is_answered_with_the_nearest_ones(written: str, nearest: tuple[str, ...]) -> None:
    assert zone_named(written) == Unknown(nearest)


def test_an_abbreviation_of_several_zones_is_answered_with_all_of_them() -> None:
    assert zone_named("IST") == Unknown(("Asia/Jerusalem", "Asia/Kolkata"))


@pytest.mark.parametrize(
    "written",
    [
        "../../etc/passwd",
        "/etc/localtime",
        "Europe/../Europe/Berlin",
        "Europe//Berlin",
        "Etc/GMT+5",
        "posixrules",
        "localtime",
        "Factory",
        "posix/Europe/Berlin",
        "Europe/Berlin\x00",
        "Europe/Berlin\r\nBcc: x",
        "C:\\zones",
        "%2e%2e/x",
        "\ud800",
        "٣",
        "+٠١:٠٠",
    ],
)
def test_no_path_and_no_file_is_a_zone(written: str) -> None:
    assert not is_zone(written)
    found = zone_named(written)
    assert isinstance(found, Unknown) or found == "Europe/Berlin"
    with pytest.raises(ValueError, match="is no time zone"):
        zone_of(written)


@given(st.text(max_size=80))
def test_whatever_is_written_the_zones_named_are_zones(written: str) -> None:
    found = zone_named(written)
    named = found.nearest if isinstance(found, Unknown) else (found,)
    assert len(named) <= 3
    assert all(is_zone(name) for name in named)


def test_every_place_of_the_database_is_read_back_from_its_name() -> None:
    places = [name for name in available_timezones() if is_place(name)]
    assert len(places) > 400
    assert [name for name in places if zone_named(name) != name] == []


def test_only_places_that_people_know_are_suggested() -> None:
    assert all(zone_named(name) == name and not name.startswith("Etc/") for name in WELL_KNOWN)
    assert zone_named("Eastern") == Unknown(("Canada/Eastern", "US/Eastern"))


# ---- what a mail's Date tells
@each(
    ("header", "offset"),
    [
        ("Fri, 20 Nov 2026 21:00:00 +0100", "+01:00"),
        ("20 Nov 2026 21:00 -0330", "-03:30"),
        ("Fri, 20 Nov 2026 21:00:00 +0545 (NPT)", "+05:45"),
        ("Fri, 20 Nov 2026 21:00:00 +0000", "+00:00"),
        ("Fri, 20 Nov 2026 21:00:00 +1400", "+14:00"),
        ("Fri, 20 Nov 2026 21:00:00 GMT", "+00:00"),
        ("Fri, 20 Nov 2026 21:00:00 EST", "-05:00"),
        ("Fri, 20 Nov 2026 21:00:00 PDT", "-07:00"),
        ("Fri, 20 Nov 2026 21:00:00 -0000", None),
        ("Fri, 20 Nov 2026 21:00:00 CET", None),
        ("Fri, 20 Nov 2026 21:00:00 A", None),
        ("Fri, 20 Nov 2026 21:00:00 +1415", None),
        ("Fri, 20 Nov 2026 21:00:00 +0110", None),
        ("Fri, 20 Nov 2026 21:00:00 +0175", None),
        ("Fri, 20 Nov 2026 21:00:00 +01", None),
        ("Fri, 20 Nov 2026 21:00:00 +01000", None),
        ("Fri, 20 Nov 2026 21:00:00", None),
        ("+0100", None),
        ("now", None),
        ("", None),
        (f"{' ' * 10_000}21:00 +0100", None),
    ],
)
def test_the_offset_of_a_date(header: str, offset: str | None) -> None:
    assert guessed_offset(header) == offset


@given(st.text(max_size=200))
def test_whatever_a_date_says_it_is_an_offset_or_nothing(header: str) -> None:
    found = guessed_offset(f"21:00:00 {header}")
    assert found is None or is_zone(found)


# ---- whose zone it is
def test_what_a_player_confirmed_comes_before_what_their_mail_says() -> None:
    assert zone_for(Choice("anna", zone="Europe/Berlin", offset="-05:00"), "UTC") == "Europe/Berlin"
    assert zone_for(Choice("anna", offset="-05:00"), "UTC") == "-05:00"
    assert zone_for(Choice("anna"), "Europe/Rome") == "Europe/Rome"
    assert zone_for(None, "Europe/Rome") == "Europe/Rome"


@pytest.mark.parametrize(
    ("offset", "at", "zones"),
    [
        ("+01:00", NOON, ["Europe/Berlin", "Africa/Lagos", "Europe/Paris"]),
        ("+02:00", JULY, ["Europe/Berlin", "Africa/Johannesburg", "Europe/Paris"]),
        ("+05:45", NOON, ["Asia/Kathmandu"]),
        ("+08:45", NOON, ["Australia/Eucla"]),
        ("+14:00", NOON, ["Pacific/Kiritimati"]),
        ("-13:00", NOON, []),
    ],
)
def test_zones_of_an_offset_those_with_other_clock_changes_first(
    offset: str, at: str, zones: list[str]
) -> None:
    assert zones_like(offset, at) == zones


def test_an_offset_is_that_of_the_season() -> None:
    assert (offset_at(NOON, "Europe/Berlin"), offset_at(JULY, "Europe/Berlin")) == ("+01:00", "+02:00")
    assert offset_at(NOON, "-09:30") == "-09:30"


# ---- times
def at(text: str) -> str:
    """A stored time, from `2026-03-29 01:30`."""
    return f"{text.replace(' ', 'T')}:00.000000Z"


@pytest.mark.parametrize(
    ("day", "clock", "zone", "utc"),
    [
        # The clocks of Berlin jump from 02:00 to 03:00, so 02:30 is as long after 01:30 as ever: 03:30.
        ("2026-03-29", "01:30", "Europe/Berlin", "2026-03-29 00:30"),
        ("2026-03-29", "02:30", "Europe/Berlin", "2026-03-29 01:30"),
        ("2026-03-29", "03:30", "Europe/Berlin", "2026-03-29 01:30"),
        # They show 02:30 twice: the first, which is summer time.
        ("2026-10-25", "02:30", "Europe/Berlin", "2026-10-25 00:30"),
        ("2026-10-25", "03:00", "Europe/Berlin", "2026-10-25 02:00"),
        ("2028-02-29", "12:00", "America/New_York", "2028-02-29 17:00"),
        ("2026-11-20", "12:00", "Asia/Kathmandu", "2026-11-20 06:15"),
        ("2026-11-20", "12:00", "America/St_Johns", "2026-11-20 15:30"),
        ("2026-11-20", "12:00", "Pacific/Marquesas", "2026-11-20 21:30"),
        # In Lord Howe the clocks jump half an hour.
        ("2026-10-04", "02:15", "Australia/Lord_Howe", "2026-10-03 15:45"),
        # In Cairo they jump at midnight: that day has no 00:00.
        ("2026-04-24", "00:00", "Africa/Cairo", "2026-04-23 22:00"),
        ("2026-04-24", "00:30", "Africa/Cairo", "2026-04-23 22:30"),
        # Both sides of the date line: one moment on two days.
        ("2026-11-21", "01:00", "Pacific/Kiritimati", "2026-11-20 11:00"),
        ("2026-11-20", "00:00", "Pacific/Pago_Pago", "2026-11-20 11:00"),
        ("2026-12-31", "23:00", "-11:00", "2027-01-01 10:00"),
    ],
)
def test_a_time_on_the_wall_as_stored(day: str, clock: str, zone: str, utc: str) -> None:
    assert instant(date.fromisoformat(day), time.fromisoformat(clock), zone) == at(utc)


def test_samoa_had_no_thirtieth_of_december_and_its_noon_is_a_day_later() -> None:
    there = local_time(instant(date(2011, 12, 30), time(12), "Pacific/Apia"), "Pacific/Apia")
    assert there.replace(tzinfo=None) == datetime(2011, 12, 31, 12, 0)  # noqa: DTZ001  # as the wall shows it


def test_the_second_of_two_equal_times() -> None:
    day, clock = date(2026, 10, 25), time(2, 30)
    assert second_instant(day, clock, "Europe/Berlin") == at("2026-10-25 01:30")
    assert second_instant(date(2026, 11, 20), clock, "Europe/Berlin") == at("2026-11-20 01:30")


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # see `timezones`
    st.sampled_from(WELL_KNOWN),
)
def test_a_moment_is_one_of_the_two_readings_of_its_own_clock(moment: datetime, zone: str) -> None:
    local = local_time(text_of(moment), zone)
    readings = [reading(local.date(), local.time(), zone) for reading in (instant, second_instant)]
    assert text_of(moment) in readings
    assert abs(time_of(readings[1]) - time_of(readings[0])) <= timedelta(days=1)
