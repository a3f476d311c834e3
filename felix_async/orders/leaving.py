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
from felix_async.orders.context import OrderContext, ReceivedOrder, asked_first, done, refused
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


def stop(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """No more mail, and the computer plays on for every seat of the player; an invitation is given back."""
    stop_mail(ctx.tx, ctx.writer)
    ctx.obeyed.changed = True
    ctx.obeyed.goes = True
    left = leave_all(ctx, received, for_good=False)
    return done(received, " ".join([DONE["STOP"], *_told(ctx, left)]))


def _told(ctx: OrderContext, left: Sequence[Left]) -> Iterator[str]:
    """What became of the player's seats, and how they come back."""
    played = sum(_is_played(row, game) for row, game in tables_of(ctx))
    if played:
        yield phrase("people.stopped.one") if played == 1 else phrase("people.stopped.many", count=played)
    for row, before in left:
        after, table = ctx.service.load(ctx.tx, row.game_id), label_of(ctx.tx, row)
        if before.phase == "inviting" and after.is_over:
            yield phrase("people.stopped.called_off", table=table)
        elif before.phase == "inviting":
            yield phrase("people.stopped.given_back", table=table)
        if before.host == row.seat and not after.is_over and after.host not in (None, row.seat):
            seats = ctx.tx.seats(row.game_id)
            host = seat_names([seat.name for seat in seats])[after.host]
            yield phrase("people.stopped.host", who=host, table=table)
    yield phrase("people.stopped.back") if played else phrase("people.stopped.mail_back")


def resign(ctx: OrderContext, received: ReceivedOrder, turn: int | None) -> AnsweredLine:
    """Leave this game for good, once the player has said YES; before the start, give the seat back."""
    refusal = why_not(Leave(seat=ctx.seat, for_good=True), ctx.game)
    if refusal is not None:
        return refused(received, refusal)
    inviting = ctx.game.phase == "inviting"
    if turn is None and not inviting:
        return asked_first(ctx, received)
    outcome = ctx.command(Leave(seat=ctx.seat, for_good=True), received)
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    forget_orders(ctx.tx, ctx.writer)
    ctx.obeyed.goes = True
    return done(received, DONE["DECLINE"] if inviting else phrase("people.resigned"))


def come_back(ctx: OrderContext, received: ReceivedOrder) -> None:
    """Whoever writes an order gets mail again and plays on for themselves, in all their games.

    An absence in which the computer plays goes on, unless the order is one for somebody at the table.
    """
    if not ctx.obeyed.gave_orders:
        ctx.obeyed.gave_orders = True
        welcome_back(ctx.tx, ctx.writer)
    tables, is_here = 0, False
    for row, game in tables_of(ctx):
        seat = game.seats[row.seat]
        stays = (
            seat.time.absence is not None
            and seat.time.absence.began
            and received.order.word not in ENDS_ABSENCE
        )
        if seat.computer and not seat.gone and not stays:
            is_back = ctx.command_at(row, Return(seat=row.seat), received).events > 0
            withdraw_offers(ctx.tx, row.game_id, row.seat)
            tables += is_back
            is_here |= is_back and row.game_id == ctx.game_id
    if tables:
        ctx.obeyed.came_back = True
        # Whoever was away has not seen what the computer did, nor what it left them with.
        ctx.obeyed.show += ["resend"] if is_here else []
        why = phrase("people.back.one") if tables == 1 else phrase("people.back.many", count=tables)
        ctx.obeyed.lines.append(AnsweredLine(text="", verdict="done", why=why))


def still_stopped(ctx: OrderContext) -> None:
    """Tell who wrote, and wants no mail, that this is still so: it takes an order to change it."""
    rows = ctx.tx.addresses(ctx.writer.seat.player_id)
    is_off = any(row.stopped == "asked" for row in rows) and all(row.stopped for row in rows)
    if is_off and not (ctx.obeyed.gave_orders or ctx.obeyed.goes or ctx.obeyed.asks):
        is_away = any(_is_played(row, game) for row, game in tables_of(ctx))
        why = phrase("people.stopped.still_away") if is_away else phrase("people.stopped.still")
        ctx.obeyed.lines.append(AnsweredLine(text="", verdict="ignored", why=why, code=STILL_STOPPED))


def leave_all(ctx: OrderContext, received: ReceivedOrder, *, for_good: bool) -> list[Left]:
    """Leave every table that still plays or waits for its players; those that were left just now."""
    left: list[Left] = []
    for row, game in tables_of(ctx):
        seat = game.seats[row.seat]
        plays_on = seat.computer and seat.time.absence is None
        if not game.is_in(row.seat) or (plays_on and not for_good):
            continue
        if ctx.command_at(row, Leave(seat=row.seat, for_good=for_good), received).events:
            left.append((row, game))
    return left


def label_of(reader: Reader, row: SeatRow) -> str:
    """What a table is called: its name, if it has one, and its id."""
    game = reader.game(row.game_id)
    return plain(f"{game.table_name if game is not None else ''} {row.game_id}").strip()


def _is_played(row: SeatRow, game: Game) -> bool:
    """Whether the computer plays there for somebody who may come back."""
    return game.phase != "inviting" and game.seats[row.seat].computer and not game.seats[row.seat].gone


def tables_of(ctx: OrderContext) -> list[tuple[SeatRow, Game]]:
    """The player's seats in games that are not over."""
    rows = readable(ctx.tx, ctx.tx.seats_of(ctx.writer.seat.player_id))
    return [(row, ctx.service.load(ctx.tx, row.game_id)) for row in rows if _is_open(ctx.tx, row.game_id)]


def _is_open(reader: Reader, game_id: str) -> bool:
    game = reader.game(game_id)
    return game is not None and game.kind == "played" and not game.is_over
