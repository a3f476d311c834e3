"""What no mail may do: take long, repeat itself for ever, or suffer for somebody else's trouble."""

from __future__ import annotations

import sqlite3

import pytest

from felix_async.grammar import MAX_LINE, Misread, read_line
from felix_async.inbox.parts import MAX_HEADER_BYTES
from felix_async.inbox.process import MAX_IDLE_ANSWERS
from felix_async.inbox.reader import MAX_FROM, read_mail
from felix_events.store.base import Notice, Tx
from inbox.postbag import Postbag, a_first_round, a_table


def answers(bag: Postbag) -> list[Notice]:
    with bag.room.store.read() as reader:
        return [notice for notice in reader.notices(bag.game_id) if notice.kind == "answer"]


def test_only_the_beginning_of_a_line_is_read() -> None:
    assert read_line("PASS" + " " * MAX_LINE + "x").__class__.__name__ == "Order"


def test_a_line_of_stars_is_no_riddle() -> None:
    assert isinstance(read_line("*" * 200_000 + "x"), Misread)


def test_a_mail_with_more_headers_than_any_server_writes_is_not_read() -> None:
    raw = b"From: anna@players.test\n" + b"a:\n" * MAX_HEADER_BYTES + b"\nPASS\n"
    letter = read_mail(raw)
    assert (letter.sender, letter.headers) == ("", {})


@pytest.mark.parametrize("odd", ["(" * 60_000, '"' * 60_000, "\\" * 60_000, "x" * MAX_FROM + "@players.test"])
def test_an_endless_from_is_nobody(odd: str) -> None:
    assert read_mail(f"From: {odd}\n\nPASS\n".encode()).sender == ""


@pytest.mark.parametrize(
    "kind", ["charset*=utf%00''x", "charset*=a; charset*0*=b", "boundary*0=a; boundary*=b"]
)
def test_an_odd_content_type_is_read_past(kind: str) -> None:
    raw = f"From: anna@players.test\nContent-Type: text/plain; {kind}\n\nPASS\n".encode()
    assert read_mail(raw).sender == "anna@players.test"


def test_a_letter_that_looks_like_another_in_unicode_is_another_address() -> None:
    raw = "From: \u212aate@players.test\n\nPASS\n".encode()
    assert read_mail(raw).sender != "kate@players.test"


def test_a_text_that_is_a_file_is_no_order() -> None:
    raw = b'From: a@b.test\nContent-Type: text/plain\nContent-Disposition: inline; filename="n.txt"\n\nPASS\n'
    assert not read_mail(raw).lines


def test_somebody_who_says_nothing_is_answered_so_often_and_no_more() -> None:
    bag = a_table()
    now = bag.room.clock()
    bag.room.service.clock = lambda: now
    for number in range(MAX_IDLE_ANSWERS + 5):
        mail_id = bag.write(0, f"I am away, number {number}")
        bag.work()
    assert len(answers(bag)) == MAX_IDLE_ANSWERS
    assert bag.mail(mail_id).state == "ignored"


def test_an_order_is_answered_however_often_somebody_wrote() -> None:
    bag = a_first_round()
    now = bag.room.clock()
    bag.room.service.clock = lambda: now
    for number in range(MAX_IDLE_ANSWERS + 5):
        bag.write(0, f"I am away, number {number}")
    bag.work()
    before = len(answers(bag))
    bag.send(0, "HAND")
    assert len(answers(bag)) == before + 1


def test_trouble_with_the_disk_is_not_the_mails_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_table()
    mail_id = bag.write(0, "JOIN")

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    def process(tx: Tx) -> None:
        bag.processor.process_next(tx)

    with monkeypatch.context() as trouble:
        trouble.setattr("felix_async.service.Service.handle", full)
        with pytest.raises(sqlite3.OperationalError):
            bag.do(process)
    assert (bag.mail(mail_id).state, bag.mail(mail_id).tries) == ("new", 0)
    bag.work()
    assert bag.game.seats[0].answer == "joined"
