"""A small language for tests of the rules: given a table, when somebody moves, then this happens.

    given(a_game(seats=4).in_auction(top_bid=5, by=BEN))
        .when(Bid(seat=CARA, amount=5))
        .refused("bid/too_low")

A table is a list of events, folded as any log is. What a test does not name is filled in: earlier rounds
in which nobody took anything, a row of harmless cats, and a bank that makes the mice add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import pytest

from felix_async.clock import later
from felix_async.draw import Dice, commit
from felix_async.game.commands import Command, Create, Join
from felix_async.game.folding import fold
from felix_async.game.rounds import pass_the_poor
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.state import Game
from felix_async.game.table import Table as Moving
from felix_events import model as m

ANNA, BEN, CARA, DAN, EVE = range(5)
PLAYERS: Final = ("anna", "ben", "cara", "dan", "eve")
WORDS: Final = tuple(f"{seat}" * 64 for seat in range(5))
"""What each seat put into the draw."""

FULL_SET: Final[tuple[m.Card, ...]] = (-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog")
MOUSE_CARDS: Final[Mapping[int, tuple[int, ...]]] = {3: (3, 6), 4: (2, 4, 6), 5: (2, 3, 4, 6)}
ALL_MICE: Final[Mapping[int, int]] = {3: 66, 4: 87, 5: 108}
"""Written down here from the rule sheet, so that the tests do not believe the code."""

GAME_ID: Final = "k7m2p"
SEED: Final = bytes(range(32))
NOW: Final = "2026-11-17T12:00:00.000000Z"
"""A Tuesday, at noon."""
CONTEXT: Final = Context(Dice(GAME_ID, SEED), NOW)
COMMITMENT: Final = commit(GAME_ID, SEED)

EMPTY_LOG: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The root of a log in which there is nothing: the hash of nothing."""

for_every_table = pytest.mark.parametrize("seats", [3, 4, 5])
for_both_rulesets = pytest.mark.parametrize("ruleset", ["felicity-2017", "felix-2007"])


@dataclass(frozen=True)
class Table:
    """A running game to start a test from; every method gives a new table."""

    seats: int
    ruleset: m.Ruleset
    start: int
    round: int = 1
    filled: bool = True
    opened: bool = False
    mice: Mapping[int, int] = field(default_factory=dict)
    won: Mapping[int, Sequence[m.Card]] = field(default_factory=dict)
    hands: Mapping[int, Sequence[m.Card]] = field(default_factory=dict)
    row: tuple[m.Card, ...] = ()
    clock: m.Terms | None = None
    asks_all: bool = False
    moves: tuple[m.Event, ...] = ()

    def asking_all(self) -> Table:
        """Opened before there were forced passes: a seat that can only pass is asked all the same."""
        return replace(self, asks_all=True)

    def in_round(self, number: int) -> Table:
        """Nobody took anything in the rounds before; the cards of round 9 lie on the table at once."""
        return replace(self, round=number, opened=self.opened or number == 9)

    def with_mice(self, mice: Mapping[int, int]) -> Table:
        """So many mice for these seats as the round begins; the bank has the rest."""
        return replace(self, mice=mice)

    def with_empty_mouse_cards(self) -> Table:
        """No mice lie on the mouse cards in this round."""
        return replace(self, filled=False)

    def by_the_clock(self, terms: m.Terms) -> Table:
        """On these terms; the time of those who are asked began to run now."""
        return replace(self, clock=terms)

    def with_won(self, won: Mapping[int, Sequence[m.Card]]) -> Table:
        """These cards lie apart before these seats."""
        return replace(self, won=won)

    def with_hands(self, hands: Mapping[int, Sequence[m.Card]]) -> Table:
        """These hands as the round begins: nine cards in round 1, one less in each round."""
        return replace(self, hands=hands)

    def with_row(self, *cards: m.Card) -> Table:
        """All cards are placed, in this row, and the leftmost lies open; with 3 players it is the dummy's."""
        return replace(self, row=cards, opened=True)

    def in_auction(self, top_bid: int = 0, by: int | None = None) -> Table:
        """The first card of the row lies open; one seat may have bid already, as the last who was asked."""
        bids = () if by is None else (m.BidPlaced(seat=by, amount=top_bid),)
        return replace(self, opened=True, moves=self.moves + bids)

    def after(self, *commands: Command, at: str = NOW) -> Table:
        """These moves were made as well; all of them are allowed."""
        table = self
        for command in commands:
            answer = decide(command, table.game, Context(CONTEXT.dice, at))
            assert isinstance(answer, list), f"{command!r}: {answer}"
            table = replace(table, moves=(*table.moves, *table._forced, *answer))
        return table

    @property
    def game(self) -> Game:
        """The state of the table."""
        return fold(self.events)

    @property
    def events(self) -> list[m.Event]:
        """What has happened, from the creation on, the passes that the rules make at last among it."""
        return [*self._named, *self._forced]

    @cached_property
    def _named(self) -> tuple[m.Event, ...]:
        so_far = [*_opening(self), *_earlier_rounds(self), *_this_round(self)]
        deadlines = () if self.clock is None else _deadlines(self.clock, fold(so_far))
        return (*so_far, *deadlines, *self.moves)

    @cached_property
    def _forced(self) -> tuple[m.Event, ...]:
        return tuple(pass_the_poor(Moving(fold(self._named), CONTEXT)))


def a_game(*, seats: int = 4, start: int = ANNA, ruleset: m.Ruleset = "felicity-2017") -> Table:
    """A table in round 1, cards dealt and none placed; `start` is this round's start player."""
    return Table(seats, ruleset, start)


def creation(
    seats: int = 4,
    *,
    start: int | None = None,
    ruleset: m.Ruleset = "felicity-2017",
    players: Sequence[str] | None = None,
    clock: m.Terms | None = None,
) -> Create:
    """The command that opens a table; without `start` the start player is drawn."""
    return Create(
        ruleset=ruleset,
        seats=list(PLAYERS[:seats] if players is None else players),
        options=m.Options(start_seat=start),
        commitment=COMMITMENT,
        clock=clock,
    )


def joining(seat: int) -> Join:
    """The seat accepts the invitation, with words of its own for the draw."""
    return Join(seat=seat, contribution=WORDS[seat])


def an_invitation(
    seats: int = 4,
    joined: Sequence[int] = (),
    *,
    start: int | None = None,
    ruleset: m.Ruleset = "felicity-2017",
    asks_all: bool = False,
) -> list[m.Event]:
    """A table that was opened, and the answers of those who are in already."""
    return [
        m.GameCreated(
            ruleset=ruleset,
            seats=list(PLAYERS[:seats]),
            options=m.Options(start_seat=start, forced_pass=not asks_all),
            commitment=COMMITMENT,
        ),
        *[m.PlayerInvited(seat=seat) for seat in range(seats)],
        *[m.PlayerJoined(seat=seat, contribution=WORDS[seat]) for seat in joined],
    ]


def a_hosted_invitation(seats: int = 4, joined: Sequence[int] = ()) -> list[m.Event]:
    """A table that Anna hosts, and the answers of those who are in already."""
    created, *rest = an_invitation(seats, joined)
    return [created, m.HostNamed(seat=ANNA), *rest]


def all_shown(seats: int = 4) -> list[m.Event]:
    """The last events of a game: the own logs of the seats, in which there is nothing, and the seed."""
    return [m.SeatLogsClosed(roots=[EMPTY_LOG] * seats), m.SeedRevealed(seed=SEED.hex())]


def by_all(scores: Sequence[m.Score | None]) -> list[m.Score]:
    """The scores of a game in which every seat played."""
    assert None not in scores, "somebody did not play"
    return [score for score in scores if score is not None]


@dataclass(frozen=True)
class Scene:
    """A state, and the answer to the last command."""

    game: Game
    answer: list[m.Event] | Refusal
    now: str = NOW

    def at(self, now: str) -> Scene:
        """The same, at another time."""
        return replace(self, now=now)

    def when(self, *commands: Command, context: Context | None = None) -> Scene:
        """Somebody moves; of several moves all but the last must be allowed, and `then` sees the last."""
        scene = self
        for command in commands:
            assert isinstance(scene.answer, list), f"refused before {command!r}: {scene.answer}"
            answer = decide(command, scene.game, context or Context(CONTEXT.dice, self.now))
            game = fold(answer, scene.game) if isinstance(answer, list) else scene.game
            scene = Scene(game, answer, self.now)
        return scene

    def after(self, *commands: Command) -> Game:
        """The state once these moves were made, all of which are allowed."""
        scene = self.when(*commands)
        assert scene.happened, "nothing happened"
        return scene.game

    def then(self, *events: m.Event) -> Scene:
        """Exactly these events, in this order."""
        assert self.answer == list(events)
        return self

    def then_first(self, *events: m.Event) -> Scene:
        """These events to begin with, whatever follows them."""
        assert self.happened[: len(events)] == list(events)
        return self

    def refused(self, code: str) -> Scene:
        """A refusal with this code, in a whole sentence, and so no event."""
        assert isinstance(self.answer, Refusal), f"not refused: {self.answer}"
        assert self.answer.code == code
        assert str(self.answer).endswith(".")
        return self

    def nothing_happens(self) -> Scene:
        """All is already as asked: neither an event nor a refusal."""
        assert self.answer == []
        return self

    @property
    def happened(self) -> list[m.Event]:
        """The events of the last move, which was allowed."""
        assert isinstance(self.answer, list), f"refused: {self.answer}"
        return self.answer

    @property
    def kinds(self) -> list[str]:
        """The names of these events."""
        return [event.type for event in self.happened]


def given(table: Table | Sequence[m.Event] | Game) -> Scene:
    """What a test starts from: a table, a list of events, or a state."""
    if isinstance(table, Game):
        return Scene(table, [])
    return Scene(table.game if isinstance(table, Table) else fold(table), [])


# ---- the events of a table --------------------------------------------------------------------------
def _clockwise(table: Table) -> list[int]:
    return [(table.start + step) % table.seats for step in range(table.seats)]


def _row(table: Table) -> tuple[m.Card, ...]:
    """The row that was named, or each hand's first card, or 3 5 8 11 15 from left to right."""
    if table.row:
        assert len(table.row) == max(4, table.seats), "a row has 4 cards, with 5 players 5"
        return table.row
    harmless: tuple[m.Card, ...] = (3, 5, 8, 11, 15)
    dummies = 1 if table.seats == 3 else 0
    cards = [
        table.hands[seat][0] if seat in table.hands else harmless[dummies + place]
        for place, seat in enumerate(_clockwise(table))
    ]
    return (*harmless[:dummies], *cards)


def _row_card(table: Table, seat: int) -> m.Card:
    return _row(table)[-table.seats :][_clockwise(table).index(seat)]


def _hand(table: Table, seat: int) -> list[m.Card]:
    """The hand as this round begins, with the card that the row needs."""
    size = 10 - table.round
    mine = _row_card(table, seat)
    hand = list(table.hands.get(seat, [mine, *[card for card in FULL_SET if card != mine]][:size]))
    assert len(hand) == size, f"a hand has {size} cards in round {table.round}"
    assert mine in hand or not table.opened, f"{mine} is in the row and not in the hand of seat {seat}"
    return sorted(hand, key=FULL_SET.index)


def _gone(table: Table, seat: int) -> list[m.Card]:
    """The seat's cards of the earlier rounds; the last of them was boxed at the deal."""
    hand = _hand(table, seat)
    return [card for card in FULL_SET if card not in hand]


def _dummy(table: Table) -> list[m.Card]:
    """The dummy's ten, this round's card in its place, the boxed card last."""
    others = [card for card in FULL_SET if card != _row(table)[0]]
    return [*others[: table.round - 1], _row(table)[0], *others[table.round - 1 :]]


def _opening(table: Table) -> Iterator[m.Event]:
    created, *answers = an_invitation(
        table.seats, range(table.seats), ruleset=table.ruleset, asks_all=table.asks_all
    )
    yield created
    if table.clock is not None:
        yield m.ClockSet(terms=table.clock)
    yield from answers
    yield m.GameStarted(start_seat=table.start)
    for seat in range(table.seats):
        gone = _gone(table, seat)
        dealt = sorted([*_hand(table, seat), *gone[:-1]], key=FULL_SET.index)
        yield m.HandDealt(seat=seat, cards=dealt, boxed=gone[-1])
    if table.seats == 3:
        *pile, boxed = _dummy(table)
        yield m.DummyDealt(pile=pile, boxed=boxed)


def _earlier_rounds(table: Table) -> Iterator[m.Event]:
    """Rounds in which nobody wanted the sack; then the mice change hands, and the won cards too."""
    for number in range(1, table.round):
        yield m.RoundStarted(
            round=number,
            start_seat=table.start,
            mice_on_cards=[0] * (table.seats - 1),
            bank=ALL_MICE[table.seats] - 15 * table.seats,
        )
        row: list[m.Card] = _dummy(table)[number - 1 : number] if table.seats == 3 else []
        for seat in _clockwise(table):
            row.append(_gone(table, seat)[number - 1])
            yield m.CardPlaced(seat=seat, card=row[-1])
        yield m.CardsTurned(cards=row)
        yield m.SackDiscarded()
    for seat in range(table.seats):
        mice, won = table.mice.get(seat, 15), list(table.won.get(seat, []))
        if mice > 15:
            yield m.PlayerPassed(seat=seat, mice=mice - 15)
        if mice < 15 or won:
            yield m.SackSold(seat=seat, price=max(0, 15 - mice), chased=None, prize=won)


def _deadlines(terms: m.Terms, game: Game) -> Iterator[m.Event]:
    """Of those who are asked, where weekends count, or are far away."""
    reserve_from = later(NOW, terms.move)
    at = later(reserve_from, terms.reserve)
    for seat in game.asked:
        yield m.DeadlineSet(seat=seat, turn=game.seats[seat].turn, reserve_from=reserve_from, at=at)


def _this_round(table: Table) -> Iterator[m.Event]:
    on_cards = list(MOUSE_CARDS[table.seats]) if table.filled else [0] * (table.seats - 1)
    owned = sum(table.mice.get(seat, 15) for seat in range(table.seats))
    yield m.RoundStarted(
        round=table.round,
        start_seat=table.start,
        mice_on_cards=on_cards,
        bank=ALL_MICE[table.seats] - owned - sum(on_cards),
    )
    if table.opened:
        for seat in _clockwise(table):
            yield m.CardPlaced(seat=seat, card=_row_card(table, seat))
        yield m.CardsTurned(cards=[_row(table)[0]])
