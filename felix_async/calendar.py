"""Time that counts: what is left of the hours when weekends, or a player's absence, stand still. Pure.

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
from typing import Final

from felix_async.zones import zone_of

_DAY: Final = timedelta(days=1)
_SATURDAY: Final = 5
Stretch = tuple[datetime, datetime]
"""From when until when, the end not included."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Which time counts: with `weekends` all of it, but for the `gap`."""

    zone: str = "UTC"
    weekends: bool = True
    gap: Stretch | None = None

    def advance(self, start: datetime, seconds: float) -> datetime:
        """When so many counted seconds have gone by since `start`; never a moment that stands still."""
        at, left = start, timedelta(seconds=seconds)
        while True:
            still = self._around(at) or self._next(at)
            if still is None or at + left < still[0]:
                return at + left
            left -= max(still[0] - at, timedelta())
            at = still[1]

    def rewind(self, end: datetime, seconds: float) -> datetime:
        """When there were so many counted seconds to go until `end`."""
        at, left = end, timedelta(seconds=seconds)
        while True:
            still = self._around(at - timedelta.resolution) or self._last(at)
            if still is None or at - left >= still[1]:
                return at - left
            left -= max(at - still[1], timedelta())
            at = still[0]

    def elapsed(self, start: datetime, end: datetime) -> float:
        """How many seconds between the two count; 0 where `end` is not later."""
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
        if self.gap is not None and self.gap[0] <= at < self.gap[1]:
            return self.gap
        if self.weekends:
            return None
        weekend = self._weekend(at)
        return weekend if weekend[0] <= at < weekend[1] else None

    def _next(self, at: datetime) -> Stretch | None:
        """The first stretch without time that begins later."""
        stills = [self.gap] if self.gap is not None and self.gap[0] > at else []
        if not self.weekends:
            weekend = self._weekend(at)
            stills.append(weekend if weekend[0] > at else self._weekend(at + 7 * _DAY))
        return min(stills, default=None)

    def _last(self, at: datetime) -> Stretch | None:
        """The last stretch without time that was over by then."""
        stills = [self.gap] if self.gap is not None and self.gap[1] <= at else []
        if not self.weekends:
            weekend = self._weekend(at)
            stills.append(weekend if weekend[1] <= at else self._weekend(at - 7 * _DAY))
        return max(stills, key=lambda still: still[1], default=None)

    def _weekend(self, at: datetime) -> Stretch:
        """The weekend of the week, from Monday to Sunday, in which this moment lies."""
        zone = zone_of(self.zone)
        today = at.astimezone(zone).date()
        saturday = today + (_SATURDAY - today.weekday()) * _DAY
        starts, ends = (datetime.combine(day, time(), zone) for day in (saturday, saturday + 2 * _DAY))
        return starts.astimezone(UTC), ends.astimezone(UTC)
