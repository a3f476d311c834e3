"""Invented players: where they live, when they sleep, how soon they answer, and when they do not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from felix_async.service import Player
from felix_cli.year.luck import Luck
from felix_cli.year.machine import PROVIDERS
from felix_events.store.rows import DEFAULT_QUIET, Choice, Notify

ANSWERS_AFTER: Final = timedelta(hours=8)
"""The median time between reading a message and answering it."""
_SPREAD: Final = 1.0
ZONES: Final = (
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/St_Johns",
    "America/Santiago",
    "Australia/Sydney",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Asia/Kathmandu",
    "Asia/Tokyo",
)
"""Both hemispheres, both sides of the date line, quarters and halves of an hour."""
_NAMES: Final = ("Ada", "Bo", "Cleo", "Dev", "Ema", "Finn", "Gus", "Hana", "Ivo", "Jun", "Kim", "Lou")
_QUIET: Final = (DEFAULT_QUIET, DEFAULT_QUIET, DEFAULT_QUIET, "", "23:30-06:15", "00:00-07:00", "09:00-18:00")
"""What they choose; the last of them works at night."""
_NOTIFY: Final[tuple[Notify, ...]] = ("turns", "turns", "turns", "daily", "all")
_OFF: Final = (
    (timedelta(days=2), timedelta(days=5)),
    (timedelta(days=6), timedelta(days=12)),
    (timedelta(days=13), timedelta(days=20)),
)
_DAY: Final = timedelta(days=1)
Announced = Literal["", "stands", "computer"]
_ANNOUNCED: Final[tuple[Announced, ...]] = ("", "stands", "computer")


@dataclass(frozen=True, slots=True)
class Holiday:
    """When somebody reads no mail, and whether they said so: '' for no."""

    start: datetime
    back: datetime
    announced: Announced


@dataclass(frozen=True)
class Person:
    """Somebody who plays. `gone` is when they read their last mail, `again` when they are back from that."""

    player: Player
    luck: Luck
    zone: ZoneInfo
    wakes: time
    sleeps: time
    choice: Choice
    holidays: tuple[Holiday, ...] = ()
    gone: datetime | None = None
    again: datetime | None = None

    def is_there(self, at: datetime) -> bool:
        """Return True if they read mail in these days at all."""
        return self.gone is None or at < self.gone

    def awake(self, at: datetime) -> datetime | None:
        """The first moment from then on at which they are up and about; None if that never comes."""
        while True:
            if self.gone is not None and at >= self.gone and (self.again is None or at < self.again):
                if self.again is None:
                    return None
                at = self.again
            away = next((one.back for one in self.holidays if one.start <= at < one.back), None)
            rises = at if away is None else away
            rises = self._rises(rises)
            if rises == at:
                return at
            at = rises

    def answers(self, at: datetime) -> datetime | None:
        """When they answer a message that came at this moment: they read it awake, think, and write awake."""
        read = self.awake(at + self.luck.between(timedelta(minutes=1), timedelta(minutes=40)))
        return None if read is None else self.awake(read + self.luck.around(ANSWERS_AFTER, _SPREAD))

    def _rises(self, at: datetime) -> datetime:
        local = at.astimezone(self.zone)
        clock = local.time()
        if self.wakes < self.sleeps:
            is_up = self.wakes <= clock < self.sleeps
        else:
            is_up = clock >= self.wakes or clock < self.sleeps
        if is_up:
            return at
        day = local.date() if clock < self.wakes else local.date() + _DAY
        morning = datetime.combine(day, self.wakes, self.zone).astimezone(at.tzinfo)
        # If the clocks are put back, the same reading comes twice, and the first may be behind us.
        return max(morning, at + timedelta(minutes=1))


def a_person(number: int, seed: str, start: datetime, days: int) -> Person:
    """One of the people of a year, drawn from the seed."""
    luck = Luck(seed, f"person/{number}")
    notify: Notify = luck.pick(_NOTIFY)
    zone = luck.pick(ZONES)
    player_id = f"y-{number:03d}"
    name = f"{_NAMES[number % len(_NAMES)]} {number}"
    quiet = luck.pick(_QUIET)
    at_night = quiet == _QUIET[-1]
    wakes = luck.below(150) + (18 * 60 if at_night else 6 * 60)
    sleeps = luck.below(120) + (8 * 60 if at_night else 21 * 60 + 30)
    choice = Choice(
        player_id,
        notify=notify,
        zone=zone,
        quiet=quiet,
        asked_zone=True,
    )
    gone, again = _vanishes(luck, start, days)
    return Person(
        Player(player_id, name, f"{player_id}@{PROVIDERS[number % len(PROVIDERS)]}"),
        luck,
        ZoneInfo(zone),
        time(wakes // 60 % 24, wakes % 60),
        time(sleeps // 60 % 24, sleeps % 60),
        choice,
        _holidays(luck, start, days),
        gone,
        again,
    )


def _vanishes(luck: Luck, start: datetime, days: int) -> tuple[datetime | None, datetime | None]:
    """One in eight stops reading at some time, and one in three of those comes back."""
    if not luck.happens(0.125):
        return None, None
    gone = start + timedelta(days=days * (0.05 + 0.9 * luck.share()))
    return gone, gone + luck.between(10 * _DAY, 45 * _DAY) if luck.happens(0.33) else None


def _holidays(luck: Luck, start: datetime, days: int) -> tuple[Holiday, ...]:
    """One about every ten weeks."""
    found: list[Holiday] = []
    at = start
    end = start + timedelta(days=days)
    while (at := at + luck.between(20 * _DAY, 120 * _DAY)) < end:
        back = at + luck.between(*luck.pick(_OFF))
        found.append(Holiday(at, back, luck.pick(_ANNOUNCED)))
        at = back
    return tuple(found)
