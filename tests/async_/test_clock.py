"""Time as text: one form, which sorts as time does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st

from felix_async.clock import later, not_before, system_clock, text_of, time_of

times = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # `timezones` adds it


def test_a_time_has_all_its_digits() -> None:
    assert text_of(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02T03:04:05.000000Z"


def test_a_time_of_another_zone_is_stored_in_utc() -> None:
    cet = timezone(timedelta(hours=1))
    assert text_of(datetime(2026, 11, 22, 18, 0, tzinfo=cet)) == "2026-11-22T17:00:00.000000Z"


@given(times)
def test_a_time_is_read_back(at: datetime) -> None:
    assert time_of(text_of(at)) == at
    assert time_of(text_of(at)).tzinfo == UTC


@given(times, times)
def test_text_sorts_as_time_does(first: datetime, second: datetime) -> None:
    assert (text_of(first) < text_of(second)) == (first < second)


@pytest.mark.parametrize(
    "text",
    ["", "2026-01-02", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000",
     "2026-01-02T03:04:05.000000+00:00", "2026-13-02T03:04:05.000000Z", "2026-02-30T03:04:05.000000Z",
     "2026-01-02T03:04:05.000000Z "],
)  # fmt: skip
def test_another_form_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is no time as felix writes it"):
        time_of(text)


def test_later_counts_seconds_over_the_end_of_a_year() -> None:
    assert later("2026-12-31T23:59:30.000000Z", 90.5) == "2027-01-01T00:01:00.500000Z"


@given(times, times)
def test_a_new_event_is_never_earlier_than_the_last(now: datetime, last: datetime) -> None:
    assert not_before(now, text_of(last)) == text_of(max(now, last))


def test_the_first_event_has_the_time_of_the_clock() -> None:
    assert not_before(datetime(2026, 1, 2, tzinfo=UTC), None) == "2026-01-02T00:00:00.000000Z"


def test_the_clock_of_this_machine_is_in_utc() -> None:
    with freeze_time("2026-11-20 21:00:00"):
        assert system_clock() == datetime(2026, 11, 20, 21, tzinfo=UTC)
