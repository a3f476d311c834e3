"""Computer players: from a view to a decision with its reasons, and never from more than the view.

`random_player` does anything that is legal, `share_player` bids up to a fixed share of the cards that lie
open, and `felix_async.game.sensible` has the one that plays for people. All take a stream of numbers, so
that the same stream gives the same game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.draw import Numbers
from felix_async.game.cards import cat_points
from felix_async.game.commands import Bid, Move, Pass, Play
from felix_async.game.state import Game
from felix_async.game.views import OwnView, View
from felix_events.model import Card, Reason, ReasonKind

SHARE: Final = 60
"""Per cent of the open cats' sum that `share_player` bids at most."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A legal move, and what spoke for it."""

    move: Move
    reasons: Sequence[Reason]


ComputerPlayer = Callable[[View, int, Numbers], Decision]
"""A view, the seat that must decide, numbers -> its decision. The seat must be one that is asked."""


def because(what: ReasonKind, value: int | Card | None = None) -> Reason:
    """A reason, with the number or the card that goes with it."""
    # Not validated: each decision makes several, and the types above leave nothing to find.
    return Reason.model_construct(what=what, value=value)


_BY_CHANCE: Final = (because("drawn_by_chance"),)


def random_player(table: View, seat: int, numbers: Numbers) -> Decision:
    """Return any legal move; half of the time a small raise if one is possible."""
    own = table.own[seat]
    if own.choices.plays:
        return Decision(_any_card(own, numbers), _BY_CHANCE)
    if own.choices.bids is not None and numbers.below(2):
        least, most = own.choices.bids
        return Decision(Bid(seat=seat, amount=least + numbers.below(min(most - least, 3) + 1)), _BY_CHANCE)
    return Decision(Pass(seat=seat), _BY_CHANCE)


def sharing(percent: int) -> ComputerPlayer:
    """Return a player that places any card, and bids up to so many per cent of the sum of the open cats."""

    def player(table: View, seat: int, numbers: Numbers) -> Decision:
        own = table.own[seat]
        if own.choices.plays:
            return Decision(_any_card(own, numbers), _BY_CHANCE)
        total = cat_points(table.open_cards)
        limit = total * percent // 100
        reasons = (because("open_cards_sum", total), because("bids_up_to", limit))
        bids = own.choices.bids
        if bids is not None and bids[0] <= limit:
            return Decision(Bid(seat=seat, amount=bids[0]), reasons)
        return Decision(Pass(seat=seat), reasons)

    return player


share_player: Final = sharing(SHARE)
"""The one with the share that `SHARE` says."""


def _any_card(own: OwnView, numbers: Numbers) -> Play:
    return Play(seat=own.seat, card=own.choices.plays[numbers.below(len(own.choices.plays))])


def computer_to_move(game: Game) -> int | None:
    """Return a seat that is asked, and has only the computer to answer while some player is at the table."""
    if game.phase not in ("placing", "bidding"):
        return None
    asked = [seat for seat in game.asked if game.seats[seat].computer]
    return asked[0] if asked and game.humans else None
