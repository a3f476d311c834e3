"""What was asked, told from what happened: the command behind the first event of a step. Pure.

An audit decides that command again. What no event says (who of several might have asked) is filled in by what
the rules allow: what only the host may do, the host has done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from felix_async.clock import seconds_between, time_of
from felix_async.game.commands import (
    Absent,
    BeginAbsence,
    Bid,
    Cancel,
    Close,
    Command,
    Create,
    Decline,
    EndAbsence,
    EndPause,
    Expire,
    Extend,
    Join,
    Leave,
    NameHost,
    Pass,
    Play,
    Recall,
    Resume,
    Return,
    Say,
    Start,
    Substitute,
    TimeOut,
    Uninvite,
    Vote,
)
from felix_async.game.state import Game
from felix_async.game.timing import calendar_of
from felix_events.model import (
    AbsenceBegan,
    AbsenceDeclared,
    AbsenceEnded,
    BidPlaced,
    CardPlaced,
    ClockSet,
    DeadlineSet,
    Event,
    GameAbandoned,
    GameCreated,
    GameResumed,
    GameStarted,
    HostNamed,
    InvitationExpired,
    PlayerDeclined,
    PlayerJoined,
    PlayerPassed,
    PlayerSaid,
    PlayerUninvited,
    SeatHandedOver,
    SeatTaken,
    TurnTimedOut,
    VoteCast,
    VotesWithdrawn,
)

_LONGEST_EXTENSION: Final = 366 * 24 * 3600
"""Seconds, those that stand still among them: no outage is longer."""


def cause_of(event: Event, game: Game, events: Sequence[Event]) -> Command | None:
    """The command that a step answers which begins with this event, given the state before it and the log.

    None where no command begins so.
    """
    told = _CAUSES.get(type(event))
    return None if told is None else told(event, game, events)


def _created(event: GameCreated, events: Sequence[Event]) -> Create:
    """The command behind the first event; the host and the clock that it names stand in the next ones."""
    named = events[1] if len(events) > 1 else None
    host = named.seat if isinstance(named, HostNamed) else None
    after = 1 if host is None else 2
    clock = events[after] if len(events) > after else None
    return Create(
        ruleset=event.ruleset,
        seats=event.seats,
        options=event.options,
        commitment=event.commitment,
        host=host,
        clock=clock.terms if isinstance(clock, ClockSet) else None,
    )


def _gave_back(event: PlayerDeclined, game: Game) -> Command:
    """A host cannot decline, but may leave the table to somebody else."""
    if event.seat == game.host:
        return Leave(seat=event.seat, for_good=False)
    return Decline(seat=event.seat)


def _called_off(event: GameAbandoned, game: Game) -> Command:
    return Close() if event.reason in ("expired", "deserted") else Cancel(seat=_host(game))


def _handed_over(event: SeatHandedOver) -> Command:
    if event.to == "player":
        return Return(seat=event.seat)
    return Leave(seat=event.seat, for_good=event.for_good)


def _extended(event: DeadlineSet, game: Game) -> Command | None:
    """By how many seconds that count the deadline was moved; earlier, or by years, no command moves it."""
    known = 0 <= event.seat < len(game.seats)
    deadline = game.seats[event.seat].time.deadline if known else None
    if deadline is None or not 0 < seconds_between(deadline.at, event.at) < _LONGEST_EXTENSION:
        return None
    moved = calendar_of(game, event.seat).elapsed(time_of(deadline.at), time_of(event.at))
    return Extend(seat=event.seat, turn=event.turn, seconds=int(moved))


def _absence_ended(event: AbsenceEnded) -> Command:
    return Recall(seat=event.seat) if event.early else EndAbsence(seat=event.seat)


def _resumed(event: GameResumed) -> Command:
    return EndPause() if event.seat is None else Resume(seat=event.seat)


def _host(game: Game) -> int:
    return -1 if game.host is None else game.host


_CAUSES: Final[dict[type[Event], Callable[[Any, Game, Sequence[Event]], Command | None]]] = {
    GameCreated: lambda event, _, events: _created(event, events),
    HostNamed: lambda event, game, _: NameHost(seat=_host(game), to=event.seat),
    PlayerJoined: lambda event, *_: Join(seat=event.seat, contribution=event.contribution),
    PlayerDeclined: lambda event, game, _: _gave_back(event, game),
    PlayerUninvited: lambda event, game, _: Uninvite(seat=_host(game), whom=event.seat),
    InvitationExpired: lambda event, *_: Expire(seat=event.seat),
    GameStarted: lambda _, game, __: Start(seat=_host(game)),
    GameAbandoned: lambda event, game, _: _called_off(event, game),
    SeatHandedOver: lambda event, *_: _handed_over(event),
    PlayerSaid: lambda event, *_: Say(seat=event.seat, text_hash=event.text_hash),
    CardPlaced: lambda event, *_: Play(seat=event.seat, card=event.card),
    BidPlaced: lambda event, *_: Bid(seat=event.seat, amount=event.amount),
    PlayerPassed: lambda event, *_: Pass(seat=event.seat),
    DeadlineSet: lambda event, game, _: _extended(event, game),
    TurnTimedOut: lambda event, *_: TimeOut(seat=event.seat, turn=event.turn),
    AbsenceDeclared: lambda event, *_: Absent(
        seat=event.seat, start=event.start, back=event.back, computer=event.computer
    ),
    AbsenceBegan: lambda event, *_: BeginAbsence(seat=event.seat),
    AbsenceEnded: lambda event, *_: _absence_ended(event),
    SeatTaken: lambda event, *_: Substitute(seat=event.seat, player_id=event.player_id),
    VoteCast: lambda event, *_: Vote(seat=event.seat, on=event.on),
    VotesWithdrawn: lambda event, *_: Resume(seat=event.seat),
    GameResumed: lambda event, *_: _resumed(event),
}
"""The command that an event of the first place in a step answers, given the state before it and the log."""
