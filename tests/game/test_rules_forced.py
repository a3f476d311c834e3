"""Passes that the rules make: a seat that has too few mice to bid is not asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from felix_async.clock import later
from felix_async.game.ahead import NOTHING, answers
from felix_async.game.commands import Bid, Leave, Pass, Play, TimeOut
from felix_async.game.folding import fold
from felix_async.game.narrate import describe
from felix_async.game.state import SeatTime
from felix_async.game.story import Before
from felix_events import model as m
from table import ANNA, BEN, CARA, DAN, NOW, Table, a_game, for_every_table, given

DAY = 24 * 3600
A_DAY = m.Terms(move=DAY, reserve=2 * DAY)
LATE = later(NOW, 5 * DAY)


def passes(events: Sequence[m.Event]) -> list[int]:
    """The seats that pass in these events."""
    return [event.seat for event in events if isinstance(event, m.PlayerPassed)]


def poor(*seats: int, mice: int = 3) -> Table:
    """Anna has the first word, and these seats have 3 mice."""
    return a_game().in_round(3).with_mice(dict.fromkeys(seats, mice))


# ---- when -------------------------------------------------------------------------------------------
def test_a_seat_that_cannot_bid_more_passes_with_the_bid_that_it_cannot_top() -> None:
    given(poor(BEN).in_auction()).when(Bid(seat=ANNA, amount=3)).then(
        m.BidPlaced(seat=ANNA, amount=3), m.PlayerPassed(seat=BEN, mice=2), m.CardsTurned(cards=[5])
    )


def test_then_the_next_seat_is_asked() -> None:
    assert given(poor(BEN).in_auction()).after(Bid(seat=ANNA, amount=3)).asked == [CARA]


def test_who_has_just_enough_for_one_more_is_asked() -> None:
    scene = given(poor(BEN).in_auction()).when(Bid(seat=ANNA, amount=2))
    assert (passes(scene.happened), scene.game.asked) == ([], [BEN])


def test_nobody_passes_before_it_is_their_turn() -> None:
    assert passes(given(poor(CARA).in_auction()).when(Bid(seat=ANNA, amount=3)).happened) == []


def test_who_was_outbid_and_has_too_few_mice_for_more_passes_as_well() -> None:
    table = poor(ANNA).in_auction().after(Bid(seat=ANNA, amount=2), Pass(seat=BEN), Pass(seat=CARA))
    scene = given(table).when(Bid(seat=DAN, amount=3))
    assert passes(scene.happened) == [ANNA]


def test_several_poor_seats_pass_one_after_the_other() -> None:
    scene = given(poor(BEN, CARA).in_auction()).when(Bid(seat=ANNA, amount=3))
    assert passes(scene.happened) == [BEN, CARA]


def test_who_bids_more_than_anybody_else_has_buys_at_once() -> None:
    scene = given(poor(BEN, CARA, DAN).in_auction()).when(Bid(seat=ANNA, amount=3))
    assert scene.kinds[-2:] == ["sack_sold", "round_started"]


def test_a_pass_may_leave_only_seats_that_cannot_bid() -> None:
    """Dan has bid 4, Anna passes, and neither Ben nor Cara has more than 3."""
    table = poor(BEN, CARA).in_auction(top_bid=4, by=DAN)
    scene = given(table).when(Pass(seat=ANNA))
    assert next(event for event in scene.happened if isinstance(event, m.SackSold)).seat == DAN


@for_every_table
def test_a_seat_without_mice_passes_as_the_first_card_is_turned_over(seats: int) -> None:
    table = a_game(seats=seats).in_round(3).with_mice({ANNA: 0})
    *others, last = range(seats)
    table = table.after(*[Play(seat=seat, card=table.game.seats[seat].hand[0]) for seat in others])
    scene = given(table).when(Play(seat=last, card=table.game.seats[last].hand[0]))
    assert scene.kinds == ["card_placed", "cards_turned", "player_passed", "cards_turned"]


@for_every_table
def test_a_last_seat_without_mice_leaves_the_sack_unsold(seats: int) -> None:
    *others, last = range(seats)
    table = a_game(seats=seats).in_round(3).with_mice({last: 0}).in_auction()
    before_last = table.after(*[Pass(seat=seat) for seat in others[:-1]])
    scene = given(before_last).when(Pass(seat=others[-1]))
    assert scene.kinds[-3:] == ["player_passed", "sack_discarded", "round_started"]


def test_where_nobody_has_a_mouse_all_pass_with_the_last_card() -> None:
    table = a_game().in_round(3).with_mice(dict.fromkeys(range(4), 0)).with_empty_mouse_cards()
    table = table.after(*[Play(seat=seat, card=table.game.seats[seat].hand[0]) for seat in (ANNA, BEN, CARA)])
    scene = given(table).when(Play(seat=DAN, card=table.game.seats[DAN].hand[0]))
    assert (passes(scene.happened), scene.game.round) == ([ANNA, BEN, CARA, DAN], 4)


def test_a_buyer_who_has_spent_all_passes_at_once_in_the_last_round() -> None:
    """There the cards are placed by the rules, so that the auction begins with the sale."""
    table = poor(ANNA).in_round(8).in_auction()
    scene = given(table.after(Bid(seat=ANNA, amount=3), Pass(seat=BEN), Pass(seat=CARA))).when(Pass(seat=DAN))
    assert (scene.game.round, passes(scene.happened), scene.game.asked) == (9, [DAN, ANNA], [BEN])


def test_a_game_may_end_with_a_pass_of_the_rules() -> None:
    table = a_game().in_round(9).with_mice({DAN: 0}).in_auction().after(Pass(seat=ANNA), Pass(seat=BEN))
    scene = given(table).when(Pass(seat=CARA))
    assert (passes(scene.happened), scene.game.phase) == ([CARA, DAN], "ended")


def test_a_pass_by_time_may_be_followed_by_passes_of_the_rules() -> None:
    table = poor(BEN).by_the_clock(A_DAY).in_auction(top_bid=4, by=DAN)
    turn = table.game.seats[ANNA].turn
    table = replace(
        table, moves=(*table.moves, m.DeadlineSet(seat=ANNA, turn=turn, reserve_from=NOW, at=NOW))
    )
    scene = given(table).at(LATE).when(TimeOut(seat=ANNA, turn=turn))
    assert passes(scene.happened) == [ANNA, BEN]


def test_the_rules_pass_for_a_seat_of_the_computer_as_well() -> None:
    table = poor(BEN).in_auction().after(Leave(seat=BEN, for_good=False))
    assert passes(given(table).when(Bid(seat=ANNA, amount=3)).happened) == [BEN]


def test_at_a_table_that_has_not_agreed_on_it_everybody_is_asked() -> None:
    scene = given(poor(BEN).asking_all().in_auction()).when(Bid(seat=ANNA, amount=3))
    assert (passes(scene.happened), scene.game.asked) == ([], [BEN])


# ---- it is no decision ------------------------------------------------------------------------------
def test_it_counts_as_no_own_move_after_one_that_was_missed() -> None:
    time = SeatTime(reserve=2 * DAY, missed=1)
    table = poor(BEN).by_the_clock(A_DAY).in_auction()
    game = table.game
    game.seats[BEN].time = time
    assert given(game).after(Bid(seat=ANNA, amount=3)).seats[BEN].time == time


def test_it_sets_no_deadline_for_its_seat() -> None:
    scene = given(poor(BEN).by_the_clock(A_DAY).in_auction()).when(Bid(seat=ANNA, amount=3))
    assert [event.seat for event in scene.happened if isinstance(event, m.DeadlineSet)] == [CARA]


def test_a_pass_that_was_asked_for_is_an_own_move_after_one_that_was_missed() -> None:
    table = poor(BEN).asking_all().by_the_clock(A_DAY).in_auction().after(Bid(seat=ANNA, amount=3))
    game = table.game
    game.seats[BEN].time = SeatTime(missed=1)
    assert given(game).after(Pass(seat=BEN)).seats[BEN].time.missed == 0


def test_it_counts_as_a_turn_so_that_earlier_answers_are_not_for_later_ones() -> None:
    table = poor(BEN).in_auction()
    assert given(table).after(Bid(seat=ANNA, amount=3)).seats[BEN].turn == table.game.seats[BEN].turn + 1


def test_nobody_need_be_asked_early_for_whom_the_rules_will_pass() -> None:
    game = poor(CARA).in_auction().after(Bid(seat=ANNA, amount=3)).game
    assert [answers(NOTHING, game, seat) for seat in (CARA, DAN)] == [True, False]


@pytest.mark.parametrize("asks_all", [True, False])
def test_the_fold_gives_the_same_mice_either_way(asks_all: bool) -> None:
    table = poor(BEN).asking_all() if asks_all else poor(BEN)
    game = fold(
        [*table.in_auction().events, m.BidPlaced(seat=ANNA, amount=3), m.PlayerPassed(seat=BEN, mice=2)]
    )
    assert (game.seats[BEN].mice, game.taken, game.to_move) == (5, 1, CARA)


# ---- how it is told ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mice", "you", "told"),
    [
        (4, None, "Ben had too few mice left and passed, taking 4."),
        (0, None, "Ben had too few mice left and passed."),
        (4, BEN, "You had too few mice to bid, so you passed and took 4 mice."),
        (1, BEN, "You had too few mice to bid, so you passed and took 1 mouse."),
        (0, BEN, "You had too few mice to bid, so you passed."),
    ],
)
def test_it_is_told_with_its_reason(mice: int, you: int | None, told: str) -> None:
    event = m.PlayerPassed(seat=BEN, mice=mice)
    assert describe(event, ["Anna", "Ben"], "rules", you, before=Before(poor=BEN)) == told
