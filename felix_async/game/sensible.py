"""The computer player that plays for people: from its seat's view to a decision, with reasons to follow.

In the auction it works out what the sack should be worth: the open cards and its own, and for each card of
the others that is face down the average over a full set, the dogs' work included. From that it takes what
passing pays now, and something for the risk; up to there it bids one more than the highest bid. It places
cards by two lists, one for a card that everybody sees at once and one for a card that stays hidden,
and by some chance, so that nobody can read it.

The numbers below were found by playing millions of games against players of other kinds, and rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, get_args

from felix_async.draw import Dice, Numbers
from felix_async.game.cards import DOGS, PET_CARDS, ROUNDS, cat_points, is_cat
from felix_async.game.commands import Bid, Pass, Play
from felix_async.game.players import Decision, because
from felix_async.game.scoring import chased_cat, open_sack
from felix_async.game.state import Game
from felix_async.game.views import OwnView, View, view
from felix_events.model import Card, Reason, Ruleset

_KINDS: Final = len(PET_CARDS)
_MEAN: Final = cat_points(PET_CARDS) / _KINDS
"""Points of a card of which nothing is known."""

_RISK: Final = {2: 1, 3: 2, 4: -2, 5: 0}
"""Points that a bid stays below the rest, by how many seats are in the auction."""
_EARLY: Final = 45
"""Per cent that a mouse is worth more in round 1 than at the end: who has some can bid in every round."""


_CHANCE: Final = 12
"""The most that chance adds to a wish."""
_WISHES_HIDDEN: Final[dict[Card, int]] = dict(
    zip(PET_CARDS, (12, 8, 2, -10, -1, -6, -3, 4, 8, -15), strict=True)
)
"""The wish to place a card that stays face down for a while: one that misleads others goes early."""
_WISHES_FIRST: Final[dict[Card, int]] = dict(
    zip(PET_CARDS, (-3, -12, -13, 14, 11, 6, -2, 0, -9, -10), strict=True)
)
"""The wish to place a card that everybody sees at once."""


def sensible_player(table: View, seat: int, numbers: Numbers) -> Decision:
    """One more than the highest bid while the sack looks worth it; a card by its wishes and some chance."""
    own = table.own[seat]
    if own.choices.plays:
        return _place(table, own, numbers)
    known, hidden = _known_cards(table, own)
    reasons = _about_row(table, own, hidden)
    bidders = sum(not table.seats[other].passed for other in table.players)
    if bidders == 1:
        return _close(own, reasons)
    expected = expected_worth(known, hidden, table.ruleset)
    pays = next((card.mice for card in table.mouse_cards if not card.taken), 0)
    scale = 1 + _EARLY * (ROUNDS - table.round) / (100 * (ROUNDS - 1))
    limit = math.floor((expected - pays - _RISK[bidders]) / scale)
    reasons += [
        because("sack_expected", round(expected)),
        because("passing_pays", pays),
        because("kept_for_risk", round(expected) - pays - limit),
        because("bids_up_to", limit),
    ]
    return _bid_up_to(limit, own, reasons)


def decision_of(game: Game, seat: int, dice: Dice, purpose: str) -> Decision:
    """Return what the computer does in a seat of this game, with numbers from its seed.

    They are others for each purpose; that of a move in the log is `computer/<size of the log before it>`, so
    that an audit can make each decision again.
    """
    return sensible_player(view(game, seat), seat, dice.stream(game.contributions, purpose))


def _bid_up_to(limit: int, own: OwnView, reasons: list[Reason]) -> Decision:
    if own.choices.bids is None:
        return Decision(
            Pass(seat=own.seat), [*reasons, because("mice_owned", own.mice), because("cannot_bid")]
        )
    least = own.choices.bids[0]
    move = Bid(seat=own.seat, amount=least) if least <= limit else Pass(seat=own.seat)
    return Decision(move, [*reasons, because("must_bid", least)])


def _close(own: OwnView, reasons: list[Reason]) -> Decision:
    """Nobody else is in: the whole row is open, and costs one mouse."""
    worth = reasons[0].value
    assert isinstance(worth, int), "the row's worth is told first"
    return _bid_up_to(1 if worth > 1 else 0, own, [because("last_in_auction"), *reasons])


def _known_cards(table: View, own: OwnView) -> tuple[list[Card], int]:
    """The cards of the row that this seat knows, and how many it does not."""
    known = table.open_cards
    if own.placed is not None and any(p.owner == own.seat and p.card is None for p in table.row):
        known.append(own.placed)
    return known, len(table.row) - len(known)


def _about_row(table: View, own: OwnView, hidden: int) -> list[Reason]:
    reasons = [because("open_cards_worth", open_sack(table.open_cards, table.ruleset).worth)]
    if own.placed is not None and len(table.open_cards) + hidden < len(table.row):
        reasons.append(because("own_card", own.placed))
    if hidden:
        reasons.append(because("hidden_cards", hidden))
    return reasons


def expected_worth(known: Sequence[Card], hidden: int, ruleset: Ruleset) -> float:
    """Return the worth of a sack on average: these cards, and so many of which any kind is as likely.

    >>> expected_worth([15, 3], 0, "felicity-2017"), round(expected_worth([15], 1, "felicity-2017"), 2)
    (18.0, 14.9)
    """
    dogs = [card for card in known if card in DOGS]
    total = cat_points(known) + _MEAN * hidden
    if len(dogs) > 1:
        return total
    if dogs:
        return total - _chased(known, hidden, dogs[0], ruleset)
    # One of the hidden cards may be the only dog; each of them as likely as the others.
    share = hidden / _KINDS
    return total - share * sum(_chased(known, hidden - 1, dog, ruleset) for dog in DOGS) if hidden else total


def _chased(known: Sequence[Card], hidden: int, dog: Card, ruleset: Ruleset) -> float:
    """The points that a dog drives away on average, counted only if no hidden card is another dog."""
    others = 1 - len(DOGS) / _KINDS
    chance = others**hidden
    points = 0.0
    for cat in _CHASE_ORDER[dog, ruleset]:
        if cat in known:
            return points + cat * chance
        # This cat goes if it is there and none is that goes before it.
        others -= 1 / _KINDS
        without = others**hidden
        points += cat * (chance - without)
        chance = without
    return points


def _chase_order(dog: Card, ruleset: Ruleset) -> list[int]:
    """The cats in the order in which a dog prefers them."""
    left = [card for card in PET_CARDS if is_cat(card)]
    order: list[int] = []
    while (cat := chased_cat(dog, left, ruleset)) is not None:
        left.remove(cat)
        order.append(cat_points([cat]))
    return order


_CHASE_ORDER: Final = {
    (dog, ruleset): _chase_order(dog, ruleset) for dog in DOGS for ruleset in get_args(Ruleset)
}


def _place(table: View, own: OwnView, numbers: Numbers) -> Decision:
    """The card that it wishes most to be rid of now, with a little chance so that nobody can read it."""
    is_first = table.row[0].owner == own.seat
    wishes = _WISHES_FIRST if is_first else _WISHES_HIDDEN
    drawn = {card: numbers.below(_CHANCE + 1) for card in own.choices.plays}
    best, *others = sorted(own.choices.plays, key=lambda card: wishes[card] + drawn[card], reverse=True)
    reasons = [because("card_is_first" if is_first else "card_stays_hidden")]
    reasons += [because("card_wish", wishes[best]), because("chance_added", drawn[best])]
    if others:
        reasons.append(because("next_best", wishes[others[0]] + drawn[others[0]]))
    return Decision(Play(seat=own.seat, card=best), reasons)


def card_in_advance(table: View, seat: int, numbers: Numbers) -> Card:
    """Return the card that it would place next if it had to say so now, as one that stays hidden."""
    hand = table.own[seat].hand
    drawn = {card: numbers.below(_CHANCE + 1) for card in hand}
    return max(hand, key=lambda card: _WISHES_HIDDEN[card] + drawn[card])
