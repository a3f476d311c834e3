"""The tables of a simulated year: who is invited, when, and by which clock they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from felix_cli.year.luck import Luck
from felix_cli.year.people import Person
from felix_events.model import Ruleset, Terms

OPENING: Final = 0.6
"""The share of the days in which tables are opened; in the others they are played to their end."""
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_SEATS: Final = (3, 4, 4, 4, 5)
_RULESETS: Final[tuple[Ruleset, ...]] = ("felicity-2017", "felix-2007")


@dataclass(frozen=True, slots=True)
class Plan:
    """A table to be opened: when, for whom (the first is the host), and the clock, None for none."""

    number: int
    at: datetime
    people: tuple[Person, ...]
    clock: Terms | None
    ruleset: Ruleset


def plans(
    games: int, people: Sequence[Person], start: datetime, days: int, luck: Luck, players: int | None
) -> list[Plan]:
    """As many tables, spread over the days in which tables are opened; for so many, or for three to five."""
    made = []
    for number in range(games):
        at = start + timedelta(days=days * OPENING * (number + luck.share()) / games)
        clock = _clock(number, luck, people)
        seats = luck.pick(_SEATS)
        guests = _guests(people, at, luck, players or seats, reliable=clock is None)
        made.append(Plan(number, at, guests, clock, luck.pick(_RULESETS)))
    return made


def _clock(number: int, luck: Luck, people: Sequence[Person]) -> Terms | None:
    """In turn: three days a move, half a day and a week in reserve, no weekends; now and then none."""
    zone = luck.pick(people).zone.key
    match number % 10:
        case 0 | 1 | 2 | 3:
            return Terms(move=3 * _DAY)
        case 4 | 5 | 6:
            return Terms(move=12 * _HOUR, reserve=7 * _DAY)
        case 7 | 8:
            return Terms(move=3 * _DAY, weekends=False, zone=zone)
        case _:
            return None


def _guests(
    people: Sequence[Person], at: datetime, luck: Luck, seats: int, *, reliable: bool
) -> tuple[Person, ...]:
    """The people at that time; if nobody is hurried, at most one of them will vanish.

    Without a clock it takes the others' votes to end a game that one has left without a word, and nothing can
    end it once two have.
    """
    guests: list[Person] = []
    for one in luck.shuffled(people):
        vanishing = sum(guest.gone is not None for guest in guests) + (one.gone is not None)
        if not one.is_there(at) or (reliable and vanishing > 1):
            continue
        guests.append(one)
        if len(guests) == seats:
            break
    return tuple(guests)
