"""The facts about a game's time: its clock, deadlines and time-outs, absences, votes and pauses.

`felix_async.game.timing` derives from the terms what these record.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from felix_events.shapes import Ballot, Event, Record, Seat, Seconds, Then, Turn


class Terms(Record):
    """The time that a decision may take: `move` seconds, and `reserve` seconds in the whole game beyond that.

    If `weekends` do not count, Saturdays and Sundays in `zone` (an IANA name or an offset such as
    `+01:00`) stand still. `away` is how long a player may be absent in all.
    """

    move: Annotated[int, Field(ge=60, le=60 * 24 * 3600)]
    reserve: Annotated[int, Field(ge=0, le=60 * 24 * 3600)] = 0
    weekends: bool = True
    zone: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9/_+:-]{1,64}$")] = "UTC"
    away: Annotated[int, Field(ge=0, le=60 * 24 * 3600)] = 21 * 24 * 3600


class ClockSet(Event):
    """The game is played by the clock, on these terms."""

    type: ClassVar[str] = "clock_set"
    terms: Terms


class DeadlineSet(Event):
    """A seat's decision is due: the move time runs until `reserve_from`, the reserve from there until `at`.

    A later one for the same `turn` (which decision of this seat it is) takes its place.
    """

    type: ClassVar[str] = "deadline_set"
    seat: Seat
    turn: Turn
    reserve_from: Then
    at: Then


class ReserveSpent(Event):
    """A seat took longer than the move time: `seconds` of its reserve are gone, `left` are left."""

    type: ClassVar[str] = "reserve_spent"
    seat: Seat
    seconds: Seconds
    left: Seconds


class TurnTimedOut(Event):
    """A seat's time was up, `in_a_row` times without a move between: what follows was done for it."""

    type: ClassVar[str] = "turn_timed_out"
    seat: Seat
    turn: Turn
    in_a_row: Annotated[int, Field(ge=1, le=999)]


class AbsenceDeclared(Event):
    """A player is away from `start` until `back`: the seat's time stands still, or the `computer` plays.

    It takes the place of an earlier one. `spent` is how long the player was absent in this game before.
    """

    type: ClassVar[str] = "absence_declared"
    seat: Seat
    start: Then
    back: Then
    computer: bool
    spent: Seconds


class AbsenceBegan(Event):
    """The declared absence of a seat for which the computer is to play has begun."""

    type: ClassVar[str] = "absence_began"
    seat: Seat


class AbsenceEnded(Event):
    """The player is back, `early` if they say so before the time; `spent` as in the declaration."""

    type: ClassVar[str] = "absence_ended"
    seat: Seat
    early: bool
    spent: Seconds


class VoteCast(Event):
    """A player is for a pause, for ending the game without a result, or for handing a disputed seat over."""

    type: ClassVar[str] = "vote_cast"
    seat: Seat
    on: Ballot


class VotesWithdrawn(Event):
    """A player takes all votes back."""

    type: ClassVar[str] = "votes_withdrawn"
    seat: Seat


class GamePaused(Event):
    """Enough players were for it: no time runs `until` then, or until one of them goes on."""

    type: ClassVar[str] = "game_paused"
    until: Then


class GameResumed(Event):
    """Time runs again: this seat's player said so, or (null) the pause was over."""

    type: ClassVar[str] = "game_resumed"
    seat: Seat | None
