"""Quiet hours: the time of day in which a player wants no mail, as text (`22:00-08:00`, '' for none).

They are hours of the clock on the player's wall. If clocks change, the doubtful hour is quiet: hours begin
at the earlier reading of a time that is skipped or shown twice, and end at the later one.

>>> quiet_until("2026-11-20T23:30:00.000000Z", "22:00-08:00", "Europe/Berlin")
'2026-11-21T07:00:00.000000Z'
>>> quiet_named("10pm to 8")
'22:00-08:00'
"""

from __future__ import annotations

import re
from datetime import date, time, timedelta
from functools import lru_cache
from typing import Final

from felix_async.game.table import Refusal
from felix_async.language.data import any_of
from felix_async.language.words import QUIET_WORDS
from felix_async.text import clean, plain
from felix_async.time.zones import instant, local_time, second_instant
from felix_events.store.rows import DEFAULT_QUIET, Choice

OFF: Final = ""
_MAX_WRITTEN: Final = 60
_DAY: Final = timedelta(days=1)
_AROUND: Final = (-2, -1, 0, 1, 2)
"""Days around a moment on which quiet hours that hold it may begin, also if clocks change."""
_TIME: Final = re.compile(
    rf"(?P<hour>[0-9]{{1,2}})(?:[:.h]?(?P<minute>[0-9]{{2}})|h)?"
    rf"\s*(?P<half>(?P<am>{any_of(QUIET_WORDS['morning'])})|{any_of(QUIET_WORDS['afternoon'])})?"
)
_BETWEEN: Final = re.compile(rf"\s*(?:-|\s{any_of(QUIET_WORDS['between'])}\s)\s*")


def quiet_for(choice: Choice | None) -> str:
    """Return the quiet hours of a player; by default those of the night."""
    return DEFAULT_QUIET if choice is None else choice.quiet


def quiet_named(written: str) -> str | Refusal:
    """Return the quiet hours that a player wrote; '' for none of them.

    Hours from a time to the same time would be the whole day: that is for STOP to say.
    """
    text = clean(written).lower()
    if len(text) > _MAX_WRITTEN:
        return Refusal("quiet/unclear")
    if text in [word.lower() for word in QUIET_WORDS["off"]]:
        return OFF
    ends = _BETWEEN.split(text)
    if len(ends) != 2:
        return Refusal("quiet/unclear")
    times = []
    for end in ends:
        found = _TIME.fullmatch(end.strip())
        if found is None:
            return Refusal("quiet/unclear")
        at = _time_in(found)
        if at is None:
            return Refusal("quiet/no_time", {"time": plain(end, _MAX_WRITTEN)})
        times.append(f"{at:%H:%M}")
    return Refusal("quiet/all_day") if times[0] == times[1] else "-".join(times)


def quiet_until(at: str, quiet: str, zone: str) -> str | None:
    """Return when the quiet hours that hold this stored time are over; None if it is in none.

    Raises ValueError for quiet hours or a zone that are none.
    """
    if quiet == OFF:
        return None
    begin, end = (time.fromisoformat(part) for part in quiet.split("-"))
    today = local_time(at, zone).date()
    until = at
    for days in _AROUND:
        first = today + days * _DAY
        starts, stops = _period(first, begin, end, zone)
        if starts <= until < stops:
            until = stops
    return None if until == at else until


@lru_cache(1024)
def _period(day: date, begin: time, end: time, zone: str) -> tuple[str, str]:
    """Return the quiet hours that begin on a day, as stored times."""
    last = day if begin < end else day + _DAY
    starts = min(instant(day, begin, zone), second_instant(day, begin, zone))
    return starts, max(instant(last, end, zone), second_instant(last, end, zone))


def _time_in(found: re.Match[str]) -> time | None:
    """Return the time of day, None if there is no such; 24:00 is the end of a day, and midnight."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (0 if found["am"] else 12)
    if (hour, minute) == (24, 0):
        hour = 0
    return time(hour, minute) if hour < 24 and minute < 60 else None
