"""The machine of a simulated year: its clock, outages, and mail providers in trouble."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from felix_cli.jobs import SECONDS
from felix_cli.year.luck import Luck

Stretch = tuple[datetime, datetime]
"""From when until when, the end not included."""
TICK: Final = timedelta(seconds=SECONDS["tick"])
_OFF: Final = timedelta(seconds=3)
"""How long after each whole tick the server looks: no deadline falls upon a look."""
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LENGTHS: Final = (
    timedelta(minutes=4),
    timedelta(minutes=12),
    timedelta(minutes=50),
    timedelta(hours=5),
    timedelta(hours=11),
    timedelta(hours=27),
    timedelta(hours=48),
)
"""How long the server is down, one after the other; the first is too short to be an outage."""
_BETWEEN_OUTAGES: Final = timedelta(days=17)
_FAST_BY: Final = timedelta(hours=2, minutes=7)
_FAST_FOR: Final = timedelta(hours=5)
PROVIDERS: Final = ("north.invalid", "south.invalid", "west.invalid")
"""Domains that can never exist (RFC 2606), so that no letter to them could be sent by mistake."""


@dataclass
class Machine:
    """A server's clock and its troubles. Times are true ones, except for what `clock` says."""

    now: datetime
    outages: Sequence[Stretch] = ()
    fast: Stretch | None = None
    """When its clock is wrong."""
    troubles: dict[str, Sequence[Stretch]] = field(default_factory=dict)
    """When a provider takes no mail."""

    def clock(self) -> datetime:
        """The server's time."""
        return self.now + self.ahead(self.now)

    def ahead(self, at: datetime) -> timedelta:
        """By how much the clock is wrong then."""
        return _FAST_BY if self.fast is not None and self.fast[0] <= at < self.fast[1] else timedelta()

    def true(self, said: datetime) -> datetime:
        """When the clock says this, as things are now."""
        return said - self.ahead(self.now)

    def down_until(self, at: datetime) -> datetime | None:
        """When the outage ends that holds this moment, None if the server is up."""
        return _until(self.outages, at)

    def is_troubled(self, domain: str, at: datetime) -> bool:
        """Return True if this provider takes no mail then."""
        return _until(self.troubles.get(domain, ()), at) is not None

    def down_between(self, start: datetime, end: datetime) -> timedelta:
        """For how long the server was down between two moments; what its clock jumped over, it was, too."""
        jumps = [] if self.fast is None else [(self.fast[0], self.fast[0] + _FAST_BY + TICK)]
        stretches = (*self.outages, *jumps)
        overlaps = (min(end, ends) - max(start, begins) for begins, ends in stretches)
        return sum((overlap for overlap in overlaps if overlap > timedelta()), timedelta())


def a_machine(start: datetime, days: int, luck: Luck) -> Machine:
    """A server with troubles throughout its days, one of the outages across a change of the clocks."""
    end = start + timedelta(days=days)
    outages = _outages(start, end, luck)
    return Machine(
        start, outages, _fast(start, days, outages), {one: _bad_days(start, end, luck) for one in PROVIDERS}
    )


def tick_after(at: datetime) -> datetime:
    """The next look of the scheduler at or after this moment."""
    return _EPOCH - (_EPOCH + _OFF - at) // TICK * TICK + _OFF


def tick_before(at: datetime) -> datetime:
    """The last look of the scheduler before this moment."""
    return tick_after(at) - TICK


def _until(stretches: Sequence[Stretch], at: datetime) -> datetime | None:
    place = bisect_right(stretches, at, key=lambda stretch: stretch[0]) - 1
    return stretches[place][1] if place >= 0 and at < stretches[place][1] else None


def _outages(start: datetime, end: datetime, luck: Luck) -> list[Stretch]:
    """One across the first change of the clocks in Berlin, and then one of each length after the other."""
    change = _clock_change(start, end)
    found: list[Stretch] = []
    if change is not None:
        found.append((change - timedelta(minutes=70), change + timedelta(minutes=95)))
    at = start + timedelta(days=9)
    place = 0
    while at < end:
        begins = at + luck.between(timedelta(), timedelta(days=6))
        ends = begins + _LENGTHS[place % len(_LENGTHS)]
        if all(ends < other[0] or begins > other[1] for other in found):
            found.append((begins, ends))
        at += _BETWEEN_OUTAGES
        place += 1
    return sorted(found)


def _clock_change(start: datetime, end: datetime) -> datetime | None:
    berlin, at = ZoneInfo("Europe/Berlin"), start
    while at < end:
        following = at + timedelta(hours=1)
        if at.astimezone(berlin).utcoffset() != following.astimezone(berlin).utcoffset():
            return following.replace(minute=0, second=0)
        at = following
    return None


def _fast(start: datetime, days: int, outages: Sequence[Stretch]) -> Stretch:
    """Some hours in which the clock is fast, and all of them between two outages."""
    at = start + timedelta(days=days * 0.4)
    while any(begins - _FAST_FOR - 2 * _FAST_BY < at < ends + TICK for begins, ends in outages):
        at += timedelta(hours=6)
    return at, at + _FAST_FOR


def _bad_days(start: datetime, end: datetime, luck: Luck) -> list[Stretch]:
    """Some hours now and then, or a day and a half."""
    found: list[Stretch] = []
    at = start
    while (at := at + luck.between(timedelta(days=8), timedelta(days=60))) < end:
        ends = at + luck.between(timedelta(hours=1), timedelta(hours=36))
        found.append((at, ends))
        at = ends
    return found
