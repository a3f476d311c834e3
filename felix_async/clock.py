"""Time as data: a clock that comes in from outside, and one text form.

Everything stored is UTC, always with six digits of a second, so that text sorts as time does.

>>> text_of(time_of("2026-11-20T21:00:00.000000Z"))
'2026-11-20T21:00:00.000000Z'
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

DAY: Final = 24 * 3600
Clock = Callable[[], datetime]
"""Gives the time now, in UTC."""


def system_clock() -> datetime:
    """The time on this machine, in UTC."""
    return datetime.now(UTC)


def text_of(at: datetime) -> str:
    """A time as felix stores it."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def time_of(text: str) -> datetime:
    """A stored time; ValueError if the text has another form."""
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        at = None
    if at is None or text_of(at) != text:
        raise ValueError(f"{text!r} is no time as felix writes it")
    return at


def later(text: str, seconds: float) -> str:
    """A stored time, so many seconds on."""
    return text_of(time_of(text) + timedelta(seconds=seconds))


def seconds_between(start: str, end: str) -> int:
    """Whole seconds between two stored times; 0 if the second is not later."""
    return int((time_of(end) - time_of(start)).total_seconds()) if end > start else 0


def not_before(now: datetime, last: str | None) -> str:
    """The time for a new event: now, but never earlier than the event before it."""
    text = text_of(now)
    return text if last is None else max(text, last)
