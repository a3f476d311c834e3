"""Counted time: weekends, gaps, and the days on which clocks are changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felix_async.time.calendar import Calendar, Stretch

HOUR, DAY, WEEK = 3600, 24 * 3600, 7 * 24 * 3600
INSTANT = timedelta.resolution
ZONES = [
    "UTC",
    "+05:45",
    "-03:30",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Beirut",
    "Asia/Tehran",
    "Asia/Gaza",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "America/St_Johns",
]
FIRST, LAST = datetime(2006, 1, 1, tzinfo=UTC), datetime(2027, 12, 31, tzinfo=UTC)
MOMENTS = st.integers(0, (LAST - FIRST) // INSTANT).map(lambda instants: FIRST + instants * INSTANT)
LENGTHS = st.integers(0, 40 * DAY)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@st.composite
def gap(draw: st.DrawFn) -> Stretch:
    start = draw(MOMENTS)
    return start, start + timedelta(seconds=draw(st.integers(1, 30 * DAY)))


@st.composite
def gaps(draw: st.DrawFn) -> tuple[Stretch, ...]:
    """None, one, or two, which often overlap."""
    if draw(st.booleans()):
        return ()
    start, end = draw(gap())
    if draw(st.booleans()):
        return ((start, end),)
    away = timedelta(seconds=draw(st.integers(-3 * DAY, 3 * DAY)))
    return (start, end), (start + away, end + away)


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    return Calendar(draw(st.sampled_from(ZONES)), weekends=draw(st.booleans()), gaps=draw(gaps()))


@st.composite
def near(draw: st.DrawFn, calendar: Calendar) -> datetime:
    """Any moment, mostly one within weeks of the gap."""
    if not calendar.gaps or draw(st.integers(0, 3)) == 0:
        return draw(MOMENTS)
    return draw(st.sampled_from(calendar.gaps[0])) + timedelta(seconds=draw(st.integers(-20 * DAY, 20 * DAY)))


def is_still(calendar: Calendar, moment: datetime) -> bool:
    """Return True if no time counts right after this moment."""
    return calendar.elapsed(moment, moment + INSTANT) == 0


# ---- what holds for every calendar ------------------------------------------------------------------
@given(st.data(), calendars(), LENGTHS)
def test_so_much_later_so_much_has_gone_by(data: st.DataObject, calendar: Calendar, seconds: int) -> None:
    start = data.draw(near(calendar))
    assert calendar.elapsed(start, calendar.advance(start, seconds)) == seconds


@given(st.data(), calendars(), LENGTHS)
def test_so_much_earlier_so_much_is_to_go(data: st.DataObject, calendar: Calendar, seconds: int) -> None:
    end = data.draw(near(calendar))
    assert calendar.elapsed(calendar.rewind(end, seconds), end) == seconds


@given(st.data(), calendars(), LENGTHS)
def test_forth_and_back_is_where_one_was_unless_time_stood_still_there(
    data: st.DataObject, calendar: Calendar, seconds: int
) -> None:
    start = calendar.advance(data.draw(near(calendar)), 0)
    there = calendar.advance(start, seconds)
    back = calendar.rewind(there, seconds)
    assert calendar.elapsed(min(start, back), max(start, back)) == 0
    assert calendar.advance(back, 0) == start
    assert calendar.advance(back, seconds) == there


@given(st.data(), calendars(), LENGTHS)
def test_nothing_ends_where_time_stands_still(data: st.DataObject, calendar: Calendar, seconds: int) -> None:
    assert not is_still(calendar, calendar.advance(data.draw(near(calendar)), seconds))


@given(st.data(), calendars(), LENGTHS, LENGTHS)
def test_more_time_is_later(data: st.DataObject, calendar: Calendar, one: int, other: int) -> None:
    start = data.draw(near(calendar))
    less, more = sorted((one, other))
    assert calendar.advance(start, less) <= calendar.advance(start, more)
    assert calendar.rewind(start, less) >= calendar.rewind(start, more)
    assert calendar.advance(calendar.advance(start, less), more - less) == calendar.advance(start, more)


@given(st.data(), calendars())
def test_parts_add_up(data: st.DataObject, calendar: Calendar) -> None:
    one, two, three = sorted(data.draw(near(calendar)) for _ in range(3))
    assert calendar.elapsed(one, two) + calendar.elapsed(two, three) == pytest.approx(
        calendar.elapsed(one, three)
    )
    assert 0 <= calendar.elapsed(one, three) <= (three - one).total_seconds()


@given(st.data(), calendars())
def test_nothing_has_gone_by_until_an_earlier_moment(data: st.DataObject, calendar: Calendar) -> None:
    one, two = sorted(data.draw(near(calendar)) for _ in range(2))
    assert calendar.elapsed(two, one) == 0


@given(MOMENTS, LENGTHS)
def test_where_all_time_counts_it_is_the_time_on_the_clock(start: datetime, seconds: int) -> None:
    assert Calendar().advance(start, seconds) == start + timedelta(seconds=seconds)
    assert Calendar().rewind(start, seconds) == start - timedelta(seconds=seconds)


@given(st.sampled_from(ZONES), MOMENTS)
def test_a_week_without_its_weekend_is_five_days_give_or_take_a_changed_clock(
    zone: str, start: datetime
) -> None:
    """Samoa left out a whole Friday once."""
    counted = Calendar(zone, weekends=False).elapsed(start, start + timedelta(days=7))
    assert abs(counted - 5 * DAY) <= (DAY if zone == "Pacific/Apia" else HOUR)


def test_a_stretch_that_ends_before_it_begins_is_none() -> None:
    with pytest.raises(ValueError, match="stands still"):
        Calendar(gaps=((at("2026-11-20"), at("2026-11-20")),))


# ---- days on which clocks are changed ---------------------------------------------------------------

WEEKENDS = [
    ("an ordinary one", "Europe/Berlin", "2026-11-20T23:00", "2026-11-22T23:00"),
    ("an hour short, in spring", "Europe/Berlin", "2026-03-27T23:00", "2026-03-29T22:00"),
    ("an hour long, in autumn", "Europe/Berlin", "2026-10-23T22:00", "2026-10-25T23:00"),
    ("Sunday has no midnight", "America/Sao_Paulo", "2018-11-03T03:00", "2018-11-05T02:00"),
    ("Sunday has no midnight either", "Asia/Beirut", "2022-03-25T22:00", "2022-03-27T21:00"),
    ("Saturday has no midnight", "Asia/Tehran", "2020-03-20T20:30", "2020-03-22T19:30"),
    ("Sunday ends twice at midnight", "Asia/Tehran", "2020-09-18T19:30", "2020-09-20T20:30"),
    ("Saturday begins twice", "Asia/Gaza", "2020-10-23T21:00", "2020-10-25T22:00"),
    ("in a leap year", "UTC", "2020-02-29T00:00", "2020-03-02T00:00"),
    ("over the new year", "America/New_York", "2022-01-01T05:00", "2022-01-03T05:00"),
]


@pytest.mark.parametrize(
    ("zone", "begins", "ends"), [row[1:] for row in WEEKENDS], ids=[row[0] for row in WEEKENDS]
)
def test_a_weekend_is_from_midnight_to_midnight_as_clocks_show_it(zone: str, begins: str, ends: str) -> None:
    calendar = Calendar(zone, weekends=False)
    assert not is_still(calendar, at(begins) - INSTANT)
    assert is_still(calendar, at(begins))
    assert is_still(calendar, at(ends) - INSTANT)
    assert not is_still(calendar, at(ends))
    assert calendar.advance(at(begins) - timedelta(hours=1), HOUR) == at(ends)
    assert calendar.rewind(at(ends) + timedelta(hours=1), HOUR + 1) == at(begins) - timedelta(seconds=1)


def test_a_monday_after_the_clocks_were_changed_knows_its_weekend() -> None:
    """A week before its first half hour, it was Sunday."""
    calendar = Calendar("Europe/Berlin", weekends=False)
    monday = at("2026-03-29T22:30")
    assert calendar.rewind(monday, HOUR) == at("2026-03-27T22:30")


# ---- a gap and a weekend ----------------------------------------------------------------------------

FRIDAY, MONDAY = at("2026-11-20T12:00"), at("2026-11-23T12:00")
TOUCHING = [
    ("inside the weekend", "2026-11-21T06:00", "2026-11-22T06:00", "2026-11-23T12:00"),
    ("all around the weekend", "2026-11-20T18:00", "2026-11-23T06:00", "2026-11-24T00:00"),
    ("the same as the weekend", "2026-11-21T00:00", "2026-11-23T00:00", "2026-11-23T12:00"),
    ("up to the weekend", "2026-11-20T18:00", "2026-11-21T00:00", "2026-11-23T18:00"),
    ("from the weekend on", "2026-11-23T00:00", "2026-11-23T06:00", "2026-11-23T18:00"),
    ("into the weekend", "2026-11-20T18:00", "2026-11-21T06:00", "2026-11-23T18:00"),
    ("out of the weekend", "2026-11-22T06:00", "2026-11-23T06:00", "2026-11-23T18:00"),
    ("after all", "2026-11-24T00:00", "2026-11-25T00:00", "2026-11-23T12:00"),
    ("before all", "2026-11-18T00:00", "2026-11-20T12:00", "2026-11-23T12:00"),
]


@pytest.mark.parametrize(
    ("begins", "ends", "due"), [row[1:] for row in TOUCHING], ids=[row[0] for row in TOUCHING]
)
def test_a_day_from_friday_noon_with_a_gap(begins: str, ends: str, due: str) -> None:
    expected = at(due)
    calendar = Calendar(weekends=False, gaps=((at(begins), at(ends)),))
    assert calendar.advance(FRIDAY, DAY) == expected
    assert calendar.elapsed(FRIDAY, expected) == DAY
    assert calendar.rewind(expected, DAY) == FRIDAY or begins < "2026-11-20"


def test_half_a_year_is_reckoned_at_once() -> None:
    """Weekend by weekend: no more steps than there are."""
    calendar = Calendar("Europe/Berlin", weekends=False, gaps=((FRIDAY, MONDAY),))
    assert calendar.advance(FRIDAY, 26 * 5 * DAY) == at("2027-05-24T11:00")
