"""Counting tables: from this position, so many ways to go on.

The moves are listed from the words of the rules, not by asking `decide`, and each of them is then played.
A number that is off by one shows a rule that is off, even where no other test looks.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from each import each
from felix_async.game.commands import Bid, Command, Pass, Play
from felix_async.game.folding import fold
from felix_async.game.rules import decide
from felix_async.game.state import Game
from table import ANNA, BEN, CARA, CONTEXT, FULL_SET, Table, a_game


def legal(game: Game) -> set[Command]:
    """All that may be done now, by the words of the rules."""
    if game.phase == "placing":
        # Each seat puts one card face down, all at once; it may exchange it until the last one is in.
        return {Play(seat=seat, card=card) for seat, state in enumerate(game.seats) for card in state.hand}
    if game.phase == "bidding":
        return set(_auction(game))
    return set()


def _auction(game: Game) -> Iterator[Command]:
    seats = range(len(game.seats))
    still_in = [seat for seat in seats if not game.seats[seat].passed]
    highest = max(state.bid for state in game.seats)
    # Start player first, then clockwise among those still in: whoever sits next to the highest bidder,
    # since all between the two have passed since that bid.
    first = game.start_seat
    if highest:
        first = 1 + next(seat for seat in seats if game.seats[seat].bid == highest)
    asked = min(still_in, key=lambda seat: (seat - first) % len(seats))
    yield Pass(seat=asked)
    # More than the highest bid so far, no more than it owns; the last seat pays exactly 1.
    most = game.seats[asked].mice if len(still_in) > 1 else min(1, game.seats[asked].mice)
    for amount in range(highest + 1, most + 1):
        yield Bid(seat=asked, amount=amount)


def after(game: Game, command: Command) -> Game:
    answer = decide(command, game, CONTEXT)
    assert isinstance(answer, list), f"{command!r}: {answer}"
    assert answer, f"{command!r} does nothing"
    return fold(answer, game)


def ways(game: Game, depth: int) -> int:
    """How many sequences of so many moves there are."""
    if depth == 0:
        return 1
    return sum(ways(after(game, command), depth - 1) for command in legal(game))


def ways_to_the_end(game: Game) -> int:
    """How many sequences of moves lead to the end of the game."""
    moves = legal(game)
    return sum(ways_to_the_end(after(game, command)) for command in moves) if moves else 1


def purses(*mice: int, in_round: int) -> Table:
    """An auction among these purses, seat 0 to start, with nothing on the mouse cards."""
    table = a_game(seats=len(mice)).in_round(in_round).with_mice(dict(enumerate(mice)))
    return table.with_empty_mouse_cards()


# ---- placing ----------------------------------------------------------------------------------------

PLACING: list[tuple[Table, list[int]]] = [
    # Nine cards each. First any card of any seat: 3 × 9. Then an exchange (8) or a card of another seat (18).
    (a_game(seats=3), [27, 702, 17_766]),
    (a_game(seats=4), [36, 1_260]),
    (a_game(seats=5), [45, 1_980]),
    # Two cards and one mouse each. 3 × 2; then 1 exchange or 2 × 2 others; then, after a card of another
    # seat (24 ways), 1 + 1 exchanges or 2 cards, and after an exchange (6 ways) again 5: 24 × 4 + 6 × 5.
    # The fourth move may be a bid: 48 ways have filled the row, and Anna bids 1 or passes. With her 1 she has
    # bought, as nobody can go higher; in round 9 she has no mouse, so Ben bids 1 or passes.
    (purses(1, 1, 1, in_round=8), [6, 30, 126, 414, 1_182]),
    (purses(1, 1, 1, 1, in_round=8), [8, 56, 344, 1_880]),
    (purses(1, 1, 1, 1, 1, in_round=8), [10, 90, 730]),
]
"""A position before the first card, and the ways to make 1, 2, 3 … moves."""


@pytest.mark.parametrize(("table", "numbers"), PLACING)
def test_ways_to_place_cards(table: Table, numbers: list[int]) -> None:
    assert [ways(table.game, depth) for depth in range(1, len(numbers) + 1)] == numbers


# ---- one auction ------------------------------------------------------------------------------------

AUCTIONS: list[tuple[tuple[int, ...], int]] = [
    # Nobody can bid: one way, all pass.
    ((0, 0, 0), 1),
    ((0, 0, 0, 0), 1),
    ((0, 0, 0, 0, 0), 1),
    # One mouse each: the first who bids 1 has bought, or nobody bids.
    ((1, 1, 1), 4),
    ((1, 1, 1, 1), 5),
    ((1, 1, 1, 1, 1), 6),
    # Who has no mouse does not count, wherever it sits.
    ((0, 1, 1), 3),
    ((1, 0, 1, 0), 3),
    ((1, 0, 0, 0, 1), 3),
    # Nobody but the last seat has mice: it may buy for 1, however rich it is, or pass.
    ((0, 0, 9), 2),
    # Nobody but the start player has mice: nine bids, or a pass.
    ((9, 0, 0), 10),
    # Two mice each, n seats. The first bids 2: 1 way. It bids 1: one of the others bids 2, or none: n ways.
    # It passes: as with one seat less. The last seat alone has 2 ways. So 2, 5, 9, 14, 20.
    ((2, 2, 2), 9),
    ((2, 2, 2, 2), 14),
    ((2, 2, 2, 2, 2), 20),
    ((3, 3, 3), 21),
    ((3, 3, 3, 3), 39),
    ((1, 2, 3), 12),
    ((3, 2, 1), 9),
    ((4, 4, 4), 49),
    ((5, 4, 3, 2), 62),
]
"""The purses from the start player on, and the ways in which the auction of round 9 can go."""


@each(("mice", "number"), AUCTIONS)
def test_ways_of_one_auction(mice: tuple[int, ...], number: int) -> None:
    assert ways_to_the_end(purses(*mice, in_round=9).in_auction().game) == number


@pytest.mark.parametrize("start", [ANNA, BEN, CARA])
def test_with_equal_purses_it_does_not_matter_who_starts(start: int) -> None:
    table = a_game(seats=3, start=start).in_round(9).with_mice({ANNA: 2, BEN: 2, CARA: 2})
    assert ways_to_the_end(table.game) == 9


# ---- two auctions -----------------------------------------------------------------------------------

TWO_AUCTIONS: list[tuple[tuple[int, ...], int]] = [
    # One mouse each, n seats: each of them may buy, and is then without a mouse in round 9 (n ways each);
    # or nobody does, and round 9 is as above (n + 1 ways): n × n + n + 1.
    ((1, 1, 1), 13),
    ((1, 1, 1, 1), 21),
    ((1, 1, 1, 1, 1), 31),
    ((0, 0, 0), 1),
    ((2, 2, 2), 58),
    ((1, 2, 3), 72),
]
"""The purses, and the ways in which the auctions of rounds 8 and 9 can go."""


@pytest.mark.parametrize(("mice", "number"), TWO_AUCTIONS)
def test_ways_of_two_auctions(mice: tuple[int, ...], number: int) -> None:
    assert ways_to_the_end(purses(*mice, in_round=8).in_auction().game) == number


# ---- nothing else is allowed ------------------------------------------------------------------------
def everything(game: Game) -> Iterator[Command]:
    """Whatever anybody could want to do at this table."""
    for seat, state in enumerate(game.seats):
        yield Pass(seat=seat)
        for amount in range(-1, max(state.mice, game.high_bid) + 3):
            yield Bid(seat=seat, amount=amount)
        for card in FULL_SET:
            yield Play(seat=seat, card=card)


def positions(game: Game, depth: int) -> Iterator[Game]:
    yield game
    if depth:
        for command in legal(game):
            yield from positions(after(game, command), depth - 1)


@pytest.mark.parametrize(
    ("table", "depth"),
    [
        (a_game(seats=3), 1),
        (purses(1, 1, 1, in_round=8), 4),
        (purses(1, 2, 3, in_round=8).in_auction(), 6),
        (purses(0, 3, 2, 2, in_round=9).in_auction(), 8),
        (purses(2, 1, 0, 1, 2, in_round=9).in_auction(), 8),
    ],
)
def test_what_is_not_listed_is_refused(table: Table, depth: int) -> None:
    for game in positions(table.game, depth):
        allowed = set()
        for command in everything(game):
            answer = decide(command, game, CONTEXT)
            if isinstance(answer, list) and answer:
                allowed.add(command)
        assert allowed == legal(game)
