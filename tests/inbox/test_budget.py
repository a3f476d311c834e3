"""A mail that takes too much processor time is put aside; a player who wrote it hears what to do."""

from __future__ import annotations

from functools import partial
from itertools import count

import pytest

from felix_async.inbox.process import TOO_COSTLY
from felix_async.inbox.waiting import Readings
from felix_async.language.words import MISUNDERSTOOD
from felix_async.reading import budget, reader
from felix_async.reading.budget import BUDGET, PATIENCE, TooCostly, go_on, limited
from felix_async.reading.line import Line
from felix_async.reading.replies import of_letter, ours
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, an_auction

LONG = "hello\n\n" * 400 + "PASS\n"


class Slow:
    """A thread whose time goes by with each look at it, by so many seconds."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.looks = count()

    def __call__(self) -> float:
        return self.step * next(self.looks)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    """Each step costs so much that a long mail is over its budget, and a short one is not."""
    clock = Slow(BUDGET / 200)
    monkeypatch.setattr(budget, "thread_time", clock)
    monkeypatch.setattr("felix_async.reading.reader.thread_time", lambda: 0.0)
    return clock


def answers(bag: Postbag) -> list[str]:
    return [notice.payload for notice in bag.owed(0, "answer")]


def for_ever() -> None:
    while True:
        go_on()


def test_what_goes_on_too_long_is_stopped() -> None:
    with limited(0.01), pytest.raises(TooCostly):
        for_ever()


def test_what_is_within_a_limit_has_no_more_time_than_that() -> None:
    with limited(0), limited(60), pytest.raises(TooCostly):
        for_ever()


def test_a_short_mail_is_read_within_its_budget(slow: Slow) -> None:
    bag = a_first_round()
    assert bag.send(0, "STATUS").lines[0].verdict == "done"


def test_a_player_hears_of_a_mail_that_is_over_its_budget_and_the_operator_why(slow: Slow) -> None:
    bag = a_first_round()
    mail_id = bag.write(0, LONG)
    bag.work()
    assert (bag.mail(mail_id).state, bag.mail(mail_id).note) == ("quarantined", TOO_COSTLY)
    (answer,) = answers(bag)
    assert MISUNDERSTOOD["mail/too_costly"] in answer


@pytest.mark.parametrize("recipient", ["", MAILBOX])
def test_a_stranger_hears_nothing(slow: Slow, recipient: str) -> None:
    bag = a_first_round()
    raw = a_mail(LONG, sender="eve@else.test")
    mail_id = bag.take(raw, recipient or bag.address(0))
    assert bag.mail(mail_id).state == "quarantined"
    assert answers(bag) == []


def test_a_copy_of_it_is_a_copy(slow: Slow) -> None:
    bag = a_first_round()
    raw = a_mail(LONG)
    bag.post(raw, bag.address(0))
    again = bag.take(raw, bag.address(0))
    assert (bag.mail(again).state, len(answers(bag))) == ("duplicate", 1)


def test_others_are_dealt_with_behind_it(slow: Slow) -> None:
    bag = a_first_round()
    bag.write(0, LONG)
    assert bag.send(1, "STATUS").lines[0].verdict == "done"


def test_the_operator_may_have_it_read_with_more_patience(slow: Slow) -> None:
    bag = a_first_round()
    mail_id = bag.write(0, "STATUS\n" + LONG)
    bag.work()
    bag.do(lambda tx: tx.requeue_mail(mail_id, "once more", retried=True))
    slow.step = BUDGET * PATIENCE / 20_000
    bag.work()
    assert bag.mail(mail_id).state == "done"
    assert len(answers(bag)) == 2


def test_what_costs_too_much_while_it_is_done_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of a mail are done one by one; a part of a mail is never done."""
    bag = a_first_round()
    mail_id = bag.write(0, "SAY hello\n\nSTATUS\n\nSAY goodbye")
    before = bag.size
    looks = count()

    def spent() -> None:
        if next(looks) == 2:
            raise TooCostly

    monkeypatch.setattr("felix_async.inbox.lines.go_on", spent)
    bag.work()
    assert (bag.mail(mail_id).state, bag.size) == ("quarantined", before)
    assert len(answers(bag)) == 1


def test_lines_are_looked_for_in_a_letter_within_the_budget() -> None:
    lines = [Line("SAY hello") for _ in range(3)]
    with limited(0), pytest.raises(TooCostly):
        of_letter(lines, ours(["SAY hello"]))


def test_after_a_costly_mail_no_other_is_begun_in_its_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_first_round()
    mails = [bag.write(seat, "STATUS") for seat in range(3)]
    readings = Readings(MAILBOX)
    readings.begin(bag.do)
    monkeypatch.setattr("felix_async.inbox.process.thread_time", Slow(0.06))
    assert bag.do(partial(bag.processor.process_some, readings=readings)) == 2
    bag.work()
    assert [bag.mail(mail_id).state for mail_id in mails] == ["done"] * 3


def test_what_is_loaded_once_is_not_paid_out_of_the_budget_of_the_first_mail(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: set[int] = set()

    def prepare() -> None:
        for table in range(1_000):
            go_on()
            loaded.add(table)

    monkeypatch.setattr(reader, "_prepare", prepare)
    bag = an_auction()
    first = bag.to_move
    bag.write(first, "PASS")
    bag.work()
    assert len(loaded) == 1_000
    assert bag.game.seats[first].passed
