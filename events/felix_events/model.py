"""The facts of a game: one pydantic class per event, in the past tense.

A card is the number printed on a cat (`-8 -5 3 5 8 11 15`), `0` for the rabbit, or `"large_dog"` /
`"small_dog"`. A seat is a number, 0 to 4, clockwise. Mice are whole numbers.

Every class has a `type` (its name in the log), a `schema_version`, and says with `secret` whether its
data must stay hidden from other seats until the game is over. Only integers, strings, booleans, lists
and objects occur in the fields, so that sorted compact JSON is canonical (RFC 8785).

>>> BidPlaced(seat=1, amount=4)
BidPlaced(seat=1, amount=4)
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from felix_events.disputes import Denied, DisputeRaised, DisputeSettled
from felix_events.seats import (
    ChoiceExplained,
    DropReason,
    OrderDone,
    OrderDropped,
    OrderGiven,
    OrderKind,
    Reason,
    ReasonKind,
)
from felix_events.shapes import (
    DEFAULT_PACE,
    At,
    Ballot,
    Card,
    Event,
    Hash,
    Mice,
    Pace,
    PlayerId,
    Points,
    Record,
    Ruleset,
    Seat,
    Seconds,
    Then,
    Turn,
)
from felix_events.timing import (
    AbsenceBegan,
    AbsenceDeclared,
    AbsenceEnded,
    ClockSet,
    DeadlineSet,
    GamePaused,
    GameResumed,
    ReserveSpent,
    Terms,
    TurnTimedOut,
    VoteCast,
    VotesWithdrawn,
)

# The names of the modules below are handed on: whoever reads or writes events finds all of them here.
__all__ = [
    "DEFAULT_PACE",
    "AbsenceBegan",
    "AbsenceDeclared",
    "AbsenceEnded",
    "At",
    "Ballot",
    "Card",
    "ChoiceExplained",
    "ClockSet",
    "DeadlineSet",
    "Denied",
    "DisputeRaised",
    "DisputeSettled",
    "DropReason",
    "Event",
    "GamePaused",
    "GameResumed",
    "Hash",
    "Mice",
    "OrderDone",
    "OrderDropped",
    "OrderGiven",
    "OrderKind",
    "Pace",
    "PlayerId",
    "Reason",
    "ReasonKind",
    "Record",
    "ReserveSpent",
    "Ruleset",
    "Seat",
    "Seconds",
    "Terms",
    "Then",
    "Turn",
    "TurnTimedOut",
    "VoteCast",
    "VotesWithdrawn",
]


class Options(Record):
    """The agreement at the creation: by which rules the game is judged, and how it is played.

    `start_seat` was named by the host. `seeded` marks a game whose seed was chosen by somebody and not drawn:
    a simulation or a demonstration. With `forced_pass` a seat that has too few mice to bid passes by the
    rules. With `seat_logs_closed` the end names the roots of the seats' own logs. `records` is the schema
    that its private records must have. By its `pace` everybody still in an auction is asked `together` when a
    card turns, or one after the other, `in turn`.
    """

    start_seat: Seat | None = None
    seeded: bool = False
    forced_pass: bool = True
    seat_logs_closed: bool = True
    records: Literal[1, 2] = 2
    pace: Pace = DEFAULT_PACE


class GameCreated(Event):
    """A host opened a table; `commitment` binds the server to its secret seed (see `felix_async.draw`)."""

    type: ClassVar[str] = "game_created"
    schema_version: ClassVar[int] = 2
    ruleset: Ruleset
    seats: Annotated[list[PlayerId], Field(min_length=3, max_length=5)]
    options: Options
    commitment: Hash


class PlayerInvited(Event):
    """A player was asked to take a seat."""

    type: ClassVar[str] = "player_invited"
    seat: Seat


class PlayerJoined(Event):
    """A player took the seat; `contribution` is the hash of the words that the player put into the draw."""

    type: ClassVar[str] = "player_joined"
    seat: Seat
    contribution: Hash


class PlayerDeclined(Event):
    """A player does not want the seat."""

    type: ClassVar[str] = "player_declined"
    seat: Seat


class HostNamed(Event):
    """The player of this seat is the host from now on: starts the game, or calls it off."""

    type: ClassVar[str] = "host_named"
    seat: Seat


class PlayerUninvited(Event):
    """The host took an invitation back, or gave away a seat that was taken."""

    type: ClassVar[str] = "player_uninvited"
    seat: Seat


class InvitationExpired(Event):
    """A player did not answer in time; the seat is no longer kept."""

    type: ClassVar[str] = "invitation_expired"
    seat: Seat


class GameStarted(Event):
    """The game is on, for those who have joined; `start_seat` starts the first round."""

    type: ClassVar[str] = "game_started"
    start_seat: Seat


class HandDealt(Event):
    """A seat's nine cards, and the tenth, which its neighbour boxed."""

    type: ClassVar[str] = "hand_dealt"
    secret: ClassVar[bool] = True
    seat: Seat
    cards: list[Card]
    boxed: Card


class DummyDealt(Event):
    """The dummy's pile of nine, in the order of turning, and its boxed card; 3 players only."""

    type: ClassVar[str] = "dummy_dealt"
    secret: ClassVar[bool] = True
    pile: list[Card]
    boxed: Card


class RoundStarted(Event):
    """A round began; mice lie on the mouse cards (lowest first), `bank` is what filling them left."""

    type: ClassVar[str] = "round_started"
    round: Annotated[int, Field(ge=1, le=9)]
    start_seat: Seat
    mice_on_cards: list[Mice]
    bank: Mice


class CardPlaced(Event):
    """A seat put a card face down; a later one in the same round takes its place."""

    type: ClassVar[str] = "card_placed"
    secret: ClassVar[bool] = True
    seat: Seat
    card: Card


class CardsTurned(Event):
    """Cards of the row were turned over just now, left to right."""

    type: ClassVar[str] = "cards_turned"
    cards: list[Card]


class BidPlaced(Event):
    """A seat bid so many mice in all."""

    type: ClassVar[str] = "bid_placed"
    seat: Seat
    amount: Mice


class PlayerPassed(Event):
    """A seat left the auction and took the mice of the lowest mouse card that was left."""

    type: ClassVar[str] = "player_passed"
    seat: Seat
    mice: Mice


Played = CardPlaced | BidPlaced | PlayerPassed
PLAYED: Final = (CardPlaced, BidPlaced, PlayerPassed)
"""The three moves of the game, as a type and for `isinstance`."""


class SackSold(Event):
    """A seat paid its bid; `chased` is the cat that a dog drove away, `prize` what the buyer keeps."""

    type: ClassVar[str] = "sack_sold"
    seat: Seat
    price: Mice
    chased: Card | None
    prize: list[Card]


class SackDiscarded(Event):
    """Nobody wanted the sack: the row went to the box."""

    type: ClassVar[str] = "sack_discarded"


class Score(Record):
    """A seat's result: cats won, mice owned, and their sum."""

    cats: Points
    mice: Mice
    total: Points


class SeatHandedOver(Event):
    """The computer plays for this seat from now on, or its player does again.

    With `for_good` the player has left, and does not come back.
    """

    type: ClassVar[str] = "seat_handed_over"
    seat: Seat
    to: Literal["computer", "player"]
    for_good: bool


class SeatTaken(Event):
    """A substitute plays on in this seat, as it stands; who sat there before does not come back."""

    type: ClassVar[str] = "seat_taken"
    seat: Seat
    player_id: PlayerId


class PlayerSaid(Event):
    """A player said something to the table; `text_hash` is over salt and text, which are kept elsewhere."""

    type: ClassVar[str] = "player_said"
    seat: Seat
    text_hash: Hash


class ServerRestored(Event):
    """The server was set back to a backup: what was sent since that copy was made is void."""

    type: ClassVar[str] = "server_restored"


class GameEnded(Event):
    """The ninth round is over; `scores` are by seat, `winners` are seats (several share a tie).

    A seat that did not play, because its player had not joined, has null for a score.
    """

    type: ClassVar[str] = "game_ended"
    scores: list[Score | None]
    winners: list[Seat]


class GameAbandoned(Event):
    """The game ended without a result.

    `declined`: too few players were left; `cancelled`: by the host; `expired`: it was never started; `left`:
    everybody has resigned; `voted`: by the players; `deserted`: nobody came back to the table.
    """

    type: ClassVar[str] = "game_abandoned"
    reason: Literal["declined", "cancelled", "expired", "left", "voted", "deserted"]


class SeatLogsClosed(Event):
    """The seats' own logs are closed: the roots of their trees, by seat, bind them to the game.

    A root is that of RFC 6962; a seat without a log has that of the empty tree.
    """

    type: ClassVar[str] = "seat_logs_closed"
    roots: Annotated[list[Hash], Field(min_length=3, max_length=5)]


class SeedRevealed(Event):
    """The seed behind every draw, shown at each end of a game, also of an abandoned one."""

    type: ClassVar[str] = "seed_revealed"
    seed: Hash


EVENTS: tuple[type[Event], ...] = (
    GameCreated,
    HostNamed,
    ClockSet,
    PlayerInvited,
    PlayerJoined,
    PlayerDeclined,
    PlayerUninvited,
    InvitationExpired,
    GameStarted,
    HandDealt,
    DummyDealt,
    RoundStarted,
    CardPlaced,
    CardsTurned,
    BidPlaced,
    PlayerPassed,
    SackSold,
    SackDiscarded,
    DeadlineSet,
    ReserveSpent,
    TurnTimedOut,
    AbsenceDeclared,
    AbsenceBegan,
    AbsenceEnded,
    SeatHandedOver,
    SeatTaken,
    PlayerSaid,
    VoteCast,
    VotesWithdrawn,
    GamePaused,
    GameResumed,
    DisputeRaised,
    DisputeSettled,
    ServerRestored,
    GameEnded,
    GameAbandoned,
    SeatLogsClosed,
    SeedRevealed,
)
"""Every kind of event of a game, in the order in which a game meets them."""

SEAT_EVENTS: tuple[type[Event], ...] = (ChoiceExplained, OrderGiven, OrderDropped, OrderDone)
"""Every kind of event of a seat's own log. No game follows from them, and nobody sees them before its end."""

BY_TYPE: dict[str, type[Event]] = {event.type: event for event in EVENTS}
SEAT_BY_TYPE: dict[str, type[Event]] = {event.type: event for event in SEAT_EVENTS}
