"""Plain words at another time: a move before its turn is asked about, one that is none is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from inbox.clocked import a_clocked_table
from inbox.postbag import Postbag, a_first_round, an_auction
from inbox.taking import states, wait, waiting

ANNA, BEN, CARA, DAN = range(4)
ONE = phrase("people.back.one")


def said(answer: Answer) -> list[tuple[str, str]]:
    return [(line.verdict, line.order or line.code) for line in answer.lines]


@pytest.fixture
def bag() -> Postbag:
    """Four in the auction of the first round, in which one has bid 4 and another one is asked."""
    bag = an_auction()
    bag.send(bag.to_move, "BID 4")
    return bag


@pytest.fixture
def bidder(bag: Postbag) -> int:
    """The seat that has bid."""
    return next(seat for seat in range(4) if bag.game.seats[seat].bid)


def placed() -> Postbag:
    """A first round in which Anna alone has placed a card."""
    bag = a_first_round()
    bag.send(ANNA, str(Order("PLAY", card=bag.game.seats[ANNA].hand[0])))
    return bag


# ---- a bid that is done -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "order"), [
    ("nah wait, im out", "PASS"), ("im out, too rich for me", "PASS"), ("HAND\nactually I'm out", "PASS"),
])  # fmt: skip
def test_another_answer_is_for_later(bag: Postbag, bidder: int, text: str, order: str) -> None:
    size = bag.size
    assert (bag.send(bidder, text).asks_text, bag.size) == (f"Did you mean {order}?", size)


@pytest.mark.parametrize(("text", "order"), [("make it 6", "UP TO 6"), ("hmm no, 7 then", "UP TO 7")])
def test_a_number_is_how_far_the_bidder_goes(bag: Postbag, bidder: int, text: str, order: str) -> None:
    size = bag.size
    assert (said(bag.send(bidder, text)), bag.size) == ([("taken", order)], size)


def test_beside_words_to_pass_on_too(bag: Postbag, bidder: int) -> None:
    other = "Ben" if bidder != BEN else "Dan"
    answer = bag.send(bidder, f"nah wait, im out, too rich for me. tell {other} to go on")
    assert (answer.asks_text, said(answer)[1]) == ("Did you mean PASS?", ("done", ""))


def test_beside_a_question_too(bag: Postbag, bidder: int) -> None:
    answer = bag.send(bidder, "im out. what did I miss?")
    assert (answer.asks_text, answer.show) == ("Did you mean PASS?", ["history"])


@pytest.mark.parametrize("text", ["wait", "no wait", "undo please", "oops, take it back"])
def test_who_takes_it_back_is_told_what_can_be(bag: Postbag, bidder: int, text: str) -> None:
    assert bag.send(bidder, text).show == ["undo"]


def test_to_ask_for_it_is_answered_once(bag: Postbag, bidder: int) -> None:
    answer = bag.send(bidder, "can I take that back?")
    assert (len(answer.lines), answer.show) == (1, ["undo"])


@pytest.mark.parametrize("text", [
    "well played Ben!", "see you at 8", "I'm out tonight until 8, sorry", "Cara has 7 left lol",
    "kartoffelsalat mit würstchen", "What would you do in my place?", "hi all",
])  # fmt: skip
def test_talk_is_no_move(bag: Postbag, bidder: int, text: str) -> None:
    assert not [line for line in bag.send(bidder, text).lines if line.code]


# ---- while cards are placed -------------------------------------------------------------------------------
def test_a_bid_before_the_own_card_is_told_that_it_is_too_early() -> None:
    answer = a_first_round().send(ANNA, "I open with 3.")
    assert said(answer) == [("refused", "auction/not_open")]
    assert answer.offers[0].startswith("PLAY")


def test_a_bid_behind_the_own_card_is_told_so() -> None:
    assert said(placed().send(ANNA, "I open with 3.")) == [("refused", "auction/card_lies")]


@pytest.mark.parametrize("text", ["wait", "wait no", "oh no, wrong card"])
def test_a_card_that_lies_can_be_swapped(text: str) -> None:
    assert placed().send(ANNA, text).show == ["undo"]


@pytest.mark.parametrize("text", ["kartoffelsalat mit würstchen", "What would you do in my place?"])
def test_whose_card_lies_is_not_asked_for_another_one_by_talk(text: str) -> None:
    answer = placed().send(ANNA, text)
    assert (said(answer), answer.offers) == ([("not understood", "")], [])


def test_who_has_not_placed_and_has_nothing_to_undo_is_still_told_what_is_likely() -> None:
    assert a_first_round().send(ANNA, "wait").show == []


# ---- coming back ------------------------------------------------------------------------------------------
def test_another_card_in_plain_words_brings_back_and_is_done_after_the_pause() -> None:
    bag = a_clocked_table()
    bag.send(ANNA, "STOP")
    card = next(card for card in bag.game.seats[ANNA].hand if isinstance(card, int) and card > 3)
    answer = bag.send(ANNA, f"sorry, I was busy! the {card} please")
    assert (next(line.why for line in answer.lines), said(answer)[1]) == (ONE, ("taken", f"PLAY {card}"))
    assert (bag.game.seats[ANNA].computer, len(waiting(bag, ANNA))) == (False, 1)
    wait(bag)
    assert (states(bag, ANNA), bag.game.seats[ANNA].placed) == ([(f"PLAY {card}", "yes")], card)


@pytest.mark.parametrize(
    "text", ["sorry, I was busy! I'd go for 7 then", "what did I miss?", "is it my turn?"]
)
@pytest.mark.parametrize("begin", [a_first_round, an_auction])
def test_a_move_that_is_none_now_and_a_question_bring_back(begin: Callable[[], Postbag], text: str) -> None:
    bag = begin()
    bag.send(ANNA, "STOP")
    answer = bag.send(ANNA, text)
    assert (bag.game.seats[ANNA].computer, answer.lines[0].why) == (False, ONE)
    assert len(answer.lines) > 1


@pytest.mark.parametrize("text", [
    "lovely weather", "thanks all", "well played Ben!", "This is an automatic reply. How long do we have?",
])  # fmt: skip
def test_neither_talk_nor_a_machine_brings_back(text: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, text)
    assert bag.game.seats[ANNA].computer


@pytest.mark.parametrize(("text", "is_back"), [("what did I miss?", False), ("rabbit instead please", True)])
def test_from_an_absence_a_move_brings_back_and_a_question_does_not(text: str, is_back: bool) -> None:
    bag = a_clocked_table()
    bag.send(ANNA, "AWAY 2 weeks, COMPUTER")
    assert bag.game.seats[ANNA].computer
    bag.send(ANNA, text)
    assert bag.game.seats[ANNA].computer != is_back


def test_a_bid_in_plain_words_wakes_a_game_that_rests() -> None:
    bag = a_clocked_table()
    bag.place_all()
    seat = bag.to_move
    for other in (*(one for one in range(4) if one != seat), seat):
        bag.send(other, "STOP")
    assert (bag.to_move, bag.game.humans) == (seat, [])
    assert ("taken", "BID 7") in said(bag.send(seat, "sorry, I was busy! I'd go for 7 then"))
    wait(bag)
    assert (states(bag, seat), bag.game.seats[seat].computer) == ([("BID 7", "yes")], False)
