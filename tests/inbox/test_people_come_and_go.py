"""STOP, RESIGN and coming back: who plays for a seat, and who gets mail."""

from __future__ import annotations

import pytest

from felix_async.address import Token, address_of, encode_token
from felix_async.audit.audit import audit
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, NOTHING_MEANT, REFUSALS
from felix_async.service import Origin
from felix_events.model import SeatHandedOver
from felix_events.store.rows import Question
from games import Played, players
from inbox.mailroom_of_people import a_village
from inbox.postbag import (
    MAILBOX,
    Postbag,
    a_first_round,
    a_mail,
    a_table,
    an_auction,
    until_the_computer_bids,
    verdicts,
)

ANNA, BEN, CARA, DAN = range(4)


def hosted(seats: int = 4, joined: tuple[int, ...] = (ANNA, BEN, CARA, DAN)) -> Postbag:
    """A table that Anna hosts."""
    bag = a_table(seats)
    with bag.room.store.write() as tx:
        game_id, _ = bag.room.service.open_table(
            tx,
            players(seats),
            origin=Origin("hosted", "host", "desk"),
            table_name="Anna's",
            ruleset="felicity-2017",
            host=ANNA,
        )
    table = Postbag(bag.room, game_id, bag.processor)
    for seat in joined:
        table.send(seat, "JOIN")
    return table


def stopped(bag: Postbag, seat: int) -> list[str]:
    with bag.room.store.read() as reader:
        return [row.stopped for row in reader.addresses(bag.seat(seat).player_id)]


def questions(bag: Postbag, seat: int) -> list[Question]:
    with bag.room.store.read() as reader:
        return reader.questions(bag.game_id, seat)


def to_question(bag: Postbag, seat: int, text: str) -> list[str]:
    """An answer to the last question of this seat; how its lines went."""
    number = questions(bag, seat)[-1].number
    token = Token(bag.game_id, seat, "question", number)
    address = address_of(MAILBOX, encode_token(token, bag.seat(seat).secret))
    bag.mails += 1
    sender = bag.seat(seat).addresses[0]
    mail = bag.post(a_mail(text, sender=sender, message_id=f"<q{bag.mails}@x.test>"), address, sender)
    bag.work()
    answer = bag.answer_to(mail)
    assert answer is not None
    return verdicts(answer)


# ---- STOP -----------------------------------------------------------------------------------------------
def test_stop_lets_the_computer_play_on_at_once() -> None:
    bag = a_first_round()
    answer = bag.send(ANNA, "STOP")
    assert answer.lines[0].why.startswith(DONE["STOP"])
    assert bag.game.seats[ANNA].computer
    assert bag.game.seats[ANNA].has_placed
    assert stopped(bag, ANNA) == ["asked"]


def test_stop_is_for_all_games_of_the_player() -> None:
    bag = a_first_round()
    other = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    other.room.join_all(other.game_id)
    bag.send(ANNA, "STOP")
    assert other.game.seats[ANNA].computer
    assert not other.game.seats[BEN].computer


def test_stop_gives_a_seat_back_before_the_start_and_hosting_passes_on() -> None:
    bag = hosted(joined=(ANNA, BEN))
    bag.send(ANNA, "STOP")
    assert (bag.game.seats[ANNA].answer, bag.game.host) == ("declined", BEN)


def test_stop_twice_is_fine_and_changes_nothing_more() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    size = bag.size
    assert verdicts(bag.send(ANNA, "STOP")) == ["done"]
    assert bag.size == size


def test_the_confirmation_goes_out_and_then_no_more_mail() -> None:
    village = a_village(a_first_round())
    assert "no more mail" in village.answer(ANNA, "STOP")
    for seat in (BEN, CARA, DAN):
        card = next(card for card in village.bag.game.seats[seat].hand if isinstance(card, int))
        village.bag.send(seat, f"PLAY {card}")
    assert not [mail for mail in village.deliver() if "anna@" in str(mail["To"])]


def test_the_others_are_told_that_the_computer_plays_on() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "STOP")
    assert "The computer plays on for Anna." in village.answer(BEN, "HISTORY")


def test_the_link_that_every_letter_has_says_stop() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "HAND")
    (mail,) = village.deliver()
    assert "subject=STOP&body=STOP" in str(mail["List-Unsubscribe"])


@pytest.mark.parametrize("order", ["STATUS", "HAND", "SAY hello", "NOTIFY ALL", "HELP"])
def test_any_order_or_question_brings_the_player_back(order: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    answer = bag.send(ANNA, order)
    assert not bag.game.seats[ANNA].computer
    assert stopped(bag, ANNA) == [""]
    assert answer.lines[0].why == phrase("people.back.one")
    assert answer.lines[1].verdict == "done"


def test_the_player_comes_back_before_the_order_is_done() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    size = bag.size
    bag.send(ANNA, "SAY hello")
    types = [e.type for e in Played(bag.game_id, bag.room.evidence(bag.game_id)).envelopes[size:]]
    assert types == ["seat_handed_over", "player_said"]


def test_the_player_comes_back_at_all_tables() -> None:
    bag = a_first_round()
    other = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    other.room.join_all(other.game_id)
    bag.send(ANNA, "STOP")
    answer = bag.send(ANNA, "STATUS")
    assert not other.game.seats[ANNA].computer
    assert answer.lines[0].why == phrase("people.back.many", count=2)


def test_an_automatic_answer_brings_nobody_back() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.post(a_mail("HAND", headers=["Auto-Submitted: auto-replied"]), bag.address(ANNA))
    bag.work()
    assert bag.game.seats[ANNA].computer


@pytest.mark.parametrize("text", ["I am on holiday", "RESIGN", "FORGET ME", "STOP"])
def test_what_is_no_order_to_play_brings_nobody_back(text: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, text)
    assert bag.game.seats[ANNA].computer
    assert stopped(bag, ANNA) == ["asked"]


def test_an_order_above_a_stop_does_not_undo_it() -> None:
    bag = a_first_round()
    bag.send(ANNA, "HAND\nSTOP")
    assert bag.game.seats[ANNA].computer
    assert stopped(bag, ANNA) == ["asked"]


def test_a_no_brings_nobody_back() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, "RESIGN")
    nothing, still = bag.reply(ANNA, "NO").lines
    assert (nothing.why, still.why) == (NOTHING_MEANT, phrase("people.stopped.still_away"))
    assert bag.game.seats[ANNA].computer
    assert stopped(bag, ANNA) == ["asked"]


# ---- RESIGN ---------------------------------------------------------------------------------------------
def test_resign_asks_first_and_changes_nothing() -> None:
    bag = a_first_round()
    size = bag.size
    answer = bag.send(ANNA, "RESIGN")
    assert (verdicts(answer), answer.asks_text) == (["asked"], phrase("people.sure.resign"))
    assert bag.size == size


def test_the_answer_offers_yes_also_to_who_is_not_asked_for_a_move() -> None:
    bag = an_auction()
    village = a_village(bag)
    waiting = next(seat for seat in range(4) if seat != bag.game.to_move)
    assert "\n  YES\n" in village.answer(waiting, "RESIGN")


@pytest.mark.parametrize("order", ["RESIGN", "FORGET ME"])
@pytest.mark.parametrize("reply", ["YES", "NO"])
def test_a_reply_in_the_mail_that_is_asked_about_answers_nothing(order: str, reply: str) -> None:
    """Two lines of an older mail that leaked through would else be enough to erase somebody."""
    bag = a_first_round()
    answer = bag.send(ANNA, f"{order}\n{reply}")
    assert [line.code for line in answer.lines] == ["", "question/too_soon"]
    assert (bag.game.seats[ANNA].gone, bag.seat(ANNA).name) == (False, "Anna")
    assert [question.state for question in questions(bag, ANNA)] == ["open"]


def test_a_yes_below_forget_me_joins_nothing() -> None:
    """Where somebody is invited, a YES alone means JOIN."""
    bag = a_table()
    bag.send(ANNA, "FORGET ME\nYES")
    assert bag.game.seats[ANNA].answer == "invited"


def test_yes_resigns_for_good() -> None:
    bag = a_first_round()
    bag.send(ANNA, "RESIGN")
    assert to_question(bag, ANNA, "YES") == ["done"]
    assert bag.game.seats[ANNA].gone
    envelopes = Played(bag.game_id, bag.room.evidence(bag.game_id)).envelopes
    assert SeatHandedOver(seat=ANNA, to="computer", for_good=True) in [one.data for one in envelopes]
    assert audit(bag.room.evidence(bag.game_id)).findings == []


@pytest.mark.parametrize("order", ["RESIGN", "FORGET ME"])
def test_a_yes_to_another_mail_does_nothing_for_good_and_is_asked_about(order: str) -> None:
    """The address of a turn is in all mails of that turn; that of the question was told to nobody else."""
    bag = a_first_round()
    bag.send(ANNA, order)
    answer = bag.send(ANNA, "YES")
    assert [(line.verdict, line.why) for line in answer.lines] == [("asked", phrase("people.sure.elsewhere"))]
    assert answer.asks == questions(bag, ANNA)[-1].number
    assert (bag.game.seats[ANNA].gone, bag.seat(ANNA).name) == (False, "Anna")
    assert "\n  YES\n" in a_village(bag).answer(ANNA, "YES")


@pytest.mark.parametrize("order", ["RESIGN", "FORGET ME"])
def test_a_yes_below_words_of_a_machine_does_nothing_for_good_and_is_asked_about(order: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, order)
    for words in (
        "I am out of office until Monday.\n\nYES\n\nAnna",
        "Thank you for your mail. I am away.\nYES",
    ):
        letter = bag.reply(ANNA, words)
        told = [(line.verdict, line.why) for line in letter.lines if line.text == "YES"]
        assert told == [("asked", phrase("people.sure.alone"))]
        assert letter.asks == questions(bag, ANNA)[-1].number
    assert (bag.game.seats[ANNA].gone, bag.seat(ANNA).name) == (False, "Anna")


def test_a_yes_between_a_greeting_and_a_name_resigns() -> None:
    bag = a_first_round()
    bag.send(ANNA, "RESIGN")
    assert to_question(bag, ANNA, "Hi felix,\n\nYES, thanks\n\nBest regards\nAnna") == ["done"]
    assert bag.game.seats[ANNA].gone


def test_no_keeps_the_seat() -> None:
    bag = a_first_round()
    bag.send(ANNA, "RESIGN")
    bag.send(ANNA, "NO")
    assert not bag.game.seats[ANNA].computer
    assert verdicts(bag.send(ANNA, "YES")) == ["refused"]


def test_a_yes_for_an_older_turn_does_nothing() -> None:
    bag = a_first_round()
    bag.send(ANNA, "RESIGN")
    bag.place_all()
    while bag.game.to_move != ANNA:
        assert bag.game.to_move is not None
        bag.send(bag.game.to_move, f"BID {bag.game.high_bid + 1}")
    to_question(bag, ANNA, "YES")
    assert not bag.game.seats[ANNA].gone


def test_a_yes_resigns_although_the_computer_has_moved_since() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, "RESIGN")
    until_the_computer_bids(bag, ANNA)
    assert to_question(bag, ANNA, "YES") == ["done"]
    assert bag.game.seats[ANNA].gone


def test_who_has_resigned_gets_no_turn_mail_and_cannot_come_back() -> None:
    bag = a_first_round()
    bag.send(ANNA, "RESIGN")
    bag.reply(ANNA)
    before = len(bag.owed(ANNA, "turn"))
    for seat in (BEN, CARA, DAN):
        card = next(card for card in bag.game.seats[seat].hand if isinstance(card, int))
        bag.send(seat, f"PLAY {card}")
    assert len(bag.owed(ANNA, "turn")) == before
    bag.send(ANNA, "STATUS")
    assert bag.game.seats[ANNA].gone


def test_who_has_resigned_cannot_move_and_the_computer_plays_the_game_to_its_end() -> None:
    bag = a_first_round(3)
    bag.send(ANNA, "RESIGN")
    bag.reply(ANNA)
    (line,) = bag.send(ANNA, "PASS").lines
    assert line.why == REFUSALS["seat/gone"]
    bag.room.play(bag.game_id, exchanges=False)
    assert bag.game.phase == "ended"
    assert audit(bag.room.evidence(bag.game_id)).findings == []


def test_a_host_names_another_host_first() -> None:
    bag = hosted()
    size = bag.size
    (line,) = bag.send(ANNA, "RESIGN").lines
    assert (line.why, bag.size, questions(bag, ANNA)) == (REFUSALS["host/must_hand_over"], size, [])


def test_resign_before_the_start_gives_the_seat_back() -> None:
    bag = hosted(joined=(ANNA, BEN))
    assert verdicts(bag.send(BEN, "RESIGN")) == ["done"]
    assert bag.game.seats[BEN].answer == "declined"


def test_an_order_meanwhile_takes_the_question_back() -> None:
    bag = a_first_round()
    bag.send(ANNA, "RESIGN")
    card = next(card for card in bag.game.seats[ANNA].hand if isinstance(card, int))
    bag.send(ANNA, f"PLAY {card}")
    assert to_question(bag, ANNA, "YES") == ["refused"]
    assert not bag.game.seats[ANNA].gone


def test_a_word_for_it_is_asked_about_once() -> None:
    """`give up` is nearly an order, and one YES is enough for it."""
    bag = a_first_round()
    answer = bag.send(ANNA, "I give up")
    assert answer.asks_text == phrase("people.sure.resign")
    bag.reply(ANNA)
    assert bag.game.seats[ANNA].gone


def test_a_question_that_was_meant_is_answered_after_a_yes() -> None:
    bag = a_first_round()
    bag.send(ANNA, "staus")
    assert bag.send(ANNA, "YES").show == ["status"]


# ---- what stands around an order ------------------------------------------------------------------------
def test_a_number_alone_is_the_card_where_only_a_card_can_be_meant() -> None:
    bag = a_first_round()
    assert "PLAY 5" in bag.send(ANNA, "5").lines[0].why


def test_a_number_alone_is_the_bid_where_only_a_bid_can_be_meant() -> None:
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    assert "BID 5" in bag.send(seat, "5").lines[0].why
    bag.send(seat, "YES")
    assert bag.game.high_bid == 5


def test_polite_lines_around_an_order_are_not_answered() -> None:
    answer = a_first_round().send(ANNA, "Hi there,\n\nHAND\n\nCheers\nAnna")
    assert verdicts(answer) == ["done"]


def test_other_lines_around_an_order_are_answered_with_one() -> None:
    answer = a_first_round().send(ANNA, "what a lovely day\nHAND\nthe sun is out\n\nhow is everybody")
    assert [line.why for line in answer.lines[1:]] == [phrase("people.rest", count=3)]


def test_without_an_order_every_line_is_told() -> None:
    answer = a_first_round().send(ANNA, "Hi there\nwhat a lovely day")
    assert verdicts(answer) == ["not understood", "not understood"]
