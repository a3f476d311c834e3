"""The end: after nine rounds cats and mice are counted; ties, and the last sack unsold."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Command, Decline, Pass, Play
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    MOUSE_CARDS,
    SEED,
    Scene,
    Table,
    a_game,
    all_shown,
    by_all,
    creation,
    for_both_rulesets,
    for_every_table,
    given,
    joining,
)


def ninth(seats: int = 4) -> Table:
    """Round 9, nothing on the mouse cards, a row that is worth nothing."""
    rabbits: list[m.Card] = [0] * max(4, seats)
    return a_game(seats=seats).in_round(9).with_empty_mouse_cards().with_row(*rabbits)


def sold_to_anna(table: Table, price: int) -> Scene:
    passes = [Pass(seat=seat) for seat in range(1, table.seats)]
    return given(table).when(Bid(seat=ANNA, amount=price), *passes)


def unsold(table: Table) -> Scene:
    return given(table).when(*[Pass(seat=seat) for seat in range(table.seats)])


def the_end(scene: Scene) -> m.GameEnded:
    (ended,) = [event for event in scene.happened if isinstance(event, m.GameEnded)]
    return ended


# ---- the last step ----------------------------------------------------------------------------------
def test_the_sale_of_round_9_is_followed_by_the_scores_and_the_seed() -> None:
    table = a_game().in_round(9).with_won({ANNA: [15], BEN: [-8, 0]}).with_row(11, -5, 0, "small_dog")
    sold_to_anna(table, price=4).then(
        m.PlayerPassed(seat=DAN, mice=6),
        m.CardsTurned(cards=["small_dog"]),
        m.SackSold(seat=ANNA, price=4, chased=-5, prize=[11, 0]),
        m.GameEnded(
            scores=[
                m.Score(cats=26, mice=11, total=37),
                m.Score(cats=-8, mice=17, total=9),
                m.Score(cats=0, mice=19, total=19),
                m.Score(cats=0, mice=21, total=21),
            ],
            winners=[ANNA],
        ),
        *all_shown(),
    )


def test_an_unsold_sack_in_round_9_ends_the_game_too() -> None:
    unsold(ninth()).then(
        m.PlayerPassed(seat=DAN, mice=0),
        m.SackDiscarded(),
        m.GameEnded(scores=[m.Score(cats=0, mice=15, total=15)] * 4, winners=[ANNA, BEN, CARA, DAN]),
        *all_shown(),
    )


def test_the_sack_of_round_9_may_be_bought_for_1() -> None:
    scene = given(ninth()).when(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA), Bid(seat=DAN, amount=1))
    assert scene.kinds == ["bid_placed", "sack_sold", "game_ended", "seat_logs_closed", "seed_revealed"]


@for_every_table
def test_the_mouse_cards_are_not_filled_after_round_9(seats: int) -> None:
    scene = sold_to_anna(ninth(seats), price=4)
    assert scene.game.bank == ninth(seats).game.bank + 4


@for_every_table
def test_passing_in_round_9_brings_mice_as_ever(seats: int) -> None:
    scores = by_all(the_end(sold_to_anna(a_game(seats=seats).in_round(9), price=1)).scores)
    assert [score.mice for score in scores] == [14, *[15 + mice for mice in MOUSE_CARDS[seats]]]


@for_every_table
def test_no_round_but_the_ninth_ends_the_game(seats: int) -> None:
    for number in range(1, 9):
        scene = unsold(a_game(seats=seats).in_round(number).in_auction())
        assert (scene.game.round, scene.game.is_over) == (number + 1, False)


@for_every_table
@for_both_rulesets
def test_a_game_of_nine_unsold_sacks_is_nine_rounds_long(seats: int, ruleset: m.Ruleset) -> None:
    scene = given(a_game(seats=seats, ruleset=ruleset))
    for _ in range(8):
        hands = [seat.hand for seat in scene.game.seats]
        scene = scene.when(*[Play(seat=seat, card=hand[0]) for seat, hand in enumerate(hands)])
        scene = scene.when(*[Pass(seat=seat) for seat in range(seats)])
    scene = scene.when(*[Pass(seat=seat) for seat in range(seats)])
    assert (scene.game.round, scene.game.is_over) == (9, True)


# ---- scores -----------------------------------------------------------------------------------------
@for_every_table
def test_a_score_is_cats_won_and_mice_owned(seats: int) -> None:
    table = ninth(seats).with_won({BEN: [15, 3, -5]}).with_mice({BEN: 4})
    assert the_end(unsold(table)).scores[BEN] == m.Score(cats=13, mice=4, total=17)


def test_rabbits_count_nothing() -> None:
    table = ninth().with_won({BEN: [0, 0, 3]})
    assert by_all(the_end(unsold(table)).scores)[BEN].cats == 3


def test_the_price_of_the_last_sack_is_paid_before_the_count() -> None:
    assert the_end(sold_to_anna(ninth(), price=9)).scores[ANNA] == m.Score(cats=0, mice=6, total=6)


def test_the_cats_of_the_last_sack_count() -> None:
    table = a_game().in_round(9).with_row(15, 15, 3, -8)
    assert the_end(sold_to_anna(table, price=5)).scores[ANNA] == m.Score(cats=25, mice=10, total=35)


def test_the_boxed_cards_count_for_nobody() -> None:
    game = unsold(ninth()).game
    assert all(seat.boxed is not None for seat in game.seats)
    assert [score.cats for score in by_all(game.scores)] == [0, 0, 0, 0]


@for_every_table
def test_the_scores_are_listed_by_seat(seats: int) -> None:
    mice = {seat: 10 + seat for seat in range(seats)}
    assert [score.mice for score in by_all(the_end(unsold(ninth(seats).with_mice(mice))).scores)] == list(
        mice.values()
    )


# ---- winners ----------------------------------------------------------------------------------------
@for_every_table
def test_the_highest_total_wins(seats: int) -> None:
    table = ninth(seats).with_won({ANNA: [15], BEN: [8, 11], CARA: [-8]})
    assert the_end(unsold(table)).winners == [BEN]


@for_every_table
def test_a_tie_goes_to_the_higher_cat_total(seats: int) -> None:
    """Anna has 5 + 15, Cara 8 + 12: both 20."""
    table = ninth(seats).with_won({ANNA: [5], CARA: [8]}).with_mice({CARA: 12})
    ended = the_end(unsold(table))
    assert [by_all(ended.scores)[seat].total for seat in (ANNA, CARA)] == [20, 20]
    assert ended.winners == [CARA]


@for_every_table
def test_still_tied_the_win_is_shared(seats: int) -> None:
    table = ninth(seats).with_won({ANNA: [5], BEN: [5], CARA: [3]})
    assert the_end(unsold(table)).winners == [ANNA, BEN]


@for_every_table
def test_all_may_share_the_win(seats: int) -> None:
    assert the_end(unsold(ninth(seats))).winners == list(range(seats))


def test_the_state_knows_the_winners() -> None:
    assert unsold(ninth().with_won({BEN: [3], DAN: [3]})).game.winners == [BEN, DAN]


# ---- afterwards -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "command",
    [
        joining(ANNA),
        Decline(seat=ANNA),
        Play(seat=ANNA, card=0),
        Bid(seat=ANNA, amount=1),
        Pass(seat=ANNA),
    ],
)
@for_every_table
def test_nothing_is_moved_after_the_end(seats: int, command: Command) -> None:
    unsold(ninth(seats)).when(command).refused("game/over")


def test_a_finished_game_is_not_created_again() -> None:
    unsold(ninth()).when(creation()).refused("game/exists")


@for_every_table
def test_nobody_is_asked_after_the_end(seats: int) -> None:
    assert unsold(ninth(seats)).game.asked == []


def test_a_running_game_is_not_over() -> None:
    assert not ninth().game.is_over


def test_the_seed_that_is_shown_is_the_one_that_was_committed_to() -> None:
    assert unsold(ninth()).game.seed == SEED.hex()
