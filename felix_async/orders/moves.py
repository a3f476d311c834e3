"""JOIN, DECLINE, PLAY, BID and PASS, when the table waits for them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import dropwhile, takewhile

from felix_async.draw import contribution
from felix_async.game.commands import Decline, Join, SeatCommand
from felix_async.game.narrate import describe
from felix_async.game.views import redact
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import ALREADY_DONE, CONTRIBUTED, DONE, MOVES
from felix_async.orders.context import Effect, OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.hosting import who_is_in
from felix_async.orders.questions import forget_orders, waiting_order
from felix_events.envelope import decode_events
from felix_events.model import CardsTurned, Event, PlayerPassed, SackSold


def move_command(ctx: OrderContext, order: Order) -> SeatCommand:
    """The command of the order; a JOIN's own words go into the draw."""
    match order.word:
        case "JOIN":
            return Join(seat=ctx.seat, contribution=contribution(ctx.source.message_id, order.text))
        case "DECLINE":
            return Decline(seat=ctx.seat)
    move = order.move(ctx.seat)
    assert move is not None, "the grammar reads no other moves"
    return move


def move(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Do the order for the decision that it answers."""
    order = received.order
    is_correction = ctx.game.seats[ctx.seat].has_placed if order.word == "PLAY" else False
    is_correction |= waiting_order(ctx.tx, ctx.game_id, ctx.seat) is not None
    outcome = ctx.command(move_command(ctx, order), received, received.turn)
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    forget_orders(ctx.tx, ctx.row)
    leaves: tuple[Effect, ...] = ("leaves",) if order.word == "DECLINE" else ()
    if not outcome.events:
        return done(received, ALREADY_DONE, effects=leaves)
    why, small, has_bought = DONE[order.word], "", False
    if order.word == "JOIN":
        small = CONTRIBUTED.format(hash=contribution(ctx.source.message_id, order.text))
        why = " ".join(filter(None, [why, who_is_in(ctx)]))
    elif order.word in ("PASS", "BID"):
        bodies = ctx.tx.bodies(ctx.game_id, after=outcome.version - outcome.events)[: outcome.events]
        tell = what_passing_brought if order.word == "PASS" else bought_by
        brought = tell(decode_events(bodies), ctx.seat)
        why, has_bought = brought or why, bool(brought) and order.word == "BID"
    is_plain = not is_correction and _is_plain(ctx, received, has_bought=has_bought)
    plain: tuple[Effect, ...] = ("plain",) if is_plain else ()
    return done(received, why, small=small, changed=True, effects=(*leaves, *plain))


def _is_plain(ctx: OrderContext, received: ReceivedOrder, *, has_bought: bool) -> bool:
    """Return True if an exact move has come to just what its writer expects.

    A bid that has bought the sack is more than that, unless its writer is asked for something again, or the
    game is over: then a letter tells of it. One that was topped at once is not: a receipt would tell its
    writer that somebody had said so in advance, and had not written just then.
    """
    if received.order.word not in MOVES or received.is_confirmed or received.words:
        return False
    return not has_bought or ctx.seat in ctx.game.asked or ctx.game.is_over


def bought_by(events: Iterable[Event], seat: int) -> str:
    """Tell a bidder that the sack is theirs at once, as nobody can go higher; '' if it is not.

    That others had said in advance that they pass is no part of their own step, and not told here.
    """
    sold = next((event for event in events if isinstance(event, SackSold)), None)
    is_theirs = sold is not None and sold.seat == seat
    return phrase("people.ahead.bought", amount=sold.price) if sold is not None and is_theirs else ""


def what_passing_brought(events: Iterable[Event], seat: int) -> str:
    """The mice that were taken, and what was turned over then: what everybody sees of it."""
    # The next message tells what comes of it for the round; others who pass in it are no part of this.
    passed = dropwhile(lambda event: not isinstance(event, PlayerPassed), events)
    step = takewhile(lambda event: isinstance(event, PlayerPassed | CardsTurned), passed)
    told = [event for event in step if not isinstance(event, PlayerPassed) or event.seat == seat]
    return " ".join(describe(redact(event, seat), (), you=seat) for event in told)
