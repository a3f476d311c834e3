"""The auctions of a game: the row of each round, who bid and passed, and how it ended.

All of it happened in the open: a row is read only once all of its cards were turned over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.game.scoring import open_sack
from felix_async.game.story import Step, Story
from felix_events.model import BidPlaced, Card, PlayerPassed, RoundStarted, Ruleset, SackDiscarded, SackSold


@dataclass(frozen=True, slots=True)
class Auction:
    """An auction that is over: `calls` are its bids and passes, `end` is the sale, or that there was none."""

    ruleset: Ruleset
    calls: Sequence[Step]
    end: Step

    @property
    def round(self) -> int:
        """The round, from 1."""
        return self.end.before.round

    @property
    def version(self) -> int:
        """The place of its end in the log."""
        return self.end.version

    @property
    def row(self) -> Sequence[Card]:
        """The cards, left to right."""
        return [card for _, card in self.end.before.row]

    @property
    def event(self) -> SackSold | SackDiscarded:
        """The event that ended it."""
        event = self.end.event
        assert isinstance(event, SackSold | SackDiscarded), "an auction ends with its sack"
        return event

    @property
    def sale(self) -> SackSold | None:
        """The sale, None if nobody wanted the sack."""
        return self.event if isinstance(self.event, SackSold) else None

    @property
    def worth(self) -> int:
        """The points of the sack after the dogs' work, whoever got it."""
        return open_sack(self.row, self.ruleset).worth

    @property
    def bids(self) -> list[tuple[Step, BidPlaced]]:
        """The bids, in order."""
        return [(step, step.event) for step in self.calls if isinstance(step.event, BidPlaced)]

    @property
    def passes(self) -> list[tuple[Step, PlayerPassed]]:
        """The passes, in order."""
        return [(step, step.event) for step in self.calls if isinstance(step.event, PlayerPassed)]

    def card_of(self, seat: int) -> Card:
        """Return the card that this seat had placed."""
        return next(card for owner, card in self.end.before.row if owner == seat)

    def without(self, seat: int) -> int:
        """Return what the sack would have been worth without this seat's card."""
        return open_sack([card for owner, card in self.end.before.row if owner != seat], self.ruleset).worth


def auctions(story: Story) -> list[Auction]:
    """Return the auctions that are over, in order."""
    found: list[Auction] = []
    calls: list[Step] = []
    for step in story.steps:
        match step.event:
            case RoundStarted():
                calls = []
            case BidPlaced() | PlayerPassed():
                calls.append(step)
            case SackSold() | SackDiscarded():
                found.append(Auction(story.game.ruleset, tuple(calls), step))
    return found
