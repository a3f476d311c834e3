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

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Card = Literal[-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"]
Ruleset = Literal["felicity-2017", "felix-2007"]
Seat = Annotated[int, Field(ge=0, le=4)]
Mice = Annotated[int, Field(ge=0, le=999)]
Turn = Annotated[int, Field(ge=1, le=9999)]
Ballot = Literal["pause", "abandon"]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 or another 32 bytes, as 64 lower-case hexadecimal digits."""
At = Annotated[
    str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$")
]
"""A time, always UTC, as `felix_async.clock` writes it."""
Seconds = Annotated[int, Field(ge=0, le=366 * 24 * 3600)]
PlayerId = Annotated[str, StringConstraints(pattern=r"^[0-9a-z-]{1,40}$")]


class Record(BaseModel):
    """Data that is validated strictly, knows all its fields, and does not change."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Event(Record):
    """A fact of one game."""

    type: ClassVar[str]
    schema_version: ClassVar[int] = 1
    secret: ClassVar[bool] = False


class Options(Record):
    """What was agreed at the creation: a start seat named by the host, and whether chance is reproducible.

    `seeded` marks a game whose seed was chosen by somebody and not drawn: a simulation or a demonstration.
    """

    start_seat: Seat | None = None
    seeded: bool = False


class Terms(Record):
    """How much time a decision may take: `move` seconds, and `reserve` seconds in the whole game beyond that.

    Where `weekends` do not count, Saturdays and Sundays in `zone` (an IANA name or an offset such as
    `+01:00`) stand still. `away` is how long a player may be absent in all.
    """

    move: Annotated[int, Field(ge=60, le=60 * 24 * 3600)]
    reserve: Annotated[int, Field(ge=0, le=60 * 24 * 3600)] = 0
    weekends: bool = True
    zone: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9/_+:-]{1,64}$")] = "UTC"
    away: Annotated[int, Field(ge=0, le=60 * 24 * 3600)] = 21 * 24 * 3600


class GameCreated(Event):
    """A host opened a table; `commitment` binds the server to its secret seed (see `felix_async.draw`)."""

    type: ClassVar[str] = "game_created"
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


class ClockSet(Event):
    """The game is played by the clock, on these terms."""

    type: ClassVar[str] = "clock_set"
    terms: Terms


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

    cats: int
    mice: Mice
    total: int


class SeatHandedOver(Event):
    """The computer plays for this seat from now on, or its player does again.

    With `for_good` the player has left, and does not come back.
    """

    type: ClassVar[str] = "seat_handed_over"
    seat: Seat
    to: Literal["computer", "player"]
    for_good: bool


class PlayerSaid(Event):
    """A player said something to the table; `text_hash` is over salt and text, which are kept elsewhere."""

    type: ClassVar[str] = "player_said"
    seat: Seat
    text_hash: Hash


class DeadlineSet(Event):
    """A seat's decision is due: the move time runs until `reserve_from`, the reserve from there until `at`.

    A later one for the same `turn` (which decision of this seat it is) takes its place.
    """

    type: ClassVar[str] = "deadline_set"
    seat: Seat
    turn: Turn
    reserve_from: At
    at: At


class ReserveSpent(Event):
    """A seat took longer than the move time: `seconds` of its reserve are gone, `left` are left."""

    type: ClassVar[str] = "reserve_spent"
    seat: Seat
    seconds: Seconds
    left: Seconds


class TurnTimedOut(Event):
    """A seat's time was up, `in_a_row` times without a move between: what follows was done for it."""

    type: ClassVar[str] = "turn_timed_out"
    seat: Seat
    turn: Turn
    in_a_row: Annotated[int, Field(ge=1, le=999)]


class AbsenceDeclared(Event):
    """A player is away from `start` until `back`: the seat's time stands still, or the `computer` plays.

    It takes the place of an earlier one. `spent` is how long the player was absent in this game before.
    """

    type: ClassVar[str] = "absence_declared"
    seat: Seat
    start: At
    back: At
    computer: bool
    spent: Seconds


class AbsenceBegan(Event):
    """The declared absence of a seat for which the computer is to play has begun."""

    type: ClassVar[str] = "absence_began"
    seat: Seat


class AbsenceEnded(Event):
    """The player is back, `early` where they say so before the time; `spent` as in the declaration."""

    type: ClassVar[str] = "absence_ended"
    seat: Seat
    early: bool
    spent: Seconds


class VoteCast(Event):
    """A player is for a pause, or for ending the game without a result."""

    type: ClassVar[str] = "vote_cast"
    seat: Seat
    on: Ballot


class VotesWithdrawn(Event):
    """A player takes all votes back."""

    type: ClassVar[str] = "votes_withdrawn"
    seat: Seat


class GamePaused(Event):
    """Enough players were for it: no time runs `until` then, or until one of them goes on."""

    type: ClassVar[str] = "game_paused"
    until: At


class GameResumed(Event):
    """Time runs again: this seat's player said so, or (null) the pause was over."""

    type: ClassVar[str] = "game_resumed"
    seat: Seat | None


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


class SeedRevealed(Event):
    """The seed behind every draw, shown at each end of a game, also of an abandoned one."""

    type: ClassVar[str] = "seed_revealed"
    seed: Hash


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
"""What may speak for a choice; `events/README.md` says what the value beside each of them is."""


class Reason(Record):
    """One thing that spoke for a choice, with the number or the card that goes with it."""

    what: ReasonKind
    value: Annotated[int, Field(ge=-999, le=999)] | Literal["large_dog", "small_dog"] | None


class ChoiceExplained(Event):
    """Why the computer chose as it did for this seat: the decision, the order, and its reasons."""

    type: ClassVar[str] = "choice_explained"
    secret: ClassVar[bool] = True
    seat: Seat
    turn: Annotated[int, Field(ge=1, le=999)]
    order: Annotated[str, Field(min_length=1, max_length=40)]
    reasons: Annotated[list[Reason], Field(min_length=1, max_length=20)]


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
    PlayerSaid,
    VoteCast,
    VotesWithdrawn,
    GamePaused,
    GameResumed,
    GameEnded,
    GameAbandoned,
    SeedRevealed,
)
"""Every kind of event of a game, in the order in which a game meets them."""

SEAT_EVENTS: tuple[type[Event], ...] = (ChoiceExplained,)
"""Every kind of event of a seat's own log. No game follows from them, and nobody sees them before its end."""

BY_TYPE: dict[str, type[Event]] = {event.type: event for event in EVENTS}
SEAT_BY_TYPE: dict[str, type[Event]] = {event.type: event for event in SEAT_EVENTS}
