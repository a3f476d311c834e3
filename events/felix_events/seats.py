"""The facts of a seat's own log: what its player said in advance, and why the computer moved as it did.

Nobody else sees them before the end of the game, not even that they are there.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from felix_events.shapes import Card, Event, Mice, Points, Record, Seat

ReasonKind = Literal[
    "open_cards_worth",
    "open_cards_sum",
    "own_card",
    "hidden_cards",
    "sack_expected",
    "passing_pays",
    "kept_for_risk",
    "mice_owned",
    "bids_up_to",
    "must_bid",
    "cannot_bid",
    "last_in_auction",
    "card_is_first",
    "card_stays_hidden",
    "card_wish",
    "chance_added",
    "next_best",
    "drawn_by_chance",
]
"""Kinds of reasons for a choice; `events/README.md` says what the value beside each of them is."""


class Reason(Record):
    """One thing that spoke for a choice, with the number or the card that goes with it."""

    what: ReasonKind
    value: Points | Literal["large_dog", "small_dog"] | None


class ChoiceExplained(Event):
    """Why the computer chose as it did for this seat: the decision, the order, and its reasons."""

    type: ClassVar[str] = "choice_explained"
    secret: ClassVar[bool] = True
    seat: Seat
    turn: Annotated[int, Field(ge=1, le=999)]
    order: Annotated[str, Field(min_length=1, max_length=40)]
    reasons: Annotated[list[Reason], Field(min_length=1, max_length=20)]


OrderKind = Literal["bid", "pass", "next"]
_Size = Annotated[int, Field(ge=1, le=999_999)]


class OrderGiven(Event):
    """A seat said in advance what it does; `size` is that of the game's log then.

    A `bid` holds while `turned` cards lie open in this `round`: bid `first`, unless that is passed already,
    then one more than the highest up to `limit`, `then` pass or ask. Without a `limit` the seat is asked
    again after `first`. A `pass` holds for the round. `next` places `card` in the round after it.
    """

    type: ClassVar[str] = "order_given"
    secret: ClassVar[bool] = True
    seat: Seat
    size: _Size
    round: Annotated[int, Field(ge=1, le=9)]
    turned: Annotated[int, Field(ge=0, le=5)]
    kind: OrderKind
    first: Mice | None = None
    limit: Mice | None = None
    then: Literal["pass", "ask"] = "pass"
    card: Card | None = None


DropReason = Literal["asked", "replaced", "timed_out", "left", "substituted", "rekeyed"]


class OrderDropped(Event):
    """An order given in advance, named by its version in this log, does not count any more.

    `asked`: the seat wanted that; `replaced`: by a later one, or by a move; `timed_out`: its time was up;
    `left`: its player has left the table; `substituted`: somebody else plays there; `rekeyed`: the seat's
    addresses were made void.
    """

    type: ClassVar[str] = "order_dropped"
    secret: ClassVar[bool] = True
    seat: Seat
    size: _Size
    order: _Size
    why: DropReason


class OrderDone(Event):
    """An order given in advance, named by its version in this log, came to its end with the next move.

    `size` is that of the game's log before that move.
    """

    type: ClassVar[str] = "order_done"
    secret: ClassVar[bool] = True
    seat: Seat
    size: _Size
    order: _Size
