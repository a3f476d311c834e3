"""A move that comes twice, because nobody has said that it arrived; and an `ok` to a move that was taken."""

from __future__ import annotations

from dataclasses import replace
from email.message import EmailMessage

import pytest

from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from games import NAMES
from inbox.mailroom_of_people import a_village
from inbox.postbag import Postbag, a_first_round, a_mail, an_auction, verdicts


@pytest.fixture
def bag() -> Postbag:
    """An auction of four in which everybody has bid once: 5 is the least."""
    bag = an_auction()
    for _ in range(4):
        bag.send(bag.to_move, f"BID {bag.game.high_bid + 1}")
    return bag


class Letter:
    """A letter that asks a seat, answered as often as its reader likes."""

    def __init__(self, bag: Postbag, seat: int) -> None:
        self.bag, self.seat, self.address = bag, seat, bag.address(seat)

    def answer(self, text: str) -> Answer:
        self.bag.mails += 1
        sender = f"{NAMES[self.seat].lower()}@players.test"
        raw = a_mail(text, sender=sender, message_id=f"<{self.bag.mails}@players.test>")
        mail_id = self.bag.post(raw, self.address, sender)
        self.bag.work()
        return self.bag.answered(mail_id)


def the_line(answer: Answer) -> AnsweredLine:
    assert len(answer.lines) == 1
    return answer.lines[0]


def is_told_as_done(answer: Answer, order: str) -> bool:
    told = phrase("people.stands.again", order=order)
    return (the_line(answer).verdict, the_line(answer).why) == ("done", told) and not answer.changed


@pytest.mark.parametrize("text", ["BID 5", "PASS"])
def test_a_move_that_comes_twice_is_done_already(bag: Postbag, text: str) -> None:
    letter = Letter(bag, bag.to_move)
    letter.answer(text)
    size = bag.size
    answer = letter.answer(text)
    assert is_told_as_done(answer, text)
    assert not answer.quiet
    assert bag.size == size


@pytest.mark.parametrize("text", ["5", "5 please", "I bid 5"])
def test_so_is_one_that_comes_again_in_other_words(bag: Postbag, text: str) -> None:
    letter = Letter(bag, bag.to_move)
    letter.answer("BID 5")
    answer = letter.answer(text)
    assert is_told_as_done(answer, "BID 5")
    assert answer.offers == []


@pytest.mark.parametrize("since", [["BID 6"], ["BID 6", "BID 7", "BID 8"], ["PASS"]])
def test_it_is_done_however_the_table_went_on(bag: Postbag, since: list[str]) -> None:
    letter = Letter(bag, bag.to_move)
    letter.answer("BID 5")
    for text in since:
        bag.send(bag.to_move, text)
    assert is_told_as_done(letter.answer("BID 5"), "BID 5")


def test_it_is_done_in_the_next_round_too(bag: Postbag) -> None:
    letter = Letter(bag, bag.to_move)
    letter.answer("PASS")
    while bag.game.round == 1:
        bag.send(bag.to_move, "PASS" if len(bag.game.bidders) > 1 else "BID 1")
    assert is_told_as_done(letter.answer("PASS"), "PASS")


def test_a_card_that_lies_open_by_now_was_played() -> None:
    bag = a_first_round()
    letter = Letter(bag, 0)
    card = str(Order("PLAY", card=bag.game.seats[0].hand[0]))
    letter.answer(card)
    bag.place_all()
    assert is_told_as_done(letter.answer(card), card)


def test_a_card_that_was_exchanged_was_not_played() -> None:
    bag = a_first_round()
    letter = Letter(bag, 0)
    first, second = [str(Order("PLAY", card=card)) for card in bag.game.seats[0].hand[:2]]
    letter.answer(first)
    letter.answer(second)
    for seat in bag.game.asked:
        bag.send(seat, str(Order("PLAY", card=bag.game.seats[seat].hand[0])))
    assert the_line(letter.answer(first)).code == "row/complete"
    assert is_told_as_done(letter.answer(second), second)


def test_the_bid_that_leads_comes_again_to_a_newer_letter(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "BID 5")
    assert is_told_as_done(bag.send(seat, "BID 5"), "BID 5")


def test_a_card_for_the_next_round_is_kept_beside_it(bag: Postbag) -> None:
    seat = bag.to_move
    letter = Letter(bag, seat)
    order = str(Order("BID", amount=5, next=bag.game.seats[seat].hand[0]))
    letter.answer(order)
    assert is_told_as_done(letter.answer(order), order)
    other = str(Order("BID", amount=5, next=bag.game.seats[seat].hand[1]))
    assert verdicts(letter.answer(other)) == ["refused"]


@pytest.mark.parametrize("text", ["BID 4", "BID 3"])
def test_another_move_to_the_same_letter_is_refused_as_before(bag: Postbag, text: str) -> None:
    letter = Letter(bag, bag.to_move)
    letter.answer("BID 5")
    assert the_line(letter.answer(text)).code == "bid/too_low"


def test_a_move_of_the_computer_is_not_theirs(bag: Postbag) -> None:
    seat = bag.to_move
    letter = Letter(bag, seat)
    bag.send(seat, "STOP")
    assert bag.game.seats[seat].passed or bag.game.seats[seat].bid
    text = "PASS" if bag.game.seats[seat].passed else f"BID {bag.game.seats[seat].bid}"
    assert phrase("people.stands.again", order=text) not in {one.why for one in letter.answer(text).lines}


def test_who_sends_the_old_card_again_keeps_it() -> None:
    room = a_first_round()
    bag = replace(room, processor=replace(room.processor, service=replace(room.room.service, pause=120)))
    first, second = bag.game.seats[0].hand[:2]
    bag.send(0, str(Order("PLAY", card=first)))
    assert verdicts(bag.send(0, f"{second} for me")) == ["taken"]
    assert verdicts(bag.send(0, str(Order("PLAY", card=first)))) == ["done"]
    assert [one.state for one in bag.asked(0, "order")] == ["dropped"]


@pytest.mark.parametrize("text", ["YES", "yes", "ok", "OK thanks", "great"])
@pytest.mark.parametrize("move", ["BID 5", "PASS"])
def test_who_agrees_to_nothing_reads_what_stands(bag: Postbag, move: str, text: str) -> None:
    letter = Letter(bag, bag.to_move)
    assert letter.answer(move).quiet
    answer = letter.answer(text)
    assert (the_line(answer).verdict, answer.changed) == ("done", False)
    assert the_line(answer).why == phrase("people.stands.still", order=move)


def test_who_is_asked_has_nothing_that_stands(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "YES")
    assert (the_line(answer).verdict, answer.offers) == ("asked", ["BID 5", "BID 6", "PASS"])


def test_who_is_asked_for_the_first_bid_reads_so() -> None:
    bag = a_first_round()
    bag.place_all()
    assert REFUSALS["question/of_move"] in the_line(bag.send(bag.to_move, "YES")).why


def test_agreeing_beside_talk_is_talk(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "BID 5")
    assert bag.send(seat, "great game so far everyone").offers == ["SAY great game so far everyone"]


def test_two_mails_with_one_message_id_get_an_answer_each() -> None:
    """A program that writes the same one into each mail; the addresses tell the mails apart."""
    village = a_village(a_first_round(3))
    bag = village.bag
    village.deliver()
    raw = a_mail("STATUS", message_id="<same@players.test>")
    answers: list[EmailMessage] = []
    for turn in (0, 1):
        bag.take(raw, bag.address(0, turn))
        answers += village.deliver()
    first, second = answers
    assert first["Message-ID"] != second["Message-ID"]
    assert first["In-Reply-To"] == second["In-Reply-To"] == "<same@players.test>"
