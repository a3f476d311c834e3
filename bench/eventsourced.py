"""The yardstick of another library: the same game as an aggregate of `eventsourcing`.

Written as that library's documentation writes aggregates, and to be fast: plain lists of numbers as state,
so that its copies are cheap. It stores the facts that felix stores, checks none of them, and leaves out
what felix does beyond: private records, the tree, notices, due rows, and the memory of commands handled.
"""
# The library is there for the benchmark only, so what comes from it may be untyped.
# mypy: allow-subclassing-any, allow-untyped-decorators

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from felix_events.model import Event, GameCreated

_CACHED: Final = {"AGGREGATE_CACHE_MAXSIZE": "1024"}
_START_MICE: Final = 15


class Table(Aggregate):
    """A game of Felix; each method is one fact."""

    @event("GameCreated")
    def __init__(self, ruleset: str, seats: list[str], options: dict[str, Any], commitment: str) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.options = options
        self.commitment = commitment
        self.answers = [""] * len(seats)
        self.contributions = [""] * len(seats)
        self.hands: list[list[Any]] = [[] for _ in seats]
        self.boxed: list[Any] = [None] * len(seats)
        self.mice = [_START_MICE] * len(seats)
        self.won: list[list[Any]] = [[] for _ in seats]
        self.placed: list[Any] = [None] * len(seats)
        self.bids = [0] * len(seats)
        self.passed = [False] * len(seats)
        self.turned: list[Any] = []
        self.dummy: list[Any] = []
        self.dummy_boxed: Any = None
        self.round = self.start_seat = self.bank = self.taken = 0
        self.mice_on_cards: list[int] = []
        self.box: list[Any] = []
        self.scores: list[dict[str, int]] = []
        self.winners: list[int] = []
        self.roots: list[str] = []
        self.seed = ""

    @event("PlayerInvited")
    def player_invited(self, seat: int) -> None:
        """A player was asked to take a seat."""
        self.answers[seat] = "invited"

    @event("PlayerJoined")
    def player_joined(self, seat: int, contribution: str) -> None:
        """A player took the seat."""
        self.answers[seat] = "joined"
        self.contributions[seat] = contribution

    @event("GameStarted")
    def game_started(self, start_seat: int) -> None:
        """Everybody is in."""
        self.start_seat = start_seat

    @event("HandDealt")
    def hand_dealt(self, seat: int, cards: list[Any], boxed: Any) -> None:
        """A seat's nine cards, and the tenth."""
        self.hands[seat] = list(cards)
        self.boxed[seat] = boxed

    @event("DummyDealt")
    def dummy_dealt(self, pile: list[Any], boxed: Any) -> None:
        """The dummy's pile."""
        self.dummy = list(pile)
        self.dummy_boxed = boxed

    @event("RoundStarted")
    def round_started(self, round: int, start_seat: int, mice_on_cards: list[int], bank: int) -> None:
        """A round began."""
        self.round = round
        self.start_seat = start_seat
        self.mice_on_cards = mice_on_cards
        self.bank = bank
        self.taken = 0
        self.bids = [0] * len(self.seats)
        self.passed = [False] * len(self.seats)

    @event("CardPlaced")
    def card_placed(self, seat: int, card: Any) -> None:
        """A seat put a card face down."""
        self.hands[seat].remove(card)
        self.placed[seat] = card

    @event("CardsTurned")
    def cards_turned(self, cards: list[Any]) -> None:
        """Cards of the row were turned over."""
        self.turned += cards

    @event("BidPlaced")
    def bid_placed(self, seat: int, amount: int) -> None:
        """A seat bid."""
        self.bids[seat] = amount

    @event("PlayerPassed")
    def player_passed(self, seat: int, mice: int) -> None:
        """A seat left the auction."""
        self.passed[seat] = True
        self.mice[seat] += mice
        self.taken += 1

    @event("SackSold")
    def sack_sold(self, seat: int, price: int, chased: Any, prize: list[Any]) -> None:
        """A seat paid its bid and keeps the prize."""
        self.mice[seat] -= price
        self.won[seat] += prize
        self.bank += price
        self.start_seat = seat
        if chased is not None:
            self.box.append(chased)
        self._clear_row()

    @event("SackDiscarded")
    def sack_discarded(self) -> None:
        """Nobody wanted the sack."""
        self.box += self.turned
        self._clear_row()

    @event("GameEnded")
    def game_ended(self, scores: list[dict[str, int]], winners: list[int]) -> None:
        """The ninth round is over."""
        self.scores = scores
        self.winners = winners

    @event("SeatLogsClosed")
    def seat_logs_closed(self, roots: list[str]) -> None:
        """Tell that the seats' own logs are bound to the game."""
        self.roots = roots

    @event("SeedRevealed")
    def seed_revealed(self, seed: str) -> None:
        """The seed behind every draw."""
        self.seed = seed

    def _clear_row(self) -> None:
        self.turned = []
        self.placed = [None] * len(self.seats)
        self.dummy = self.dummy[1:]


Fact = tuple[str, dict[str, Any]]
"""The method that tells an event, and its arguments."""


def facts_of(events: list[Event]) -> list[Fact]:
    """Felix's events for an aggregate."""
    return [(event.type, event.model_dump()) for event in events]


class Tables:
    """Aggregates in an SQLite file, with the library's cache of aggregates or without it."""

    def __init__(self, path: Path, *, cached: bool) -> None:
        settings = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
        self._application = Application[UUID](env=settings | (_CACHED if cached else {}))
        self._repository = self._application.repository
        factory: Any = self._application.factory  # that of `eventsourcing.sqlite`, which has a datastore
        with factory.datastore.transaction(commit=False) as cursor:
            level = [_asked(cursor, name) for name in ("journal_mode", "synchronous")]
        assert level == ["wal", "2"], f"as felix has it: WAL and FULL, not {level}"

    def open(self, events: list[Event]) -> UUID:
        """A new aggregate with these events, the first of which creates it; its id."""
        first, *others = events
        assert isinstance(first, GameCreated)
        table = Table(**first.model_dump())
        for name, arguments in facts_of(others):
            getattr(table, name)(**arguments)
        self._application.save(table)
        table_id: UUID = table.id
        return table_id

    def get(self, table_id: UUID) -> Table:
        """An aggregate out of its repository."""
        table: Table = self._repository.get(table_id)
        return table

    def move(self, table_id: UUID, facts: list[Fact]) -> None:
        """One command's events: get the aggregate, tell it what happened, save it."""
        table = self.get(table_id)
        for name, arguments in facts:
            getattr(table, name)(**arguments)
        self._application.save(table)

    def close(self) -> None:
        """Let go of the file."""
        self._application.close()


def _asked(cursor: Any, pragma: str) -> str:
    cursor.execute(f"PRAGMA {pragma}")
    return str(cursor.fetchone()[0])
