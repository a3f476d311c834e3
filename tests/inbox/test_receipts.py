"""Clean orders are answered in silence, and all others at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.follow_up.kinds import load
from felix_async.language.grammar import Order
from felix_events.store.rows import Choice
from inbox.postbag import Postbag, a_first_round, a_mail, an_auction
from notifiers.correspondence import corresponding
from notifiers.office import claim_owed


def test_whoever_is_new_is_told_of_two_moves() -> None:
    bag = an_auction()
    first, second, third = _moves(bag, 3)
    assert [first.quiet, second.quiet, third.quiet] == [False, False, True]


def test_at_the_next_table_nobody_is_new() -> None:
    bag = _settled()
    game_id = bag.room.open(4, command_id="another")
    bag.room.join_all(game_id)
    other = replace(bag, game_id=game_id)
    seat = other.game.asked[0]
    assert other.send(seat, _card(other, seat)).quiet


def test_a_move_of_the_computer_is_no_move_of_a_player() -> None:
    bag = a_first_round()
    bag.send(0, "STOP")
    while bag.game.round == 1:
        seat = bag.game.asked[0]
        bag.send(seat, _card(bag, seat) if bag.game.phase == "placing" else "PASS")
    bag.send(0, "HAND")
    while 0 not in bag.game.asked or bag.game.seats[0].computer:
        seat = bag.game.asked[0]
        bag.send(seat, _card(bag, seat) if bag.game.phase == "placing" else "PASS")
    text = _card(bag, 0) if bag.game.phase == "placing" else "PASS"
    assert not bag.send(0, text).quiet


@pytest.mark.parametrize("text", ["{bid}", "PASS", "SAY I smell a dog."])
def test_a_clean_order_is_answered_in_silence(text: str) -> None:
    bag = _settled()
    answer = bag.send(bag.to_move, text.format(bid=_bid(bag)))
    assert [line.verdict for line in answer.lines] == ["done"]
    assert answer.quiet


def test_a_card_is_placed_in_silence() -> None:
    bag = _settled()
    while bag.game.phase == "bidding":
        bag.send(bag.to_move, "PASS" if len(bag.game.bidders) > 1 else _bid(bag))
    seat = bag.game.asked[0]
    assert bag.send(seat, _card(bag, seat)).quiet


def test_a_card_that_was_the_next_one_is_told_of() -> None:
    bag = _settled()
    while bag.game.phase == "bidding":
        bag.send(bag.to_move, "PASS" if len(bag.game.bidders) > 1 else _bid(bag))
    seat, other = bag.game.asked[:2]
    hand = bag.game.seats[seat].hand
    bag.send(seat, str(Order("PLAY", card=hand[0], next=hand[1])))
    assert not bag.send(seat, str(Order("PLAY", card=hand[1]))).quiet
    assert bag.send(other, _card(bag, other)).quiet


@pytest.mark.parametrize(
    "text",
    [
        "BID 0",
        "BID 99",
        "hmm",
        "STATUS",
        "UP TO 12",
        "{bid}, NEXT {card}",
        "PASS\nSAY well done",
        "the least you can do",
        "PLAY 8 or not",
        "NOTIFY ALL",
        "I bid {low}, I think",
        "{low}, good luck",
        "{low}?",
    ],
)
def test_everything_else_is_told_of(text: str) -> None:
    bag = _settled()
    seat = bag.to_move
    card = str(Order("NEXT", next=bag.game.seats[seat].hand[0])).removeprefix("NEXT ")
    low = bag.game.high_bid + 1
    answer = bag.send(seat, text.format(bid=_bid(bag), card=card, low=low))
    assert not answer.quiet, answer


@pytest.mark.parametrize(
    "words",
    [
        "I'm on holiday from Friday",
        "please also pause the game until Monday",
        "(if Ben has not passed)",
        "I want to quit after this round",
        "ABANDN",
        "please resend your last e-mail",
        "call me Benny from now on",
        "Also change the pace to together",
    ],
)
def test_nobody_thinks_that_more_was_done(words: str) -> None:
    bag = _settled()
    assert not bag.send(bag.to_move, f"{_bid(bag)}\n{words}").quiet


_CUT: Final = [
    "SAY thanks all\n-- \n{bid}",
    "SAY thanks all\n\nBest,\n{name}\n\n{bid}",
    "SAY thanks all\n\nSent from my iPhone\n\n{bid}",
    "SAY thanks all\n\nThanks,\n{bid}",
    "SAY thanks all\n----\n{bid}",
    "SAY thanks all\n-- write above this line --\n{bid}",
    "SAY thanks all\nBegin forwarded message:\n{bid}",
    "{bid}\n\nBest,\n{name}\n\nSAY thanks all",
]


@pytest.mark.parametrize("text", _CUT)
def test_nobody_waits_for_an_order_that_was_not_obeyed_where_it_stands(text: str) -> None:
    bag = _settled()
    name = bag.seat(bag.to_move).name
    assert not bag.send(bag.to_move, text.format(bid=_bid(bag), name=name)).quiet


@pytest.mark.parametrize(("subject", "is_quiet"), [("{bid}", False), ("PASS", False), ("Re: Round 1", True)])
def test_nobody_waits_for_an_order_in_the_subject_beside_another(subject: str, is_quiet: bool) -> None:
    bag = _settled()
    seat = bag.to_move
    address = f"{bag.seat(seat).name.lower()}@players.test"
    mail = a_mail("SAY thanks all", sender=address, message_id="<1@x>", subject=subject.format(bid=_bid(bag)))
    mail_id = bag.post(mail, bag.address(seat), address)
    bag.work()
    assert bag.answered(mail_id).quiet is is_quiet


def test_an_order_in_the_subject_alone_is_clean() -> None:
    bag = _settled()
    seat = bag.to_move
    address = f"{bag.seat(seat).name.lower()}@players.test"
    mail_id = bag.post(
        a_mail("", sender=address, message_id="<1@x>", subject=_bid(bag)), bag.address(seat), address
    )
    bag.work()
    assert bag.answered(mail_id).quiet


def test_a_move_that_may_not_be_its_writers_is_asked_about_beside_talk() -> None:
    bag = _settled()
    answer = bag.send(bag.to_move, f"SAY thanks all\n\nBest,\nBen\n\n{_bid(bag)}")
    assert [line.verdict for line in answer.lines] == ["done", "asked"]


@pytest.mark.parametrize(
    "words", ["Thanks everybody!", "cheers, {name}", "{name}", "-- \n{name}", "Hi felix,"]
)
def test_a_courtesy_wants_no_answer(words: str) -> None:
    bag = _settled()
    text = f"{_bid(bag)}\n{words.format(name=bag.seat(bag.to_move).name)}"
    assert bag.send(bag.to_move, text).quiet


def test_what_takes_the_place_of_something_else_is_told_of() -> None:
    bag = _settled()
    seat = bag.to_move
    assert bag.send(seat, f"{bag.game.high_bid + 1} for me").asks
    assert not bag.send(seat, "PASS").quiet


def test_a_card_that_is_exchanged_is_told_of() -> None:
    bag = _settled()
    while bag.game.phase == "bidding":
        bag.send(bag.to_move, "PASS" if len(bag.game.bidders) > 1 else _bid(bag))
    seat = bag.game.asked[0]
    assert bag.send(seat, _card(bag, seat)).quiet
    assert not bag.send(seat, _card(bag, seat)).quiet


def test_what_was_held_back_is_told_of() -> None:
    bag = _settled()
    mail_id = bag.write(bag.to_move, _bid(bag))
    bag.room.clock.now += timedelta(hours=2)
    bag.work()
    assert not bag.answered(mail_id).quiet


def test_what_the_operator_tried_again_is_told_of() -> None:
    bag = _settled()
    mail_id = bag.write(bag.to_move, _bid(bag))
    bag.do(lambda tx: tx.requeue_mail(mail_id, "", retried=True))
    bag.work()
    assert not bag.answered(mail_id).quiet


def test_what_is_said_before_its_time_is_told_of() -> None:
    bag = _settled()
    seat = next(seat for seat in bag.game.bidders if seat != bag.to_move)
    assert not bag.send(seat, "PASS").quiet


def test_a_yes_is_told_of() -> None:
    bag = _settled()
    bag.send(bag.to_move, "pass?")
    answer = bag.send(bag.to_move, "YES") if not bag.asked(bag.to_move) else bag.reply(bag.to_move)
    assert not answer.quiet


def test_a_bid_that_is_topped_at_once_is_as_quiet_as_one_that_is_topped_later() -> None:
    bag = _settled()
    seat = bag.to_move
    others = [other for other in bag.game.bidders if other != seat]
    for other in others:
        bag.send(other, "UP TO 15")
    answer = bag.send(seat, _bid(bag))
    assert bag.game.high_bid > bag.game.seats[seat].bid > 0
    assert answer.quiet


def test_the_same_again_is_told_of() -> None:
    bag = _settled()
    while bag.game.phase == "bidding":
        bag.send(bag.to_move, "PASS" if len(bag.game.bidders) > 1 else _bid(bag))
    seat = bag.game.asked[0]
    text = _card(bag, seat)
    assert bag.send(seat, text).quiet
    assert not bag.send(seat, text).quiet


def test_words_to_nobody_are_told_of() -> None:
    bag = _settled()
    speaker = bag.to_move
    for seat in range(4):
        if seat != speaker:
            bag.send(seat, "STOP")
    assert not bag.send(speaker, "SAY Is anybody here?").quiet


def test_who_wants_receipts_gets_them() -> None:
    bag = _settled()
    seat = bag.to_move
    bag.do(lambda tx: tx.choose(Choice(bag.seat(seat).player_id, receipts=True)))
    assert not bag.send(seat, _bid(bag)).quiet


def test_no_letter_tells_of_a_quiet_answer() -> None:
    bag = _settled()
    outbox = corresponding(bag).outbox
    claim_owed(bag.do, outbox)
    seat = bag.to_move
    letters = _letters(bag, seat)
    assert bag.send(seat, _bid(bag)).quiet
    claim_owed(bag.do, outbox)
    assert _letters(bag, seat) == letters
    assert not [one for one in bag.look(lambda reader: reader.pending("9999")) if load(one).seat == seat]


def _settled() -> Postbag:
    """An auction of four who have made two moves each, and all of them are still in it."""
    bag = an_auction()
    for _ in range(4):
        bag.send(bag.to_move, _bid(bag))
    return bag


def _moves(bag: Postbag, count: int) -> list[Answer]:
    """So many moves of whoever is asked first, the card among them."""
    seat = bag.to_move
    answers = [Answer.model_validate_json(one.payload) for one in bag.owed(seat, "answer")]
    while len(answers) < count:
        if bag.to_move == seat:
            answers.append(bag.send(seat, _bid(bag)))
        else:
            bag.send(bag.to_move, _bid(bag))
    return answers


def _letters(bag: Postbag, seat: int) -> int:
    return bag.look(lambda reader: sum(one.seat == seat for one in reader.letters()))


def _bid(bag: Postbag) -> str:
    return f"BID {bag.game.high_bid + 1}"


def _card(bag: Postbag, seat: int) -> str:
    return str(Order("PLAY", card=bag.game.seats[seat].hand[0]))
