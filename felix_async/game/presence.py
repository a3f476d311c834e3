"""Leave a seat to the computer, come back, speak, or hand the seat over; and note a restored server."""

from __future__ import annotations

from collections.abc import Iterator

from felix_async.clock import seconds_between
from felix_async.game import commands as c
from felix_async.game.lobby import abandon, give_back
from felix_async.game.state import Game, SeatTime
from felix_async.game.table import Refusal, Table
from felix_events import model as m

# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def refuse_presence(command: c.Leave | c.Return | c.Say, game: Game) -> Refusal | None:
    """Return why this player cannot leave, return or speak, None if they can."""
    seat = game.seats[command.seat]
    if seat.gone:
        return Refusal("seat/gone")
    if seat.answer not in ("invited", "joined"):
        return Refusal("seat/not_playing")
    if isinstance(command, c.Leave) and command.for_good and command.seat == game.host:
        if game.phase == "inviting":
            return Refusal("host/cancel_or_hand_over")
        return Refusal("host/must_hand_over") if _heirs(game) else None
    return None


def refuse_substitute(command: c.Substitute, game: Game) -> Refusal | None:
    """Return why nobody, or not this player, can take the seat, None if they can."""
    refusal = refuse_vacant(command.seat, game)
    if refusal is not None:
        return refusal
    if any(state.player_id == command.player_id for state in game.seats):
        return Refusal("substitute/sits_here")
    if any(who == command.player_id and seat != command.seat for seat, who in game.former):
        # They know a hand that is now somebody else's.
        return Refusal("substitute/sat_here")
    return None


def refuse_vacant(seat: int, game: Game) -> Refusal | None:
    """Return why this seat is not free: its player is there, or has said when they will be."""
    if game.phase == "inviting":
        return Refusal("substitute/not_started")
    if seat not in game.players:
        return Refusal("substitute/no_player")
    state = game.seats[seat]
    if not state.computer:
        return Refusal("substitute/is_there")
    absence = state.time.absence
    return Refusal("substitute/will_be_back") if absence is not None and absence.began else None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def leave(table: Table, command: c.Leave) -> Iterator[m.Event]:
    """The computer plays on for the seat; once nobody is left who could come back, the game ends."""
    game = table.game
    if game.phase == "inviting":
        yield from give_back(table, command.seat)
        return
    is_away = game.seats[command.seat].time.absence is not None
    if game.seats[command.seat].computer and not command.for_good and not is_away:
        return
    yield from hand_over(table, command.seat, for_good=command.for_good)
    if is_away:
        # A player who leaves does not come back by the calendar.
        yield table.do(
            m.AbsenceEnded(
                seat=command.seat, early=True, spent=away_spent(game.seats[command.seat].time, table.now)
            )
        )
    if all(game.seats[seat].gone for seat in game.players):
        yield from abandon(table, m.GameAbandoned(reason="left"))


def hand_over(table: Table, seat: int, *, for_good: bool) -> Iterator[m.Event]:
    """The computer plays for the seat from now on, and somebody at the table hosts."""
    yield table.do(m.SeatHandedOver(seat=seat, to="computer", for_good=for_good))
    if seat == table.game.host and (heirs := _heirs(table.game)):
        yield table.do(m.HostNamed(seat=heirs[0]))


def take_back(table: Table, seat: int) -> Iterator[m.Event]:
    """The player plays again, and hosts if the host has left meanwhile."""
    game = table.game
    yield table.do(m.SeatHandedOver(seat=seat, to="player", for_good=False))
    if game.host is not None and game.host not in game.humans:
        yield table.do(m.HostNamed(seat=seat))


def come_back(table: Table, command: c.Return) -> Iterator[m.Event]:
    """The player plays for the seat again, and hosts if the host has left meanwhile."""
    time = table.game.seats[command.seat].time
    if not table.game.seats[command.seat].computer:
        return
    yield from take_back(table, command.seat)
    if time.absence is not None and time.absence.began:
        # Whoever writes is back, whatever was declared.
        yield table.do(m.AbsenceEnded(seat=command.seat, early=True, spent=away_spent(time, table.now)))


def substitute(table: Table, command: c.Substitute) -> Iterator[m.Event]:
    """Somebody else plays for the seat from now on, and hosts if the host has left meanwhile."""
    game = table.game
    yield table.do(m.SeatTaken(seat=command.seat, player_id=command.player_id))
    if game.host is not None and game.host not in game.humans:
        yield table.do(m.HostNamed(seat=command.seat))


def say(table: Table, command: c.Say) -> Iterator[m.Event]:
    """Words for the table."""
    yield table.do(m.PlayerSaid(seat=command.seat, text_hash=command.text_hash))


def restore(table: Table, _command: c.Restore) -> Iterator[m.Event]:
    """A note in the log, by which nothing moves."""
    yield table.do(m.ServerRestored())


def away_spent(time: SeatTime, now: str) -> int:
    """The seconds for which a player was absent so far."""
    absence = time.absence
    return time.away_spent + (
        0 if absence is None else seconds_between(absence.start, min(now, absence.back))
    )


def _heirs(game: Game) -> list[int]:
    """The seats that could host instead of the host, the next clockwise first."""
    host, seats = game.host or 0, len(game.seats)
    others = (seat for seat in game.humans if seat != game.host)
    return sorted(others, key=lambda seat: (seat - host) % seats)
