"""What a seat is told of its own orders at the end of its purse: the rules pass for it, so nobody asks."""

from __future__ import annotations

import pytest

from felix_async.game.ahead import Ahead, Given, given_by
from felix_async.game.commands import Bid, Give, Pass
from felix_async.game.preview import previewed
from felix_async.game.state import Game
from table import ANNA, BEN, CARA, DAN, Table, a_game

ASKS = "I ask you"
PASSES = "you pass for"


def told(game: Game, give: Give, later: Game | None = None) -> str:
    """What Cara's order does, in words: given in one state, told in this or a later one."""
    ahead = Ahead(auction=Given(1, given_by(give, game)))
    return " ".join(previewed(ahead, later or game, CARA))


def cara_owns(mice: int) -> Table:
    """It is Anna's turn, and Cara has so many mice."""
    return a_game().in_round(3).with_mice({CARA: mice}).in_auction()


def up_to(limit: int, first: int | None = None) -> Give:
    return Give(seat=CARA, kind="bid", first=first, limit=limit, then="ask")


def test_who_has_mice_left_above_their_limit_is_asked() -> None:
    assert ASKS in told(cara_owns(8).game, up_to(7))


def test_nobody_is_asked_above_all_of_their_mice() -> None:
    words = told(cara_owns(7).game, up_to(7))
    assert (PASSES in words, ASKS in words) == (True, False)


def test_the_same_where_a_bid_comes_first() -> None:
    words = told(cara_owns(7).game, up_to(7, first=5))
    assert (PASSES in words, ASKS in words) == (True, False)


def test_a_bid_of_all_mice_is_a_pass_where_somebody_else_is_there_first() -> None:
    give = Give(seat=CARA, kind="bid", first=7, then="ask")
    assert ASKS in told(cara_owns(8).game, give)
    words = told(cara_owns(7).game, give)
    assert (PASSES in words, ASKS in words) == (True, False)


def test_an_order_of_a_seat_that_has_become_too_poor_is_a_pass() -> None:
    table = cara_owns(7)
    later = table.after(Bid(seat=ANNA, amount=7), Pass(seat=BEN)).game
    give = Give(seat=CARA, kind="bid", first=5, then="ask")
    assert later.seats[CARA].passed, "the rules have passed for her, and nothing of it is left"
    assert told(table.game, give, later) == ""
    waiting = table.after(Bid(seat=ANNA, amount=7)).game
    words = told(table.game, give, waiting)
    assert (PASSES in words, ASKS in words) == (True, False)


@pytest.mark.parametrize(("limit", "mice"), [(None, 12), (None, 9), (11, 12)])
def test_a_bid_of_whoever_leads_is_made_only_if_somebody_goes_higher(limit: int | None, mice: int) -> None:
    later = (
        cara_owns(mice)
        .after(Bid(seat=ANNA, amount=1), Bid(seat=BEN, amount=2), Bid(seat=CARA, amount=3))
        .game
    )
    words = told(later, Give(seat=CARA, kind="bid", first=9, limit=limit, then="pass" if limit else "ask"))
    assert words.startswith("If you're outbid, you bid 9")


def test_a_bid_of_whoever_is_behind_is_made_in_any_case() -> None:
    words = told(cara_owns(12).game, Give(seat=CARA, kind="bid", first=9, then="ask"))
    assert words.startswith("On your turn you bid 9. ")


def test_who_has_bid_all_their_mice_gives_way_to_whoever_goes_higher() -> None:
    table = cara_owns(7).after(Bid(seat=ANNA, amount=2), Bid(seat=BEN, amount=3))
    later = table.after(Bid(seat=CARA, amount=7)).game
    words = "If you're outbid, you pass for 2 mice or more."
    assert told(table.game, up_to(7), later) == words


def test_of_two_that_are_left_nobody_passes_before_the_other() -> None:
    table = cara_owns(7).after(Pass(seat=ANNA), Bid(seat=BEN, amount=3), Bid(seat=CARA, amount=4))
    assert "you pass for 6 mice. " in told(table.after(Pass(seat=DAN)).game, up_to(7))


def test_at_a_table_that_asks_everybody_it_is_asked() -> None:
    table = a_game().asking_all().in_round(3).with_mice({CARA: 7}).in_auction()
    assert ASKS in told(table.game, up_to(7))
