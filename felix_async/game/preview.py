"""Tell a seat what it has said in advance, and what that will do: from its own view, and for it alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from felix_async.game.ahead import Ahead, Given, holds
from felix_async.game.cards import card_text
from felix_async.game.state import Game
from felix_async.game.views import View, view
from felix_async.language.phrases import phrase

_EXPLAINED: Final = 2
"""Rounds in which it is said that the card of whoever buys the sack lies open first."""


def previewed(ahead: Ahead, game: Game, seat: int) -> list[str]:
    """Return what the orders of a seat will do that still hold, a sentence or two each."""
    table = view(game, seat)
    told = [_told(given, table, ahead) for given in ahead.given if holds(given, game)]
    return [" ".join(sentences) for sentences in told]


def _told(given: Given, table: View, ahead: Ahead) -> Iterator[str]:
    if given.order.kind != "next" and _is_too_poor(table, given.order.seat, table.high_bid):
        yield _will_pass(given, table)
        return
    match given.order.kind:
        case "bid":
            yield from _bid(given, table)
        case "pass":
            yield from _pass(given, table)
        case "next":
            is_out = ahead.auction is not None and ahead.auction.order.kind == "pass"
            yield from _next(given, table, is_out=is_out or table.seats[given.order.seat].passed)


def _bid(given: Given, table: View) -> Iterator[str]:
    order, least = given.order, table.high_bid + 1
    # Above all of its mice there is nothing to ask: the rules pass for it.
    is_asked = order.then == "ask" and not _is_too_poor(table, order.seat, order.limit or order.first or 0)
    above = phrase("people.ahead.asked") if is_asked else _passing(table)
    if order.first is not None and least <= order.first:
        when = "leading" if table.high_bidder == order.seat else "coming"
        if order.limit is None:
            how = "ask" if is_asked else "pass"
            yield phrase(f"people.ahead.{when}_or.{how}", first=order.first, above=above)
        else:
            yield phrase(f"people.ahead.{when}_up_to", first=order.first, limit=order.limit, above=above)
    elif order.limit is None or (least > order.limit and order.then == "ask"):
        yield phrase("people.ahead.overtaken", high=table.high_bid)
    elif table.high_bidder == order.seat:
        yield phrase("people.ahead.answers", limit=order.limit, above=above)
    elif least > order.limit:
        yield phrase("people.ahead.passes", above=above)
    else:
        yield phrase("people.ahead.raises", limit=order.limit, above=above)
    yield phrase("people.ahead.until")


def _pass(given: Given, table: View) -> Iterator[str]:
    yield _will_pass(given, table)
    if not table.high_bid:
        yield phrase("people.ahead.last")


def _will_pass(given: Given, table: View) -> str:
    if table.high_bidder == given.order.seat:
        return phrase("people.ahead.gives_way", above=_passing(table))
    return phrase("people.ahead.passes", above=_passing(table))


def _is_too_poor(table: View, seat: int, high_bid: int) -> bool:
    """Return True if the rules pass for the viewer's seat at such a highest bid (`Game.must_pass`)."""
    return table.options.forced_pass and table.own[seat].mice <= high_bid


def _passing(table: View) -> str:
    """Tell that the seat passes, and the mice that it takes: more, if somebody else passes before it.

    Of two that are left nobody does, as the sack is the other's then.
    """
    free = next((card for card in table.mouse_cards if not card.taken), None)
    if free is None or not free.mice:
        return phrase("people.ahead.pass_for_nothing")
    others = sum(not table.seats[other].passed for other in table.players) - 1
    return phrase("people.ahead.pass_or_more" if others > 1 else "people.ahead.pass", mice=free.mice)


def _next(given: Given, table: View, *, is_out: bool) -> Iterator[str]:
    order = given.order
    assert order.card is not None, "checked as it was given"
    yield phrase("people.ahead.next", card=card_text(order.card), round=order.round + 1)
    is_new = order.round <= _EXPLAINED
    if is_new and len(table.players) > 3 and order.round == table.round and not is_out:
        yield phrase("people.ahead.opens", card=card_text(order.card))
