"""The decider: what a command does to a game, as events, or why it does nothing.

`decide` is pure. Chance and time come in with the context and go out in the events; no later reading of the
log draws again. What a command may and does, `lobby`, `rounds`, `presence`, `votes` and `timing`
say, each for a part of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from felix_async.game import lobby, presence, rounds, timing, votes
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
    is_move,
)
from felix_async.game.state import Game
from felix_async.game.table import Context, Refusal, Table
from felix_events.model import Event

__all__ = ["Context", "Refusal", "advance", "decide", "is_over", "refuse_over", "why_not"]


def decide(command: Command, game: Game, context: Context) -> list[Event] | Refusal:
    """The events that a command causes; no event where all is already as asked; or a refusal."""
    return _refusal(command, game, context.now, context.last) or _step(command, game.copy(), context)


def advance(command: Command, game: Game, context: Context) -> list[Event] | Refusal:
    """`decide`, with the events applied to a state that the caller made and nobody else has seen."""
    return _refusal(command, game, context.now, context.last) or _step(command, game, context)


def why_not(command: Command, game: Game, now: str = "") -> Refusal | None:
    """Why the command would do nothing now; None where it may be done. What is about time needs the time."""
    return _refusal(command, game, now, "")


def refuse_over(game: Game, seat: int | None) -> Refusal:
    """Why nothing can be done in a game that is over, for this seat (None: for nobody's)."""
    if seat is not None and not game.took_part(seat):
        return Refusal("game/not_yours")
    return Refusal("game/over") if game.has_begun else Refusal("game/never_began")


def is_over(game: Game) -> bool:
    """Whether nothing can be asked of this game any more."""
    return game.is_over


def _refusal(command: Command, game: Game, now: str, last: str) -> Refusal | None:
    """Why the command does nothing: first what is the same for all of them, then its own ladder."""
    # What nearly every command is, and nearly every game: it is asked for each move, and for each once more
    # by an audit.
    if game.phase in ("placing", "bidding") and is_move(command) and 0 <= command.seat < len(game.seats):
        return rounds.refuse_move(command, game)
    if isinstance(command, Create):
        return lobby.refuse_create(command, game)
    if game.phase == "new":
        return Refusal("game/unknown")
    if not isinstance(command, Close | EndPause) and not 0 <= command.seat < len(game.seats):
        return Refusal("seat/unknown", {"seats": len(game.seats)})
    if game.is_over:
        return refuse_over(game, getattr(command, "seat", None))
    match command:
        case Play() | Bid() | Pass():
            return rounds.refuse_move(command, game)
        case Join() | Decline():
            return lobby.refuse_answer(command, game)
        case Expire() | Close():
            return lobby.refuse_clock(command, game)
        case Leave() | Return() | Say():
            return presence.refuse_presence(command, game)
        case Substitute():
            return presence.refuse_substitute(command, game)
        case Vote() | Resume():
            return votes.refuse_vote(command, game)
        case Absent() | Recall():
            return timing.refuse_absence(command, game, now)
        case TimeOut() | Extend() | BeginAbsence() | EndAbsence() | EndPause():
            return timing.refuse_timely(command, game, now, last)
        case Start() | NameHost() | Uninvite() | Cancel():
            return lobby.refuse_host(command, game)


def _step(command: Command, game: Game, context: Context) -> list[Event]:
    """What the command causes, then what follows for absences and votes, then for the clock."""
    table = Table(game, context)
    was_inviting = game.phase == "inviting"
    overruns = {} if game.clock is None else timing.overruns_of(game, context.now)
    events = list(_STEPS[type(command)](table, command))
    if not events:
        return events
    if was_inviting and game.standing == "running":
        events += timing.begin_absences(table)
    if game.votes:
        events += votes.count(table)
    if game.clock is not None:
        events += timing.update_deadlines(table, overruns)
    return events


_STEPS: Final[dict[type[Command], Callable[[Table, Any], Iterator[Event]]]] = {
    Create: lobby.create,
    Join: lobby.join,
    Decline: lobby.decline,
    Start: lobby.start,
    NameHost: lobby.name_host,
    Uninvite: lobby.uninvite,
    Cancel: lobby.cancel,
    Expire: lobby.expire,
    Close: lobby.close,
    Leave: presence.leave,
    Return: presence.come_back,
    Substitute: presence.substitute,
    Say: presence.say,
    Vote: votes.vote,
    Resume: votes.resume,
    Absent: timing.absent,
    Recall: timing.recall,
    TimeOut: timing.time_out,
    Extend: timing.extend,
    BeginAbsence: timing.begin_absence,
    EndAbsence: timing.end_absence,
    EndPause: timing.end_pause,
    Play: rounds.play,
    Bid: rounds.bid,
    Pass: rounds.pass_,
}
