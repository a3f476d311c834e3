"""Situations in which a dispute comes to nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from felix_async.game import commands as c
from felix_async.orders.quotas import A_DAY
from notifiers.correspondence import Correspondence
from notifiers.refused import Met, after, hosted, meet


def placed(*seats: int) -> Correspondence:
    """Round 1 at the table that Anna hosts; these seats have placed a card."""
    letters = hosted(joined=4)
    game = letters.bag.game
    return after(letters, *(c.Play(seat=seat, card=game.seats[seat].hand[0]) for seat in seats))


def denied(*seats: int, placing: tuple[int, ...] = (0, 1, 2)) -> Correspondence:
    """The same; these seats deny their cards."""
    letters = placed(*placing)
    return after(letters, *(c.Dispute(seat=seat, turn=1, what="card") for seat in seats))


def nothing_is_denied() -> list[Met]:
    return meet(placed(), 1, "DISPUTE")


def a_move_of_somebody_else_is_denied() -> list[Met]:
    return meet(placed(1), 1, "DISPUTE Cara's card")


def a_move_is_denied_again() -> list[Met]:
    letters = denied(1)
    return meet(after(letters, c.Withdraw(seat=1)), 1, "DISPUTE")


def no_dispute_is_taken_back() -> list[Met]:
    return meet(placed(1), 1, "DISPUTE OFF")


def an_order_in_advance_is_denied() -> list[Met]:
    letters = placed(0, 1, 2)
    letters.bag.send(1, "NEXT " + ("11" if 11 in letters.bag.game.seats[1].hand else "15"))
    return meet(letters, 1, "DISPUTE NEXT")


def a_host_settles_an_own_dispute() -> list[Met]:
    return meet(denied(0), 0, "STANDS")


def a_third_card_is_denied() -> list[Met]:
    return meet(denied(0, 2), 1, "DISPUTE")


def a_second_move_is_denied() -> list[Met]:
    letters = denied(1, placing=(0, 1, 2, 3))
    game = letters.bag.game
    while game.to_move != 1:
        assert game.to_move is not None
        after(letters, c.Bid(seat=game.to_move, amount=game.high_bid + 1))
        game = letters.bag.game
    after(letters, c.Bid(seat=1, amount=game.high_bid + 1))
    return meet(letters, 1, "DISPUTE BID")


def moves_are_denied_all_day() -> list[Met]:
    letters = placed(0, 1, 2, 3)
    for _ in range(A_DAY["disputes"] + 1):
        game = letters.bag.game
        while game.to_move != 1:
            assert game.to_move is not None
            after(letters, c.Bid(seat=game.to_move, amount=game.high_bid + 1))
            game = letters.bag.game
        after(letters, c.Bid(seat=1, amount=game.high_bid + 1))
        if met := meet(letters, 1, "DISPUTE BID"):
            return met
        after(letters, c.Withdraw(seat=1))
    return []


def a_move_of_long_ago_is_denied() -> list[Met]:
    letters = placed(0, 1, 2, 3)
    letters.bag.room.play(letters.bag.game_id)
    letters.bag.room.clock.now += timedelta(days=31)
    return meet(letters, 1, "DISPUTE card")


DISPUTES: Final[dict[Callable[[], list[Met]], str]] = {
    nothing_is_denied: "dispute/no_move",
    a_move_of_somebody_else_is_denied: "dispute/not_own",
    a_move_is_denied_again: "dispute/again",
    no_dispute_is_taken_back: "dispute/none",
    an_order_in_advance_is_denied: "dispute/ahead",
    a_host_settles_an_own_dispute: "dispute/own",
    a_third_card_is_denied: "dispute/too_many",
    a_second_move_is_denied: "dispute/open",
    moves_are_denied_all_day: "dispute/too_often",
    a_move_of_long_ago_is_denied: "dispute/over",
}
"""Each of them -> the code of the refusal."""
