"""The auction: who is asked, what may be bid, what a pass brings, which cards are turned over."""

from __future__ import annotations

from itertools import pairwise

import pytest

from felix_async.game.commands import Bid, Command, Pass
from felix_events.model import BidPlaced, Card, CardsTurned, PlayerPassed
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    EVE,
    MOUSE_CARDS,
    Scene,
    a_game,
    for_every_table,
    given,
)

ROWS: dict[int, tuple[Card, ...]] = {
    3: ("large_dog", 3, 5, 8),
    4: (3, 5, 8, 11),
    5: (3, 5, 8, 11, 15),
}
"""With 3 players the dummy's card comes first."""


def auction(seats: int, start: int = ANNA) -> Scene:
    return given(a_game(seats=seats, start=start).with_row(*ROWS[seats]))


# ---- whose turn -------------------------------------------------------------------------------------
@pytest.mark.parametrize("start", [ANNA, BEN, CARA])
@for_every_table
def test_the_start_player_is_asked_first(seats: int, start: int) -> None:
    assert auction(seats, start).game.asked == [start]


@for_every_table
def test_the_others_follow_clockwise(seats: int) -> None:
    scene, asked = auction(seats, CARA), []
    for amount in range(1, 2 * seats + 1):
        asked += scene.game.asked
        scene = scene.when(Bid(seat=asked[-1], amount=amount))
    assert asked == [(CARA + step) % seats for step in range(seats)] * 2


def test_only_those_still_in_are_asked() -> None:
    scene = auction(5).when(
        Bid(seat=ANNA, amount=1),
        Pass(seat=BEN),
        Bid(seat=CARA, amount=2),
        Pass(seat=DAN),
        Bid(seat=EVE, amount=3),
        Bid(seat=ANNA, amount=4),
    )
    assert scene.game.asked == [CARA]
    assert scene.when(Bid(seat=CARA, amount=5)).game.asked == [EVE]


@pytest.mark.parametrize("command", [Bid(seat=CARA, amount=9), Pass(seat=CARA)])
@for_every_table
def test_nobody_moves_out_of_turn(seats: int, command: Command) -> None:
    auction(seats).when(command).refused("turn/not_yours")


@for_every_table
def test_the_highest_bidder_cannot_pass_before_he_is_asked_again(seats: int) -> None:
    auction(seats).when(Bid(seat=ANNA, amount=3)).when(Pass(seat=ANNA)).refused("bid/stands")


@pytest.mark.parametrize("command", [Bid(seat=ANNA, amount=9), Pass(seat=ANNA)])
@for_every_table
def test_who_has_passed_is_out_for_the_round(seats: int, command: Command) -> None:
    auction(seats).when(Pass(seat=ANNA)).when(command).refused("turn/already_passed")


@for_every_table
def test_who_has_passed_is_in_again_in_the_next_round(seats: int) -> None:
    scene = auction(seats).when(*[Pass(seat=seat) for seat in range(seats)])
    assert scene.game.bidders == list(range(seats))


@for_every_table
def test_every_decision_asked_of_a_seat_counts_as_a_turn(seats: int) -> None:
    bids = [Bid(seat=step % seats, amount=step + 1) for step in range(seats + 1)]
    turns = [seat.turn for seat in auction(seats).when(*bids).game.seats]
    assert turns[:3] == [3, 3, 2], "a card and two bids for Anna and Ben, a card and one bid for Cara"


# ---- bids -------------------------------------------------------------------------------------------
def test_a_bid_is_placed() -> None:
    auction(4).when(Bid(seat=ANNA, amount=5)).then(BidPlaced(seat=ANNA, amount=5))


@for_every_table
def test_a_bid_turns_no_card(seats: int) -> None:
    assert auction(seats).when(Bid(seat=ANNA, amount=5)).kinds == ["bid_placed"]


@pytest.mark.parametrize("amount", [0, -1])
def test_the_first_bid_is_at_least_1(amount: int) -> None:
    auction(4).when(Bid(seat=ANNA, amount=amount)).refused("bid/too_low")


@pytest.mark.parametrize("amount", [1, 4, 5])
@for_every_table
def test_a_bid_is_more_than_the_highest_so_far(seats: int, amount: int) -> None:
    scene = given(a_game(seats=seats).in_auction(top_bid=5, by=BEN))
    scene.when(Bid(seat=CARA, amount=amount)).refused("bid/too_low")


@for_every_table
def test_one_mouse_more_is_enough(seats: int) -> None:
    scene = given(a_game(seats=seats).in_auction(top_bid=5, by=BEN))
    scene.when(Bid(seat=CARA, amount=6)).then(BidPlaced(seat=CARA, amount=6))


@for_every_table
def test_a_bid_may_be_the_whole_purse(seats: int) -> None:
    auction(seats).when(Bid(seat=ANNA, amount=15)).then_first(BidPlaced(seat=ANNA, amount=15))


@for_every_table
def test_a_bid_is_no_more_than_the_seat_owns(seats: int) -> None:
    auction(seats).when(Bid(seat=ANNA, amount=16)).refused("bid/above_mice")


def test_the_number_named_is_the_whole_bid_not_what_is_added() -> None:
    scene = auction(4).when(
        Bid(seat=ANNA, amount=9),
        Bid(seat=BEN, amount=10),
        Pass(seat=CARA),
        Pass(seat=DAN),
        Bid(seat=ANNA, amount=14),
    )
    assert (scene.game.seats[ANNA].bid, scene.game.high_bid) == (14, 14)


def test_a_bid_is_its_owners_money_until_it_is_paid() -> None:
    game = auction(4).when(Bid(seat=ANNA, amount=10)).game
    assert (game.seats[ANNA].mice, game.bank) == (15, 15)


@pytest.mark.parametrize(("mice", "code"), [(0, "bid/no_mice"), (5, "bid/too_poor")])
@pytest.mark.parametrize("amount", [1, 5, 6])
def test_a_seat_too_poor_to_bid_can_only_pass(mice: int, code: str, amount: int) -> None:
    """As it is asked at tables where the rules do not pass for it (`test_rules_forced`)."""
    scene = given(a_game().asking_all().with_mice({CARA: mice}).in_auction(top_bid=5, by=BEN))
    scene.when(Bid(seat=CARA, amount=amount)).refused(code)
    scene.when(Pass(seat=CARA)).then_first(PlayerPassed(seat=CARA, mice=2))


# ---- passes -----------------------------------------------------------------------------------------
@for_every_table
def test_who_passes_takes_the_mice_of_the_lowest_mouse_card(seats: int) -> None:
    lowest = MOUSE_CARDS[seats][0]
    scene = auction(seats).when(Pass(seat=ANNA))
    scene.then_first(PlayerPassed(seat=ANNA, mice=lowest))
    assert scene.game.seats[ANNA].mice == 15 + lowest


@pytest.mark.parametrize(
    ("seats", "mice"), [(3, [18, 21, 14]), (4, [17, 19, 21, 14]), (5, [17, 18, 19, 21, 14])]
)
def test_each_pass_takes_the_lowest_mouse_card_that_is_left(seats: int, mice: list[int]) -> None:
    """The last seat bids 1 after all others have passed, and pays it."""
    scene = auction(seats).when(*[Pass(seat=seat) for seat in range(seats - 1)])
    scene = scene.when(Bid(seat=seats - 1, amount=1))
    assert [seat.mice for seat in scene.game.seats] == mice


@for_every_table
def test_the_mice_of_a_mouse_card_do_not_come_from_the_bank_now(seats: int) -> None:
    scene = auction(seats)
    assert scene.when(Pass(seat=ANNA)).game.bank == scene.game.bank


@for_every_table
def test_an_empty_mouse_card_gives_nothing(seats: int) -> None:
    scene = given(a_game(seats=seats).with_empty_mouse_cards().with_row(*ROWS[seats]))
    for seat in range(seats - 1):
        scene = scene.when(Pass(seat=seat)).then_first(PlayerPassed(seat=seat, mice=0))


@for_every_table
def test_who_passes_takes_its_bid_back(seats: int) -> None:
    scene = auction(seats).when(*[Bid(seat=seat, amount=10 + seat) for seat in range(seats)])
    anna = scene.when(Pass(seat=ANNA)).game.seats[ANNA]
    assert (anna.mice, anna.bid) == (15 + MOUSE_CARDS[seats][0], 0)


@for_every_table
def test_a_bid_taken_back_still_has_to_be_topped(seats: int) -> None:
    """Ben has 11 on the table when Anna, who bid 10, passes: 11 stays the highest bid."""
    scene = given(a_game(seats=seats, start=CARA).in_auction(top_bid=10, by=ANNA))
    scene = scene.when(Bid(seat=BEN, amount=11), Pass(seat=CARA))
    scene = scene.when(*[Pass(seat=seat) for seat in range(3, seats)])
    scene.when(Bid(seat=ANNA, amount=11)).refused("bid/too_low")


# ---- cards turned over ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("seats", "shown"),
    [
        (3, [["large_dog"], [3], [5, 8]]),
        (4, [[3], [5], [8], [11]]),
        (5, [[3], [5], [8], [11], [15]]),
    ],
    ids=[
        "the dummy's card first, two together last",
        "one after each pass",
        "one after each pass, five in all",
    ],
)
def test_which_cards_are_turned_over_when(seats: int, shown: list[list[Card]]) -> None:
    scene = auction(seats)
    turned = [scene.game.turned]
    for seat in range(seats - 1):
        scene = scene.when(Pass(seat=seat))
        turned += [event.cards for event in scene.happened if isinstance(event, CardsTurned)]
    assert turned == shown


@for_every_table
def test_a_pass_is_followed_by_the_card_that_it_turns_over(seats: int) -> None:
    auction(seats).when(Pass(seat=ANNA)).then(
        PlayerPassed(seat=ANNA, mice=MOUSE_CARDS[seats][0]), CardsTurned(cards=[ROWS[seats][1]])
    )


def test_with_3_players_the_second_pass_turns_over_the_last_two_cards_together() -> None:
    auction(3).when(Pass(seat=ANNA), Pass(seat=BEN)).then(
        PlayerPassed(seat=BEN, mice=6), CardsTurned(cards=[5, 8])
    )


def test_with_3_players_two_bidders_see_the_dummys_card_and_one_more() -> None:
    scene = auction(3).when(Bid(seat=ANNA, amount=1), Pass(seat=BEN), Bid(seat=CARA, amount=2))
    assert scene.game.turned == ["large_dog", 3]


@for_every_table
def test_the_open_cards_are_the_left_end_of_the_row(seats: int) -> None:
    scene = auction(seats)
    opened = [scene.game.turned]
    for seat in range(seats - 1):
        scene = scene.when(Pass(seat=seat))
        opened.append(scene.game.turned)
    assert opened[-1] == list(ROWS[seats])
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(opened))


@for_every_table
def test_when_one_unbid_seat_is_left_the_whole_row_lies_open(seats: int) -> None:
    scene = auction(seats).when(*[Pass(seat=seat) for seat in range(seats - 1)])
    assert scene.game.turned == list(ROWS[seats])
    assert scene.game.asked == [seats - 1]
