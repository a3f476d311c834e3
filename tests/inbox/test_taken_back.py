"""What was taken from plain words is taken back: from any address, with the words that people use for it."""

from __future__ import annotations

import pytest

from felix_async.language.grammar import Order
from inbox.clocked import a_clocked_auction
from inbox.postbag import Postbag, a_first_round, verdicts
from inbox.taking import states, wait, waiting

FIRST = 1
"""The number of the first question that a seat is asked."""


@pytest.fixture
def bag() -> Postbag:
    """Four in the auction of the first round."""
    return a_clocked_auction()


@pytest.fixture
def seat(bag: Postbag) -> int:
    """The seat that bids next."""
    return bag.to_move


# ---- at the address of an older question
@pytest.mark.parametrize("text", ["WAIT", "undo", "hold on", "NO", "nope"])
def test_an_older_mail_takes_back_what_waits_now(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    bag.send(seat, "sorry, make that three mice")
    answer = bag.reply(seat, text, FIRST)
    assert (verdicts(answer), states(bag, seat)) == (["done"], [("BID 2", "dropped"), ("BID 3", "no")])
    wait(bag)
    assert (bag.game.high_bid, bag.game.seats[seat].passed) == (0, False)


@pytest.mark.parametrize("text", ["YES", "yes please"])
def test_a_yes_to_an_older_mail_does_not_do_what_waits_now(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    bag.send(seat, "sorry, make that three mice")
    answer = bag.reply(seat, text, FIRST)
    assert answer.lines[0].code == "question/closed"
    assert (bag.game.high_bid, states(bag, seat)[-1]) == (0, ("BID 3", "open"))


# ---- with the word of another order
@pytest.mark.parametrize("text", ["STOP", "stop!", "STOP\nSTOP"])
def test_stop_takes_back_what_waits_and_tells_how_to_leave(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    answer = bag.reply(seat, text)
    assert (states(bag, seat), bag.game.seats[seat].computer) == ([("BID 2", "no")], False)
    assert verdicts(answer)[:2] == ["done", "asked"]
    assert "write STOP again" in answer.lines[1].why


def test_stop_again_is_the_order(bag: Postbag, seat: int) -> None:
    bag.send(seat, "lets go with two mice i think")
    bag.reply(seat, "STOP")
    assert (verdicts(bag.send(seat, "STOP")), bag.game.seats[seat].computer) == (["done"], True)


@pytest.mark.parametrize("text", ["CANCEL", "cancel that", "stop that", "actually no", "Actually, no!"])
def test_these_take_it_back(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    assert verdicts(bag.reply(seat, text)) == ["done"]
    assert (states(bag, seat), bag.game.seats[seat].computer) == ([("BID 2", "no")], False)


# ---- NO alone is no PASS
@pytest.mark.parametrize("again", ["NO", "no", "nope", "nah"])
def test_no_said_twice_is_no_pass(bag: Postbag, seat: int, again: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    bag.reply(seat, "NO", FIRST)
    for answer in (bag.reply(seat, again, FIRST), bag.send(seat, again)):
        assert (verdicts(answer), answer.offers) == (["asked"], ["BID 1", "BID 2", "PASS"])
    wait(bag)
    assert (waiting(bag, seat), bag.game.seats[seat].passed) == ([], False)


def test_no_alone_to_the_turn_is_asked_about(bag: Postbag, seat: int) -> None:
    answer = bag.send(seat, "nope")
    assert (verdicts(answer), answer.asks_text != "", waiting(bag, seat)) == (["asked"], True, [])
    bag.reply(seat, "YES")
    assert bag.game.seats[seat].passed


def test_a_pass_beside_a_no_is_taken_there_too(bag: Postbag, seat: int) -> None:
    bag.send(seat, "lets go with two mice i think")
    bag.reply(seat, "NO")
    assert [line.order for line in bag.reply(seat, "no, I pass").lines] == ["PASS"]


# ---- after it was done
BACK = ["WAIT", "undo", "no wait", "oops, take it back"]


@pytest.mark.parametrize("text", BACK)
def test_who_is_too_late_is_told_that_the_bid_stands(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    wait(bag)
    answer = bag.reply(seat, text)
    assert [line.why for line in answer.lines] == ["BID 2 is done, and a bid stands."]
    assert (answer.show, answer.offers, answer.tries) == (["undo"], [], 0)


@pytest.mark.parametrize("text", BACK)
def test_also_when_they_are_asked_again_at_another_price(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "lets go with two mice i think")
    wait(bag)
    while bag.to_move != seat:
        bag.send(bag.to_move, f"BID {bag.game.high_bid + 1}")
    answer = bag.reply(seat, text, FIRST)
    assert [line.why for line in answer.lines] == ["BID 2 is done, and a bid stands."]
    assert (answer.show, answer.offers[-1], answer.tries) == (["undo"], "PASS", 0)


@pytest.mark.parametrize("text", BACK)
def test_a_card_can_be_exchanged_until_the_last_one_lies(text: str) -> None:
    bag = a_first_round()
    bag.send(0, str(Order("PLAY", card=bag.game.seats[0].hand[0])))
    answer = bag.send(0, text)
    assert ["until the last one is down" in line.why for line in answer.lines] == [True]
    assert (answer.show, answer.tries) == (["undo"], 0)


@pytest.mark.parametrize("text", BACK)
def test_who_has_done_nothing_is_told_that_nothing_waits(text: str) -> None:
    answer = a_first_round().send(0, text)
    assert [line.why[:25] for line in answer.lines] == ["Nothing of yours is waiti"]
    assert (any(offer.startswith("SAY") for offer in answer.offers), answer.tries) == (False, 0)
