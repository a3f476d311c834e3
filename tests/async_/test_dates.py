"""Days as players write them: read where there is one meaning, and never guessed where there are two."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.clock import later, text_of, time_of
from felix_async.game.rules import Refusal
from felix_async.language.dates import (
    HORIZON,
    Away,
    absence_named,
    absence_text,
    is_absence,
    says_back,
)
from felix_async.time.times import day_text
from felix_async.time.zones import WELL_KNOWN, local_time

FRIDAY: Final = "2026-11-20T17:00:00.000000Z"
BERLIN: Final = "Europe/Berlin"
FIRST, LAST = (datetime.fromisoformat(day) for day in ("2026-01-01", "2040-12-31"))

moments = st.datetimes(FIRST, LAST, timezones=st.just(UTC)).map(text_of)
zones = st.sampled_from([*WELL_KNOWN, "UTC", "+05:45", "-12:00", "+14:00"])


def days(text: str, now: str = FRIDAY, zone: str = BERLIN) -> tuple[str, str]:
    """The first day and the day of being back, by the clock of the zone."""
    found = absence_named(text, now, zone)
    assert isinstance(found, Away), found
    return f"{local_time(found.start, zone):%Y-%m-%d}", f"{local_time(found.back, zone):%Y-%m-%d}"


def code(text: str, now: str = FRIDAY, zone: str = BERLIN) -> str:
    found = absence_named(text, now, zone)
    assert isinstance(found, Refusal), found
    return found.code


@each("text", [
    "24 Nov to 3 Dec",
    "24 Nov until 3 Dec",
    "24 Nov - 3 Dec",
    "24 Nov–3 Dec",
    "from 24 Nov to 3 Dec",
    "November 24 till December 3",
    "24.11.-3.12.",
    "24.11.2026 - 3.12.2026",
    "24/11 to 3 Dec",
    "2026-11-24 2026-12-03",
    "2026-11-24 to 2026-12-03",
    "Tue 24 Nov to Thursday, 3 Dec",
    "  24  NOV   TO  3 dec ",
    "for 9 days from 24 Nov",
    "nine days from 24 Nov",
])  # fmt: skip
def test_the_same_days_may_be_written_in_many_ways(text: str) -> None:
    assert days(text) == ("2026-11-24", "2026-12-03")


@each(("text", "first", "back"), [
    ("until 3 Dec", "2026-11-20", "2026-12-03"),
    ("back on 3 Dec", "2026-11-20", "2026-12-03"),
    ("until tomorrow", "2026-11-20", "2026-11-21"),
    ("today to 3 Dec", "2026-11-20", "2026-12-03"),
    ("tomorrow to 3 Dec", "2026-11-21", "2026-12-03"),
    ("Monday to Friday", "2026-11-23", "2026-11-27"),
    ("Friday to Friday", "2026-11-20", "2026-11-27"),
    ("until Friday", "2026-11-20", "2026-11-27"),
    ("5 days", "2026-11-20", "2026-11-25"),
    ("a week", "2026-11-20", "2026-11-27"),
    ("2 weeks from 1 Dec", "2026-12-01", "2026-12-15"),
    ("tomorrow", "2026-11-21", "2026-11-22"),
    ("until 12/25", "2026-11-20", "2026-12-25"),
    ("until 4/4", "2026-11-20", "2027-04-04"),
    ("28 Dec to 3 Jan", "2026-12-28", "2027-01-03"),
    ("28 Dec to 3 Jan 2027", "2026-12-28", "2027-01-03"),
])  # fmt: skip
def test_what_is_left_out_is_filled_in(text: str, first: str, back: str) -> None:
    assert days(text) == (first, back)


def test_an_absence_from_today_begins_now() -> None:
    found = absence_named("today to 3 Dec", FRIDAY, BERLIN)
    assert isinstance(found, Away)
    assert found.start == FRIDAY


def test_an_absence_begins_and_ends_at_midnight_of_the_players_own_clock() -> None:
    assert absence_named("24 Nov to 3 Dec", FRIDAY, "Asia/Kathmandu") == Away(
        "2026-11-23T18:15:00.000000Z", "2026-12-02T18:15:00.000000Z", computer=False
    )


def test_today_is_the_day_on_the_players_own_wall() -> None:
    """At 17:00 UTC on Friday it is Saturday already in Auckland."""
    assert days("until tomorrow", zone="Pacific/Auckland") == ("2026-11-21", "2026-11-22")
    assert days("Friday to Sunday", zone="Pacific/Auckland") == ("2026-11-27", "2026-11-29")


def test_a_midnight_that_the_clocks_jump_over_comes_after_the_gap() -> None:
    """In Cairo 24 April 2026 begins at 01:00."""
    found = absence_named("until 24 Apr", "2026-04-20T12:00:00.000000Z", "Africa/Cairo")
    assert isinstance(found, Away)
    assert local_time(found.back, "Africa/Cairo").strftime("%d %H:%M") == "24 01:00"


@each(("text", "computer"), [
    ("until 3 Dec", False),
    ("until 3 Dec computer", True),
    ("until 3 Dec COMPUTER", True),
    ("until 3 Dec, the computer plays", True),
])  # fmt: skip
def test_the_computer_plays_if_it_is_named(text: str, computer: bool) -> None:
    found = absence_named(text, FRIDAY, BERLIN)
    assert isinstance(found, Away)
    assert found.computer == computer


@each(("text", "expected"), [
    ("until 3/4", "away/two_days"),
    ("3/4 to 10/4", "away/two_days"),
    ("until 31 Feb", "away/no_day"),
    ("until 30.2.", "away/no_day"),
    ("until 30.0.", "away/no_day"),
    ("until 13/13", "away/no_day"),
    ("until 2026-13-01", "away/no_day"),
    ("until 0 Dec", "away/no_day"),
    ("until 29 Feb", "away/no_day"),
    ("until 0000-01-01", "away/no_day"),
    ("until Wed 3 Dec", "away/other_weekday"),
    ("until 19 Nov", "away/past"),
    ("until today", "away/past"),
    ("until 2020-01-01", "away/past"),
    ("19 Nov to 3 Dec", "away/past"),
    ("2020-01-01 2020-02-01", "away/past"),
    ("3 Dec to 24 Nov", "away/backwards"),
    ("3 Dec to 3 Dec", "away/backwards"),
    ("2026-12-03 2026-11-24", "away/backwards"),
    ("0 days", "away/backwards"),
    ("3 Dec", "away/one_day"),
    ("Monday", "away/one_day"),
    ("2028-01-01 2028-01-05", "away/too_far"),
    ("until 9999-12-31", "away/too_far"),
    ("9999 weeks", "away/too_far"),
    ("until further notice", "away/unclear"),
    ("from my desk", "away/unclear"),
    ("24 Nov 3 Dec", "away/unclear"),
    ("24 to 30", "away/unclear"),
    ("99999 days", "away/unclear"),
    ("until 3 Dec to 5 Dec", "away/unclear"),
    ("24-30 Nov", "away/unclear"),
    ("24th of November until 3rd of December", "away/unclear"),
    ("24 Nov to 3 Dec please", "away/unclear"),
    ("until 3-4-2027", "away/unclear"),
    ("until 3.12.26", "away/unclear"),
    ("24 Nov for 9 days", "away/unclear"),
    ("from 3 Dec", "away/unclear"),
    ("", "away/unclear"),
    ("computer", "away/unclear"),
    ("until <b>3 Dec</b>", "away/unclear"),
    ("until 3 Dec\u202e", "away/unclear"),
    ("until " + "3" * 5000, "away/unclear"),
    ("until " * 50, "away/unclear"),
    ("until ٣ Dec", "away/unclear"),
])  # fmt: skip
def test_what_is_no_absence_is_refused_with_its_reason(text: str, expected: str) -> None:
    assert code(text) == expected


@each("text", [
    "further notice", "until 31 Feb", "until Wed 3 Dec", "until 19 Nov", "3 Dec to 24 Nov", "3 Dec",
    "2028-01-01 2028-01-05",
])  # fmt: skip
def test_a_refusal_holds_days_that_are_taken(text: str) -> None:
    found = absence_named(text, FRIDAY, BERLIN)
    assert isinstance(found, Refusal)
    lines = re.findall("AWAY ((?:UNTIL )?[0-9]+ [A-Z][a-z]+(?: to [0-9]+ [A-Z][a-z]+)?)", str(found))
    assert lines
    for line in lines:
        assert isinstance(absence_named(line, FRIDAY, BERLIN), Away), line


def test_ten_years_are_read_and_left_to_the_rules_of_each_game() -> None:
    assert days("until 3 Dec 2036") == ("2026-11-20", "2036-12-03")


def test_a_leap_day_is_a_day_where_there_is_one() -> None:
    assert days("until 29 Feb", "2028-01-20T12:00:00.000000Z") == ("2028-01-20", "2028-02-29")


def test_two_readings_of_a_date_are_both_named() -> None:
    found = absence_named("until 3/4", FRIDAY, BERLIN)
    assert isinstance(found, Refusal)
    assert (found.details["day"], found.details["first"], found.details["second"]) == (
        "3/4",
        "3 Apr",
        "4 Mar",
    )


def test_the_day_of_the_week_is_put_right() -> None:
    found = absence_named("until Wed 3 Dec", FRIDAY, BERLIN)
    assert isinstance(found, Refusal)
    assert (found.details["day"], found.details["weekday"]) == ("3 Dec", "Thu")


@pytest.mark.parametrize("text", ["off", "OFF", " over "])
def test_off_ends_an_absence(text: str) -> None:
    assert says_back(text)
    assert not says_back("until 3 Dec")


@pytest.mark.parametrize(("text", "expected"), [
    ("until 3 Dec", True), ("until 3/4", True), ("5 days computer", True), ("from my desk", False),
    ("", False),
])  # fmt: skip
def test_the_form_of_an_absence_is_known_without_the_time(text: str, expected: bool) -> None:
    assert is_absence(text) == expected


# ---- anything at all --------------------------------------------------------------------------------

PIECES: Final = [
    "until", "to", "from", "for", "-", "24", "3", "31", "0", "Nov", "december", "feb", "mon", "Friday",
    "24.11.", "3/4", "13/2", "2026-11-24", "2027-02-29", "tomorrow", "today", "2", "weeks", "days", "a",
    "computer", ",", "of", "24th", "2026", "1.1", "12-12-2027", "please", "off", "now",
]  # fmt: skip
pieced = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map(" ".join)


@given(st.one_of(st.text(max_size=120), pieced), moments, zones)
def test_whatever_is_written_it_is_an_absence_to_come_or_a_reason(text: str, now: str, zone: str) -> None:
    found = absence_named(text, now, zone)
    if isinstance(found, Refusal):
        assert str(found)
    else:
        assert now <= found.start < found.back
        assert found.start < later(now, (HORIZON + 2) * 24 * 3600)


def absences(now: str, zone: str, in_days: int, length: int, *, computer: bool) -> Away:
    today = local_time(now, zone).date()
    first, back = (today + timedelta(days=number) for number in (in_days, in_days + length))
    written = f"{first:%Y-%m-%d} {back:%Y-%m-%d}{' computer' if computer else ''}"
    found = absence_named(written, now, zone)
    assert isinstance(found, Away), found
    return found


@given(moments, zones, st.integers(0, HORIZON), st.integers(1, 900), st.booleans())
def test_what_an_absence_is_called_reads_back_to_it(
    now: str, zone: str, in_days: int, length: int, computer: bool
) -> None:
    away = absences(now, zone, in_days, length, computer=computer)
    assert absence_named(absence_text(away, now, zone), now, zone) == away


@given(moments, zones, st.integers(0, HORIZON), st.integers(1, 280))
def test_the_days_that_an_answer_tells_read_back_to_the_same(
    now: str, zone: str, in_days: int, length: int
) -> None:
    away = absences(now, zone, in_days, length, computer=False)
    told = f"{day_text(away.start, zone)} until {day_text(away.back, zone)}"
    assert absence_named(told, now, zone) == away


@given(moments, zones, st.integers(0, HORIZON), st.integers(1, 100))
def test_an_absence_ends_as_its_last_day_begins(now: str, zone: str, in_days: int, length: int) -> None:
    away = absences(now, zone, in_days, length, computer=False)
    moment_before = text_of(time_of(away.back) - timedelta.resolution)
    assert local_time(moment_before, zone).date() < local_time(away.back, zone).date()
