"""The decision before a seat, as far as its player can see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from felix_async.game.views import View
from felix_async.language.grammar import Order
from felix_events.model import Card

Decision = Literal["", "inviting", "placing", "bidding"]
"""What a seat is asked for, now or when its turn comes; '' if it is asked for nothing in this round."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What somebody who answers has in mind: the decision, their cards and mice, and who else is there.

    `plays` are the cards that may be placed now, `placed` is the one that lies there and may be exchanged.
    Bids go from `least` to `most`; there is none if `least` is above `most`. `high` is the highest bid so
    far and `high_bidder` whose it is; it `leads` if that is the writer's. `nexts` are the cards that may be
    chosen for the next round. It `is_early` if others in the auction are asked first, and `is_last` if all
    others have passed. `names` are the others at the table. `waiting` is the order that felix has asked
    about, or took from an earlier mail and has not done yet. The game may be over (`is_over`).
    """

    decision: Decision
    plays: tuple[Card, ...] = ()
    placed: Card | None = None
    mice: int = 0
    high: int = 0
    least: int = 1
    most: int = 0
    high_bidder: str = ""
    nexts: tuple[Card, ...] = ()
    is_early: bool = False
    is_last: bool = False
    leads: bool = False
    names: tuple[str, ...] = ()
    waiting: Order | None = None
    is_over: bool = False

    @property
    def possible(self) -> tuple[Order, ...]:
        """The orders that answer the decision now, in order: cards, bids from the least on, PASS."""
        if self.decision == "inviting":
            return (Order("JOIN"), Order("DECLINE"))
        if self.decision == "placing":
            return tuple(Order("PLAY", card=card) for card in self.plays)
        if self.decision == "bidding":
            bids = tuple(Order("BID", amount=amount) for amount in range(self.least, self.most + 1))
            return (*bids, Order("PASS"))
        return ()

    def allows(self, order: Order) -> bool:
        """Return True if an order answers the decision, or says in advance what may be said now."""
        if order.next is not None and order.next not in self.nexts:
            return False
        if order.limit is not None:
            is_range = self.least <= order.limit <= self.most and (order.amount or 0) <= order.limit
            return is_range and self.decision == "bidding"
        return order.word == "NEXT" or replace(order, next=None) in self.possible


def situation_of(view: View, names: tuple[str, ...] = (), waiting: Order | None = None) -> Situation:
    """Return the situation of a seat, from its own view; `names` are those of all seats."""
    seat = view.viewer
    assert isinstance(seat, int), "only a seat decides"
    own, coming = view.own[seat], view.in_advance()
    decision: Decision = ""
    if view.phase == "inviting" and seat in view.asked:
        decision = "inviting"
    elif own.choices.plays:
        decision = "placing"
    elif own.choices.may_pass or coming.may_pass:
        decision = "bidding"
    least, most = own.choices.bids or coming.bids or (view.high_bid + 1, 0)
    bidder = view.high_bidder
    return Situation(
        decision,
        plays=tuple(own.choices.plays),
        placed=own.placed,
        mice=own.mice,
        high=view.high_bid,
        least=least,
        most=most,
        high_bidder=names[bidder] if bidder is not None and bidder < len(names) else "",
        nexts=tuple(coming.cards),
        is_early=coming.may_pass,
        is_last=decision == "bidding" and all(view.seats[one].passed for one in view.players if one != seat),
        leads=bidder == seat,
        names=tuple(name for number, name in enumerate(names) if number != seat),
        waiting=waiting,
        is_over=view.is_over,
    )
