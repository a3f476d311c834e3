"""The sale, the last seat that nobody bid against, the unsold sack, and the refill of the mouse cards."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Command, Pass, Play
from felix_events import model as m
from table import (
    ALL_MICE,
    ANNA,
    BEN,
    CARA,
    DAN,
    MOUSE_CARDS,
    Scene,
    a_game,
    for_both_rulesets,
    for_every_table,
    given,
)

ROWS: dict[int, tuple[m.Card, ...]] = {3: (0, 3, 5, 8), 4: (3, 5, 8, 11), 5: (3, 5, 8, 11, 15)}


def all_pass(seats: int, *, but: int, first: int = 0) -> list[Command]:
    """Everybody passes in turn, from `first` on, except one seat."""
    order = [(first + step) % seats for step in range(seats)]
    return [Pass(seat=seat) for seat in order if seat != but]


def last_pass(scene: Scene, seats: int, price: int) -> Scene:
    """Anna bids the price, all others but the last have passed, and the last seat passes now."""
    return scene.when(Bid(seat=ANNA, amount=price), *all_pass(seats, but=ANNA))


# ---- sale -------------------------------------------------------------------------------------------
def test_the_last_pass_turns_the_last_card_sells_the_sack_and_starts_the_next_round() -> None:
    table = a_game().with_row(11, -5, 0, "small_dog").in_auction(top_bid=4, by=ANNA)
    given(table.after(Pass(seat=BEN), Pass(seat=CARA))).when(Pass(seat=DAN)).then(
        m.PlayerPassed(seat=DAN, mice=6),
        m.CardsTurned(cards=["small_dog"]),
        m.SackSold(seat=ANNA, price=4, chased=-5, prize=[11, 0]),
        m.RoundStarted(round=2, start_seat=ANNA, mice_on_cards=[2, 4, 6], bank=7),
    )


def test_with_3_players_two_cards_are_turned_before_the_sale() -> None:
    table = a_game(seats=3).with_row("small_dog", 8, 3, 0).in_auction(top_bid=4, by=ANNA)
    given(table.after(Pass(seat=BEN))).when(Pass(seat=CARA)).then(
        m.PlayerPassed(seat=CARA, mice=6),
        m.CardsTurned(cards=[3, 0]),
        m.SackSold(seat=ANNA, price=4, chased=3, prize=[8, 0]),
        m.RoundStarted(round=2, start_seat=ANNA, mice_on_cards=[3, 6], bank=7),
    )


def test_with_5_players_five_cards_are_sold() -> None:
    table = a_game(seats=5).with_row(15, 11, "large_dog", -8, -5).in_auction(top_bid=4, by=ANNA)
    table = table.after(Pass(seat=BEN), Pass(seat=CARA), Pass(seat=DAN))
    given(table).when(Pass(seat=4)).then(
        m.PlayerPassed(seat=4, mice=6),
        m.CardsTurned(cards=[-5]),
        m.SackSold(seat=ANNA, price=4, chased=15, prize=[11, -8, -5]),
        m.RoundStarted(round=2, start_seat=ANNA, mice_on_cards=[2, 3, 4, 6], bank=7),
    )


@for_every_table
def test_the_buyer_pays_its_bid(seats: int) -> None:
    scene = last_pass(given(a_game(seats=seats).in_auction()), seats, price=7)
    assert scene.game.seats[ANNA].mice == 15 - 7


@for_every_table
def test_the_price_goes_to_the_bank(seats: int) -> None:
    scene = given(a_game(seats=seats).in_auction())
    bank = last_pass(scene, seats, price=7).game.bank
    assert bank == scene.game.bank + 7 - sum(MOUSE_CARDS[seats])


@for_every_table
def test_those_who_passed_pay_nothing(seats: int) -> None:
    scene = last_pass(given(a_game(seats=seats).in_auction()), seats, price=7)
    assert [seat.mice for seat in scene.game.seats[1:]] == [15 + mice for mice in MOUSE_CARDS[seats]]


@pytest.mark.parametrize("buyer", [ANNA, BEN, CARA])
@for_every_table
def test_the_buyer_is_the_next_start_player(seats: int, buyer: int) -> None:
    scene = given(a_game(seats=seats).in_auction())
    passed = [Pass(seat=seat) for seat in range(buyer)]
    rest = [Pass(seat=seat) for seat in range(buyer + 1, seats)]
    scene = scene.when(*passed, Bid(seat=buyer, amount=1), *rest)
    assert (scene.game.round, scene.game.start_seat) == (2, buyer)


@for_every_table
def test_the_buyer_takes_the_row(seats: int) -> None:
    scene = last_pass(given(a_game(seats=seats).with_row(*ROWS[seats])), seats, price=1)
    assert scene.game.seats[ANNA].won == list(ROWS[seats])


def test_dogs_and_the_chased_cat_go_to_the_box() -> None:
    scene = last_pass(given(a_game().with_row(11, -5, 0, "small_dog")), 4, price=1)
    assert scene.game.box == [-5, "small_dog"]


def test_won_cards_are_kept_from_round_to_round() -> None:
    scene = given(a_game().in_round(4).with_won({ANNA: [15, -8]}).with_row(3, 5, 8, 11))
    assert last_pass(scene, 4, price=1).game.seats[ANNA].won == [15, -8, 3, 5, 8, 11]


@for_every_table
def test_the_row_is_empty_for_the_next_round(seats: int) -> None:
    game = last_pass(given(a_game(seats=seats).in_auction()), seats, price=1).game
    assert (game.turned, [seat.placed for seat in game.seats]) == ([], [None] * seats)


@pytest.mark.parametrize(
    ("ruleset", "chased", "prize"),
    [("felicity-2017", -5, [-8, 0]), ("felix-2007", -8, [-5, 0])],
)
def test_the_game_is_judged_by_its_own_ruleset(
    ruleset: m.Ruleset, chased: m.Card, prize: list[m.Card]
) -> None:
    table = a_game(ruleset=ruleset).with_row("large_dog", -5, -8, 0)
    scene = last_pass(given(table), 4, price=1)
    assert scene.happened[2] == m.SackSold(seat=ANNA, price=1, chased=chased, prize=prize)


@for_both_rulesets
def test_the_dummys_dog_counts(ruleset: m.Ruleset) -> None:
    table = a_game(seats=3, ruleset=ruleset).with_row("large_dog", "small_dog", 15, -5)
    scene = last_pass(given(table), 3, price=1)
    assert scene.happened[2] == m.SackSold(seat=ANNA, price=1, chased=None, prize=[15, -5])


# ---- nobody bid and one seat is left ----------------------------------------------------------------
@for_every_table
def test_the_last_seat_may_buy_for_1_mouse(seats: int) -> None:
    last, row = seats - 1, list(ROWS[seats])
    scene = given(a_game(seats=seats).with_row(*ROWS[seats])).when(*all_pass(seats, but=last))
    filling = sum(MOUSE_CARDS[seats])
    scene.when(Bid(seat=last, amount=1)).then(
        m.BidPlaced(seat=last, amount=1),
        m.SackSold(seat=last, price=1, chased=None, prize=row),
        m.RoundStarted(
            round=2,
            start_seat=last,
            mice_on_cards=list(MOUSE_CARDS[seats]),
            bank=scene.game.bank + 1 - filling,
        ),
    )


@pytest.mark.parametrize("amount", [2, 15, 99])
@for_every_table
def test_the_last_seat_pays_no_more_than_1(seats: int, amount: int) -> None:
    scene = given(a_game(seats=seats).in_auction()).when(*all_pass(seats, but=seats - 1))
    scene.when(Bid(seat=seats - 1, amount=amount)).refused("bid/last_pays_one")


@for_every_table
def test_the_last_seat_pays_no_less_than_1(seats: int) -> None:
    scene = given(a_game(seats=seats).in_auction()).when(*all_pass(seats, but=seats - 1))
    scene.when(Bid(seat=seats - 1, amount=0)).refused("bid/too_low")


def test_the_price_of_1_is_for_the_last_seat_only() -> None:
    scene = given(a_game().in_auction()).when(Pass(seat=ANNA), Pass(seat=BEN))
    scene.when(Bid(seat=CARA, amount=7)).then(m.BidPlaced(seat=CARA, amount=7))


@for_every_table
def test_a_last_seat_without_mice_can_only_pass(seats: int) -> None:
    last = seats - 1
    """As it is asked at tables where the rules do not pass for it (`test_rules_forced`)."""
    table = a_game(seats=seats).asking_all().with_mice({last: 0}).in_auction()
    scene = given(table).when(*all_pass(seats, but=last))
    scene.when(Bid(seat=last, amount=1)).refused("bid/no_mice")
    scene.when(Pass(seat=last)).then_first(m.PlayerPassed(seat=last, mice=0), m.SackDiscarded())


def test_the_dogs_work_for_the_price_of_1_too() -> None:
    scene = given(a_game().with_row(11, "large_dog", -8, 0)).when(*all_pass(4, but=DAN))
    scene.when(Bid(seat=DAN, amount=1)).then_first(
        m.BidPlaced(seat=DAN, amount=1), m.SackSold(seat=DAN, price=1, chased=11, prize=[-8, 0])
    )


# ---- the unsold sack --------------------------------------------------------------------------------
@for_every_table
def test_a_last_seat_that_passes_leaves_the_sack_unsold(seats: int) -> None:
    """It gets nothing, the same start player starts, and the mouse cards are not filled."""
    last = (BEN - 1) % seats
    scene = given(a_game(seats=seats, start=BEN).in_auction()).when(*all_pass(seats, but=last, first=BEN))
    scene.when(Pass(seat=last)).then(
        m.PlayerPassed(seat=last, mice=0),
        m.SackDiscarded(),
        m.RoundStarted(round=2, start_seat=BEN, mice_on_cards=[0] * (seats - 1), bank=scene.game.bank),
    )


@for_every_table
def test_an_unsold_row_goes_to_the_box(seats: int) -> None:
    scene = given(a_game(seats=seats).with_row(*ROWS[seats])).when(*all_pass(seats, but=-1))
    assert scene.game.box == list(ROWS[seats])


def test_the_dogs_of_an_unsold_sack_chase_nothing() -> None:
    scene = given(a_game().with_row(11, "large_dog", -8, 0)).when(*all_pass(4, but=-1))
    assert scene.game.box == [11, "large_dog", -8, 0]


@for_every_table
def test_two_unsold_sacks_in_a_row_make_two_rounds_of_empty_mouse_cards(seats: int) -> None:
    table = a_game(seats=seats, start=CARA).with_empty_mouse_cards().in_auction()
    scene = given(table).when(*all_pass(seats, but=-1, first=CARA))
    assert scene.happened[-1] == m.RoundStarted(
        round=2, start_seat=CARA, mice_on_cards=[0] * (seats - 1), bank=table.game.bank
    )


@for_every_table
def test_after_two_unsold_sacks_and_a_sale_the_mouse_cards_are_filled_again(seats: int) -> None:
    scene = given(a_game(seats=seats).in_auction())
    on_cards = [scene.game.mice_on_cards]
    for price in (0, 0, 3):
        scene = last_pass(scene, seats, price) if price else scene.when(*all_pass(seats, but=-1))
        on_cards.append(scene.game.mice_on_cards)
        scene = scene.when(*[Play(seat=seat, card=scene.game.seats[seat].hand[0]) for seat in range(seats)])
    full, empty = list(MOUSE_CARDS[seats]), [0] * (seats - 1)
    assert on_cards == [full, empty, empty, full]


@for_every_table
def test_after_one_round_without_filling_the_mouse_cards_are_filled_again(seats: int) -> None:
    table = a_game(seats=seats).in_round(2).with_empty_mouse_cards().in_auction()
    scene = last_pass(given(table), seats, price=3)
    on_cards = list(MOUSE_CARDS[seats])
    assert scene.happened[-1] == m.RoundStarted(
        round=3, start_seat=ANNA, mice_on_cards=on_cards, bank=table.game.bank + 3 - sum(on_cards)
    )


@for_every_table
def test_an_unsold_round_counts_as_one_of_the_nine(seats: int) -> None:
    scene = given(a_game(seats=seats).in_round(8).in_auction()).when(*all_pass(seats, but=-1))
    assert (scene.game.round, scene.game.mice_on_cards) == (9, [0] * (seats - 1))


# ---- refill -----------------------------------------------------------------------------------------
def rich_players(seats: int, bank: int) -> Scene:
    """So many mice in the bank, the mouse cards empty, and all else in the purses."""
    owned = ALL_MICE[seats] - bank
    mice = dict.fromkeys(range(1, seats), owned // seats)
    mice[ANNA] = owned - sum(mice.values())
    table = a_game(seats=seats).in_round(5).with_mice(mice).with_empty_mouse_cards().in_auction()
    assert table.game.bank == bank
    return given(table)


@for_every_table
def test_the_price_is_in_the_bank_before_the_refill(seats: int) -> None:
    """2 mice short of a filling, and the buyer pays just these 2."""
    scene = last_pass(rich_players(seats, bank=sum(MOUSE_CARDS[seats]) - 2), seats, price=2)
    assert scene.happened[-1] == m.RoundStarted(
        round=6, start_seat=ANNA, mice_on_cards=list(MOUSE_CARDS[seats]), bank=0
    )


@for_every_table
def test_a_bank_that_cannot_fill_all_mouse_cards_fills_none(seats: int) -> None:
    """2 mice short of a filling, and the buyer pays 1."""
    filling = sum(MOUSE_CARDS[seats])
    scene = last_pass(rich_players(seats, bank=filling - 2), seats, price=1)
    assert scene.happened[-1] == m.RoundStarted(
        round=6, start_seat=ANNA, mice_on_cards=[0] * (seats - 1), bank=filling - 1
    )


@for_every_table
def test_who_passes_before_empty_mouse_cards_gets_nothing(seats: int) -> None:
    scene = last_pass(rich_players(seats, bank=0), seats, price=1)
    before = rich_players(seats, bank=0).game.seats
    assert [seat.mice for seat in scene.game.seats[1:]] == [seat.mice for seat in before[1:]]


@for_every_table
def test_a_bank_that_has_grown_again_fills_the_mouse_cards(seats: int) -> None:
    """The bank is too poor for round 6; a dear sack in round 6 pays for round 7."""
    filling = sum(MOUSE_CARDS[seats])
    sixth = last_pass(rich_players(seats, bank=0), seats, price=1)
    assert sixth.game.mice_on_cards == [0] * (seats - 1)
    sixth = sixth.when(*[Play(seat=seat, card=sixth.game.seats[seat].hand[0]) for seat in range(seats)])
    assert last_pass(sixth, seats, price=filling - 1).happened[-1] == m.RoundStarted(
        round=7, start_seat=ANNA, mice_on_cards=list(MOUSE_CARDS[seats]), bank=0
    )


def test_a_bank_too_poor_after_a_filled_round_fills_no_card_either() -> None:
    """The mice of the mouse cards go to those who pass, and a cheap sack does not bring them back."""
    table = a_game().in_round(4).with_mice({ANNA: 22, BEN: 22, CARA: 15, DAN: 15}).in_auction()
    assert (table.game.mice_on_cards, table.game.bank) == ([2, 4, 6], 1)
    assert last_pass(given(table), 4, price=10).happened[-1] == m.RoundStarted(
        round=5, start_seat=ANNA, mice_on_cards=[0, 0, 0], bank=11
    )
