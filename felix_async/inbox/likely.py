"""The few answers to a decision that are offered where none was done, the likeliest first."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from felix_async.language.grammar import Order
from felix_async.meaning.situation import Situation
from felix_events.model import Card

MOST: Final = 4
"""Answers that are offered at once."""


def likely(situation: Situation, meant: Order | None = None) -> tuple[str, ...]:
    """Return two to four orders that are possible now, those next to the one that was meant first.

    One, or none, if there are no more.

    >>> likely(Situation("bidding", mice=15, high=6, least=7, most=15), Order("BID", amount=5))
    ('BID 7', 'BID 8', 'PASS')
    """
    possible = situation.possible
    if situation.decision == "bidding":
        bids = [order for order in possible if order.word == "BID"]
        top = meant is not None and meant.amount is not None and meant.amount > situation.most
        nearest = bids[-1:] if top else bids[:2]
        return tuple(map(str, [*nearest, Order("PASS")]))
    if meant is not None and meant.card is not None:
        possible = tuple(sorted(possible, key=lambda order: _distance(order.card, meant.card)))
    return tuple(map(str, possible[:MOST]))


def instead_of(situation: Situation, taken: Order) -> tuple[str, ...]:
    """Return two orders that may have been meant instead of the one that was taken, or fewer.

    >>> instead_of(Situation("bidding", mice=15, high=3, least=4, most=15), Order("BID", amount=4))
    ('BID 5', 'PASS')
    """
    if taken.amount is not None:
        more = (Order("BID", amount=taken.amount + 1), Order("BID", amount=taken.amount - 1), Order("PASS"))
        others = [str(order) for order in more if order in situation.possible]
        return (others[0], others[-1]) if len(others) > 1 else tuple(others)
    return tuple(text for text in likely(situation, taken) if text != str(taken))[:2]


def offered(orders: Sequence[Order]) -> tuple[str, ...]:
    """Return the texts of these orders, as many as are offered at once."""
    return tuple(map(str, orders[:MOST]))


def _distance(card: Card | None, meant: Card | None) -> float:
    """How far a card is from the one that was meant: dogs are next to each other, and 8 and -8 are."""
    if not (isinstance(card, int) and isinstance(meant, int)):
        return 0 if type(card) is type(meant) else inf
    return 0.5 if card == -meant else abs(card - meant)
