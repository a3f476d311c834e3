"""JOIN, DECLINE, PLAY, BID and PASS: the orders that the table waits for."""

from __future__ import annotations

from itertools import dropwhile, takewhile

from felix_async.draw import contribution
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.commands import Decline, Join, SeatCommand
from felix_async.game.narrate import describe
from felix_async.game.views import redact
from felix_async.language.grammar import Order
from felix_async.language.words import ALREADY_DONE, CONTRIBUTED, DONE
from felix_async.orders.context import OrderContext, ReceivedOrder, done, refused
from felix_async.orders.hosting import who_is_in
from felix_async.orders.questions import forget_orders
from felix_async.service import Outcome
from felix_events.envelope import decode_events
from felix_events.model import CardsTurned, PlayerPassed


def command_of(order: Order, seat: int, message_id: str) -> SeatCommand:
    """The command of an order that asks for something; a JOIN's own words go into the draw.

    Raises ValueError for an order that is no command of a seat.
    """
    if order.word == "JOIN":
        return Join(seat=seat, contribution=contribution(message_id, order.text))
    move = Decline(seat=seat) if order.word == "DECLINE" else order.move(seat)
    if move is None:
        raise ValueError(f"{order.word} is no command of a seat")
    return move


def obey_move(ctx: OrderContext, received: ReceivedOrder, turn: int) -> AnsweredLine:
    """Do the order, which answers this turn."""
    message_id = ctx.letter.message_id
    outcome = ctx.command(command_of(received.order, ctx.seat, message_id), received, turn)
    if outcome.events:
        forget_orders(ctx.tx, ctx.writer)
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    ctx.obeyed.goes |= received.order.word == "DECLINE"
    why = DONE[received.order.word] if outcome.events else ALREADY_DONE
    if received.order.word == "JOIN" and outcome.events:
        small = CONTRIBUTED.format(hash=contribution(message_id, received.order.text))
        return done(received, " ".join(filter(None, [why, who_is_in(ctx)])), small)
    if received.order.word == "PASS" and outcome.events:
        return done(received, _what_passing_brought(ctx, outcome))
    return done(received, why)


def _what_passing_brought(ctx: OrderContext, outcome: Outcome) -> str:
    """The mice that were taken, and what was turned over then: what everybody sees of it."""
    bodies = ctx.tx.bodies(ctx.game_id, after=outcome.version - outcome.events)[: outcome.events]
    # What comes of it for the round, the next mail tells; others who pass in it are no part of this.
    events = dropwhile(lambda event: not isinstance(event, PlayerPassed), decode_events(bodies))
    step = takewhile(lambda event: isinstance(event, PlayerPassed | CardsTurned), events)
    told = [event for event in step if not isinstance(event, PlayerPassed) or event.seat == ctx.seat]
    return " ".join(describe(redact(event, ctx.seat), (), you=ctx.seat) for event in told)
