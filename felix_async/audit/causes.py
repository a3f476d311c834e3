"""Causes: the command behind the first event of a step, told from what happened. Pure.

An audit decides that command again. Facts that no event holds (who of several might have asked) are filled in
by what the rules allow: what only the host may do, the host has done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from felix_async.clock import seconds_between, time_of
from felix_async.game import commands as c
from felix_async.game.state import Game
from felix_async.game.timing import calendar_of
from felix_events import model as m

_LONGEST_EXTENSION: Final = 366 * 24 * 3600
"""Seconds, those that stand still among them: no outage is longer."""
# There are a few hundred different moves, which never change, and a game makes a hundred of them.
_play, _bid, _pass = lru_cache(1024)(c.Play), lru_cache(1024)(c.Bid), lru_cache(1024)(c.Pass)


def cause_of(event: m.Event, game: Game, events: Sequence[m.Event]) -> c.Command | None:
    """The command that a step answers which begins with this event, given the state before it and the log.

    None if no command begins so.
    """
    told = _CAUSES.get(type(event))
    return None if told is None else told(event, game, events)


def _created(event: m.GameCreated, events: Sequence[m.Event]) -> c.Create:
    """The command behind the first event; the host and the clock that it names stand in the next ones."""
    named = events[1] if len(events) > 1 else None
    host = named.seat if isinstance(named, m.HostNamed) else None
    after = 1 if host is None else 2
    clock = events[after] if len(events) > after else None
    return c.Create(
        ruleset=event.ruleset,
        seats=event.seats,
        options=event.options,
        commitment=event.commitment,
        host=host,
        clock=clock.terms if isinstance(clock, m.ClockSet) else None,
    )


def _gave_back(event: m.PlayerDeclined, game: Game) -> c.Command:
    """A host cannot decline, but may leave the table to somebody else."""
    if event.seat == game.host:
        return c.Leave(seat=event.seat, for_good=False)
    return c.Decline(seat=event.seat)


def _called_off(event: m.GameAbandoned, game: Game) -> c.Command:
    return c.Close() if event.reason in ("expired", "deserted") else c.Cancel(seat=_host(game))


def _handed_over(event: m.SeatHandedOver) -> c.Command:
    if event.to == "player":
        return c.Return(seat=event.seat)
    return c.Leave(seat=event.seat, for_good=event.for_good)


def _extended(event: m.DeadlineSet, game: Game) -> c.Command | None:
    """By how many seconds that count the deadline was moved; earlier, or by years, no command moves it."""
    known = 0 <= event.seat < len(game.seats)
    deadline = game.seats[event.seat].time.deadline if known else None
    if deadline is None or not 0 < seconds_between(deadline.at, event.at) < _LONGEST_EXTENSION:
        return None
    moved = calendar_of(game, event.seat).elapsed(time_of(deadline.at), time_of(event.at))
    return c.Extend(seat=event.seat, turn=event.turn, seconds=int(moved))


def _absence_ended(event: m.AbsenceEnded) -> c.Command:
    return c.Recall(seat=event.seat) if event.early else c.EndAbsence(seat=event.seat)


def _resumed(event: m.GameResumed) -> c.Command:
    return c.EndPause() if event.seat is None else c.Resume(seat=event.seat)


def _settled(event: m.DisputeSettled, game: Game) -> c.Command:
    if event.how == "stands":
        return c.Stand(seat=_host(game), whom=event.seat)
    return c.Withdraw(seat=event.seat) if event.how == "withdrawn" else c.Lapse(seat=event.seat)


def _host(game: Game) -> int:
    return -1 if game.host is None else game.host


_CAUSES: Final[dict[type[m.Event], Callable[[Any, Game, Sequence[m.Event]], c.Command | None]]] = {
    m.GameCreated: lambda event, _, events: _created(event, events),
    m.HostNamed: lambda event, game, _: c.NameHost(seat=_host(game), to=event.seat),
    m.PlayerJoined: lambda event, *_: c.Join(seat=event.seat, contribution=event.contribution),
    m.PlayerDeclined: lambda event, game, _: _gave_back(event, game),
    m.PlayerUninvited: lambda event, game, _: c.Uninvite(seat=_host(game), whom=event.seat),
    m.InvitationExpired: lambda event, *_: c.Expire(seat=event.seat),
    m.GameStarted: lambda _, game, __: c.Start(seat=_host(game)),
    m.GameAbandoned: lambda event, game, _: _called_off(event, game),
    m.SeatHandedOver: lambda event, *_: _handed_over(event),
    m.PlayerSaid: lambda event, *_: c.Say(seat=event.seat, text_hash=event.text_hash),
    m.ServerRestored: lambda *_: c.Restore(),
    m.CardPlaced: lambda event, *_: _play(seat=event.seat, card=event.card),
    m.BidPlaced: lambda event, *_: _bid(seat=event.seat, amount=event.amount),
    m.PlayerPassed: lambda event, *_: _pass(seat=event.seat),
    m.DeadlineSet: lambda event, game, _: _extended(event, game),
    m.TurnTimedOut: lambda event, *_: c.TimeOut(seat=event.seat, turn=event.turn),
    m.AbsenceDeclared: lambda event, *_: c.Absent(
        seat=event.seat, start=event.start, back=event.back, computer=event.computer
    ),
    m.AbsenceBegan: lambda event, *_: c.BeginAbsence(seat=event.seat),
    m.AbsenceEnded: lambda event, *_: _absence_ended(event),
    m.SeatTaken: lambda event, *_: c.Substitute(seat=event.seat, player_id=event.player_id),
    m.VoteCast: lambda event, *_: c.Vote(seat=event.seat, on=event.on),
    m.VotesWithdrawn: lambda event, *_: c.Resume(seat=event.seat),
    m.GameResumed: lambda event, *_: _resumed(event),
    m.DisputeRaised: lambda event, *_: c.Dispute(seat=event.seat, turn=event.turn, what=event.what),
    m.DisputeSettled: lambda event, game, _: _settled(event, game),
}
"""The command that an event of the first place in a step answers, given the state before it and the log."""
