"""How many mails that change nothing are answered: all that people write, and no loop with a machine."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from each import one_in
from felix_async.clock import text_of, time_of
from felix_async.inbox.patience import ANY, SAME, Patience, words_of
from felix_async.language.grammar import Order
from felix_async.language.words import QUESTIONS
from felix_async.reading.reader import read_mail
from felix_async.time.times import moment
from inbox.postbag import Postbag, a_first_round, a_mail, a_table

SECOND = timedelta(seconds=1)


def at(bag: Postbag, moment: datetime) -> None:
    """The time is this, whatever happens, until it is set again."""
    bag.room.service.clock = lambda: moment


def answered(bag: Postbag, text: str, every: timedelta, during: timedelta) -> int:
    """How many mails are answered that somebody sends so often and so long; `{n}` in them counts."""
    start = bag.room.clock()
    before = len(bag.owed(0, "answer"))
    for number in range(during // every):
        at(bag, start + number * every)
        bag.write(0, text.format(n=number, letters=spelled(number)))
        bag.work()
    return len(bag.owed(0, "answer")) - before


def spelled(number: int) -> str:
    """A number in letters, so that no two texts are alike."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def digest(text: str) -> str:
    return words_of(read_mail(a_mail(text)))


# ---- a machine says the same again and again ----------------------------------------------------------
THREE_DAYS = timedelta(days=3)
NOW_AND_THEN = timedelta(minutes=40)


@pytest.mark.parametrize("text", one_in(3, ["Ticket 4{n} was opened at 12:{n}.", "I am away.", "BID 3"]))
def test_a_machine_that_writes_for_three_days_gets_a_few_answers(text: str) -> None:
    assert answered(a_table(), text, NOW_AND_THEN, THREE_DAYS) == SAME[-1][1]


def test_numbers_and_dates_make_no_other_words() -> None:
    assert digest("Back on 3 December, ticket #A12.") == digest("Back on 14 Jan, ticket #B7Q.")
    assert digest("Back in December") != digest("Gone in December")


def test_the_last_answer_tells_the_time_from_which_on_the_next_is_answered() -> None:
    bag = a_table()
    start = bag.room.clock()
    window, most = SAME[0]
    for number in range(most):
        at(bag, start + number * SECOND)
        last = bag.send(0, "hello")
    until = start + timedelta(seconds=window)
    assert moment(text_of(until), "UTC") in last.lines[-1].why
    at(bag, until - SECOND)
    early = bag.write(0, "hello")
    at(bag, until + SECOND)
    bag.work()
    assert bag.answer_to(early) is not None


def test_a_move_in_plain_words_is_taken_after_however_many_that_were_not_possible() -> None:
    bag = a_first_round()
    at(bag, bag.room.clock())
    for number in range(SAME[0][1] + 1):
        bag.write(0, f"I would like to place my {20 + number} please")
        bag.work()
    letter = bag.send(0, "I would like to place my 3 please")
    assert [line.order for line in letter.lines] == ["PLAY 3"]


def test_before_that_time_it_is_not() -> None:
    bag = a_table()
    start = time_of(text_of(bag.room.clock()))
    at(bag, start)
    for _ in range(SAME[0][1]):
        bag.send(0, "hello")
    at(bag, start + timedelta(seconds=SAME[0][0] - 1))
    early = bag.write(0, "hello")
    bag.work()
    assert (bag.answer_to(early), bag.mail(early).state) == (None, "ignored")


# ---- whatever it says, there is an end to it ------------------------------------------------------------
@pytest.mark.slow
def test_a_loop_with_a_machine_that_varies_its_words_ends() -> None:
    assert answered(a_table(), "away {letters}", timedelta(seconds=20), timedelta(hours=1)) == ANY[0][1]


@pytest.mark.slow
def test_a_loop_that_goes_on_for_three_days_ends() -> None:
    assert answered(a_table(), "away {letters}", timedelta(minutes=9), THREE_DAYS) == ANY[-1][1]


def test_that_bound_is_far_above_the_one_on_the_same_words() -> None:
    assert all(most >= 10 * same for (_, most), (_, same) in zip(ANY, SAME, strict=True))


# ---- people are answered --------------------------------------------------------------------------------
def test_other_words_are_answered_however_often_one_mail_came() -> None:
    bag = a_first_round()
    answered(bag, "I am away.", timedelta(minutes=1), timedelta(hours=1))
    assert bag.send(0, "hmm, no idea").lines


@pytest.mark.slow
@pytest.mark.parametrize("word", one_in(4, sorted(set(QUESTIONS) - {"REPLAY"})))
def test_the_words_that_show_something_are_answered_however_often_they_are_said(word: str) -> None:
    bag = a_first_round()
    answered(bag, "I am away.", timedelta(minutes=1), timedelta(hours=1))
    for _ in range(2 * SAME[0][1]):
        assert bag.send(0, str(Order(word))).lines[0].verdict == "done"


def test_who_was_not_understood_fifty_times_in_half_an_hour_is_answered_still() -> None:
    minutes = timedelta(minutes=27)
    assert answered(a_first_round(), "well {letters}", minutes / 55, minutes) == 55


def test_who_plays_is_answered_however_long_a_machine_at_the_same_address_went_on() -> None:
    bag = a_first_round()
    answered(bag, "I am away.", NOW_AND_THEN, timedelta(days=1))
    for card in bag.game.seats[0].hand[:5]:
        assert bag.send(0, str(Order("PLAY", card=card))).changed


def test_the_moves_of_a_long_day_count_for_nothing() -> None:
    bag = a_first_round()
    hand = bag.game.seats[0].hand
    for number in range(2 * SAME[-1][1]):
        assert bag.send(0, str(Order("PLAY", card=hand[number % 2]))).changed
    with bag.room.store.read() as reader:
        words = words_of(read_mail(a_mail(str(Order("PLAY", card=hand[0])))))
        assert not Patience(reader, bag.seat(0), text_of(bag.room.clock()), words).is_over()


# ---- not understood, once and again ---------------------------------------------------------------------
def test_the_mails_that_were_not_understood_one_after_the_other_are_counted() -> None:
    bag = a_first_round()
    assert [bag.send(0, text).tries for text in ("hmm", "well well", "HAND", "oh dear")] == [1, 2, 0, 1]


def test_each_seat_has_its_own_count() -> None:
    bag = a_first_round()
    bag.send(0, "hmm")
    assert bag.send(1, "well well").tries == 1
