"""Luck and skill in four figures for each player of a game that has a result.

The first three, and the 15 mice that everybody had, make up the total: what passing brought, what bought
sacks promised beyond their price, and what hidden cards made of that. The fourth is what a seat did to the
others. Like moments they are made from what happened in the open alone.

Cards that lie hidden are worse than the average, as players hide what is bad, so surprises are mostly
negative: they tell something beside those of the other seats alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.game.auctions import Auction, auctions
from felix_async.game.cards import START_MICE
from felix_async.game.sensible import expected_worth
from felix_async.game.story import Story
from felix_async.language.phrases import phrase
from felix_events.model import SackSold

Kind = Literal["passing", "buying", "surprises", "cards"]
KINDS: Final[tuple[Kind, ...]] = ("passing", "buying", "surprises", "cards")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in points, for each seat that played."""

    kind: Kind
    values: Mapping[int, int]

    @property
    def name(self) -> str:
        """The head of its column."""
        return phrase(f"moments.figure.{self.kind}")

    @property
    def explained(self) -> str:
        """The sentence that says what it is, and what it is mostly due to."""
        return phrase(f"moments.explained.{self.kind}")


def figures(story: Story) -> list[Figure]:
    """Return the four figures; none of a game without a result."""
    if story.game.phase != "ended":
        return []
    passing, cards = (dict.fromkeys(story.game.players, 0) for _ in range(2))
    promised, profit = (dict.fromkeys(story.game.players, 0.0) for _ in range(2))
    for auction in auctions(story):
        for _, passed in auction.passes:
            passing[passed.seat] += passed.mice
        if (sale := auction.sale) is None:
            continue
        promised[sale.seat] += _promised(auction, sale) - sale.price
        profit[sale.seat] += auction.worth - sale.price
        for seat in story.game.players:
            if seat != sale.seat:
                cards[seat] += auction.worth - auction.without(seat)
    buying = {seat: round(points) for seat, points in promised.items()}
    surprises = {seat: round(profit[seat]) - points for seat, points in buying.items()}
    by_kind: Mapping[Kind, Mapping[int, int]] = {
        "passing": passing,
        "buying": buying,
        "surprises": surprises,
        "cards": cards,
    }
    return [Figure(kind, by_kind[kind]) for kind in KINDS]


def total_explained() -> str:
    """Return the sentence that says which of them make up the total."""
    return phrase("moments.figures.total", mice=START_MICE)


def _promised(auction: Auction, sale: SackSold) -> float:
    """Return the worth that its buyer could expect of a sack at the last bid, as the computer counts it."""
    step, _ = auction.bids[-1]
    known = [card for _, card in step.before.row]
    if sale.seat not in [owner for owner, _ in step.before.row]:
        known.append(auction.card_of(sale.seat))
    return expected_worth(known, len(auction.row) - len(known), auction.ruleset)
