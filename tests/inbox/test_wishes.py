"""Wishes to leave, for no more mail or another address, in plain words: asked about, and never a pass."""

from __future__ import annotations

import pytest

from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation
from inbox.postbag import Postbag, a_first_round, an_auction

LEAVING = [
    "I quit the game",
    "I quit this game",
    "please remove me from this list",
    "I give up this game",
    "I drop out of the game",
    "I won't play any more",
    "I'm done with this game",
    "I want to leave the game",
    "I resign the game",
    "stop writing me",
]
OF_THE_AUCTION = ["I give up", "I drop out", "I quit this one", "I resign from this round", "I'm out"]


@pytest.fixture(name="room", params=[a_first_round, an_auction])
def _room(request: pytest.FixtureRequest) -> Postbag:
    bag: Postbag = request.param()
    return bag


@pytest.mark.parametrize("text", LEAVING)
def test_a_wish_to_leave_is_asked_about(room: Postbag, text: str) -> None:
    assert room.send(room.game.asked[0], text).offers == ["RESIGN", "STOP"]


@pytest.mark.parametrize("text", LEAVING)
def test_a_seat_that_is_not_asked_may_wish_to_leave(text: str) -> None:
    bag = an_auction()
    seat = next(seat for seat in range(len(bag.game.seats)) if seat not in bag.game.asked)
    assert bag.send(seat, text).offers == ["RESIGN", "STOP"]


@pytest.mark.parametrize("text", ["I quit", "I resign", "sorry all, I quit"])
def test_alone_in_an_auction_it_may_be_the_auction_or_the_game(text: str) -> None:
    bag = an_auction()
    assert bag.send(bag.to_move, text).offers == ["PASS", "RESIGN"]


@pytest.mark.parametrize("text", OF_THE_AUCTION)
def test_who_leaves_the_auction_passes(text: str) -> None:
    bag = an_auction()
    seat = bag.to_move
    (line,) = bag.send(seat, text).lines
    assert line.order == "PASS" or bag.game.seats[seat].passed


def test_no_more_mail_is_asked_about(room: Postbag) -> None:
    assert room.send(room.game.asked[0], "unsubscribe").asks_text == "Did you mean STOP?"


@pytest.mark.parametrize("text", ["change my address to x@y.test", "my new address is x@y.test."])
def test_another_address_is_asked_about(room: Postbag, text: str) -> None:
    answer = room.send(room.game.asked[0], text)
    assert (answer.asks_text, answer.offers) == ("Did you mean ADDRESS x@y.test?", [])


def test_a_guest_is_offered_to_decline() -> None:
    meaning = meaning_of(["please remove me from this list"], Situation("inviting"))
    assert list(map(str, meaning.ask)) == ["DECLINE", "STOP"]
