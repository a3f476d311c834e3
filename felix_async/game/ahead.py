"""Orders given in advance: what a seat has said that it will do, and the move that follows now. Pure.

They live in the seat's own log, where nobody else sees them (`felix_events.seats`). At most two of a seat
stand at a time: one for the auction, and a card for the next round. A bid holds as long as no card turns, a
pass for the round, a card for the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from felix_async.game.cards import ROUNDS, card_text
from felix_async.game.commands import Bid, Give, Move, Pass, Play
from felix_async.game.state import Game
from felix_async.game.table import Refusal
from felix_async.text import plain
from felix_events.envelope import Actor, Envelope
from felix_events.model import OrderDone, OrderDropped, OrderGiven

LAST_CHOSEN: Final = ROUNDS - 1
"""The last round for which a card is chosen: in the one after it, the rules place what is left."""


@dataclass(frozen=True, slots=True)
class Given:
    """An order that was given, its version in the seat's own log, and who gave it: the seat, or its host."""

    version: int
    order: OrderGiven
    actor: Actor = "seat"


@dataclass(frozen=True, slots=True)
class Ahead:
    """The newest orders of a seat that nothing has dropped or done: for the auction, and a card to come.

    They may be outdated by now: `holds` asks the game.
    """

    auction: Given | None = None
    card: Given | None = None

    @property
    def given(self) -> tuple[Given, ...]:
        """Both, as far as there are any."""
        return tuple(one for one in (self.auction, self.card) if one is not None)


@dataclass(frozen=True, slots=True)
class Step:
    """The move that an order makes now, and whether the order `ends` with it."""

    move: Move
    by: Given
    ends: bool


NOTHING: Final = Ahead()


def ahead_of(envelopes: Iterable[Envelope], until: int | None = None) -> Ahead:
    """Return the orders that stand after these events of a seat's own log.

    With `until`, after those that were kept before the game's own log was longer than that.
    """
    auction: Given | None = None
    card: Given | None = None
    for envelope in envelopes:
        event = envelope.data
        if not isinstance(event, OrderGiven | OrderDropped | OrderDone):
            continue
        # One that is done was there until its last move, which comes after it.
        if until is not None and event.size + isinstance(event, OrderDone) > until:
            break
        if isinstance(event, OrderGiven):
            given = Given(envelope.version, event, envelope.actor)
            auction, card = (auction, given) if event.kind == "next" else (given, card)
            continue
        auction = None if auction is not None and auction.version == event.order else auction
        card = None if card is not None and card.version == event.order else card
    return Ahead(auction, card)


def given_by(command: Give, game: Game) -> OrderGiven:
    """Return the event of an order that is given now."""
    return OrderGiven(
        seat=command.seat,
        size=game.version,
        round=game.round,
        turned=len(game.turned),
        kind=command.kind,
        first=command.first,
        limit=command.limit,
        then=command.then,
        card=command.card,
    )


def refuse_order(command: Give, game: Game) -> Refusal | None:
    """Return why this cannot be said in advance now, None if it can."""
    if game.phase == "new":
        return Refusal("game/unknown")
    if game.phase == "inviting":
        return Refusal("game/not_started")
    if game.is_over:
        return Refusal("game/over")
    if command.seat not in game.players:
        return Refusal("seat/not_playing")
    if game.seats[command.seat].gone:
        return Refusal("seat/gone")
    return _refuse_card(command, game) if command.kind == "next" else _refuse_in_auction(command, game)


def holds(given: Given, game: Game) -> bool:
    """Return True if an order still has something to do, now or later."""
    order, seat = given.order, game.seats[given.order.seat]
    if game.is_over:
        return False
    if order.kind == "next":
        is_next = order.round + 1 == game.round and game.phase == "placing" and not seat.has_placed
        return order.round == game.round or (is_next and order.card in seat.hand)
    is_now = game.phase == "bidding" and order.round == game.round and not seat.passed
    if order.kind == "pass":
        # The last seat's sack costs a mouse: that is asked.
        return is_now and game.bidders != [order.seat]
    return is_now and order.turned == len(game.turned)


def standing(ahead: Ahead, game: Game) -> Ahead:
    """Return the orders that still hold."""
    return Ahead(*(one if one and holds(one, game) else None for one in (ahead.auction, ahead.card)))


def has_ended(given: Given, game: Game) -> bool:
    """Return True if a card has turned since a seat said how far it bids in the auction that goes on."""
    order = given.order
    is_now = game.phase == "bidding" and (order.round, order.kind) == (game.round, "bid")
    return is_now and order.turned < len(game.turned) and not game.seats[order.seat].passed


def answers(ahead: Ahead, game: Game, seat: int) -> bool:
    """Return True if nobody need be asked for this seat's next decision in the auction, as it stands now.

    An order answers it, or the rules will: whoever has too few mice to bid can only pass.
    """
    if game.must_pass(seat):
        return True
    return ahead.auction is not None and _in_auction(ahead.auction, game, seat) is not None


def next_step(ahead: Mapping[int, Ahead], game: Game) -> Step | None:
    """Return the move that is made by an order now; None if the table waits, for somebody or for no one."""
    if game.paused_until or game.phase not in ("placing", "bidding"):
        return None
    for seat in game.asked:
        step = _step_of(ahead.get(seat, NOTHING), game, seat)
        if step is not None:
            return step
    return None


def _step_of(ahead: Ahead, game: Game, seat: int) -> Step | None:
    if game.phase == "bidding":
        return None if ahead.auction is None else _in_auction(ahead.auction, game, seat)
    given = ahead.card
    if given is None or given.order.round == game.round or not holds(given, game):
        return None
    assert given.order.card is not None, "checked as it was given"
    return Step(Play(seat=seat, card=given.order.card), given, ends=True)


def _in_auction(given: Given, game: Game, seat: int) -> Step | None:
    """Return what an order does if it is the seat's turn; None if the seat is asked."""
    if not holds(given, game):
        return None
    order, least = given.order, game.high_bid + 1
    if order.kind == "pass":
        return Step(Pass(seat=seat), given, ends=True)
    if order.first is not None and least <= order.first:
        return Step(Bid(seat=seat, amount=order.first), given, ends=order.limit is None)
    if order.limit is None:
        return None
    if least <= order.limit:
        return Step(Bid(seat=seat, amount=least), given, ends=False)
    return Step(Pass(seat=seat), given, ends=True) if order.then == "pass" else None


def _refuse_card(command: Give, game: Game) -> Refusal | None:
    assert command.card is not None, "a card is what this is about"
    if game.round >= LAST_CHOSEN:
        return Refusal("next/last_round")
    seat = game.seats[command.seat]
    if command.card == seat.placed and command.card not in seat.hand:
        return Refusal("next/in_row", {"card": plain(card_text(command.card))})
    if command.card not in seat.hand:
        return Refusal("next/not_in_hand", {"card": plain(card_text(command.card))})
    return None


def _refuse_in_auction(command: Give, game: Game) -> Refusal | None:
    seat, least = game.seats[command.seat], game.high_bid + 1
    if game.phase != "bidding":
        return Refusal("auction/card_lies") if seat.has_placed else Refusal("auction/not_open")
    if seat.passed:
        return Refusal("turn/already_passed")
    if command.kind == "pass":
        return None
    if seat.mice < least:
        details: dict[str, int] = {"mice": seat.mice, "least": least}
        if game.options.forced_pass:
            return Refusal("ahead/too_poor", details)
        return Refusal("bid/too_poor", details) if seat.mice else Refusal("bid/no_mice")
    first, limit = command.first, command.limit
    if first is not None and limit is not None and limit < first:
        return Refusal("ahead/limit_below_bid", {"bid": first, "limit": limit})
    most, is_limit = (limit, True) if limit is not None else (first or 0, False)
    if most > seat.mice:
        above: dict[str, int] = {"amount": most, "mice": seat.mice}
        return Refusal("ahead/above_mice", above) if is_limit else Refusal("bid/above_mice", above)
    if most < least:
        low: dict[str, int] = {"amount": most, "least": least}
        return Refusal("ahead/too_low", low) if is_limit else Refusal("bid/too_low", low)
    if first is not None and first < 1:
        return Refusal("bid/too_low", {"amount": first, "least": least})
    if game.bidders == [command.seat] and (first or 0) > 1:
        return Refusal("bid/last_pays_one")
    return None
