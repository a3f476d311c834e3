"""Commands: requests to a game. Their shape is validated here, and `decide` validates them by the rules."""

from __future__ import annotations

from typing import Final, Literal, TypeGuard, get_args

from felix_async.game.cards import card_word
from felix_events.model import (
    Ballot,
    Card,
    Denied,
    Hash,
    Options,
    OrderKind,
    PlayerId,
    Record,
    Ruleset,
    Seconds,
    Terms,
    Then,
    Turn,
)


class Create(Record):
    """Open a table for these players, in seat order, and invite them; without a `clock` nobody is hurried.

    Without a `host` the game starts when all have joined, and any refusal ends it.
    """

    ruleset: Ruleset
    seats: list[PlayerId]
    options: Options
    commitment: Hash
    host: int | None = None
    clock: Terms | None = None


class Join(Record):
    """Take the seat; `contribution` is the hash of the player's own words (see `felix_async.draw`)."""

    seat: int
    contribution: Hash


class Decline(Record):
    """Give the invitation back, or the seat, before the game starts."""

    seat: int


class Start(Record):
    """Begin with those who have joined; the host's to say."""

    seat: int


class NameHost(Record):
    """Hand hosting over to another player."""

    seat: int
    to: int


class Uninvite(Record):
    """Take somebody's invitation, or seat, back before the start; the host's to say."""

    seat: int
    whom: int


class Cancel(Record):
    """Call the game off before it starts; the host's to say."""

    seat: int


class Expire(Record):
    """The invitation to this seat was not answered in time."""

    seat: int


class Close(Record):
    """A table at which nobody started the game, or to which nobody came back, is closed; time's to say."""


class Restore(Record):
    """The server was set back to a backup, in which the game may be an earlier one; its operator's to say."""


class TimeOut(Record):
    """The time for this decision is up."""

    seat: int
    turn: Turn


class Extend(Record):
    """The deadline of this decision moves by so many seconds, because felix could not be reached."""

    seat: int
    turn: Turn
    seconds: Seconds


class BeginAbsence(Record):
    """The time has come at which the computer is to play for this seat."""

    seat: int


class EndAbsence(Record):
    """The time has come at which a player is back."""

    seat: int


class EndPause(Record):
    """The pause was long enough."""


class Leave(Record):
    """Let the computer play on for this seat; `for_good` means resigning. Before the start: give it back."""

    seat: int
    for_good: bool


class Return(Record):
    """Play on for oneself, after leaving for a while."""

    seat: int


class Substitute(Record):
    """Play on in this seat for somebody who is not there; `player_id` is who does."""

    seat: int
    player_id: PlayerId


class Say(Record):
    """Say something to the table; only the hash of the words is the game's business."""

    seat: int
    text_hash: Hash


class Absent(Record):
    """Be away from `start` until `back`; the seat's time stands still, or the `computer` plays for it."""

    seat: int
    start: Then
    back: Then
    computer: bool


class Recall(Record):
    """Be back before the declared absence is over."""

    seat: int


class Vote(Record):
    """Be for a pause, for ending the game without a result, or for handing a disputed seat over."""

    seat: int
    on: Ballot


class Resume(Record):
    """End the pause; if there is none, take one's votes back."""

    seat: int


class Dispute(Record):
    """Deny a move of one's own seat: that of this `turn`."""

    seat: int
    turn: Turn
    what: Denied


class Withdraw(Record):
    """Take one's dispute back."""

    seat: int


class Stand(Record):
    """Let the move that `whom` disputes stand; the host's to say."""

    seat: int
    whom: int


class Lapse(Record):
    """The dispute of this seat was open for long enough."""

    seat: int


class Play(Record):
    """Put a card face down, or exchange the one that lies there."""

    seat: int
    card: Card


class Bid(Record):
    """Bid so many mice in all."""

    seat: int
    amount: int


class Pass(Record):
    """Leave this round's auction."""

    seat: int


class Give(Record):
    """Say in advance what to do: see `felix_events.seats.OrderGiven`, which has the same fields."""

    seat: int
    kind: OrderKind
    first: int | None = None
    limit: int | None = None
    then: Literal["pass", "ask"] = "pass"
    card: Card | None = None


Move = Play | Bid | Pass
"""The commands that answer a decision."""
_MOVES: Final = frozenset(get_args(Move))
HostCommand = Start | NameHost | Uninvite | Cancel
"""The commands of the host alone; `seat` is the one who asks."""
PaceCommand = Absent | Recall | Vote | Resume
"""The commands of a player about time."""
DisputeCommand = Dispute | Withdraw | Stand
"""The commands of a player about a move that is denied, and of the host."""
SeatCommand = (
    Join | Decline | Leave | Return | Substitute | Say | PaceCommand | DisputeCommand | HostCommand | Move
)
"""The commands of a player."""
Timely = TimeOut | Extend | BeginAbsence | EndAbsence | EndPause | Lapse
"""The commands of the clock for a game that runs."""
ClockCommand = Expire | Close | Timely
"""The commands of the clock."""
Command = Create | SeatCommand | ClockCommand | Restore
"""Everything that `decide` answers."""


def is_move(command: Command) -> TypeGuard[Move]:
    """Return True if it answers a decision; `isinstance` with a union of models takes longer."""
    return type(command) in _MOVES


def order_text(move: Move) -> str:
    """A move as the order that a player would write.

    >>> order_text(Play(seat=1, card="large_dog")), order_text(Bid(seat=1, amount=5))
    ('PLAY LARGE DOG', 'BID 5')
    """
    if type(move) is Play:
        return f"PLAY {card_word(move.card).upper()}"
    return f"BID {move.amount}" if type(move) is Bid else "PASS"
