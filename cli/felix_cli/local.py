"""Times for people at a terminal: short, by the clock of this machine (TZ)."""

from __future__ import annotations

import time
from datetime import datetime

from felix_async.clock import system_clock, time_of
from felix_async.language.phrases import phrase
from felix_async.time.times import day_text, ended_day


def when(at: str) -> str:
    """Return a stored time: `today 23:12`, `Wed 25 Nov 23:25`, `Wed 26 Nov 2025 23:25`."""
    local, now = _local(at), system_clock().astimezone()
    if local.date() == now.date():
        return f"today {local:%H:%M}"
    year = "" if local.year == now.year else f" {local.year}"
    return f"{day_text(at, _zone(local))}{year} {local:%H:%M}"


def moment(at: str) -> str:
    """Return a stored time that reads the same whenever it is read: `Wed 25 Nov 23:25`."""
    local = _local(at)
    return f"{day_text(at, _zone(local))} {local:%H:%M}"


def day(at: str) -> str:
    """Return the day of a stored time: `Wed 25 Nov 2026`."""
    local = _local(at)
    return f"{day_text(at, _zone(local))} {local.year}"


def clock_time(at: str) -> str:
    """Return the time of day of a stored time: `23:25`."""
    return f"{_local(at):%H:%M}"


def until(at: str) -> str:
    """Return a stored time by which something must be done; midnight is the end of a day."""
    day = ended_day(at, _zone(_local(at)))
    return phrase("mails.dates.end.here", day=day) if day else moment(at)


def zones() -> str:
    """Return the names of this machine's times, that of the winter first: `UTC`, `CET/CEST`."""
    return "/".join(dict.fromkeys(time.tzname if time.daylight else time.tzname[:1]))


def _local(at: str) -> datetime:
    return time_of(at).astimezone()


def _zone(local: datetime) -> str:
    offset = f"{local:%z}"
    return f"{offset[:3]}:{offset[3:5]}"
