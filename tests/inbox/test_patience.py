"""How many mails that change nothing are answered: fewer by the day, and machines get less than people do."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from felix_async.clock import text_of, time_of
from felix_async.inbox.patience import IDLE, WORDLESS, Patience
from felix_async.language.grammar import Order
from felix_async.time.times import moment
from inbox.postbag import Postbag, a_first_round, a_table


def at(bag: Postbag, moment: datetime) -> None:
    """The time is this, whatever happens, until it is set again."""
    bag.room.service.clock = lambda: moment


def answered(bag: Postbag, text: str, every: timedelta, during: timedelta) -> int:
    """How many mails are answered that somebody sends so often and so long."""
    start = bag.room.clock()
    before = len(bag.owed(0, "answer"))
    for number in range(during // every):
        at(bag, start + number * every)
        bag.write(0, text)
        bag.work()
    return len(bag.owed(0, "answer")) - before


THREE_DAYS = timedelta(days=3)
NOW_AND_THEN = timedelta(minutes=40)


@pytest.mark.parametrize(("text", "limits"), [("I am away.", WORDLESS), ("HAND", IDLE)])
def test_a_machine_that_writes_for_three_days_gets_a_few_tens_of_answers(
    text: str, limits: tuple[tuple[int, int], ...]
) -> None:
    assert answered(a_table(), text, NOW_AND_THEN, THREE_DAYS) == limits[-1][1]


def test_a_mail_without_an_order_is_answered_less_often_than_one_with_a_question() -> None:
    for (_, without), (_, with_) in zip(WORDLESS, IDLE, strict=True):
        assert without < with_
    bag = a_table()
    answered(bag, "I am away.", timedelta(minutes=1), timedelta(hours=1))
    assert bag.send(0, "STATUS").lines[0].verdict == "done"


def test_who_plays_is_answered_however_long_a_machine_at_the_same_address_went_on() -> None:
    bag = a_first_round()
    answered(bag, "I am away.", NOW_AND_THEN, timedelta(days=1))
    for card in bag.game.seats[0].hand[:5]:
        assert bag.send(0, str(Order("PLAY", card=card))).changed


def test_the_moves_of_a_long_day_count_for_nothing() -> None:
    bag = a_first_round()
    hand = bag.game.seats[0].hand
    for number in range(2 * IDLE[-1][1]):
        assert bag.send(0, str(Order("PLAY", card=hand[number % 2]))).changed
    with bag.room.store.read() as reader:
        assert not Patience(reader, bag.seat(0), text_of(bag.room.clock())).is_over()


def test_the_last_answer_tells_the_time_from_which_on_the_next_is_answered() -> None:
    bag = a_table()
    start = bag.room.clock()
    window, most = WORDLESS[0]
    for number in range(most):
        at(bag, start + timedelta(minutes=number))
        last = bag.send(0, "hello")
    until = start + timedelta(seconds=window)
    assert moment(text_of(until), "UTC") in last.lines[-1].why
    at(bag, until - timedelta(seconds=1))
    early = bag.write(0, "hello")
    at(bag, until + timedelta(seconds=1))
    bag.work()
    assert bag.answer_to(early) is not None


def test_before_that_time_it_is_not() -> None:
    bag = a_table()
    start = time_of(text_of(bag.room.clock()))
    at(bag, start)
    for _ in range(WORDLESS[0][1]):
        bag.send(0, "hello")
    at(bag, start + timedelta(seconds=WORDLESS[0][0] - 1))
    early = bag.write(0, "hello")
    bag.work()
    assert (bag.answer_to(early), bag.mail(early).state) == (None, "ignored")
