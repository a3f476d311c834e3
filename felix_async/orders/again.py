"""Moves that come twice: whoever hears nothing of a move sends it again, to the same letter.

It is told as done, and nothing changes: to refuse it would say that it was not done the first time.
"""

from __future__ import annotations

from typing import Final

import orjson

from felix_async.game.commands import Bid, Move, Pass, Play
from felix_async.game.folding import apply
from felix_async.game.moment import waits_in_auction
from felix_async.game.state import initial_state
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done
from felix_events.envelope import decode_events
from felix_events.model import BidPlaced, CardPlaced, Event, PlayerPassed

_PLAYERS: Final = ("seat", "host")


def done_before(ctx: OrderContext, received: ReceivedOrder) -> Reply | None:
    """Answer a move that its seat has made at the decision that it is for, or a bid that it leads with; None
    for another one.
    """
    order = received.order
    move = order.move(ctx.seat)
    if move is None or received.is_confirmed:
        return None
    if move not in (_bid_that_leads(ctx), _move_made(ctx, received.turn)):
        return None
    card = ctx.standing.card
    if order.next is not None and (card is None or card.order.card != order.next):
        return None
    return done(received, phrase("people.stands.again", order=str(order)))


def _bid_that_leads(ctx: OrderContext) -> Move | None:
    """Return the highest bid if it is the seat's own: that cannot be meant as a new one."""
    game, bid = ctx.game, ctx.game.seats[ctx.seat].bid
    leads = waits_in_auction(game, ctx.seat) and bid == game.high_bid > 0
    return Bid(seat=ctx.seat, amount=bid) if leads else None


def _move_made(ctx: OrderContext, turn: int | None) -> Move | None:
    """Return the move that the seat's player has made at a decision, the last one if there were more; None if
    it is still open, or was made otherwise.
    """
    seat, now = ctx.seat, ctx.game
    newest = now.seats[seat].turn
    is_open = turn == newest and (now.phase == "placing" or now.to_move == seat)
    if turn is None or turn > newest or is_open:
        return None
    game, made = initial_state(), None
    bodies = ctx.tx.bodies(ctx.game_id)
    for body, event in zip(bodies, decode_events(bodies), strict=True):
        move = _move_in(event, seat)
        if move is not None and game.seats[seat].turn == turn and orjson.loads(body)["actor"] in _PLAYERS:
            made = move
        apply(game, event)
    return made


def _move_in(event: Event, seat: int) -> Move | None:
    match event:
        case CardPlaced() if event.seat == seat:
            return Play(seat=seat, card=event.card)
        case BidPlaced() if event.seat == seat:
            return Bid(seat=seat, amount=event.amount)
        case PlayerPassed() if event.seat == seat:
            return Pass(seat=seat)
    return None


def last_move(ctx: OrderContext) -> Order | None:
    """Return what the writer has done in this round, the latest of it; None if nothing."""
    seat, phase = ctx.game.seats[ctx.seat], ctx.game.phase
    if phase == "bidding" and (seat.passed or seat.bid):
        return Order("PASS") if seat.passed else Order("BID", amount=seat.bid)
    return (
        Order("PLAY", card=seat.placed)
        if phase in ("placing", "bidding") and seat.placed is not None
        else None
    )
