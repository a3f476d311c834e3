"""The card for the next round, where it lies already and in the rounds in which nobody chooses one."""

from __future__ import annotations

from functools import cache

import pytest

from felix_async.game.cards import card_text
from inbox.postbag import Postbag, a_first_round


def an_auction_of_round(number: int) -> Postbag:
    """A table whose bidding begins."""
    return _bidding_in(number).another()


@cache
def _bidding_in(number: int) -> Postbag:
    """The one that is played, and copied for each test."""
    bag = a_first_round()
    bag.room.play(bag.game_id, until=lambda game: (game.round, game.phase) == (number, "bidding"))
    return bag


@pytest.mark.parametrize("number", [8, 9])
def test_in_the_last_two_rounds_a_next_is_told_that_there_is_no_card_left_to_choose(number: int) -> None:
    bag = an_auction_of_round(number)
    answer = bag.send(bag.to_move, "NEXT 3")
    assert (answer.lines[0].verdict, answer.lines[0].code) == ("refused", "next/last_round")
    assert answer.lines[0].why.startswith("There is no card left to choose: in round 9")


@pytest.mark.parametrize("text", ["PASS, NEXT {card}", "UP TO {bid}, NEXT {card}", "BID {bid}, NEXT {card}"])
@pytest.mark.parametrize("number", [8, 9])
def test_in_the_last_two_rounds_the_rest_of_an_order_with_a_next_is_done(number: int, text: str) -> None:
    bag = an_auction_of_round(number)
    version = bag.size
    card, bid = card_text((*bag.game.seats[bag.to_move].hand, 3)[0]), bag.game.high_bid + 1
    answer = bag.send(bag.to_move, text.format(card=card, bid=bid))
    assert (answer.lines[0].verdict, answer.lines[0].code) == ("done", "")
    assert answer.lines[0].why.endswith("I play your last card for you, so there's none to choose.")
    assert bag.size > version
    assert not answer.quiet


def test_a_drop_in_the_auction_says_nothing_of_the_card_that_lies_there() -> None:
    bag = an_auction_of_round(1)
    seat = bag.to_move
    card, later = bag.game.seats[seat].hand[:2]
    bag.send(seat, f"NEXT {card_text(card)}")
    while bag.game.round == 1:
        bag.send(bag.to_move, "PASS" if len(bag.game.bidders) > 1 else "BID 1")
    bag.place_all()
    bag.send(seat, f"NEXT {card_text(later)}")
    assert bag.game.phase == "bidding"
    assert "PLAY" not in bag.send(seat, "DROP").lines[0].why
