"""The facts about disputes: a player denies a move that stands under their name.

They name the move and no more. What is still kept of it, and what that is worth, is no fact of the game.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from felix_events.shapes import Event, Seat, Then, Turn

LONGEST_STOP: Final = 48 * 3600
"""Seconds for which time stands still for disputes, in a game in all."""

Denied = Literal["card", "bid", "pass"]
Stopped = Annotated[int, Field(ge=0, le=LONGEST_STOP)]
Settled = Literal["stands", "withdrawn", "expired", "handed_over"]


class DisputeRaised(Event):
    """The player of a seat denies its move of this `turn`; the dispute is over at `lapses` at the latest.

    Time stands still `until` then (null: it runs); it had stood still for `stopped` seconds before.
    """

    type: ClassVar[str] = "dispute_raised"
    seat: Seat
    turn: Turn
    what: Denied
    lapses: Then
    until: Then | None
    stopped: Stopped


class DisputeSettled(Event):
    """A dispute is over: by a word of the host or of its player, by a vote to hand the seat over, or by time.

    `stopped` are the seconds for which time has stood still for disputes that are over.
    """

    type: ClassVar[str] = "dispute_settled"
    seat: Seat
    turn: Turn
    what: Denied
    how: Settled
    stopped: Stopped
