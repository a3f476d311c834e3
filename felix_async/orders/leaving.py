"""STOP and RESIGN, and coming back: whether a player sits at the table, or the computer plays on for them.

Whoever left with STOP, or let two decisions time out, is back with any order, a question too: STOP says so.
Whom the computer plays for because of an AWAY is back on the day that was told, or with a move, a vote or
AWAY OFF: questions, and orders about oneself, may be written from a holiday.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from felix_async.follow_up.answer import STILL_STOPPED, AnsweredLine
from felix_async.game.commands import Leave, Return
from felix_async.game.rules import why_not
from felix_async.game.state import Game
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, MOVES, VOTES
from felix_async.orders.context import Desk, Given, asked_first, done, refused
from felix_async.orders.offers import withdraw_offers
from felix_async.orders.questions import forget_orders, stop_mail, welcome_back
from felix_async.people import seat_names
from felix_async.text import plain
from felix_async.trouble import readable
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

Left = tuple[SeatRow, Game]
"""A seat that its player left, and the game before that."""
STAYS_AWAY = ("STOP", "RESIGN", "FORGET", "YES", "NO")
"""Orders that bring nobody back by themselves."""
ENDS_ABSENCE = (*MOVES, *VOTES)
"""Orders of somebody who sits at the table, whatever they said before about being away."""


def stop(desk: Desk, given: Given) -> AnsweredLine:
    """No more mail, and the computer plays on for every seat of the player; an invitation is given back."""
    stop_mail(desk.tx, desk.writer)
    desk.obeyed.changed = True
    desk.obeyed.goes = True
    left = leave_all(desk, given, for_good=False)
    return done(given, " ".join([DONE["STOP"], *_told(desk, left)]))


def _told(desk: Desk, left: Sequence[Left]) -> Iterator[str]:
    """What became of the player's seats, and how they come back."""
    played = sum(_is_played(row, game) for row, game in tables_of(desk))
    if played:
        yield phrase("people.stopped.one") if played == 1 else phrase("people.stopped.many", count=played)
    for row, before in left:
        after, table = desk.service.load(desk.tx, row.game_id), label_of(desk.tx, row)
        if before.phase == "inviting" and after.is_over:
            yield phrase("people.stopped.called_off", table=table)
        elif before.phase == "inviting":
            yield phrase("people.stopped.given_back", table=table)
        if before.host == row.seat and not after.is_over and after.host not in (None, row.seat):
            seats = desk.tx.seats(row.game_id)
            host = seat_names([seat.name for seat in seats])[after.host]
            yield phrase("people.stopped.host", who=host, table=table)
    yield phrase("people.stopped.back") if played else phrase("people.stopped.mail_back")


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
    desk.obeyed.goes = True
    return done(given, DONE["DECLINE"] if inviting else phrase("people.resigned"))


def come_back(desk: Desk, given: Given) -> None:
    """Whoever writes an order gets mail again and plays on for themselves, in all their games.

    An absence in which the computer plays goes on, unless the order is one for somebody at the table.
    """
    if not desk.obeyed.gave_orders:
        desk.obeyed.gave_orders = True
        welcome_back(desk.tx, desk.writer)
    tables, is_here = 0, False
    for row, game in tables_of(desk):
        seat = game.seats[row.seat]
        stays = (
            seat.time.absence is not None and seat.time.absence.began and given.order.word not in ENDS_ABSENCE
        )
        if seat.computer and not seat.gone and not stays:
            is_back = desk.command_at(row, Return(seat=row.seat), given).events > 0
            withdraw_offers(desk.tx, row.game_id, row.seat)
            tables += is_back
            is_here |= is_back and row.game_id == desk.game_id
    if tables:
        desk.obeyed.came_back = True
        # Whoever was away has not seen what the computer did, nor what it left them with.
        desk.obeyed.show += ["resend"] if is_here else []
        why = phrase("people.back.one") if tables == 1 else phrase("people.back.many", count=tables)
        desk.obeyed.lines.append(AnsweredLine(text="", verdict="done", why=why))


def still_stopped(desk: Desk) -> None:
    """Tell who wrote, and wants no mail, that this is still so: it takes an order to change it."""
    rows = desk.tx.addresses(desk.writer.seat.player_id)
    is_off = any(row.stopped == "asked" for row in rows) and all(row.stopped for row in rows)
    if is_off and not (desk.obeyed.gave_orders or desk.obeyed.goes or desk.obeyed.asks):
        is_away = any(_is_played(row, game) for row, game in tables_of(desk))
        why = phrase("people.stopped.still_away") if is_away else phrase("people.stopped.still")
        desk.obeyed.lines.append(AnsweredLine(text="", verdict="ignored", why=why, code=STILL_STOPPED))


def leave_all(desk: Desk, given: Given, *, for_good: bool) -> list[Left]:
    """Leave every table that still plays or waits for its players; those that were left just now."""
    left: list[Left] = []
    for row, game in tables_of(desk):
        seat = game.seats[row.seat]
        is_there = seat.answer in ("invited", "joined") and not seat.gone
        plays_on = seat.computer and seat.time.absence is None
        if not is_there or (plays_on and not for_good):
            continue
        if desk.command_at(row, Leave(seat=row.seat, for_good=for_good), given).events:
            left.append((row, game))
    return left


def label_of(reader: Reader, row: SeatRow) -> str:
    """What a table is called: its name, if it has one, and its id."""
    game = reader.game(row.game_id)
    return plain(f"{game.table_name if game is not None else ''} {row.game_id}").strip()


def _is_played(row: SeatRow, game: Game) -> bool:
    """Whether the computer plays there for somebody who may come back."""
    return game.phase != "inviting" and game.seats[row.seat].computer and not game.seats[row.seat].gone


def tables_of(desk: Desk) -> list[tuple[SeatRow, Game]]:
    """The player's seats in games that are not over."""
    rows = readable(desk.tx, desk.tx.seats_of(desk.writer.seat.player_id))
    return [(row, desk.service.load(desk.tx, row.game_id)) for row in rows if _is_open(desk.tx, row.game_id)]


def _is_open(reader: Reader, game_id: str) -> bool:
    game = reader.game(game_id)
    return game is not None and game.kind == "played" and game.state in ("inviting", "running")
