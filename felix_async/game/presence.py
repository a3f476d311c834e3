"""Who is at the table: a player may leave the seat to the computer, come back, or say something."""

from __future__ import annotations

from collections.abc import Iterator

from felix_async.game.commands import Leave, Return, Say
from felix_async.game.lobby import abandon, give_back
from felix_async.game.state import Game
from felix_async.game.table import Refusal, Table
from felix_events.model import Event, GameAbandoned, HostNamed, PlayerSaid, SeatHandedOver

# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def refuse_presence(command: Leave | Return | Say, game: Game) -> Refusal | None:
    """Why this player cannot leave, return or speak."""
    seat = game.seats[command.seat]
    if seat.gone:
        return Refusal("seat/gone")
    if seat.answer not in ("invited", "joined"):
        return Refusal("seat/not_playing")
    if isinstance(command, Leave) and command.for_good and command.seat == game.host:
        if game.phase == "inviting":
            return Refusal("host/cancel_or_hand_over")
        return Refusal("host/must_hand_over") if _heirs(game) else None
    return None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def leave(table: Table, command: Leave) -> Iterator[Event]:
    """The computer plays on for the seat; once nobody is left who could come back, the game ends."""
    game = table.game
    if game.phase == "inviting":
        yield from give_back(table, command.seat)
        return
    if game.seats[command.seat].computer and not command.for_good:
        return
    yield table.do(SeatHandedOver(seat=command.seat, to="computer", for_good=command.for_good))
    if command.seat == game.host and (heirs := _heirs(game)):
        yield table.do(HostNamed(seat=heirs[0]))
    if all(game.seats[seat].gone for seat in game.players):
        yield from abandon(table, GameAbandoned(reason="left"))


def come_back(table: Table, command: Return) -> Iterator[Event]:
    """The player plays for the seat again, and hosts where the host has left meanwhile."""
    game = table.game
    if not game.seats[command.seat].computer:
        return
    yield table.do(SeatHandedOver(seat=command.seat, to="player", for_good=False))
    if game.host is not None and game.host not in game.humans:
        yield table.do(HostNamed(seat=command.seat))


def say(table: Table, command: Say) -> Iterator[Event]:
    """Words for the table."""
    yield table.do(PlayerSaid(seat=command.seat, text_hash=command.text_hash))


def _heirs(game: Game) -> list[int]:
    """Who could host instead of the host, the next clockwise first."""
    host, seats = game.host or 0, len(game.seats)
    others = (seat for seat in game.humans if seat != game.host)
    return sorted(others, key=lambda seat: (seat - host) % seats)
