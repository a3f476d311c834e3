"""The few answers to a decision that are offered where none was done, the likeliest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.situation import Situation
from felix_events.model import Card

MOST: Final = 4
"""Answers that are offered at once."""
_FURTHER: Final = 2
"""Mice above the least bid, of a limit that is offered."""
_PASS: Final = Order("PASS")


def likely(situation: Situation, meant: Order | None = None) -> tuple[str, ...]:
    """Return two to four orders that are possible now, those next to the one that was meant first.

    One, or none, if there are no more. Whoever is not in turn is offered a limit, too.

    >>> likely(Situation("bidding", mice=15, high=6, least=7, most=15), Order("BID", amount=5))
    ('BID 7', 'BID 8', 'PASS')
    >>> likely(Situation("bidding", mice=15, high=6, least=7, most=15, is_early=True))
    ('PASS', 'UP TO 9', 'BID 7')
    """
    return tuple(map(str, _likely(situation, meant)))


def instead_of(situation: Situation, taken: Order) -> tuple[str, ...]:
    """Return two orders that may have been meant instead of the one that was taken, or fewer.

    >>> instead_of(Situation("bidding", mice=15, high=3, least=4, most=15), Order("BID", amount=4))
    ('BID 5', 'PASS')
    >>> instead_of(Situation("bidding", mice=15, high=3, least=4, most=15), Order("UPTO", limit=8))
    ('BID 8', 'PASS')
    """
    now, card = replace(taken, next=None), taken.next
    if taken.word == "NEXT":
        return tuple(text for text in likely(situation, taken) if text != str(taken))[:2]
    if taken.limit is not None:
        others = [one for one in (Order("BID", amount=taken.limit), _PASS) if situation.allows(one)]
    elif taken.amount is not None:
        more = (Order("BID", amount=taken.amount + 1), Order("BID", amount=taken.amount - 1), _PASS)
        bids = [order for order in more if situation.allows(order)]
        others = [bids[0], bids[-1]] if len(bids) > 1 else bids
    else:
        others = [order for order in _likely(situation, taken) if order != now][:2]
    if card is not None:
        others = [now, *(replace(order, next=card) for order in others[:1])]
    return tuple(map(str, others))


def offered(orders: Sequence[Order]) -> tuple[str, ...]:
    """Return the texts of these orders, as many as are offered at once."""
    return tuple(map(str, orders[:MOST]))


def _likely(situation: Situation, meant: Order | None) -> Sequence[Order]:
    possible = situation.possible
    if meant is not None and meant.word == "NEXT":
        return [Order("NEXT", next=card) for card in _nearest(situation.nexts, meant.next)[:MOST]]
    if situation.decision == "bidding":
        return _bids(situation, meant)
    plays = [order.card for order in possible if order.card is not None]
    if plays:
        meant_card = None if meant is None else meant.card
        return [Order("PLAY", card=card) for card in _nearest(plays, meant_card)[:MOST]]
    return possible[:MOST]


def _bids(situation: Situation, meant: Order | None) -> Sequence[Order]:
    bids = [order for order in situation.possible if order.word == "BID"]
    top = meant is not None and max(meant.amount or 0, meant.limit or 0) > situation.most
    limit = situation.most if top else min(situation.least + _FURTHER, situation.most)
    limits = [Order("UPTO", limit=limit)] if limit > situation.least else []
    if meant is not None and meant.limit is not None:
        return [*limits, *bids[:1], _PASS]
    if situation.is_early and meant is None:
        return [_PASS, *limits, *bids[:1]]
    return [*(bids[-1:] if top else bids[:2]), _PASS]


def _nearest(cards: Sequence[Card], meant: Card | None) -> list[Card]:
    """Return cards, those next to the one that was meant first."""
    return [*cards] if meant is None else sorted(cards, key=lambda card: _distance(card, meant))


def _distance(card: Card | None, meant: Card | None) -> float:
    """How far a card is from the one that was meant: dogs are next to each other, and 8 and -8 are."""
    if not (isinstance(card, int) and isinstance(meant, int)):
        return 0 if type(card) is type(meant) else inf
    return 0.5 if card == -meant else abs(card - meant)
