"""What a state tells, in every phase of a game, and what the fold does with a log that no rules wrote."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Decline, Pass
from felix_async.game.folding import evolve, fold
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from table import ANNA, BEN, CARA, COMMITMENT, DAN, a_game, an_invitation, given

ABANDONED = given(an_invitation()).when(Decline(seat=BEN)).game
ENDED = given(a_game().in_round(9)).when(*[Pass(seat=seat) for seat in range(4)]).game


@pytest.mark.parametrize(
    ("game", "phase", "standing"),
    [
        (fold(an_invitation()), "inviting", "inviting"),
        (a_game().game, "placing", "running"),
        (a_game().in_auction().game, "bidding", "running"),
        (ENDED, "ended", "ended"),
        (ABANDONED, "abandoned", "abandoned"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_how_a_game_stands(game: Game, phase: str, standing: str) -> None:
    assert (game.phase, game.standing) == (phase, standing)


@pytest.mark.parametrize(("game", "over"), [(a_game().game, False), (ENDED, True), (ABANDONED, True)])
def test_a_game_is_over_when_it_ended_or_was_abandoned(game: Game, over: bool) -> None:
    assert game.is_over == over


def test_of_a_game_without_events_nothing_is_known() -> None:
    game = initial_state()
    assert (game.version, game.phase, game.seats) == (0, "new", [])


def test_folding_no_events_gives_the_initial_state() -> None:
    assert fold([]) == initial_state()


def test_evolve_is_a_fold_of_one_event() -> None:
    game = a_game().game
    placed = m.CardPlaced(seat=ANNA, card=3)
    assert evolve(game, placed) == fold([placed], game)


def test_evolve_leaves_the_state_that_it_was_given() -> None:
    game, same = a_game().game, a_game().game
    evolve(game, m.CardPlaced(seat=ANNA, card=3))
    assert game == same


def test_as_round_9_begins_nobody_is_asked_for_a_card() -> None:
    """Between `round_started` and the first card turned, all within one step."""
    events = a_game().in_round(9).events
    begun = next(
        place for place, event in enumerate(events) if isinstance(event, m.RoundStarted) and event.round == 9
    )
    assert fold(events[: begun + 1]).asked == []


@pytest.mark.parametrize("kind", ["game_started", "sack_sold", "sack_discarded"])
def test_between_deal_and_round_and_between_two_rounds_nobody_is_asked(kind: str) -> None:
    """Both states last only inside one step."""
    unsold = a_game().in_auction().after(*[Pass(seat=seat) for seat in range(4)])
    sold = a_game().in_auction().after(*[Pass(seat=seat) for seat in range(3)], Bid(seat=DAN, amount=1))
    events = sold.events if kind == "sack_sold" else unsold.events
    place = next(place for place, event in enumerate(events) if event.type == kind)
    game = fold(events[: place + 1])
    assert (game.phase, game.asked) == ("between", [])


def test_the_commitment_is_kept() -> None:
    assert fold(an_invitation()).commitment == COMMITMENT


def test_the_dummys_boxed_card_is_kept() -> None:
    table = a_game(seats=3)
    assert [event.boxed for event in table.events if isinstance(event, m.DummyDealt)] == [
        table.game.dummy_boxed
    ]


def test_the_version_is_the_number_of_events() -> None:
    assert a_game().game.version == len(a_game().events)


@pytest.mark.parametrize("kind", [m.HandDealt, m.DummyDealt])
def test_playing_on_leaves_the_dealt_cards_in_their_events(kind: type[m.Event]) -> None:
    events = a_game(seats=3).in_round(4).events
    same = a_game(seats=3).in_round(4).events
    fold(events)
    assert [event for event in events if isinstance(event, kind)] == [
        event for event in same if isinstance(event, kind)
    ]


def test_a_row_shows_who_has_not_placed_yet() -> None:
    game = fold([m.CardPlaced(seat=CARA, card=8)], a_game(start=BEN).game)
    assert game.row() == [None, 8, None, None]


def test_before_the_deal_the_dummy_has_no_card_in_the_row() -> None:
    assert fold(an_invitation(3)).row() == [None, None, None, None]


def test_the_seats_from_one_on_go_round_the_table() -> None:
    assert a_game(seats=5).game.clockwise(3) == [3, 4, 0, 1, 2]


# ---- what an event says has happened ----------------------------------------------------------------
def after(*events: m.Event) -> Game:
    return fold(events, a_game().in_auction().game)


def test_a_card_that_was_not_in_the_hand_is_placed_all_the_same() -> None:
    table = a_game()
    boxed = table.game.seats[ANNA].boxed
    assert boxed is not None
    game = fold([m.CardPlaced(seat=ANNA, card=boxed)], table.game)
    assert game.seats[ANNA].placed == boxed
    assert len(game.seats[ANNA].hand) == 9


def test_a_bid_above_the_purse_is_the_highest_bid_all_the_same() -> None:
    assert after(m.BidPlaced(seat=ANNA, amount=99)).high_bid == 99


def test_a_prize_that_was_not_in_the_row_is_won_all_the_same() -> None:
    game = after(m.CardsTurned(cards=[5]), m.SackSold(seat=DAN, price=1, chased=None, prize=[3, 15]))
    assert (game.seats[DAN].won, game.box) == ([3, 15], [5])


def test_when_all_have_passed_nobody_is_asked() -> None:
    assert after(*[m.PlayerPassed(seat=seat, mice=0) for seat in (DAN, CARA, BEN, ANNA)]).asked == []
