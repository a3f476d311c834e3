"""Placement and first reveal: one card of each seat face down, in any order, exchanged at will."""

from __future__ import annotations

from itertools import permutations

import pytest

from felix_async.game.commands import Bid, Command, Pass, Play
from felix_events.model import Card, CardPlaced, CardsTurned, RoundStarted
from table import ANNA, BEN, CARA, DAN, EVE, FULL_SET, MOUSE_CARDS, a_game, for_every_table, given

CATS: tuple[Card, ...] = (3, 5, 8, 11, 15)
"""The card that each seat places in these tests: Anna 3, Ben 5, Cara 8, Dan 11, Eve 15."""


def placing(seats: int, order: tuple[int, ...]) -> list[Play]:
    assert sorted(order) == list(range(seats))
    return [Play(seat=seat, card=CATS[seat]) for seat in order]


@for_every_table
def test_all_seats_are_asked_for_a_card_at_once(seats: int) -> None:
    assert given(a_game(seats=seats, start=BEN)).game.asked == list(range(seats))


@for_every_table
def test_a_card_is_placed_and_nothing_is_turned(seats: int) -> None:
    given(a_game(seats=seats)).when(Play(seat=CARA, card=8)).then(CardPlaced(seat=CARA, card=8))


def test_a_placed_card_is_secret() -> None:
    (placed,) = given(a_game()).when(Play(seat=CARA, card=8)).happened
    assert placed.secret


@for_every_table
def test_who_has_placed_is_not_asked_again(seats: int) -> None:
    game = given(a_game(seats=seats)).when(Play(seat=BEN, card=5)).game
    assert game.asked == [seat for seat in range(seats) if seat != BEN]


@for_every_table
def test_the_cards_may_come_in_any_order_and_make_the_same_row(seats: int) -> None:
    rows = {
        tuple(given(a_game(seats=seats, start=CARA)).when(*placing(seats, order)).game.row())
        for order in permutations(range(seats))
    }
    assert len(rows) == 1


@pytest.mark.parametrize(
    ("seats", "start", "row"),
    [
        (4, ANNA, [3, 5, 8, 11]),
        (4, CARA, [8, 11, 3, 5]),
        (5, ANNA, [3, 5, 8, 11, 15]),
        (5, EVE, [15, 3, 5, 8, 11]),
    ],
)
def test_the_row_runs_clockwise_from_the_start_player(seats: int, start: int, row: list[Card]) -> None:
    scene = given(a_game(seats=seats, start=start)).when(*placing(seats, tuple(range(seats))))
    assert scene.game.row() == row


@pytest.mark.parametrize(("start", "cards"), [(ANNA, [3, 5, 8]), (BEN, [5, 8, 3]), (CARA, [8, 3, 5])])
def test_with_3_players_the_row_begins_with_the_next_dummy_card(start: int, cards: list[Card]) -> None:
    table = a_game(seats=3, start=start)
    scene = given(table).when(*placing(3, (ANNA, BEN, CARA)))
    assert scene.game.row() == [table.game.dummy[0], *cards]


def test_every_round_has_its_own_dummy_card_from_the_top_of_the_pile() -> None:
    pile = a_game(seats=3).game.dummy
    scene = given(a_game(seats=3))
    turned = []
    for number in range(1, 9):
        cards = [scene.game.seats[seat].hand[0] for seat in range(3)]
        scene = scene.when(*[Play(seat=seat, card=card) for seat, card in enumerate(cards)])
        turned.append(scene.game.turned[0])
        scene = scene.when(*[Pass(seat=seat) for seat in range(3)])
        assert scene.game.round == number + 1
    turned.append(scene.game.turned[0])
    assert turned == pile


# ---- first reveal -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("seats", "start"), [(4, ANNA), (4, DAN), (5, CARA)])
def test_the_last_card_placed_turns_over_the_start_players_card(seats: int, start: int) -> None:
    order = tuple(seat for seat in range(seats) if seat != BEN)
    table = a_game(seats=seats, start=start).after(*[Play(seat=seat, card=CATS[seat]) for seat in order])
    given(table).when(Play(seat=BEN, card=5)).then(
        CardPlaced(seat=BEN, card=5), CardsTurned(cards=[CATS[start]])
    )


def test_with_3_players_the_dummy_card_is_turned_first() -> None:
    table = a_game(seats=3, start=CARA).after(Play(seat=ANNA, card=3), Play(seat=CARA, card=8))
    given(table).when(Play(seat=BEN, card=5)).then(
        CardPlaced(seat=BEN, card=5), CardsTurned(cards=[table.game.dummy[0]])
    )


# ---- exchange ---------------------------------------------------------------------------------------
@for_every_table
def test_a_card_may_be_exchanged_until_the_last_one_is_in(seats: int) -> None:
    others = [seat for seat in range(seats) if seat != ANNA][:-1]
    table = a_game(seats=seats).after(
        Play(seat=ANNA, card=3), *[Play(seat=seat, card=CATS[seat]) for seat in others]
    )
    given(table).when(Play(seat=ANNA, card="large_dog")).then(CardPlaced(seat=ANNA, card="large_dog"))


def test_a_card_may_be_exchanged_more_than_once() -> None:
    scene = given(a_game()).when(*[Play(seat=ANNA, card=card) for card in (3, 5, 3, 8)])
    assert scene.game.seats[ANNA].placed == 8


def test_an_exchanged_card_goes_back_into_the_hand() -> None:
    scene = given(a_game()).when(Play(seat=ANNA, card=3), Play(seat=ANNA, card=5))
    anna = scene.game.seats[ANNA]
    assert (3 in anna.hand, 5 in anna.hand) == (True, False)


def test_an_exchange_is_not_an_answer_of_somebody_else() -> None:
    scene = given(a_game()).when(Play(seat=ANNA, card=3), Play(seat=ANNA, card=5))
    assert scene.game.asked == [BEN, CARA, DAN]


def test_the_same_card_once_more_changes_nothing() -> None:
    given(a_game().after(Play(seat=ANNA, card=3))).when(Play(seat=ANNA, card=3)).nothing_happens()


@for_every_table
def test_with_the_last_card_in_nothing_is_exchanged_any_more(seats: int) -> None:
    table = a_game(seats=seats).in_auction()
    given(table).when(Play(seat=ANNA, card=table.game.seats[ANNA].hand[0])).refused("row/complete")


# ---- what may be placed -----------------------------------------------------------------------------
@pytest.mark.parametrize("card", FULL_SET)
def test_any_card_of_the_hand_may_be_placed(card: Card) -> None:
    hand = [card, *[other for other in FULL_SET if other != card]][:9]
    given(a_game().with_hands({ANNA: hand})).when(Play(seat=ANNA, card=card)).then(
        CardPlaced(seat=ANNA, card=card)
    )


def test_the_boxed_card_is_not_in_the_hand() -> None:
    table = a_game()
    boxed = table.game.seats[ANNA].boxed
    assert boxed is not None
    given(table).when(Play(seat=ANNA, card=boxed)).refused("card/not_in_hand")


def test_a_card_of_an_earlier_round_is_not_in_the_hand() -> None:
    scene = given(a_game().with_row(3, 5, 8, 11)).when(*[Pass(seat=seat) for seat in range(4)])
    scene.when(Play(seat=ANNA, card=3)).refused("card/not_in_hand")


def test_a_card_won_is_never_played_again() -> None:
    scene = given(
        a_game().with_row(-8, 5, 8, 11).with_hands({ANNA: [-8, -5, 3, 5, 8, 11, 15, "large_dog", 0]})
    )
    scene = scene.when(Bid(seat=ANNA, amount=4), Pass(seat=BEN), Pass(seat=CARA), Pass(seat=DAN))
    assert -8 in scene.game.seats[ANNA].won
    scene.when(Play(seat=ANNA, card=-8)).refused("card/not_in_hand")


@pytest.mark.parametrize("command", [Bid(seat=ANNA, amount=1), Pass(seat=ANNA)])
@for_every_table
def test_nobody_bids_or_passes_while_cards_are_placed(seats: int, command: Command) -> None:
    given(a_game(seats=seats)).when(command).refused("auction/not_open")


# ---- round 9 ----------------------------------------------------------------------------------------
@for_every_table
def test_in_round_9_the_last_cards_are_placed_by_the_rules_from_the_start_player_on(seats: int) -> None:
    table = a_game(seats=seats).in_round(8).with_hands({seat: [3, -5] for seat in range(seats)})
    table = table.after(*[Play(seat=seat, card=3) for seat in range(seats)], Bid(seat=ANNA, amount=2))
    table = table.after(Bid(seat=BEN, amount=4), *[Pass(seat=seat) for seat in range(2, seats)])
    on_cards = list(MOUSE_CARDS[seats])
    first = -5 if seats > 3 else table.game.dummy[1]
    assert given(table).when(Pass(seat=ANNA)).happened[3:] == [
        RoundStarted(
            round=9, start_seat=BEN, mice_on_cards=on_cards, bank=table.game.bank + 4 - sum(on_cards)
        ),
        *[CardPlaced(seat=(BEN + step) % seats, card=-5) for step in range(seats)],
        CardsTurned(cards=[first]),
    ]


@for_every_table
def test_in_round_9_the_start_player_is_asked_to_bid_at_once(seats: int) -> None:
    assert given(a_game(seats=seats, start=CARA).in_round(9)).game.asked == [CARA]


@for_every_table
def test_in_round_9_there_is_no_card_to_exchange(seats: int) -> None:
    table = a_game(seats=seats).in_round(9).with_row(*CATS[: max(4, seats)])
    given(table).when(Play(seat=ANNA, card=15)).refused("row/complete")


# ---- turns ------------------------------------------------------------------------------------------
def test_a_card_is_the_first_decision_asked_of_a_seat_in_a_round() -> None:
    assert [seat.turn for seat in given(a_game()).game.seats] == [1, 1, 1, 1]


def test_an_exchange_belongs_to_the_same_decision() -> None:
    scene = given(a_game()).when(Play(seat=ANNA, card=3), Play(seat=ANNA, card=5))
    assert scene.game.seats[ANNA].turn == 1


def test_in_round_9_no_decision_is_asked_for_the_card() -> None:
    eighth = a_game().in_round(8).in_auction()
    ninth = eighth.after(*[Pass(seat=seat) for seat in range(4)])
    turns = [
        after.turn - before.turn for before, after in zip(eighth.game.seats, ninth.game.seats, strict=True)
    ]
    assert turns == [1, 1, 1, 1], "Anna's bid in round 9, and the three bids of the others in round 8"
