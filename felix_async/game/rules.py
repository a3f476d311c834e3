"""The decider: what a command does to a game, as events, or why it does nothing.

`decide` is pure. Chance comes in with the context and goes out in the events; no later reading of the log
draws again. What a command may and does, `lobby`, `rounds` and `presence` say, each for a part of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from felix_async.game import lobby, presence, rounds
from felix_async.game.commands import (
    Bid,
    Cancel,
    Close,
    Command,
    Create,
    Decline,
    Expire,
    Join,
    Leave,
    NameHost,
    Pass,
    Play,
    Return,
    Say,
    Start,
    Uninvite,
)
from felix_async.game.state import Game
from felix_async.game.table import Context, Refusal, Table
from felix_events.model import Event

__all__ = ["Context", "Refusal", "advance", "decide", "is_over", "why_not"]


def decide(command: Command, game: Game, context: Context) -> list[Event] | Refusal:
    """The events that a command causes; no event where all is already as asked; or a refusal."""
    return _refusal(command, game) or _step(command, game.copy(), context)


def advance(command: Command, game: Game, context: Context) -> list[Event] | Refusal:
    """`decide`, with the events applied to a state that the caller made and nobody else has seen."""
    return _refusal(command, game) or _step(command, game, context)


def why_not(command: Command, game: Game) -> Refusal | None:
    """Why the command would do nothing now; None where it may be done."""
    return _refusal(command, game)


def is_over(game: Game) -> bool:
    """Whether nothing can be asked of this game any more."""
    return game.is_over


def _refusal(command: Command, game: Game) -> Refusal | None:
    """Why the command does nothing: first what is the same for all of them, then its own ladder."""
    if isinstance(command, Create):
        return lobby.refuse_create(command, game)
    if game.phase == "new":
        return Refusal("game/unknown")
    if not isinstance(command, Close) and not 0 <= command.seat < len(game.seats):
        return Refusal("seat/unknown", {"seats": len(game.seats)})
    if game.is_over:
        return Refusal("game/over")
    match command:
        case Play() | Bid() | Pass():
            return rounds.refuse_move(command, game)
        case Join() | Decline():
            return lobby.refuse_answer(command, game)
        case Expire() | Close():
            return lobby.refuse_clock(command, game)
        case Leave() | Return() | Say():
            return presence.refuse_presence(command, game)
        case Start() | NameHost() | Uninvite() | Cancel():
            return lobby.refuse_host(command, game)


def _step(command: Command, game: Game, context: Context) -> list[Event]:
    return list(_STEPS[type(command)](Table(game, context.dice), command))


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
    Say: presence.say,
    Play: rounds.play,
    Bid: rounds.bid,
    Pass: rounds.pass_,
}
