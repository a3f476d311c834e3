"""The orders about a player rather than the table: SAY, STOP, NOTIFY, TIMEZONE, AWAY, FORGET ME and so on."""

from __future__ import annotations

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.orders.address_change import move_address
from felix_async.orders.away import away
from felix_async.orders.clocks import quiet, timezone
from felix_async.orders.context import OrderContext, ReceivedOrder, refused
from felix_async.orders.forget_me import forget_me
from felix_async.orders.leaving import resign, stop
from felix_async.orders.preferences import hear, is_about_hearing, notify
from felix_async.orders.questions import forget_orders
from felix_async.orders.say import say


def obey_person(ctx: OrderContext, received: ReceivedOrder, confirmed: int | None) -> AnsweredLine:
    """Do the order; `confirmed` is the turn at which it was asked whether it is meant, None where it was not.

    RESIGN is done for the turn that it was asked at, as a move is, unless the computer makes the moves.
    Nobody who wants to be forgotten has to keep up with a game.
    """
    if received.order.word == "RESIGN" and confirmed not in (None, ctx.turn) and not _is_away(ctx):
        return refused(received, Refusal("turn/stale"))
    if received.order.word == "STOP":
        forget_orders(ctx.tx, ctx.writer)
    match received.order.word:
        case "SAY" if is_about_hearing(received):
            return hear(ctx, received)
        case "SAY":
            return say(ctx, received)
        case "STOP":
            return stop(ctx, received)
        case "RESIGN":
            return resign(ctx, received, confirmed)
        case "NOTIFY":
            return notify(ctx, received)
        case "TIMEZONE":
            return timezone(ctx, received)
        case "QUIET":
            return quiet(ctx, received)
        case "AWAY":
            return away(ctx, received)
        case "ADDRESS":
            return move_address(ctx, received)
        case _:
            return forget_me(ctx, received, confirmed)


def _is_away(ctx: OrderContext) -> bool:
    """Whether the turns of this seat go by without its player."""
    return ctx.game.seats[ctx.seat].computer
