"""The last word of a player: a move of theirs, or an order in advance; and what happened at once by it.

Moves that orders made are no words: who said UP TO 9 yesterday has not heard of the bids that came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.game.ahead import ahead_of
from felix_async.game.story import Step, Story
from felix_events.envelope import Envelope
from felix_events.model import BidPlaced, CardsTurned, OrderDone, OrderGiven, PlayerPassed, PlayerSaid


@dataclass(frozen=True, slots=True)
class Spoke:
    """A player's last word: the size of the game's log with it, and when it came.

    `by_hand` is the version of their last move that no order made, 0 if there is none.
    """

    size: int = 0
    at: str = ""
    by_hand: int = 0

    @property
    def before(self) -> int:
        """The size of the log before that word: a move is an event of it, an order is not."""
        return self.size - 1 if self.size == self.by_hand else self.size


def last_word(story: Story, seat: int, orders: Sequence[Envelope]) -> Spoke:
    """Return the last word of the player in a seat, whose own log has these `orders`."""
    moves = (step for step in reversed(story.steps) if step.is_move_of(seat))
    mine = (step for step in moves if seat not in step.before.computer)
    by_hand = next((step for step in mine if not _is_by_order(step, orders)), None)
    given = next((one for one in reversed(orders) if isinstance(one.data, OrderGiven)), None)
    version, at = (by_hand.version, by_hand.envelope.at) if by_hand is not None else (0, "")
    if given is not None and isinstance(given.data, OrderGiven) and given.data.size >= version:
        return Spoke(given.data.size, given.at, version)
    return Spoke(version, at, version)


def _is_by_order(step: Step, orders: Sequence[Envelope]) -> bool:
    """Return True if a move of a seat was made by an order: that was done with it, or still stood."""
    size = step.version - 1
    if any(isinstance(one.data, OrderDone) and one.data.size == size for one in orders):
        return True
    standing = ahead_of(orders, size).auction
    if standing is None or not isinstance(step.event, BidPlaced):
        return False
    order = standing.order
    is_at_card = (order.round, order.turned) == (step.before.round, len(step.before.row))
    # Above that, the player is asked.
    return is_at_card and step.event.amount <= max(order.first or 0, order.limit or 0)


def at_once(story: Story, seat: int, spoke: Spoke, until: int) -> list[Step]:
    """Return what happened by a player's last word, up to this version, behind their own move.

    What was said is told elsewhere. Nothing is returned unless somebody bid or passed: who moves
    alone reads in the answer what came of it.
    """
    steps = [step for step in story.steps[spoke.size : until] if not isinstance(step.event, PlayerSaid)]
    own = made(story, seat, spoke)
    if own is not None and steps[:1] == [own]:
        del steps[0]
    if own is not None and isinstance(own.event, PlayerPassed) and steps and _turns(steps[0]):
        del steps[0]
    return steps if any(isinstance(step.event, BidPlaced | PlayerPassed) for step in steps) else []


def made(story: Story, seat: int, spoke: Spoke) -> Step | None:
    """Return the move that a player's last word was, or that it made at once; None if it waits."""
    if spoke.size == spoke.by_hand > 0:
        return story.steps[spoke.size - 1]
    later = (step for step in story.steps[spoke.size :] if not isinstance(step.event, PlayerSaid))
    first = next(later, None)
    return first if first is not None and first.is_move_of(seat) else None


def _turns(step: Step) -> bool:
    return isinstance(step.event, CardsTurned)
