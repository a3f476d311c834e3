"""An answer belongs to a decision and to a card: which are for now, and why the others are late."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Pass
from felix_async.game.moment import NOT_SAID, Lateness, Row, What, coming, lateness, row_of
from felix_async.game.state import Game
from table import ANNA, BEN, CARA, DAN, a_game

ONE_CARD = Row(1, 1)
TWO_CARDS = Row(1, 2)


def a_first_card() -> Game:
    """Anna has bid 1, and Ben is asked; the first card lies open."""
    return a_game().in_auction(top_bid=1, by=ANNA).game


def a_second_card() -> Game:
    """Anna has bid 1 and Ben has passed: the second card lies open, and Cara is asked."""
    return a_game().in_auction().after(Bid(seat=ANNA, amount=1), Pass(seat=BEN)).game


def placing() -> Game:
    return a_game().game


# ---- the decision to come ----------------------------------------------------------------------------
@pytest.mark.parametrize(("seat", "more"), [(ANNA, 1), (BEN, 1), (CARA, 0), (DAN, 1)])
def test_whoever_waits_in_an_auction_answers_the_next_decision(seat: int, more: int) -> None:
    game = a_game().in_auction(top_bid=1, by=BEN).game
    assert game.to_move == CARA
    assert coming(game, seat) == game.seats[seat].turn + more


def test_whoever_has_passed_answers_nothing_new() -> None:
    game = a_second_card()
    assert coming(game, BEN) == game.seats[BEN].turn


def test_while_cards_are_placed_the_decision_is_the_one_that_was_asked() -> None:
    game = placing()
    assert [coming(game, seat) for seat in game.players] == [1, 1, 1, 1]


def test_the_row_counts_its_open_cards() -> None:
    assert (row_of(placing()), row_of(a_first_card()), row_of(a_second_card())) == (
        Row(1, 0),
        ONE_CARD,
        TWO_CARDS,
    )


# ---- a move in turn ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("turns_later", "row", "why"),
    [
        (0, TWO_CARDS, ""),
        (0, NOT_SAID, ""),
        (0, ONE_CARD, "card"),
        (-1, TWO_CARDS, "decision"),
        (1, TWO_CARDS, "decision"),
        (-1, NOT_SAID, "decision"),
        (0, Row(2, 2), "decision"),
    ],
)
@pytest.mark.parametrize("what", ["move", "ahead"])
def test_a_move_in_turn_is_for_its_decision_and_its_card(
    turns_later: int, row: Row, why: Lateness, what: What
) -> None:
    game = a_second_card()
    assert game.to_move == CARA
    assert lateness(game, CARA, game.seats[CARA].turn + turns_later, row, what) == why


# ---- what is said in advance -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("row", "why"), [(TWO_CARDS, ""), (ONE_CARD, "card"), (Row(1, 0), "card"), (NOT_SAID, "")]
)
@pytest.mark.parametrize("turns_later", [0, 1])
def test_what_is_said_in_advance_is_for_its_card_alone(turns_later: int, row: Row, why: Lateness) -> None:
    game = a_second_card()
    assert lateness(game, DAN, game.seats[DAN].turn + turns_later, row, "ahead") == why


@pytest.mark.parametrize("what", ["ahead", "next"])
@pytest.mark.parametrize(("turns_later", "why"), [(-1, "decision"), (0, ""), (1, ""), (2, "decision")])
def test_an_older_address_is_judged_by_its_turn_alone(turns_later: int, why: Lateness, what: What) -> None:
    game = a_second_card()
    assert lateness(game, DAN, game.seats[DAN].turn + turns_later, NOT_SAID, what) == why


def test_what_was_said_of_an_earlier_round_is_not_for_this_one() -> None:
    game = a_game().in_round(2).in_auction().game
    assert lateness(game, DAN, coming(game, DAN), Row(1, 1), "ahead") == "decision"


def test_a_move_at_another_ones_turn_is_left_to_the_rules() -> None:
    game = a_second_card()
    assert lateness(game, DAN, game.seats[DAN].turn, NOT_SAID, "move") == ""


# ---- a card for the next round -----------------------------------------------------------------------
@pytest.mark.parametrize("game", [placing(), a_first_card(), a_second_card()])
@pytest.mark.parametrize("row", [Row(1, 0), ONE_CARD, TWO_CARDS])
def test_a_card_for_the_next_round_is_for_the_whole_round(game: Game, row: Row) -> None:
    assert [lateness(game, seat, 1, row, "next") for seat in game.players] == [""] * 4


def test_a_card_that_was_for_this_round_is_not_for_the_next_one() -> None:
    game = a_game().in_round(2).game
    assert lateness(game, ANNA, 2, TWO_CARDS, "next") == "decision"


# ---- who does not say --------------------------------------------------------------------------------
@pytest.mark.parametrize("what", ["move", "ahead", "next"])
def test_the_hosts_desk_means_now(what: What) -> None:
    assert {lateness(a_second_card(), seat, None, NOT_SAID, what) for seat in range(4)} == {""}


def test_of_a_game_that_is_over_nothing_is_late() -> None:
    game = a_second_card()
    game.phase = "ended"
    assert lateness(game, CARA, 1, ONE_CARD, "ahead") == ""
