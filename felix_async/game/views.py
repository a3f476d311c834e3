"""Views of a game: the one place where hidden cards are kept back.

`redact` does it for an event, `view` for a state. Everything that leaves felix about a running game (a
mail, a replay, a page, the table shown to the host) is made from what these two give, and from nothing
else. A viewer is a seat, `"spectator"` (what everybody sees; also the host), or `"all"`, which is for a
game that is over.

A seat sees its own hand, card, mice and won cards, before and after the end alike. Of other seats it sees
what was done in the open, and no totals. Time is public, too: deadlines, reserves, absences, pauses and
votes follow from events that hold no secret. It follows that two games that differ only in what a seat must
not know give that seat the same view, to the byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from felix_async.game import votes
from felix_async.game.ahead import LAST_CHOSEN
from felix_async.game.cards import ROUNDS, in_order
from felix_async.game.commands import Bid, Move, Pass, Play, SeatCommand
from felix_async.game.rules import is_for_computer, why_not
from felix_async.game.state import NO_TIME, Answered, Dispute, Game, Phase, SeatState, SeatTime, belongs
from felix_events.model import Ballot, Card, Event, Options, Ruleset, Score, Terms

Viewer = int | Literal["spectator", "all"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A secret event for those who may not know it: that it happened, and to which seat."""

    type: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class RowCard:
    """A place in the row: whose card lies there (None: the dummy's), and the card once it is open."""

    owner: int | None
    placed: bool
    card: Card | None


@dataclass(frozen=True, slots=True)
class MouseCard:
    """A mouse card of this round: its number, the mice on it, and whether a passer took it."""

    number: int
    mice: int
    taken: bool


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as everybody sees it; `time` is its clock."""

    seat: int
    answer: Answered
    placed: bool
    bid: int
    passed: bool
    computer: bool = False
    gone: bool = False
    time: SeatTime = NO_TIME


@dataclass(frozen=True, slots=True)
class OpenVote:
    """A vote: the seats that are for it, and the number that it takes."""

    on: Ballot
    seats: Sequence[int]
    needed: int


@dataclass(frozen=True, slots=True)
class Choices:
    """The moves of a seat now. `bids` is the least and the most that it may bid, None if it cannot."""

    plays: list[Card]
    bids: tuple[int, int] | None
    may_pass: bool

    @property
    def any(self) -> bool:
        """True if the seat may do anything."""
        return bool(self.plays or self.bids or self.may_pass)


@dataclass(frozen=True, slots=True)
class InAdvance:
    """Everything that a seat may say of the auction before its turn, and the cards it may choose as its next.

    `bids` is the least and the most that it may bid, or go up to, None if it cannot. A seat in turn chooses a
    card, too; its bids are its `Choices`.
    """

    cards: list[Card]
    bids: tuple[int, int] | None
    may_pass: bool


@dataclass(frozen=True, slots=True)
class OwnView:
    """A seat as only its player sees it while the game runs; `turn` counts the decisions asked of it."""

    seat: int
    hand: list[Card]
    boxed: Card | None
    placed: Card | None
    mice: int
    won: list[Card]
    turn: int
    choices: Choices


@dataclass(frozen=True, slots=True)
class View:
    """A table as one viewer sees it. `own` holds the viewer's seat, every seat for `"all"`, else nothing."""

    viewer: Viewer
    ruleset: Ruleset
    commitment: str
    phase: Phase
    round: int
    start_seat: int
    bank: int
    mouse_cards: list[MouseCard]
    row: list[RowCard]
    high_bid: int
    to_move: int | None
    asked: list[int]
    seats: list[SeatView]
    scores: list[Score | None]
    winners: list[int]
    own: dict[int, OwnView]
    players: list[int]
    """The seats that play; before the start all of them."""
    host: int | None
    options: Options
    """The agreement of the table: who is asked, and what the rules do by themselves."""
    reason: str = ""
    """The reason for which the game was abandoned."""
    clock: Terms | None = None
    """The terms of the clock, None in a game without one."""
    paused_until: str = ""
    """The time at which the pause ends by itself, '' if there is no pause."""
    disputes: Sequence[Dispute] = ()
    """The moves that players deny, while nobody has settled that."""
    still: tuple[str, str] | None = None
    """From when until when time stands still for them; None if it does not."""
    votes: Sequence[OpenVote] = ()
    """The votes that players are asked for."""

    @property
    def is_over(self) -> bool:
        """Ended or abandoned."""
        return self.phase in ("ended", "abandoned")

    @property
    def public(self) -> View:
        """The table as everybody sees it."""
        return replace(self, viewer="spectator", own={})

    def is_in(self, seat: int) -> bool:
        """Return True if the seat still belongs to the game: invited or joined, and not left for good."""
        return belongs(self.seats[seat].answer, self.seats[seat].gone)

    def welcome(self, command: SeatCommand) -> bool:
        """Return True if this command of the viewer would be done now; whoever writes is at the table.

        The decider is asked about the game as the viewer knows it. Of another seat's command this is False.
        """
        if command.seat != self.viewer:
            return False
        game = _as_known(self)
        game.seats[command.seat].computer = False
        return why_not(command, game) is None and not is_for_computer(command, game)

    def in_advance(self) -> InAdvance:
        """Return what the viewer, a seat, may say now before it is asked."""
        assert isinstance(self.viewer, int), "only a seat says what it will do"
        seat, own = self.viewer, self.own[self.viewer]
        is_playing = seat in self.players and self.phase in ("placing", "bidding")
        is_coming = is_playing and self.phase == "bidding" and self.to_move != seat
        is_coming &= not self.seats[seat].passed
        bids = (self.high_bid + 1, own.mice) if is_coming and own.mice > self.high_bid else None
        cards = own.hand if is_playing and self.round < LAST_CHOSEN else []
        return InAdvance(cards, bids, may_pass=is_coming)

    @property
    def high_bidder(self) -> int | None:
        """The seat whose bid is the highest so far."""
        return next((seat.seat for seat in self.seats if seat.bid and seat.bid == self.high_bid), None)

    @property
    def open_cards(self) -> list[Card]:
        """The cards of the row that lie open."""
        return [place.card for place in self.row if place.card is not None]


def may_know(event: Event, viewer: Viewer) -> bool:
    """Return True if a viewer may know what is in an event."""
    return not event.secret or viewer == "all" or getattr(event, "seat", None) == viewer


def redact(event: Event, viewer: Viewer) -> Event | Hidden:
    """Return the event as a viewer may know it."""
    if may_know(event, viewer):
        return event
    return Hidden(event.type, getattr(event, "seat", None))


def view(game: Game, viewer: Viewer) -> View:
    """Return the table as a viewer may see it. `"all"` of a running game raises ValueError."""
    if viewer == "all" and not game.is_over:
        raise ValueError("a running game has hidden cards: nobody may see all of it")
    own: list[int] = []
    if viewer == "all":
        own = list(range(len(game.seats)))
    elif viewer != "spectator":
        own = [viewer]
    return View(
        viewer,
        mouse_cards=_mouse_cards(game),
        row=_row(game),
        seats=[
            SeatView(
                seat,
                state.answer,
                state.has_placed,
                state.bid,
                state.passed,
                state.computer,
                state.gone,
                state.time,
            )
            for seat, state in enumerate(game.seats)
        ],
        own={seat: _own(game, seat) for seat in own},
        votes=_votes(game),
        **{name: getattr(game, name) for name in _OPEN},
    )


_OPEN: Final = (
    *("ruleset", "commitment", "phase", "round", "start_seat", "bank", "high_bid", "to_move", "asked"),
    *("options", "scores", "winners", "players", "host", "reason", "clock", "paused_until", "disputes"),
    "still",
)
"""The fields of a game that everybody sees as they are."""
_ASKED_ABOUT: Final = ["phase", "round", "high_bid", "to_move", "players", "host", "clock", "paused_until"]
"""Of these, the fields that the decider looks at."""


def _as_known(table: View) -> Game:
    """The game as far as its viewer knows it, for the decider: of what is hidden there is nothing."""
    seats = []
    for seat in table.seats:
        state = SeatState("", seat.answer, has_placed=seat.placed, bid=seat.bid, passed=seat.passed)
        state.computer, state.gone, state.time = seat.computer, seat.gone, seat.time
        if own := table.own.get(seat.seat):
            state.hand, state.placed, state.mice, state.turn = own.hand, own.placed, own.mice, own.turn
        seats.append(state)
    return Game(
        seats=seats,
        bidders=[seat for seat in table.players if not table.seats[seat].passed],
        disputes=tuple(table.disputes),
        votes=frozenset((vote.on, seat) for vote in table.votes for seat in vote.seats),
        **{name: getattr(table, name) for name in _ASKED_ABOUT},
    )


def choices(game: Game, seat: int) -> Choices:
    """Return the moves that a seat may make now, an exchange of its card included."""
    state = game.seats[seat]
    if seat not in game.players:
        return Choices([], None, may_pass=False)
    if game.phase == "placing" and game.round < ROUNDS:
        return Choices(in_order(state.hand), None, may_pass=False)
    if game.phase == "bidding" and game.to_move == seat:
        most = min(state.mice, 1) if len(game.bidders) == 1 else state.mice
        least = game.high_bid + 1
        return Choices([], (least, most) if least <= most else None, may_pass=True)
    return Choices([], None, may_pass=False)


def legal(game: Game, seat: int) -> list[Move]:
    """Return every move that the seat may make now, in order: cards, bids, a pass."""
    able = choices(game, seat)
    least, most = able.bids or (1, 0)
    cards = [Play(seat=seat, card=card) for card in able.plays]
    bids = [Bid(seat=seat, amount=amount) for amount in range(least, most + 1)]
    return [*cards, *bids, *([Pass(seat=seat)] if able.may_pass else [])]


def _own(game: Game, seat: int) -> OwnView:
    state = game.seats[seat]
    return OwnView(
        seat=seat,
        hand=in_order(state.hand),
        boxed=state.boxed,
        placed=state.placed,
        mice=state.mice,
        won=in_order(state.won),
        turn=state.turn,
        choices=choices(game, seat),
    )


def _mouse_cards(game: Game) -> list[MouseCard]:
    if not game.round:
        return []
    return [
        MouseCard(number, mice, place < game.taken)
        for place, (number, mice) in enumerate(
            zip(game.material.mouse_cards, game.mice_on_cards, strict=True)
        )
    ]


def _votes(game: Game) -> list[OpenVote]:
    if game.is_over:
        return []
    counted = [OpenVote(on, votes.voters(game, on), votes.needed(game)) for on in votes.BALLOTS]
    return [vote for vote in counted if vote.seats]


def _row(game: Game) -> list[RowCard]:
    """The row by owner; a card only if `cards_turned` showed it, never from what was placed."""
    if game.phase not in ("placing", "bidding"):
        return []
    return [
        RowCard(
            owner,
            owner is None or game.seats[owner].has_placed,
            game.turned[place] if place < len(game.turned) else None,
        )
        for place, owner in enumerate(game.owners)
    ]
