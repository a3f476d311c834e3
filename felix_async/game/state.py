"""The state of one game: everything that follows from its events, known and hidden.

Only the fold (`felix_async.game.folding`) changes a state, and only one that it made itself; whoever gets a
state from the fold reads it and leaves it alone. `felix_async.game.views` says what a seat may see of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Final, Literal

from felix_async.game.cards import MATERIAL, ROUNDS, START_MICE, Material
from felix_events.model import Ballot, Card, Denied, Options, Ruleset, Score, Terms

Phase = Literal["new", "inviting", "placing", "bidding", "between", "ended", "abandoned"]
"""`between` lasts only inside one step: a sack is gone and the next round has not begun."""

Answered = Literal["", "invited", "joined", "declined", "uninvited", "expired"]
"""The answer to the invitation to a seat."""

Standing = Literal["inviting", "running", "ended", "abandoned"]


def belongs(answer: Answered, gone: bool) -> bool:
    """Return True if a seat with this answer belongs to the game, unless its player is `gone` for good."""
    return answer in ("invited", "joined") and not gone


@dataclass(frozen=True, slots=True)
class Deadline:
    """The deadline of a decision. The move time runs until `reserve_from`, the seat's reserve until `at`."""

    turn: int
    reserve_from: str
    at: str


@dataclass(frozen=True, slots=True)
class Absence:
    """From when until when a player is away, and whether the `computer` is to play meanwhile.

    `began` says that this time has come, `covering` that it is for this absence that the computer plays, and
    not because the player had left before.
    """

    start: str
    back: str
    computer: bool
    began: bool = False
    covering: bool = False


@dataclass(frozen=True, slots=True)
class SeatTime:
    """The clock of a seat.

    `reserve` is in seconds; `missed` counts decisions in a row that timed out, `defaulted` says that the one
    just made was such; `away_spent` are the seconds of absences that are over.
    """

    deadline: Deadline | None = None
    reserve: int = 0
    missed: int = 0
    defaulted: bool = False
    absence: Absence | None = None
    away_spent: int = 0


NO_TIME: Final = SeatTime()


@dataclass(frozen=True, slots=True)
class Dispute:
    """An open dispute: the move that this seat's player denies, and when it is over by itself."""

    seat: int
    turn: int
    what: Denied
    lapses: str


@dataclass(slots=True)
class SeatState:
    """One place at the table.

    `turn` counts the decisions that came to this seat so far: those asked of it, and the passes that the
    rules made for it, so that no answer to an earlier one fits a later one. `bid` is 0 while it has not bid
    this round.
    `computer` says that the computer plays for it, `gone` that its player will not come back.
    `moves` are those that its player has made, by turn, but for those that were disputed once.
    """

    player_id: str
    answer: Answered = ""
    contribution: str | None = None
    hand: list[Card] = field(default_factory=list)
    boxed: Card | None = None
    mice: int = START_MICE
    won: list[Card] = field(default_factory=list)
    placed: Card | None = None
    has_placed: bool = False
    bid: int = 0
    passed: bool = False
    turn: int = 0
    computer: bool = False
    gone: bool = False
    time: SeatTime = NO_TIME
    moves: dict[int, Denied] = field(default_factory=dict)

    def copy(self) -> SeatState:
        """Return a seat that may be changed without touching this one."""
        seat = SeatState(*_SEAT_FIELDS(self))
        seat.hand, seat.won, seat.moves = self.hand.copy(), self.won.copy(), self.moves.copy()
        return seat


@dataclass(slots=True)
class Game:
    """A whole table. Before its first event (`version` 0) it is the initial state."""

    version: int = 0
    phase: Phase = "new"
    ruleset: Ruleset = "felicity-2017"
    options: Options = field(default_factory=Options)
    commitment: str = ""
    seats: list[SeatState] = field(default_factory=list)
    players: list[int] = field(default_factory=list)
    """The seats that play, in seat order: once the game has started, those that have joined."""
    host: int | None = None
    dummy: list[Card] = field(default_factory=list)
    """The dummy's pile, the next card first, this round's card among them until the row is cleared."""
    dummy_boxed: Card | None = None
    round: int = 0
    start_seat: int = 0
    bank: int = 0
    mice_on_cards: list[int] = field(default_factory=list)
    taken: int = 0
    """The number of mouse cards of this round that are gone, lowest first."""
    turned: list[Card] = field(default_factory=list)
    """The cards of the row that lie open, left to right."""
    high_bid: int = 0
    to_move: int | None = None
    bidders: list[int] = field(default_factory=list)
    """The seats that are still in this round's auction: those that have not passed, in seat order."""
    fill_next: bool = True
    """True if the mouse cards are filled for the next round, as far as the bank allows."""
    box: list[Card] = field(default_factory=list)
    """Dogs, chased cats and unsold cards; the cards boxed at the deal are with their seats."""
    scores: list[Score | None] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    seed: str | None = None
    reason: str = ""
    """The reason why there is no result, as `GameAbandoned` has it."""
    clock: Terms | None = None
    """The terms of the clock, None in a game without one."""
    paused_until: str = ""
    """The time at which the pause ends by itself, '' if there is no pause."""
    votes: frozenset[tuple[Ballot, int]] = frozenset()
    """The votes that count: the ballot and the seat."""
    former: frozenset[tuple[int, str]] = frozenset()
    """The players whose seat somebody else has taken: the seat, and who sat there."""
    disputes: tuple[Dispute, ...] = ()
    """The open disputes, in the order in which they were raised; at most one of a seat."""
    still: tuple[str, str] | None = None
    """From when until when time stands still, while a dispute is open; None if it does not for one."""
    stopped: int = 0
    """The seconds for which time has stood still for disputes that are over."""

    @property
    def material(self) -> Material:
        """The mouse cards and the starting bank of this table."""
        return MATERIAL[len(self.players)]

    @property
    def is_over(self) -> bool:
        """True if it ended or was abandoned: nothing is secret any more, nothing can be asked."""
        return self.phase in ("ended", "abandoned")

    @property
    def has_begun(self) -> bool:
        """True once cards were dealt, however the game went on."""
        return self.round > 0

    @property
    def standing(self) -> Standing:
        """The state of the game in a word."""
        match self.phase:
            case "inviting" | "ended" | "abandoned":
                return self.phase
            case _:
                return "running"

    @property
    def row_size(self) -> int:
        """Four cards with 3 or 4 players (a dummy's card with 3), five with 5."""
        return max(4, len(self.players))

    @property
    def asked(self) -> list[int]:
        """The seats that are waited for: for an answer, a card, or a bid."""
        if self.phase == "inviting":
            return self.answered("invited")
        if self.phase == "placing":
            if self.round == ROUNDS:
                return []
            return [seat for seat in self.players if not self.seats[seat].has_placed]
        return [] if self.to_move is None else [self.to_move]

    @property
    def contributions(self) -> list[str | None]:
        """The contribution of each seat to the draws."""
        return [state.contribution for state in self.seats]

    def answered(self, *answers: Answered) -> list[int]:
        """The seats whose invitation was answered so."""
        return [seat for seat, state in enumerate(self.seats) if state.answer in answers]

    def is_in(self, seat: int) -> bool:
        """Return True if the seat still belongs to the game: invited or joined, and not left for good."""
        return belongs(self.seats[seat].answer, self.seats[seat].gone)

    def took_part(self, seat: int) -> bool:
        """Return True if the seat played; in a game that has not begun, or never did, if it might have."""
        if self.has_begun:
            return seat in self.players
        return self.seats[seat].answer in ("joined", "invited", "expired")

    @property
    def humans(self) -> list[int]:
        """The seats that play and have their player at the table."""
        return [seat for seat in self.players if not self.seats[seat].computer]

    @property
    def may_host(self) -> list[int]:
        """The seats whose player may host: those that have joined, and are at the table."""
        return self.answered("joined") if self.phase == "inviting" else self.humans

    @property
    def awaited(self) -> list[int]:
        """The seats that are asked and have their player at the table."""
        return [seat for seat in self.asked if not self.seats[seat].computer]

    def must_pass(self, seat: int) -> bool:
        """Return True if the rules pass for this seat when its turn comes: it has too few mice to bid.

        Once true, it stays so for the round: no highest bid falls, and nobody who is still in gets mice.
        """
        if not self.options.forced_pass or self.phase != "bidding" or seat not in self.bidders:
            return False
        return self.seats[seat].mice <= self.high_bid

    @property
    def passes_by_rule(self) -> int | None:
        """The seat whose turn it is, if the rules pass for it; None if it is asked, or nobody is."""
        seat = self.to_move
        return seat if seat is not None and self.must_pass(seat) else None

    def clockwise(self, start: int) -> list[int]:
        """The seats that play, from `start` on, which is one of them."""
        place = self.players.index(start)
        return self.players[place:] + self.players[:place]

    @property
    def owners(self) -> list[int | None]:
        """The owners of the cards in the row, left to right; None is the dummy."""
        dummy: list[int | None] = [None] if len(self.players) == 3 else []
        return [*dummy, *self.clockwise(self.start_seat)]

    def row(self) -> list[Card | None]:
        """This round's cards, left to right, as far as they are placed; hidden ones included."""
        dummy = self.dummy[0] if self.dummy else None
        return [dummy if owner is None else self.seats[owner].placed for owner in self.owners]

    def copy(self) -> Game:
        """Return a state that may be changed without touching this one."""
        game = Game(*_GAME_FIELDS(self))
        game.seats = [seat.copy() for seat in self.seats]
        game.dummy, game.turned, game.box = self.dummy.copy(), self.turned.copy(), self.box.copy()
        return game


# A game is copied for every command, and `dataclasses.replace` takes five times as long.
_SEAT_FIELDS: Final = attrgetter(*(one.name for one in fields(SeatState)))
_GAME_FIELDS: Final = attrgetter(*(one.name for one in fields(Game)))


def initial_state() -> Game:
    """A game of which nothing is known."""
    return Game()
