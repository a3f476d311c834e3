"""Tell a seat what it has said in advance, and what that will do: from its own view, and for it alone."""

from __future__ import annotations

from collections.abc import Iterator

from felix_async.game.ahead import Ahead, Given, holds
from felix_async.game.cards import card_text
from felix_async.game.state import Game
from felix_async.game.views import View, view
from felix_async.language.phrases import phrase


def previewed(ahead: Ahead, game: Game, seat: int) -> list[str]:
    """Return what the orders of a seat will do that still hold, a sentence or two each."""
    table = view(game, seat)
    told = [_told(given, table) for given in ahead.given if holds(given, game)]
    return [" ".join(sentences) for sentences in told]


def _told(given: Given, table: View) -> Iterator[str]:
    match given.order.kind:
        case "bid":
            yield from _bid(given, table)
        case "pass":
            yield from _pass(given, table)
        case "next":
            yield from _next(given, table)


def _bid(given: Given, table: View) -> Iterator[str]:
    order, least = given.order, table.high_bid + 1
    above = phrase("people.ahead.asked") if order.then == "ask" else _passing(table)
    if order.first is not None and least <= order.first:
        if order.limit is None:
            yield phrase("people.ahead.first_only", first=order.first)
        else:
            yield phrase("people.ahead.first", first=order.first, limit=order.limit, above=above)
    elif order.limit is None or (least > order.limit and order.then == "ask"):
        yield phrase("people.ahead.overtaken", high=table.high_bid)
    elif table.high_bidder == order.seat:
        yield phrase("people.ahead.answers", limit=order.limit, above=above)
    elif least > order.limit:
        yield phrase("people.ahead.passes", above=above)
    else:
        yield phrase("people.ahead.raises", least=least, limit=order.limit, above=above)
    yield phrase("people.ahead.until")


def _pass(given: Given, table: View) -> Iterator[str]:
    if table.high_bidder == given.order.seat:
        yield phrase("people.ahead.gives_way", above=_passing(table))
        return
    yield phrase("people.ahead.passes", above=_passing(table))
    if not table.high_bid:
        yield phrase("people.ahead.last")


def _passing(table: View) -> str:
    """What passing is, and what it brings as long as nobody else passes before."""
    free = next((card for card in table.mouse_cards if not card.taken), None)
    if free is None or not free.mice:
        return phrase("people.ahead.pass_for_nothing")
    return phrase("people.ahead.pass", mice=free.mice)


def _next(given: Given, table: View) -> Iterator[str]:
    order = given.order
    assert order.card is not None, "checked as it was given"
    yield phrase("people.ahead.next", card=card_text(order.card), round=order.round + 1)
    is_open = len(table.players) > 3 and order.round == table.round
    if is_open and not table.seats[order.seat].passed:
        yield phrase("people.ahead.opens", card=card_text(order.card))
