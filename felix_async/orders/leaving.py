"""STOP, RESIGN and FORGET ME, and coming back: who sits at a table, and when the computer plays on.

A player who left with STOP, or let two decisions time out, is back with any order, a question too, and with
a move or a question in plain words. One for whom the computer plays because of an AWAY is back on the day
that was told, or with a move, a vote or AWAY OFF: questions, and orders about oneself, may be written from
a holiday.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from felix_async.follow_up.answer import STILL_STOPPED, AnsweredLine
from felix_async.follow_up.kinds import Farewell, enqueue
from felix_async.game.commands import Leave, Return
from felix_async.game.rules import Refusal, why_not
from felix_async.game.state import Game
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE
from felix_async.orders.context import Effect, OrderContext, ReceivedOrder, Reply, ask_first, done, refused
from felix_async.orders.questions import forget_orders, stop_mail, welcome_back, withdraw_offers
from felix_async.people import seat_names
from felix_async.text import plain
from felix_async.trouble import check_readable, readable
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

Left = tuple[SeatRow, Game]
"""A seat that its player left, and the game before that."""
_MOST_WAITING = 1000
"""Letters, of one game and of all, that may wait to be sent while a player is forgotten."""


def stop(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """No more mail, and the computer plays on for every seat of the player; an invitation is given back."""
    forget_orders(ctx.tx, ctx.row)
    stop_mail(ctx.tx, ctx.player_id)
    left = leave_all(ctx, received, for_good=False)
    told = " ".join([DONE["STOP"], *_told(ctx, left)])
    return done(received, told, changed=True, effects=["leaves"])


def _told(ctx: OrderContext, left: Sequence[Left]) -> Iterator[str]:
    """Tell what became of the player's seats, and how they come back."""
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


def resign_command(ctx: OrderContext, _order: Order) -> Leave:
    """The command of RESIGN."""
    return Leave(seat=ctx.seat, for_good=True)


def resign(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Leave this game for good, after a YES; before the start, give the seat back at once.

    The YES is for the turn that it was asked at, as a move is, unless the computer makes the moves.
    """
    command = Leave(seat=ctx.seat, for_good=True)
    if received.is_confirmed and received.turn != ctx.turn and not ctx.game.seats[ctx.seat].computer:
        return refused(received, Refusal("turn/stale"))
    refusal = why_not(command, ctx.game)
    if refusal is not None:
        return refused(received, refusal)
    inviting = ctx.game.phase == "inviting"
    if not received.is_confirmed and not inviting:
        return ask_first(ctx, received)
    outcome = ctx.command(command, received)
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    forget_orders(ctx.tx, ctx.row)
    why = DONE["DECLINE"] if inviting else phrase("people.resigned")
    return done(received, why, changed=outcome.events > 0, effects=["leaves"])


def forget_me(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Leave all tables for good, after a YES at any turn; `erase` does the rest at the end of the message.

    Leaving for a while comes first, as it hands hosting on.
    """
    if not received.is_confirmed:
        return ask_first(ctx, received)
    for row in ctx.tx.seats_of(ctx.player_id):
        # If there is a seat that cannot be left now, all of it waits for that.
        check_readable(ctx.tx, row.game_id)
    leave_all(ctx, received, for_good=False)
    leave_all(ctx, received, for_good=True)
    return done(received, changed=True, effects=["forgets"])


def erase(ctx: OrderContext) -> None:
    """Begin to forget the writer, and enqueue one last letter that says so.

    A running server does the rest bit by bit. The letter's facts stay in its notice until it is sent;
    then that goes, too, and so do the letters to others that waited and may name the player.
    """
    tx, player, seat = ctx.tx, ctx.player_id, ctx.row
    games = {row.game_id for row in tx.seats_of(player)} | {row.game_id for row in tx.former_of(player)}
    waiting = {
        line.letter_id for game_id in games for line in tx.letter_lines(_MOST_WAITING, "ready", None, game_id)
    }
    # A digest is filed under one game and may tell about another.
    waiting |= {
        line.letter_id
        for line in tx.letter_lines(_MOST_WAITING, "ready")
        if any(notice.game_id in games for notice in tx.notices_in(line.letter_id))
    }
    # Pending notices to others become letters in a moment, which may repeat what they wrote of the player.
    owed = [notice.notice_id for game_id in sorted(games) for notice in tx.pending(ctx.now, game_id)]
    address = next((row.address for row in tx.addresses(player) if not row.stopped), ctx.source.sender)
    tx.begin_to_forget(player, sorted(waiting), owed)
    farewell = Farewell(
        game_id=seat.game_id,
        version=ctx.game.version,
        seat=seat.seat,
        due_at=ctx.now,
        to=address,
        in_reply_to=plain(ctx.source.message_id),
    )
    enqueue(tx, farewell)


def come_back(ctx: OrderContext, received: ReceivedOrder, *, ends_absence: bool) -> Reply:
    """Send mail to the writer again, and let them play on for themselves in all their games.

    An absence in which the computer plays goes on, unless the order is one for somebody at the table.
    """
    if "plays_on" not in ctx.earlier.effects:
        welcome_back(ctx.tx, ctx.player_id)
    reply = Reply(effects=frozenset({"plays_on"}))
    tables, is_here = 0, False
    for row, game in tables_of(ctx):
        seat = game.seats[row.seat]
        stays = seat.time.absence is not None and seat.time.absence.began and not ends_absence
        if seat.computer and not seat.gone and not stays:
            is_back = ctx.command_at(row, Return(seat=row.seat), received).events > 0
            withdraw_offers(ctx.tx, row.game_id, row.seat)
            tables += is_back
            is_here |= is_back and row.game_id == ctx.game_id
    if not tables:
        return reply
    # Whoever was away has not seen what the computer did, nor what it left them with.
    why = phrase("people.back.one") if tables == 1 else phrase("people.back.many", count=tables)
    line = AnsweredLine(text="", verdict="done", why=why)
    effects: frozenset[Effect] = frozenset({"plays_on", "came_back", "changed"})
    return Reply((line,), show=("resend",) if is_here else (), effects=effects)


def still_stopped(ctx: OrderContext, reply: Reply) -> Reply:
    """Tell a player who wrote, and wants no mail, that this is still so: it takes an order to change it."""
    rows = ctx.tx.addresses(ctx.player_id)
    is_off = any(row.stopped == "asked" for row in rows) and all(row.stopped for row in rows)
    if not is_off or reply.asks or not reply.effects.isdisjoint({"plays_on", "leaves"}):
        return Reply()
    is_away = any(_is_played(row, game) for row, game in tables_of(ctx))
    why = phrase("people.stopped.still_away") if is_away else phrase("people.stopped.still")
    return Reply((AnsweredLine(text="", verdict="ignored", why=why, code=STILL_STOPPED),))


def leave_all(ctx: OrderContext, received: ReceivedOrder, *, for_good: bool) -> list[Left]:
    """Leave every table that still plays or waits for its players; those that were left just now."""
    left: list[Left] = []
    for row, game in tables_of(ctx):
        forget_orders(ctx.tx, row)
        seat = game.seats[row.seat]
        plays_on = seat.computer and seat.time.absence is None
        if not game.is_in(row.seat) or (plays_on and not for_good):
            continue
        if ctx.command_at(row, Leave(seat=row.seat, for_good=for_good), received).events:
            left.append((row, game))
    return left


def label_of(reader: Reader, row: SeatRow) -> str:
    """The name of a table, if it has one, and its id."""
    game = reader.game(row.game_id)
    return plain(f"{game.table_name if game is not None else ''} {row.game_id}").strip()


def tables_of(ctx: OrderContext) -> list[tuple[SeatRow, Game]]:
    """The player's seats in games that are not over."""
    rows = readable(ctx.tx, ctx.tx.seats_of(ctx.player_id))
    return [(row, ctx.service.load(ctx.tx, row.game_id)) for row in rows if _is_open(ctx.tx, row.game_id)]


def _is_played(row: SeatRow, game: Game) -> bool:
    """Return True if the computer plays there for a player who may come back."""
    return game.phase != "inviting" and game.seats[row.seat].computer and not game.seats[row.seat].gone


def _is_open(reader: Reader, game_id: str) -> bool:
    game = reader.game(game_id)
    return game is not None and game.kind == "played" and not game.is_over
