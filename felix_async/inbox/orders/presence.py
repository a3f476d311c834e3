"""STOP and RESIGN, and coming back: whether a player sits at the table, or the computer plays on for them.

Whoever left with STOP, or let two decisions time out, is back with any order, a question too: STOP says so.
Whom the computer plays for because of an AWAY is back on the day that was told, or with a move, a vote or
AWAY OFF: questions, and orders about oneself, may be written from a holiday.
"""

from __future__ import annotations

from felix_async.answer import AnsweredLine
from felix_async.game.commands import Leave, Return
from felix_async.game.rules import why_not
from felix_async.game.state import Game
from felix_async.inbox.dialogue import forget_orders, stop_mail, welcome_back
from felix_async.inbox.offers import withdraw_offers
from felix_async.inbox.orders.desk import Desk, Given, asked_first, done, refused
from felix_async.words import DONE, MOVES, VOTES
from felix_async.words.phrases import phrase
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

STAYS_AWAY = ("STOP", "RESIGN", "FORGET", "YES", "NO")
"""Orders that bring nobody back by themselves."""
ENDS_ABSENCE = (*MOVES, *VOTES)
"""Orders of somebody who sits at the table, whatever they said before about being away."""


def stop(desk: Desk, given: Given) -> AnsweredLine:
    """No more mail, and the computer plays on for every seat of the player; an invitation is given back."""
    stop_mail(desk.tx, desk.writer)
    desk.obeyed.changed = True
    leave_all(desk, given, for_good=False)
    return done(given)


def resign(desk: Desk, given: Given, turn: int | None) -> AnsweredLine:
    """Leave this game for good, once the player has said YES; before the start, give the seat back."""
    refusal = why_not(Leave(seat=desk.seat, for_good=True), desk.game)
    if refusal is not None:
        return refused(given, refusal)
    inviting = desk.game.phase == "inviting"
    if turn is None and not inviting:
        return asked_first(desk, given)
    outcome = desk.command(Leave(seat=desk.seat, for_good=True), given)
    if outcome.refusal is not None:
        return refused(given, outcome.refusal)
    forget_orders(desk.tx, desk.writer)
    return done(given, DONE["DECLINE"] if inviting else phrase("people.resigned"))


def come_back(desk: Desk, given: Given) -> None:
    """Whoever writes an order gets mail again and plays on for themselves, in all their games.

    An absence in which the computer plays goes on, unless the order is one for somebody at the table.
    """
    if not desk.obeyed.gave_orders:
        desk.obeyed.gave_orders = True
        welcome_back(desk.tx, desk.writer)
    tables = 0
    for row, game in tables_of(desk):
        seat = game.seats[row.seat]
        stays = (
            seat.time.absence is not None and seat.time.absence.began and given.order.word not in ENDS_ABSENCE
        )
        if seat.computer and not seat.gone and not stays:
            tables += desk.command_at(row, Return(seat=row.seat), given).events > 0
            withdraw_offers(desk.tx, row.game_id, row.seat)
    if tables:
        desk.obeyed.came_back = True
        why = phrase("people.back.one") if tables == 1 else phrase("people.back.many", count=tables)
        desk.obeyed.lines.append(AnsweredLine(text="", verdict="done", why=why))


def leave_all(desk: Desk, given: Given, *, for_good: bool) -> None:
    """Leave every table that still plays or waits for its players."""
    for row, game in tables_of(desk):
        seat = game.seats[row.seat]
        is_there = seat.answer in ("invited", "joined") and not seat.gone
        plays_on = seat.computer and seat.time.absence is None
        if is_there and (for_good or not plays_on):
            desk.command_at(row, Leave(seat=row.seat, for_good=for_good), given)


def tables_of(desk: Desk) -> list[tuple[SeatRow, Game]]:
    """The player's seats in games that are not over."""
    rows = desk.tx.seats_of(desk.writer.seat.player_id)
    return [(row, desk.service.load(desk.tx, row.game_id)) for row in rows if _is_open(desk.tx, row.game_id)]


def _is_open(reader: Reader, game_id: str) -> bool:
    game = reader.game(game_id)
    return game is not None and game.kind == "played" and game.state in ("inviting", "running")
