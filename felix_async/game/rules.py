"""The decider: what a command does to a game, as events, or why it does nothing.

`decide` is pure. Chance and time come in with the context and go out in the events; no later reading of the
log draws again. What a command may and does, `lobby`, `rounds`, `presence`, `votes`, `disputes` and
`timing` say, each for a part of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from felix_async.game import commands as c
from felix_async.game import disputes, lobby, presence, rounds, timing, votes
from felix_async.game.state import Game
from felix_async.game.table import Context, Refusal, Table
from felix_events.model import Event

__all__ = [
    "Context",
    "Refusal",
    "advance",
    "decide",
    "is_for_computer",
    "refuse_over",
    "why_not",
]


def decide(command: c.Command, game: Game, context: Context) -> list[Event] | Refusal:
    """Return the events that a command causes, none if all is already as asked, or a refusal."""
    return _refusal(command, game, context.now, context.last) or _step(command, game.copy(), context)


def advance(command: c.Command, game: Game, context: Context) -> list[Event] | Refusal:
    """Decide, and apply the events to the state given, which the caller made and shares with nobody."""
    return _refusal(command, game, context.now, context.last) or _step(command, game, context)


def why_not(command: c.Command, game: Game, now: str = "") -> Refusal | None:
    """Return why the command would be refused now, None if it would not. Commands about time need `now`."""
    return _refusal(command, game, now, "")


def is_for_computer(command: c.Command, game: Game) -> bool:
    """Return True if the computer alone may make this move: the seat's player has left for good."""
    return c.is_move(command) and 0 <= command.seat < len(game.seats) and game.seats[command.seat].gone


def refuse_over(game: Game, seat: int | None) -> Refusal:
    """Return why nothing can be done in a game that is over, as its seat is told (None: no seat)."""
    if seat is not None and not game.took_part(seat):
        return Refusal("game/not_yours")
    return Refusal("game/over") if game.has_begun else Refusal("game/never_began")


def _refusal(command: c.Command, game: Game, now: str, last: str) -> Refusal | None:
    """Ask first what is the same for all commands, then the ladder of this one."""
    # True of nearly every command and game: it is asked for each move, and for each once more
    # by an audit.
    if game.phase in ("placing", "bidding") and c.is_move(command) and 0 <= command.seat < len(game.seats):
        return rounds.refuse_move(command, game)
    if isinstance(command, c.Create):
        return lobby.refuse_create(command, game)
    if game.phase == "new":
        return Refusal("game/unknown")
    if not isinstance(command, _OF_NO_SEAT) and not 0 <= command.seat < len(game.seats):
        return Refusal("seat/unknown", {"seats": len(game.seats)})
    if game.is_over:
        return refuse_over(game, getattr(command, "seat", None))
    match command:
        case c.Play() | c.Bid() | c.Pass():
            return rounds.refuse_move(command, game)
        case c.Join() | c.Decline():
            return lobby.refuse_answer(command, game)
        case c.Expire() | c.Close():
            return lobby.refuse_clock(command, game)
        case c.Leave() | c.Return() | c.Say():
            return presence.refuse_presence(command, game)
        case c.Substitute():
            return presence.refuse_substitute(command, game)
        case c.Vote() | c.Resume():
            return votes.refuse_vote(command, game)
        case c.Absent() | c.Recall():
            return timing.refuse_absence(command, game, now)
        case c.Dispute() | c.Withdraw() | c.Stand() | c.Lapse():
            return disputes.refuse_dispute(command, game, now)
        case c.TimeOut() | c.Extend() | c.BeginAbsence() | c.EndAbsence() | c.EndPause():
            return timing.refuse_timely(command, game, now, last)
        case c.Restore():
            return None
        case c.Start() | c.NameHost() | c.Uninvite() | c.Cancel():
            return lobby.refuse_host(command, game)


def _step(command: c.Command, game: Game, context: Context) -> list[Event]:
    """Do the command, then what follows for poor seats, absences, disputes and votes, then for the clock."""
    table = Table(game, context)
    was_inviting = game.phase == "inviting"
    overruns = {} if game.clock is None else timing.overruns_of(game, context.now)
    events = list(_STEPS[type(command)](table, command))
    if not events:
        return events
    if game.passes_by_rule is not None:
        events += rounds.pass_the_poor(table)
    if was_inviting and game.standing == "running":
        events += timing.begin_absences(table)
    if game.disputes:
        events += disputes.end_left(table, command)
    if game.votes:
        events += votes.count(table)
    if game.clock is not None:
        events += timing.update_deadlines(table, overruns)
    return events


_OF_NO_SEAT: Final = (c.Close, c.EndPause, c.Restore)
_STEPS: Final[dict[type[c.Command], Callable[[Table, Any], Iterator[Event]]]] = {
    c.Create: lobby.create,
    c.Join: lobby.join,
    c.Decline: lobby.decline,
    c.Start: lobby.start,
    c.NameHost: lobby.name_host,
    c.Uninvite: lobby.uninvite,
    c.Cancel: lobby.cancel,
    c.Expire: lobby.expire,
    c.Close: lobby.close,
    c.Leave: presence.leave,
    c.Return: presence.come_back,
    c.Substitute: presence.substitute,
    c.Say: presence.say,
    c.Restore: presence.restore,
    c.Vote: votes.vote,
    c.Resume: votes.resume,
    c.Absent: timing.absent,
    c.Recall: timing.end_absence,
    c.TimeOut: timing.time_out,
    c.Extend: timing.extend,
    c.BeginAbsence: timing.begin_absence,
    c.EndAbsence: timing.end_absence,
    c.EndPause: timing.end_pause,
    c.Dispute: disputes.dispute,
    c.Withdraw: disputes.settle,
    c.Stand: disputes.settle,
    c.Lapse: disputes.settle,
    c.Play: rounds.play,
    c.Bid: rounds.bid,
    c.Pass: rounds.pass_,
}
