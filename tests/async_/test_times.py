"""Times in words, as the clocks of their readers show them."""

from __future__ import annotations

import re

import pytest

from each import each
from felix_async.clock import later
from felix_async.time.times import clock_text, day_text, moment, offset_text, until
from felix_async.time.zones import WELL_KNOWN

WINTER = "2026-11-22T17:00:00.000000Z"
SUMMER = "2026-07-19T17:00:00.000000Z"


@pytest.mark.parametrize(
    ("at", "zone", "text"),
    [
        (WINTER, "UTC", "Sun 22 Nov, 17:00 UTC"),
        (WINTER, "+00:00", "Sun 22 Nov, 17:00 UTC"),
        (WINTER, "Europe/Berlin", "Sun 22 Nov, 18:00 CET (UTC+1)"),
        (SUMMER, "Europe/Berlin", "Sun 19 Jul, 19:00 CEST (UTC+2)"),
        (WINTER, "Europe/London", "Sun 22 Nov, 17:00 GMT (UTC)"),
        (SUMMER, "Europe/London", "Sun 19 Jul, 18:00 BST (UTC+1)"),
        (WINTER, "America/St_Johns", "Sun 22 Nov, 13:30 NST (UTC-3:30)"),
        # The database has no letters for these.
        (WINTER, "Asia/Kathmandu", "Sun 22 Nov, 22:45 (UTC+5:45)"),
        (WINTER, "America/Sao_Paulo", "Sun 22 Nov, 14:00 (UTC-3)"),
        (WINTER, "Atlantic/Azores", "Sun 22 Nov, 16:00 (UTC-1)"),
        (WINTER, "+05:30", "Sun 22 Nov, 22:30 (UTC+5:30)"),
        (WINTER, "-05:00", "Sun 22 Nov, 12:00 (UTC-5)"),
        # Both sides of the date line.
        (WINTER, "Pacific/Kiritimati", "Mon 23 Nov, 07:00 (UTC+14)"),
        (WINTER, "Pacific/Pago_Pago", "Sun 22 Nov, 06:00 SST (UTC-11)"),
        # Half past two, twice, an hour apart.
        ("2026-10-25T00:30:00.000000Z", "Europe/Berlin", "Sun 25 Oct, 02:30 CEST (UTC+2)"),
        ("2026-10-25T01:30:00.000000Z", "Europe/Berlin", "Sun 25 Oct, 02:30 CET (UTC+1)"),
        ("2028-02-29T23:30:00.000000Z", "Europe/Berlin", "Wed 1 Mar, 00:30 CET (UTC+1)"),
    ],
)
def test_a_moment_by_the_clock_of_a_zone(at: str, zone: str, text: str) -> None:
    assert moment(at, zone) == text
    assert text == f"{day_text(at, zone)}, {clock_text(at, zone)}"
    assert text.endswith((offset_text(at, zone), f"({offset_text(at, zone)})"))


@each("zone", WELL_KNOWN)
def test_no_zone_is_named_by_a_number_alone(zone: str) -> None:
    for at in (WINTER, SUMMER):
        assert re.fullmatch(
            r"\d\d:\d\d(?: [A-Z]{2,5})? \(UTC(?:[+-]\d{1,2}(?::\d\d)?)?\)", clock_text(at, zone)
        )


@pytest.mark.parametrize(("at", "zone"), [("now", "UTC"), (WINTER, "Europe/Nowhere"), (WINTER, "")])
def test_what_is_no_time_or_no_zone_is_an_error(at: str, zone: str) -> None:
    with pytest.raises(ValueError, match="is no time"):
        moment(at, zone)


@pytest.mark.parametrize(
    ("at", "zone", "text"),
    [
        # Midnight belongs to the day that ends.
        ("2026-11-25T23:00:00.000000Z", "Europe/Berlin", "the end of Wed 25 Nov"),
        ("2026-11-25T22:59:00.000000Z", "Europe/Berlin", "the end of Wed 25 Nov"),
        ("2026-12-31T23:00:00.000000Z", "Europe/Berlin", "the end of Thu 31 Dec"),
        ("2026-07-15T22:00:00.000000Z", "Europe/Berlin", "the end of Wed 15 Jul"),
        ("2026-11-25T23:00:00.000000Z", "+01:00", "the end of Wed 25 Nov"),
        # Nobody knows where the reader is, so it may be another day there.
        ("2026-11-26T00:00:00.000000Z", "UTC", "the end of Wed 25 Nov (UTC)"),
        ("2026-11-25T23:59:30.000000Z", "+00:00", "the end of Wed 25 Nov (UTC)"),
        # Clocks go back at midnight: the day has an hour more, and one day begins twice.
        ("2026-11-01T04:00:00.000000Z", "America/Havana", "the end of Sat 31 Oct"),
        ("2026-11-01T05:00:00.000000Z", "America/Havana", "Sun 1 Nov, 00:00 CST (UTC-5)"),
        ("2026-10-29T20:59:00.000000Z", "Africa/Cairo", "Thu 29 Oct, 23:59 EEST (UTC+3)"),
        ("2026-10-29T22:00:00.000000Z", "Africa/Cairo", "the end of Thu 29 Oct"),
        # The reader's own clock needs no name, one that may have been changed since does.
        (WINTER, "Europe/Berlin", "Sun 22 Nov, 18:00"),
        (WINTER, "Asia/Kathmandu", "Sun 22 Nov, 22:45"),
        (WINTER, "+05:30", "Sun 22 Nov, 22:30 (UTC+5:30)"),
        (WINTER, "UTC", "Sun 22 Nov, 17:00 UTC"),
        ("2026-11-25T23:01:00.000000Z", "Europe/Berlin", "Thu 26 Nov, 00:01"),
        # Half past two, twice, an hour apart; an hour before and after there is no doubt.
        ("2026-10-25T00:30:00.000000Z", "Europe/Berlin", "Sun 25 Oct, 02:30 CEST (UTC+2)"),
        ("2026-10-25T01:30:00.000000Z", "Europe/Berlin", "Sun 25 Oct, 02:30 CET (UTC+1)"),
        ("2026-10-24T23:30:00.000000Z", "Europe/Berlin", "Sun 25 Oct, 01:30"),
        ("2026-10-25T02:30:00.000000Z", "Europe/Berlin", "Sun 25 Oct, 03:30"),
    ],
)
def test_until_when_by_the_clock_of_a_zone(at: str, zone: str, text: str) -> None:
    assert until(at, zone) == text


@pytest.mark.slow
@each("zone", [*WELL_KNOWN, "UTC", "+05:30", "-03:00"])
def test_no_time_limit_is_a_bare_midnight(zone: str) -> None:
    for day in ("2026-03-29", "2026-07-19", "2026-10-25", "2026-11-22"):
        for minute in range(0, 24 * 60, 15):
            at = later(f"{day}T00:00:00.000000Z", minute * 60)
            assert not until(at, zone).endswith("00:00")
