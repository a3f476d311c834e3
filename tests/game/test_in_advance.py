"""A view offers to say in advance just that which the game takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from felix_async.game.ahead import refuse_order
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Give
from felix_async.game.state import Game
from felix_async.game.views import InAdvance, view
from games import a_game_played
from table import ANNA, BEN, CARA, a_game


def taken(game: Game, seat: int) -> InAdvance:
    """Everything that the game takes from a seat, found by trying."""
    most = game.seats[seat].mice
    gives = [Give(seat=seat, kind="bid", limit=mice) for mice in range(1, most + 2)]
    bids = [give.limit for give in gives if give.limit and refuse_order(give, game) is None]
    cards = [card for card in PET_CARDS if not refuse_order(Give(seat=seat, kind="next", card=card), game)]
    may_pass = refuse_order(Give(seat=seat, kind="pass"), game) is None
    return InAdvance(sorted(cards, key=str), (bids[0], bids[-1]) if bids else None, may_pass)


@given(st.integers(0, 20))
def test_a_seat_that_is_not_in_turn_may_say_what_the_game_takes(at: int) -> None:
    played = a_game_played(3 + at % 3)
    ends = list(played.step_ends())
    game = played.game(ends[at * (len(ends) - 1) // 20])
    for seat in range(len(game.seats)):
        if seat == game.to_move:
            continue
        told = view(game, seat).in_advance()
        cards = sorted(set(told.cards), key=str)
        assert InAdvance(cards, told.bids, told.may_pass) == taken(game, seat)


def test_a_seat_in_turn_chooses_a_card_and_says_the_rest_now() -> None:
    game = a_game().in_auction(top_bid=5, by=ANNA).game
    assert game.to_move == BEN
    told = view(game, BEN).in_advance()
    assert (told.bids, told.may_pass, told.cards) == (None, False, view(game, BEN).own[BEN].hand)


def test_a_seat_that_may_not_outbid_can_still_pass() -> None:
    game = a_game().with_mice({CARA: 5}).in_auction(top_bid=5, by=ANNA).game
    told = view(game, CARA).in_advance()
    assert (told.bids, told.may_pass) == (None, True)
