"""Disputes: a player denies a move, time stands still for a while, and the host or time settles it.

Nobody is kept from moving meanwhile, and no move is undone: the players may vote to end the game, or to hand
the seat over to the computer (`votes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from felix_async.clock import later, seconds_between
from felix_async.game import commands as c
from felix_async.game.state import Dispute, Game
from felix_async.game.table import Refusal, Table
from felix_async.game.timing import calendar_of, due_anew, running
from felix_events import model as m
from felix_events.disputes import LONGEST_STOP, Settled

LONGEST_DISPUTE: Final = 7 * 24 * 3600
"""Seconds until a dispute is over by itself."""
AT_ONCE: Final = 2
"""Disputes that may be open in a game."""


def open_dispute(game: Game, seat: int) -> Dispute | None:
    """Return the dispute that this seat's player has raised, if it is open."""
    return next((one for one in game.disputes if one.seat == seat), None)


# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def refuse_dispute(command: c.DisputeCommand | c.Lapse, game: Game, now: str) -> Refusal | None:
    """Return why this cannot be disputed, or settled so, None if it can."""
    if game.phase == "inviting":
        return Refusal("game/not_started")
    if command.seat not in game.players:
        return Refusal("seat/not_playing")
    seat = game.seats[command.seat]
    match command:
        case c.Stand():
            return _refuse_stand(command, game)
        case c.Withdraw() | c.Lapse():
            dispute = open_dispute(game, command.seat)
            if dispute is None:
                return Refusal("dispute/none")
            is_early = isinstance(command, c.Lapse) and now < dispute.lapses
            return Refusal("time/too_early") if is_early else None
    if seat.gone:
        return Refusal("seat/gone")
    if open_dispute(game, command.seat):
        return Refusal("dispute/open")
    if seat.moves.get(command.turn) != command.what:
        return Refusal("dispute/no_move")
    return Refusal("dispute/too_many") if len(game.disputes) >= AT_ONCE else None


def _refuse_stand(command: c.Stand, game: Game) -> Refusal | None:
    if command.seat != game.host:
        return Refusal("host/only")
    if open_dispute(game, command.whom) is None:
        return Refusal("dispute/none")
    return Refusal("dispute/own") if command.whom == command.seat else None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def dispute(table: Table, command: c.Dispute) -> Iterator[m.Event]:
    """A dispute; time stands still from now on, as long as this game has not used that up."""
    game, now = table.game, table.now
    until = None if game.still is None else game.still[1]
    is_running = game.clock is not None and not game.paused_until
    if until is None and is_running and game.stopped < LONGEST_STOP:
        until = later(now, LONGEST_STOP - game.stopped)
    raised = m.DisputeRaised(
        seat=command.seat,
        turn=command.turn,
        what=command.what,
        lapses=later(now, LONGEST_DISPUTE),
        until=until,
        stopped=game.stopped,
    )
    yield from _do(table, raised)


def settle(table: Table, command: c.Withdraw | c.Stand | c.Lapse) -> Iterator[m.Event]:
    """The dispute is over, as this command says."""
    if isinstance(command, c.Stand):
        yield from close(table, command.whom, "stands")
    else:
        yield from close(table, command.seat, "withdrawn" if isinstance(command, c.Withdraw) else "expired")


def end_left(table: Table, command: c.Command) -> Iterator[m.Event]:
    """End the disputes of players who have left for good, or have a substitute since this command."""
    taken = command.seat if isinstance(command, c.Substitute) else None
    for one in table.game.disputes if not table.game.is_over else ():
        if table.game.seats[one.seat].gone or one.seat == taken:
            yield from close(table, one.seat, "withdrawn")


def close(table: Table, seat: int, how: Settled) -> Iterator[m.Event]:
    """The dispute of a seat is over; with the last one time runs again."""
    game = table.game
    over = open_dispute(game, seat)
    assert over is not None, "refused without one"
    stopped = game.stopped
    if game.still is not None and len(game.disputes) == 1:
        stopped += seconds_between(game.still[0], min(table.now, game.still[1]))
    yield from _do(
        table, m.DisputeSettled(seat=seat, turn=over.turn, what=over.what, how=how, stopped=stopped)
    )


def _do(table: Table, event: m.Event) -> Iterator[m.Event]:
    """Do it; if other time counts than before, what was left of it stays as long as it was."""
    game = table.game
    still, before = game.still, {seat: calendar_of(game, seat) for seat, _ in running(game)}
    yield table.do(event)
    if game.still != still:
        for seat, calendar in before.items():
            yield from due_anew(table, seat, calendar)
