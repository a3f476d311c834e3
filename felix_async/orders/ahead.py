"""UP TO, NEXT, ORDERS and DROP, and a move before its time: what a seat says in advance.

A move that is asked for is done now, by `felix_async.orders.moves`. Else it is kept in the seat's own log, as
all is that is for later; the answer says what it will do, and nobody else hears of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final, Literal

import orjson

from felix_async.game.ahead import LAST_CHOSEN, Ahead, Given
from felix_async.game.cards import card_text, in_order
from felix_async.game.commands import Give, Move, Pass, Play
from felix_async.game.moment import waits_in_auction
from felix_async.game.preview import previewed
from felix_async.game.rules import Refusal, is_for_computer, why_not
from felix_async.game.state import Game
from felix_async.language.grammar import Order, read_line
from felix_async.language.order import order_of
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.moves import bought_by, move, what_passing_brought
from felix_async.orders.questions import forget_orders, take_back, waiting_order
from felix_async.text import plain
from felix_events.envelope import Actor, decode_events
from felix_events.model import BidPlaced, CardPlaced, Event, OrderKind, PlayerPassed, RoundStarted

_DROP: Final = "DROP"
_MOST_CARDS: Final = 3
"""Cards that are offered instead of one that cannot be the next."""
_OWN: Final = {BidPlaced.type: "bid", PlayerPassed.type: "passed", CardPlaced.type: "placed"}
"""The events that an order makes -> how it is told that this was done already."""


@dataclass(frozen=True, slots=True)
class Said:
    """An order taken apart: what it says in advance, and the move that it makes beside that, now."""

    gives: tuple[Give, ...] = ()
    move: Move | None = None


def said_by(game: Game, seat: int, order: Order) -> Said:
    """Take an order apart for a seat; a BID or a PASS before its time is said in advance.

    >>> game = Game(phase="placing")
    >>> said_by(game, 2, Order("PASS", next=11)).gives
    (Give(seat=2, kind='next', first=None, limit=None, then='pass', card=11),)
    """
    gives: list[Give] = []
    now = order.move(seat)
    if order.limit is not None:
        gives.append(
            Give(seat=seat, kind="bid", first=order.amount, limit=order.limit, then=_then(order.asks))
        )
    elif now is not None and waits_in_auction(game, seat) and order.word in ("BID", "PASS"):
        kind: OrderKind = "pass" if isinstance(now, Pass) else "bid"
        gives.append(Give(seat=seat, kind=kind, first=order.amount, then=_then(kind == "bid")))
        now = None
    if order.next is not None:
        gives.append(Give(seat=seat, kind="next", card=order.next))
    return Said(tuple(gives), now)


def _then(asks: bool) -> Literal["pass", "ask"]:
    return "ask" if asks else "pass"


def said_command(ctx: OrderContext, order: Order) -> Move | Said | Refusal:
    """The command of a move, or of what is said in advance, at the host's desk."""
    said = said_by(ctx.game, ctx.seat, order)
    return said.move if not said.gives and said.move is not None else _refuse(ctx, order) or said


def decide(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Do a move, or keep what is said in advance, or both; if either is refused, neither is done."""
    order, before = received.order, ctx.game
    if order.next is not None and order.word != "NEXT" and before.round >= LAST_CHOSEN:
        return _without_next(ctx, received)
    said = said_by(before, ctx.seat, order)
    stood = ctx.standing
    if not said.gives:
        reply = move(ctx, received)
        is_play = isinstance(said.move, Play)
        return _without_card(ctx, stood.card, reply) if is_play and stood.card is not None else reply
    refusal = _refuse(ctx, order)
    if refusal is None:
        outcome = ctx.instruct(said.gives, said.move, received, received.turn)
        refusal = outcome.refusal
    if refusal is not None:
        return replace(refused(received, refusal), offers=_instead(before, ctx.seat, order, refusal))
    forget_orders(ctx.tx, ctx.row)
    stands = ctx.standing
    kinds = {give.kind == "next" for give in said.gives}
    does = zip(stands.given, previewed(stands, ctx.game, ctx.seat), strict=True)
    told = [_at_once(ctx, before.version)]
    told += [words for given, words in does if (given.order.kind == "next") in kinds]
    told.append(_replaced(said, stood, stands, before))
    reply = done(received, " ".join(filter(None, told)), changed=True)
    return replace(reply, offers=_offers(stands, ctx.game))


def _without_next(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Do the rest of an order that names a card for a round in which nobody chooses one, and say so."""
    reply = decide(ctx, replace(received, order=replace(received.order, next=None)))
    line, *others = reply.lines
    if line.verdict != "done":
        return reply
    told = line.model_copy(update={"why": f"{line.why} {phrase('people.ahead.last_card')}"})
    return replace(reply, lines=(told, *others), effects=reply.effects - {"plain"})


def orders(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Show what the writer has said in advance and still counts; first an order that was taken and waits."""
    stands, game = ctx.standing, ctx.game
    told = previewed(stands, game, ctx.seat)
    waiting = waiting_order(ctx.tx, ctx.game_id, ctx.seat)
    waits = [] if waiting is None else [phrase("people.ahead.waits", order=waiting.text)]
    if not told and not waits:
        return done(received, phrase("people.ahead.none"))
    # A card is named by what is said of it.
    shown = [
        does if given.order.kind == "next" else f"{_left_of(given, game)}: {does}"
        for given, does in zip(stands.given, told, strict=True)
    ]
    return replace(done(received, "\n".join(waits + shown)), offers=_offers(stands, game) or (_DROP,))


def drop(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Forget what the writer has said in advance, or the one order that is named.

    An order that was taken from plain words and is not done yet is forgotten, too. Say so if some of it was
    done before that.
    """
    if ctx.game.phase not in ("placing", "bidding"):
        refusal = why_not(Pass(seat=ctx.seat), ctx.game)
        assert refusal is not None, "nobody passes at a table that does not play"
        return refused(received, refusal)
    actor: Actor = "host" if ctx.source.channel == "desk" else "seat"
    origin = ctx.origin(received.command_id, actor, str(received.order), received.turn, received.text)
    game, named = ctx.game, received.order.text
    waiting = waiting_order(ctx.tx, ctx.game_id, ctx.seat)
    waited = take_back(ctx.tx, ctx.row) if waiting is not None and _is_meant(named, waiting.text) else ""
    only = [given for given in ctx.standing.given if _is_meant(named, str(order_of(given.order)))]
    dropped = ctx.service.drop_orders(ctx.tx, ctx.game_id, ctx.seat, "asked", origin, only=only)
    gone = list(dict.fromkeys(filter(None, [waited, *_texts_of(dropped, game)])))
    told = [phrase("people.ahead.dropped", orders=gone)] if gone else []
    left = ctx.standing
    if left.given and not gone:
        told.append(phrase("people.ahead.not_said", order=named))
    if left.given:
        told.append(phrase("people.ahead.left", orders=_texts_of(left.given, game)))
    told = [*(told or [phrase("people.ahead.none")]), "" if actor == "host" else _crossed(ctx)]
    reply = done(received, " ".join(filter(None, told)), changed=bool(gone))
    return replace(reply, offers=_offers(left, game))


def _is_meant(named: str, said: str) -> bool:
    """Return True if an order is of a kind with one behind a DROP, whatever its number; '' means them all."""
    return not named or not _kinds_of(named).isdisjoint(_kinds_of(said))


def _kinds_of(text: str) -> set[str]:
    order = read_line(text)
    assert isinstance(order, Order), "felix has written it"
    return {
        kind for kind, is_it in (("auction", order.word != "NEXT"), ("card", order.next is not None)) if is_it
    }


def _refuse(ctx: OrderContext, order: Order) -> Refusal | None:
    """Return why an order is refused before the game is asked about it."""
    game = ctx.game
    if game.phase in ("placing", "bidding") and is_for_computer(Pass(seat=ctx.seat), game):
        return Refusal("seat/gone")
    if order.next is not None and order.next == order.card:
        return Refusal("next/played_now", {"card": plain(card_text(order.next))})
    return None


# ---- what is told -----------------------------------------------------------------------------------


def _at_once(ctx: OrderContext, version: int) -> str:
    """Tell the move that the writer has made with this order since this version, '' if none."""
    bodies = ctx.tx.bodies(ctx.game_id, after=version)
    for number, event in enumerate(decode_events(bodies)):
        if isinstance(event, BidPlaced) and event.seat == ctx.seat:
            now = phrase("people.ahead.bid_now", amount=event.amount)
            return bought_by(_step_at(bodies, number), ctx.seat) or now
        if isinstance(event, CardPlaced) and event.seat == ctx.seat:
            return DONE["PLAY"]
        if isinstance(event, PlayerPassed) and event.seat == ctx.seat:
            return what_passing_brought(_step_at(bodies, number), ctx.seat)
    return ""


def told_at_desk(ctx: OrderContext, version: int) -> str:
    """Tell what has been said for a seat since this version, in the words that its player would read."""
    told = [_at_once(ctx, version), *previewed(ctx.standing, ctx.game, ctx.seat)]
    return " ".join(filter(None, told))


def _step_at(bodies: Sequence[bytes], number: int) -> list[Event]:
    """Return a move and what the rules made of it, without the moves of others behind it."""
    actors = (orjson.loads(body)["actor"] for body in bodies[number + 1 :])
    by_rules = sum(1 for _ in takewhile(lambda actor: actor == "rules", actors))
    return decode_events(bodies[number : number + 1 + by_rules])


def _left_of(given: Given, game: Game) -> Order:
    """Return what is left of an order: a first bid that is made, or passed, is none any more."""
    order = order_of(given.order)
    is_over = order.limit is not None and order.amount is not None and order.amount <= game.high_bid
    return Order("UPTO", limit=order.limit, asks=order.asks) if is_over else order


def _texts_of(given: Iterable[Given], game: Game) -> list[str]:
    return [str(_left_of(one, game)) for one in given]


def _replaced(said: Said, stood: Ahead, stands: Ahead, game: Game) -> str:
    """Say which order these have taken the place of, '' if there was none, or it was the same."""
    kinds = {give.kind == "next" for give in said.gives}
    pairs = [(stood.auction, stands.auction, False in kinds), (stood.card, stands.card, True in kinds)]
    gone = [
        str(_left_of(before, game))
        for before, after, is_new in pairs
        if is_new
        and before is not None
        and (after is None or order_of(before.order) != order_of(after.order))
    ]
    return phrase("people.ahead.instead", order=gone) if gone else ""


def _without_card(ctx: OrderContext, card: Given, reply: Reply) -> Reply:
    """Say so if the card for the next round was played now."""
    played = ctx.game.seats[ctx.seat].placed
    if "changed" not in reply.effects or played is None or played != card.order.card:
        return reply
    (line,) = reply.lines
    told = f"{line.why} {phrase('people.ahead.lies_now')}"
    told_of = reply.effects - {"plain"}
    return replace(reply, lines=(line.model_copy(update={"why": told}),), effects=told_of)


def _crossed(ctx: OrderContext) -> str:
    """Say that the newest move of the writer in this round was made by an order, if it was so.

    It says which came first, that or the message.
    """
    rows = ctx.tx.log(ctx.game_id)
    events = decode_events([row.body for row in rows])
    for row, event in zip(reversed(rows), reversed(events), strict=True):
        if isinstance(event, RoundStarted):
            return ""
        how = _OWN.get(event.type) if getattr(event, "seat", None) == ctx.seat else None
        if how is None:
            continue
        if how == "placed" and ctx.game.phase != "placing":
            # It lies open by now, or will: nothing can be done about it.
            return ""
        if row.private_record is None or orjson.loads(row.private_record)["channel"] != "order":
            return ""
        mail = ctx.tx.mail(ctx.source.mail_id)
        is_after = mail is None or orjson.loads(row.body)["at"] <= mail.received_at
        when = "after" if is_after else "before"
        return phrase(f"people.ahead.crossed.{how}_{when}", amount=getattr(event, "amount", 0))
    return ""


# ---- what is offered --------------------------------------------------------------------------------


def _offers(stands: Ahead, game: Game) -> tuple[str, ...]:
    """The other way to go on above a limit, and DROP."""
    if not stands.given:
        return ()
    limits = [_left_of(one, game) for one in stands.given if one.order.limit is not None]
    return (*(str(replace(order, asks=not order.asks)) for order in limits), _DROP)


def still_offered(offers: Sequence[str], stands: Ahead) -> tuple[str, ...]:
    """Return those of the offers of a message that are not about an order which a later line has dropped."""
    gone = {_DROP} if not stands.given else set()
    if _DROP in offers and stands.auction is None:
        gone |= {offer for offer in offers if (order := read_line(offer)) and getattr(order, "limit", None)}
    return tuple(offer for offer in offers if offer not in gone)


def _instead(game: Game, seat: int, order: Order, refusal: Refusal) -> tuple[str, ...]:
    """The nearest orders that would be taken."""
    mice, least = game.seats[seat].mice, game.high_bid + 1
    match refusal.code:
        case "ahead/above_mice":
            return _texts([replace(order, limit=mice), Order("PASS", next=order.next)])
        case "ahead/too_low":
            return _texts([Order("UPTO", limit=least, asks=order.asks, next=order.next), Order("PASS")])
        case "ahead/limit_below_bid":
            return _texts([replace(order, limit=None, asks=False), replace(order, limit=order.amount)])
        case "ahead/too_many":
            return _texts([Order("ORDERS")])
        case "next/in_row" | "next/played_now" | "next/not_in_hand":
            hand = [card for card in in_order(game.seats[seat].hand) if card != order.card]
            near = sorted(hand, key=lambda card: _distance(card, order.next))[:_MOST_CARDS]
            return _texts(replace(order, next=card) for card in near)
    if order.next is not None and order.next in game.seats[seat].hand and game.round < LAST_CHOSEN:
        return _texts([Order("NEXT", next=order.next)])
    return ()


def _distance(card: object, wanted: object) -> float:
    if isinstance(card, int) and isinstance(wanted, int):
        return abs(card - wanted)
    return 0 if card == wanted else 99


def _texts(orders: Iterable[Order]) -> tuple[str, ...]:
    return tuple(map(str, orders))
