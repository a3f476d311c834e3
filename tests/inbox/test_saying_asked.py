"""YES to `Shall I tell the others?` says what was offered, and a YES to anything else does not."""

from __future__ import annotations

import pytest

from inbox.postbag import Postbag, an_auction, verdicts


@pytest.fixture
def bag() -> Postbag:
    """An auction; seat `waits(bag)` is not asked for a bid."""
    return an_auction()


def waits(bag: Postbag) -> int:
    return next(seat for seat in bag.game.bidders if seat != bag.to_move)


def offered(bag: Postbag, seat: int, text: str = "That was mean of you, Anna!") -> str:
    answer = bag.send(seat, text)
    assert answer.offers == [f"SAY {text}"]
    assert answer.asks
    return text


def said(bag: Postbag) -> list[str]:
    return [one.text for one in bag.look(lambda reader: reader.sayings(bag.game_id))]


@pytest.mark.parametrize("yes", ["YES", "yes", "Yes please", "ok", "sure"])
def test_yes_says_what_was_offered(bag: Postbag, yes: str) -> None:
    seat = waits(bag)
    text = offered(bag, seat)
    assert verdicts(bag.reply(seat, yes)) == ["done"]
    assert said(bag) == [text]


def test_it_is_said_once(bag: Postbag) -> None:
    seat = waits(bag)
    text = offered(bag, seat)
    for _ in range(2):
        bag.reply(seat, "YES")
    assert said(bag) == [text]


@pytest.mark.parametrize("no", ["NO", "no"])
def test_no_says_nothing(bag: Postbag, no: str) -> None:
    seat = waits(bag)
    offered(bag, seat)
    bag.reply(seat, no)
    assert said(bag) == []
    assert not bag.game.seats[seat].passed
    assert bag.asked(seat)[-1].state == "no"


def test_yes_to_another_letter_says_nothing(bag: Postbag) -> None:
    seat = waits(bag)
    offered(bag, seat)
    bag.send(seat, "YES")
    assert said(bag) == []


def test_yes_says_it_after_a_move_of_ones_own_and_of_others(bag: Postbag) -> None:
    seat = waits(bag)
    text = offered(bag, seat)
    while bag.to_move != seat:
        bag.send(bag.to_move, f"BID {bag.game.high_bid + 1}")
    bag.send(seat, f"BID {bag.game.high_bid + 1}")
    assert verdicts(bag.reply(seat, "YES")) == ["done"]
    assert said(bag) == [text]


def test_a_move_to_that_answer_is_done(bag: Postbag) -> None:
    seat = waits(bag)
    offered(bag, seat)
    bag.reply(seat, "PASS")
    given = bag.look(lambda reader: bag.room.service.ahead(reader, bag.game_id)[seat].given)
    assert [one.order.kind for one in given] == ["pass"]
    assert said(bag) == []
