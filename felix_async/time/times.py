"""Times in words, by the clock on the reader's own wall.

>>> moment("2026-11-22T17:00:00.000000Z", "Europe/Berlin")
'Sun 22 Nov, 18:00 CET (UTC+1)'
>>> moment("2026-11-22T17:00:00.000000Z", "Asia/Kathmandu")
'Sun 22 Nov, 22:45 (UTC+5:45)'
>>> moment("2026-11-22T17:00:00.000000Z", "UTC")
'Sun 22 Nov, 17:00 UTC'
>>> until("2026-11-22T23:00:00.000000Z", "Europe/Berlin")
'the end of Sun 22 Nov'
>>> until("2026-11-22T17:00:00.000000Z", "Europe/Berlin")
'Sun 22 Nov, 18:00'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from felix_async.clock import later
from felix_async.language.data import table
from felix_async.language.phrases import joined, phrase
from felix_async.time.zones import UTC_ZONES, is_place, local_time

_DATES: Final[Mapping[str, Sequence[str]]] = table("mails.toml")["dates"]
_UNITS: Final = (("days", 24 * 3600), ("hours", 3600), ("minutes", 60), ("seconds", 1))
_MINUTE: Final = 60


def day_text(at: str, zone: str) -> str:
    """Return the day of a stored time in a zone: `Tue 17 Nov`."""
    day = local_time(at, zone)
    return phrase(
        "mails.dates.day",
        weekday=_DATES["days"][day.weekday()],
        number=day.day,
        month=_DATES["months"][day.month - 1],
    )


def clock_text(at: str, zone: str) -> str:
    """Return a stored time as a clock in a zone shows it, with what tells that clock from others."""
    local = local_time(at, zone)
    shown = f"{local:%H:%M}"
    if zone in UTC_ZONES:
        return phrase("mails.dates.utc", time=shown)
    offset = offset_text(at, zone)
    short = local.tzname() or ""
    if is_place(zone) and short.isascii() and short.isalpha():
        return phrase("mails.dates.named", time=shown, zone=short, offset=offset)
    return phrase("mails.dates.unnamed", time=shown, offset=offset)


def offset_text(at: str, zone: str) -> str:
    """Return how far a zone is from UTC at a stored time: `UTC+1`, `UTC-3:30`, `UTC`."""
    minutes = round((local_time(at, zone).utcoffset() or timedelta()).total_seconds() / 60)
    if not minutes:
        return phrase("mails.dates.no_offset")
    hours, rest = divmod(abs(minutes), 60)
    ahead = f"{'-' if minutes < 0 else '+'}{hours}"
    return phrase("mails.dates.offset", ahead=f"{ahead}:{rest:02}" if rest else ahead)


def moment(at: str, zone: str) -> str:
    """Return a stored time to the minute, with its day."""
    return phrase("mails.dates.moment", day=day_text(at, zone), time=clock_text(at, zone))


def ended_day(at: str, zone: str) -> str:
    """Return the day that a stored time is the end of in a zone, to the minute; '' if it is in a day."""
    before, after = (day_text(later(at, seconds), zone) for seconds in (-_MINUTE, _MINUTE))
    return before if before != after else ""


def until(at: str, zone: str) -> str:
    """Return a stored time by which something must be done; midnight is the end of a day.

    The clock is named only where the reader's own may be another one: nobody knows where they are, an hour
    by their offset may be from before the clocks were changed, or their clocks show this time twice.
    """
    if day := ended_day(at, zone):
        return phrase(f"mails.dates.end.{'utc' if zone in UTC_ZONES else 'here'}", day=day)
    local = local_time(at, zone)
    is_known = is_place(zone) and local.utcoffset() == local.replace(fold=1 - local.fold).utcoffset()
    time = f"{local:%H:%M}" if is_known else clock_text(at, zone)
    return phrase("mails.dates.moment", day=day_text(at, zone), time=time)


def span(seconds: int, most: int = 2) -> str:
    """Return a length of time in words, by so many of its largest units at most, rounded down to one of them.

    >>> span(3 * 86400 + 12 * 3600 + 5 * 60)
    '3 days and 12 hours'
    >>> span(59)
    'no time'
    """
    return joined(counted(seconds - seconds % 60)[:most]) or phrase("events.lengths.none")


def counted(seconds: int) -> list[str]:
    """Return a length of time unit by unit, to the second, the largest first: `2 days`, `1 hour`."""
    parts = []
    for unit, length in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(phrase(f"events.lengths.{unit}", count=count))
    return parts
