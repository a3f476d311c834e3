"""Time that counts: what is left of the hours when weekends, or an absence or a dispute, stand still. Pure.

A weekend is Saturday and Sunday by the calendar of a zone. Its midnights are wall times: one that the
clocks jump over is taken as if they had not jumped yet, one that comes twice is the first.

>>> working = Calendar("UTC", weekends=False)
>>> friday = datetime(2026, 11, 20, 18, tzinfo=UTC)
>>> working.advance(friday, 12 * 3600).isoformat()
'2026-11-23T06:00:00+00:00'
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import chain
from typing import Final

from felix_async.time.zones import DEFAULT_ZONE, zone_of

_DAY: Final = timedelta(days=1)
_SATURDAY: Final = 5
Stretch = tuple[datetime, datetime]
"""From when until when, the end not included."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Which time counts: with `weekends` all of it, but for the `gaps`.

    Raises ValueError if a gap ends before it begins.
    """

    zone: str = DEFAULT_ZONE
    weekends: bool = True
    gaps: tuple[Stretch, ...] = ()

    def __post_init__(self) -> None:
        for start, end in self.gaps:
            if end <= start:
                raise ValueError(f"no time stands still from {start} until {end}")

    def advance(self, start: datetime, seconds: float) -> datetime:
        """Return the time at which so many counted seconds have passed since `start`; it counts itself."""
        at, left = start, timedelta(seconds=seconds)
        while True:
            still = self._around(at) or self._next(at)
            if still is None or at + left < still[0]:
                return at + left
            left -= max(still[0] - at, timedelta())
            at = still[1]

    def rewind(self, end: datetime, seconds: float) -> datetime:
        """Return the time at which so many counted seconds were left until `end`."""
        at, left = end, timedelta(seconds=seconds)
        while True:
            still = self._around(at - timedelta.resolution) or self._last(at)
            if still is None or at - left >= still[1]:
                return at - left
            left -= max(at - still[1], timedelta())
            at = still[0]

    def elapsed(self, start: datetime, end: datetime) -> float:
        """Return how many seconds between the two count; 0 if `end` is not later."""
        at, counted = start, timedelta()
        while at < end:
            still = self._around(at) or self._next(at)
            if still is None or still[0] >= end:
                return (counted + (end - at)).total_seconds()
            counted += max(still[0] - at, timedelta())
            at = still[1]
        return counted.total_seconds()

    def _around(self, at: datetime) -> Stretch | None:
        """The stretch without time that holds this moment."""
        stretches = chain(self.gaps, self._weekends(at))
        return next((still for still in stretches if still[0] <= at < still[1]), None)

    def _next(self, at: datetime) -> Stretch | None:
        """The first stretch without time that begins later."""
        return min((still for still in self._stretches(at) if still[0] > at), default=None)

    def _last(self, at: datetime) -> Stretch | None:
        """The last stretch without time that was over by then."""
        over = (still for still in self._stretches(at) if still[1] <= at)
        return max(over, key=lambda still: still[1], default=None)

    def _stretches(self, at: datetime) -> list[Stretch]:
        return [*self._weekends(at), *self.gaps]

    def _weekends(self, at: datetime) -> list[Stretch]:
        """The weekends of the week around this moment, from Monday to Sunday, and of those beside it."""
        if self.weekends:
            return []
        zone = zone_of(self.zone)
        today = at.astimezone(zone).date()
        saturday = today + (_SATURDAY - today.weekday()) * _DAY
        return [
            (
                datetime.combine(saturday + days * _DAY, time(), zone).astimezone(UTC),
                datetime.combine(saturday + (days + 2) * _DAY, time(), zone).astimezone(UTC),
            )
            for days in (-7, 0, 7)
        ]
