"""Computer players: from a view to an order, and never from more than the view.

`random_player` does anything that is legal, `sensible_player` what a cautious human might. Both take a
stream of numbers, so that the same stream gives the same game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from felix_async.draw import Numbers
from felix_async.game.cards import DOGS, cat_points
from felix_async.game.commands import Bid, Pass, Play
from felix_async.game.scoring import open_sack
from felix_async.game.view import OwnView, View
from felix_events.model import Card

ComputerPlayer = Callable[[View, int, Numbers], Play | Bid | Pass]
"""A view, the seat that must decide, numbers -> a legal command. The seat must be one that is asked."""

_EXPECTED_HIDDEN: Final = 3
"""Points that a face-down card of another seat is taken for: the mean of a full set is 2.9."""
_MARGIN: Final = 2
"""Points by which a sack should be worth more than its price."""


def random_player(table: View, seat: int, numbers: Numbers) -> Play | Bid | Pass:
    """Any legal order; half of the time a small raise where one is possible."""
    own = table.own[seat]
    if own.choices.plays:
        return Play(seat=seat, card=own.choices.plays[numbers.below(len(own.choices.plays))])
    if own.choices.bids is not None and numbers.below(2):
        least, most = own.choices.bids
        return Bid(seat=seat, amount=least + numbers.below(min(most - least, 3) + 1))
    return Pass(seat=seat)


def sensible_player(table: View, seat: int, numbers: Numbers) -> Play | Bid | Pass:
    """Bid one more while the sack looks worth it; place good cats when rich, bad ones and dogs when poor."""
    own = table.own[seat]
    if own.choices.plays:
        return Play(seat=seat, card=_card_to_place(own, numbers))
    if own.choices.bids is None:
        return Pass(seat=seat)
    least, most = own.choices.bids
    mouse = next((card.mice for card in table.mouse_cards if not card.taken), 0)
    # Passing earns the next mouse card, so buying must beat that too.
    worth = _expected_worth(table, own) - mouse - _MARGIN
    return Bid(seat=seat, amount=least) if least <= min(worth, most) else Pass(seat=seat)


def _card_to_place(own: OwnView, numbers: Numbers) -> Card:
    """A wish for each card, and some chance, so that nobody can read it."""
    rich = own.mice >= 12

    def wish(card: Card) -> int:
        base = numbers.below(8)
        if card in DOGS:
            return base + (2 if rich else 4)
        points = cat_points([card])
        return base + (points // 4 if rich else -points // 4)

    return max(own.choices.plays, key=wish)


def _expected_worth(table: View, own: OwnView) -> int:
    known = table.open_cards
    unknown = 0
    for place in table.row:
        if place.card is None and place.owner == own.seat and own.placed is not None:
            known.append(own.placed)
        elif place.card is None:
            unknown += 1
    return open_sack(known, table.ruleset).worth + _EXPECTED_HIDDEN * unknown
