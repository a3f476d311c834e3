"""Computer players: always legal, from the view alone, and the sensible one is worth its name."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import pytest

from felix_async.draw import Dice, Stream, commit
from felix_async.game.commands import Bid, Create, Move, Pass, Play
from felix_async.game.fold import fold
from felix_async.game.players import ComputerPlayer, random_player, share_player
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.sensible import sensible_player
from felix_async.game.state import Game, initial_state
from felix_async.game.view import View, view
from felix_events.model import Options, Ruleset
from games import RULESETS, a_game_played, joining
from table import ANNA, BEN, CARA, DAN, Table, a_game

KINDS = [random_player, sensible_player, share_player]


def numbers() -> Stream:
    return Stream(bytes(32), "players")


def order_of(table: Table, kind: ComputerPlayer, seat: int) -> Move:
    return orders_of(table, kind, seat, 1)[0]


def orders_of(table: Table, kind: ComputerPlayer, seat: int, times: int) -> list[Move]:
    """What it does at the same table, again and again."""
    stream = numbers()
    return [kind(view(table.game, seat), seat, stream).move for _ in range(times)]


def play_through(seats: int, ruleset: Ruleset, kinds: Sequence[ComputerPlayer], number: int) -> Game:
    """A game without a service or a store; every order is one of the choices, and the rules allow it."""
    seed = sha256(f"{number}/{seats}/{ruleset}".encode()).digest()
    context = Context(Dice("k7m2p", seed))
    names = [f"p{seat}" for seat in range(seats)]
    create = Create(ruleset=ruleset, seats=names, options=Options(), commitment=commit("k7m2p", seed))
    game = follow(initial_state(), decide(create, initial_state(), context))
    for seat in range(seats):
        game = follow(game, decide(joining(seat), game, context))
    stream = Stream(seed, "players")
    while not game.is_over:
        seat = game.asked[-1]
        order = kinds[seat](view(game, seat), seat, stream).move
        assert is_a_choice(order, view(game, seat), seat)
        game = follow(game, decide(order, game, context))
    return game


def follow(game: Game, decided: object) -> Game:
    assert not isinstance(decided, Refusal), decided
    assert isinstance(decided, list)
    return fold(decided, game)


def is_a_choice(order: Move, table: View, seat: int) -> bool:
    choices = table.own[seat].choices
    match order:
        case Play():
            return order.seat == seat and order.card in choices.plays
        case Bid():
            return (
                order.seat == seat
                and choices.bids is not None
                and choices.bids[0] <= order.amount <= choices.bids[1]
            )
        case Pass():
            return order.seat == seat and choices.may_pass


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_computer_player_chooses_what_it_may_do(seats: int, ruleset: Ruleset, kind: ComputerPlayer) -> None:
    for number in range(15):
        assert play_through(seats, ruleset, [kind] * seats, number).phase == "ended"


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_view_and_the_same_numbers_give_the_same_order(kind: ComputerPlayer) -> None:
    played = a_game_played(4)
    for version in range(played.size):
        game = played.game(version)
        for seat in game.asked if game.phase != "inviting" else []:
            orders = [kind(view(game, seat), seat, Stream(bytes(32), str(version))) for _ in range(2)]
            assert orders[0] == orders[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_computer_player_leaves_the_view_as_it_is(kind: ComputerPlayer) -> None:
    played = a_game_played(3)
    for version in played.step_ends()[4:-1]:
        game = played.game(version)
        for seat in game.asked:
            table = view(game, seat)
            kind(table, seat, numbers())
            assert table == view(game, seat)


def test_another_hand_of_another_seat_gives_the_same_order() -> None:
    """A view does not hold it, so an order cannot follow from it."""
    for hidden in (15, -8):
        table = a_game().with_row(3, 5, 8, hidden)
        order = sensible_player(view(table.game, ANNA), ANNA, Stream(bytes(32), "one")).move
        assert order == Bid(seat=ANNA, amount=1)


# ---- what they do -----------------------------------------------------------------------------------


def test_the_random_player_does_everything_that_it_may() -> None:
    """Of a poor choice it takes each in turn: cards, small raises, and passing."""
    bids = {str(order) for order in orders_of(a_game().in_auction(), random_player, ANNA, 60)}
    assert bids == {"seat=0", *(f"seat=0 amount={amount}" for amount in (1, 2, 3, 4))}
    plays = {str(order) for order in orders_of(a_game(), random_player, ANNA, 200)}
    assert len(plays) == 9


@pytest.mark.parametrize("kind", KINDS)
def test_who_has_too_few_mice_passes(kind: ComputerPlayer) -> None:
    table = a_game().with_mice({BEN: 5}).in_auction(top_bid=5, by=ANNA)
    assert order_of(table, kind, BEN) == Pass(seat=BEN)


def test_the_sensible_player_bids_one_more_while_the_sack_looks_worth_it() -> None:
    table = a_game().with_row(15, 3, 3, 3).in_auction(top_bid=5, by=ANNA)
    assert order_of(table, sensible_player, BEN) == Bid(seat=BEN, amount=6)


def test_the_sensible_player_passes_when_the_sack_is_not_worth_its_price() -> None:
    table = a_game().with_row(-8, 3, 3, 3).in_auction()
    assert order_of(table, sensible_player, ANNA) == Pass(seat=ANNA)


def test_the_sensible_player_counts_its_own_card_that_still_lies_face_down() -> None:
    good = a_game().with_row(3, 15, 3, 3).in_auction(top_bid=7, by=ANNA)
    bad = a_game().with_row(3, -8, 3, 3).in_auction(top_bid=7, by=ANNA)
    assert order_of(good, sensible_player, BEN) == Bid(seat=BEN, amount=8)
    assert order_of(bad, sensible_player, BEN) == Pass(seat=BEN)


def test_the_sensible_player_counts_what_the_dog_will_do() -> None:
    """A large dog beside the 15 drives it away."""
    row = a_game().with_row("large_dog", 15, 3, 3).in_auction().after(Pass(seat=ANNA))
    assert order_of(row, sensible_player, BEN) == Pass(seat=BEN)


def test_the_sensible_player_wants_more_than_the_next_mouse_card() -> None:
    """The same sack is bought where passing earns nothing."""
    table = a_game().with_row(3, 3, 3, 3)
    filled = table.in_auction(top_bid=8, by=ANNA)
    unfilled = table.with_empty_mouse_cards().in_auction(top_bid=8, by=ANNA)
    assert order_of(filled, sensible_player, BEN) == Pass(seat=BEN)
    assert order_of(unfilled, sensible_player, BEN) == Bid(seat=BEN, amount=9)


def test_the_sensible_player_expects_nothing_of_a_mouse_card_when_all_are_taken() -> None:
    table = a_game().with_row(3, 3, 3, 3).in_auction()
    last = table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
    assert order_of(last, sensible_player, DAN) == Bid(seat=DAN, amount=1)


@pytest.mark.parametrize(("mice", "better"), [(15, "good cats"), (3, "bad cats and dogs")])
def test_the_sensible_player_places_good_cats_when_rich_and_bad_ones_when_poor(
    mice: int, better: str
) -> None:
    table = a_game().with_mice({ANNA: mice})
    placed = orders_of(table, sensible_player, ANNA, 100)
    good = sum(1 for order in placed if isinstance(order, Play) and order.card in (8, 11, 15))
    assert good > 40 if better == "good cats" else good < 20


# ---- strength ---------------------------------------------------------------------------------------


def test_one_sensible_player_beats_three_random_ones() -> None:
    """Of 200 games it should win far more than its quarter."""
    wins = 0
    for number in range(200):
        kinds: list[ComputerPlayer] = [random_player] * 4
        kinds[number % 4] = sensible_player
        game = play_through(4, RULESETS[number % 2], kinds, number)
        wins += number % 4 in game.winners
    assert wins > 120
