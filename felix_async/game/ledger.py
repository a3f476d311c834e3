"""The mice and the won cards of every player, counted from what happened in the open, as anybody could.

Nothing secret is read here: a total that followed from hidden things would differ from the true one, and the
golden games are compared with it event by event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from felix_async.game.cards import START_MICE, cat_points
from felix_events.model import Card, Event, PlayerPassed, RoundStarted, SackSold


@dataclass(frozen=True, slots=True)
class Purse:
    """A player's mice, and the cards of the sacks that they bought."""

    mice: int = START_MICE
    won: Sequence[Card] = ()

    @property
    def cats(self) -> int:
        """The points of the cats among them."""
        return cat_points(self.won)


def purses(events: Iterable[Event], players: Iterable[int]) -> dict[int, Purse]:
    """Return what each of these players has after these events of a game; nobody before its first round.

    A bid is its owner's until the sack is sold.
    """
    counted: dict[int, Purse] = {}
    for event in events:
        if isinstance(event, RoundStarted) and not counted:
            counted = {seat: Purse() for seat in players}
        elif isinstance(event, PlayerPassed):
            purse = counted[event.seat]
            counted[event.seat] = replace(purse, mice=purse.mice + event.mice)
        elif isinstance(event, SackSold):
            purse = counted[event.seat]
            counted[event.seat] = Purse(purse.mice - event.price, (*purse.won, *event.prize))
    return counted
