"""What was asked, told from what happened: the command behind the first event of a step. Pure.

An audit decides that command again. What no event says (who of several might have asked) is filled in by what
the rules allow: what only the host may do, the host has done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

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
from felix_events.model import (
    BidPlaced,
    CardPlaced,
    Event,
    GameAbandoned,
    GameCreated,
    GameStarted,
    HostNamed,
    InvitationExpired,
    PlayerDeclined,
    PlayerJoined,
    PlayerPassed,
    PlayerSaid,
    PlayerUninvited,
    SeatHandedOver,
)


def cause_of(event: Event, game: Game, events: Sequence[Event]) -> Command | None:
    """The command that a step answers which begins with this event, given the state before it and the log.

    None where no command begins so.
    """
    told = _CAUSES.get(type(event))
    return None if told is None else told(event, game, events)


def _created(event: GameCreated, events: Sequence[Event]) -> Create:
    """The command behind the first event; the host it names stands in the second."""
    named = events[1] if len(events) > 1 else None
    return Create(
        ruleset=event.ruleset,
        seats=event.seats,
        options=event.options,
        commitment=event.commitment,
        host=named.seat if isinstance(named, HostNamed) else None,
    )


def _gave_back(event: PlayerDeclined, game: Game) -> Command:
    """A host cannot decline, but may leave the table to somebody else."""
    if event.seat == game.host:
        return Leave(seat=event.seat, for_good=False)
    return Decline(seat=event.seat)


def _handed_over(event: SeatHandedOver) -> Command:
    if event.to == "player":
        return Return(seat=event.seat)
    return Leave(seat=event.seat, for_good=event.for_good)


def _host(game: Game) -> int:
    return -1 if game.host is None else game.host


_CAUSES: Final[dict[type[Event], Callable[[Any, Game, Sequence[Event]], Command]]] = {
    GameCreated: lambda event, _, events: _created(event, events),
    HostNamed: lambda event, game, _: NameHost(seat=_host(game), to=event.seat),
    PlayerJoined: lambda event, *_: Join(seat=event.seat, contribution=event.contribution),
    PlayerDeclined: lambda event, game, _: _gave_back(event, game),
    PlayerUninvited: lambda event, game, _: Uninvite(seat=_host(game), whom=event.seat),
    InvitationExpired: lambda event, *_: Expire(seat=event.seat),
    GameStarted: lambda _, game, __: Start(seat=_host(game)),
    GameAbandoned: lambda event, game, _: Close() if event.reason == "expired" else Cancel(seat=_host(game)),
    SeatHandedOver: lambda event, *_: _handed_over(event),
    PlayerSaid: lambda event, *_: Say(seat=event.seat, text_hash=event.text_hash),
    CardPlaced: lambda event, *_: Play(seat=event.seat, card=event.card),
    BidPlaced: lambda event, *_: Bid(seat=event.seat, amount=event.amount),
    PlayerPassed: lambda event, *_: Pass(seat=event.seat),
}
"""The command that an event of the first place in a step answers, given the state before it and the log."""
