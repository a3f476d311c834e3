"""What no mail may do: take long, repeat itself for ever, or suffer for somebody else's trouble."""

from __future__ import annotations

import sqlite3
import time
import tracemalloc
from time import process_time

import pytest
from selectolax.lexbor import LexborHTMLParser

from felix_async.inbox.lines import MAX_TOLD
from felix_async.inbox.patience import ANY, SAME
from felix_async.language.grammar import MAX_LINE, Misread, Order, read_line
from felix_async.reading import html as hypertext
from felix_async.reading.html import MAX_HTML, MAX_TAGS, bounded_pages
from felix_async.reading.line import MAX_LINES, Line
from felix_async.reading.mime import MAX_HEADER_BYTES, MAX_PARTS
from felix_async.reading.reader import MAX_FROM, read_mail
from felix_async.reading.replies import MAX_UNQUOTED
from felix_async.reading.understand import understand
from felix_events.store.base import StoreError
from felix_events.store.rows import NoticeRow
from inbox.postbag import Postbag, a_first_round, a_mail, a_table
from inbox.reading import written
from machine import is_within


def answers(bag: Postbag) -> list[NoticeRow]:
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


MAX_ANSWERS = ANY[0][1]
MAX_SAME_ANSWERS = SAME[0][1]


def test_trouble_with_the_disk_is_not_the_mails_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_table()
    mail_id = bag.write(0, "JOIN")

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as trouble:
        trouble.setattr("felix_async.service.Service.handle", full)
        with pytest.raises(StoreError):
            bag.work()
    assert (bag.mail(mail_id).state, bag.mail(mail_id).tries) == ("new", 0)
    bag.work()
    assert bag.game.seats[0].answer == "joined"


@pytest.mark.parametrize("header", ["Subject: =?ä?q?x?=", "Cc: =?ä?q?x?= <ben@players.test>"])
def test_a_charset_that_is_none_is_no_trouble(header: str) -> None:
    bag = a_first_round()
    raw = a_mail("NEW Table\nben@players.test\nSTATUS", headers=[header], message_id=None)
    mail_id = bag.take(raw, bag.address(0))
    assert (bag.mail(mail_id).state, bag.mail(mail_id).tries) == ("done", 0)


def test_an_endless_quote_is_not_weighed_where_nothing_contradicts() -> None:
    """For each line below, all quoted lines above it were looked at."""
    lines = [Line("hello", "quoted")] * (MAX_LINES - 1)
    said = understand([*lines, Line("BID 5")])
    assert (said[-1].verdict, len(said)) == ("order", MAX_LINES)


def test_below_too_many_lines_without_a_sign_of_quoting_nothing_is_obeyed() -> None:
    lines = written(HEAD + b"\n" + b"hello\n\n" * MAX_UNQUOTED + b"PASS\n")
    assert lines is not None
    assert "PASS" not in lines


def test_below_many_quoted_lines_an_order_is_obeyed() -> None:
    assert written(HEAD + b"\n" + b"> hello\n" * (MAX_LINES - 2) + b"\nPASS\n") == ["PASS"]


# ---- how long, how much ---------------------------------------------------------------------------------

HEAD = b"From: anna@players.test\n"
HTML = HEAD + b"Content-Type: text/html\n\n"
MIXED = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
BOMBS = {
    "ten thousand parts": HEAD + MIXED % (0, 0) + b"Content-Type: text/plain\n\nPASS\n--b0\n" * 10_000,
    "a thousand parts in each other": HEAD
    + b"".join(MIXED % (n, n) for n in range(1000))
    + b"\nx\n" * 50_000,
    "twenty megabytes of lines": HEAD + b"\n" + b"hello\n" * 3_400_000,
    "twenty megabytes of nothing": HEAD + b"\n" * 20_000_000,
    "one long line": HEAD + b"\n" + b"x" * 20_000_000,
    "base64": HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"UEFTUwpQQVNT\n" * 1_500_000,
    "flowed for ever": HEAD + b"Content-Type: text/plain; format=flowed\n\n" + b"x \n" * 90_000,
    "a codec that is slow": HEAD + b"Content-Type: text/plain; charset=punycode\n\n" + b"a-b" * 80_000,
    "elements in each other": HTML + b"<div>" * 50_000 + b"x",
    "quotes in each other": HTML + b"<blockquote>" * 20_000 + b"x",
    "older mails in each other": HTML + b"<div id=divRplyFwdMsg>" * 9000 + b"x" + b"</div>" * 9000,
    "grey lines in each other": HTML + b"<div style='border-top:solid'>x" * 9000,
    "lines in HTML": HTML + b"<br>x" * 50_000,
    "a long class": HTML + b"<p class='" + b"quot a" * 40_000 + b"'>x",
    "colons": HEAD + b"\n" + b"a:\n" * 80_000,
    "headers of older mails": HEAD + b"\n" + b"From: a@b.test 2026-01-01\n" * 10_000,
    "attributions": HEAD + b"\n" + b"On 1.1.2026 12:12 a@b.test wrote\n" * 8000,
    "at signs": HEAD + b"\n" + (b"a@" * 190 + b"\n") * 600,
    "rows of stars": HEAD + b"\n" + (b"*_" * 190 + b"\n") * 600,
    "numbers": HEAD + b"\n" + (b"1 2 3 " * 60 + b"\n") * 600,
    "sentences that look like attributions": HEAD + b"\n" + (b"Am x schrieb " * 30 + b"\n") * 60,
    "a subject of encoded words": HEAD + b"Subject: " + b"=?utf-8?q?x?= " * 4000 + b"\n\nPASS\n",
    "parameters": HEAD + b"Content-Type: text/plain" + b"; a*0=b" * 6000 + b"\n\nPASS\n",
}
CPU_SECONDS = 5
"""More than ten times what the slowest of them takes on a machine of today."""


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_no_mail_takes_long(bomb: bytes) -> None:
    start = process_time()
    said = read_mail(bomb).said
    assert is_within(process_time() - start, CPU_SECONDS)
    assert len(said) <= MAX_LINES


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ten thousand parts", "one long line", "base64", "lines in HTML"])
def test_no_mail_takes_much_more_memory_than_its_bytes(name: str) -> None:
    bomb = BOMBS[name]
    tracemalloc.start()
    try:
        read_mail(bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000 + 3 * len(bomb)


def test_a_text_behind_too_many_parts_is_not_read() -> None:
    boundary = b"Content-Type: multipart/mixed; boundary=b\n\n"
    empty = b"--b\nContent-Type: image/png\n\n" * (MAX_PARTS + 1)
    assert not written(HEAD + boundary + empty + b"--b\n\nPASS\n")


def test_all_pages_of_a_mail_together_are_no_longer_than_one() -> None:
    for page in ("<p>x" * 2000, "x" * 20_000):
        pages = list(bounded_pages([page] * 20))
        assert pages[:3] == [page] * 3
        text = "".join(pages)
        assert len(text) == MAX_HTML or text.count("<") == MAX_TAGS


def test_behind_as_many_lines_as_are_looked_at_no_page_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parser(html: str) -> LexborHTMLParser:
        parsed.append(html)
        return LexborHTMLParser(html)

    monkeypatch.setattr(hypertext, "LexborHTMLParser", parser)
    page = b"--b\nContent-Type: text/html\n\n" + b"<br>x" * 600 + b"\n"
    letter = read_mail(HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + page * 20)
    assert (len(letter.lines or []), len(parsed)) == (MAX_LINES, 2)


def test_a_long_attachment_hides_no_order() -> None:
    boundary = b"Content-Type: multipart/mixed; boundary=b\n\n"
    photo = b"--b\nContent-Type: image/png\n\n" + b"A" * 5_000_000
    assert written(HEAD + boundary + b"--b\n\nPASS\n" + photo + b"\n--b--\n") == ["PASS"]


@pytest.mark.parametrize("where", ["in the mail's header", "in a part's header"])
def test_parameters_without_end_are_not_taken_apart(where: str) -> None:
    """`email` needs minutes for what fits into one mail; the time limit of this test is the test."""
    many = 'text/plain; x="' + (";" * 900 + "\r\n ") * 60 + '"'
    if where == "in the mail's header":
        raw = f"From: anna@players.test\r\nContent-Type: {many}\r\n\r\nPASS\r\n"
    else:
        part = f"--b\r\nContent-Type: {many}\r\n\r\nPASS\r\n--b--\r\n"
        raw = f"From: anna@players.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{part}"
    started = time.process_time()
    letter = read_mail(raw.encode())
    assert (letter.sender, letter.lines) == ("anna@players.test", None)
    assert is_within(time.process_time() - started, 2)


def test_an_answer_repeats_so_many_lines_and_no_more() -> None:
    bag = a_table()
    answer = bag.send(0, "HELP\n" + "a\n" * 1500)
    assert len(answer.lines) <= MAX_TOLD + 1


@pytest.mark.slow
def test_what_nobody_will_be_told_is_not_asked() -> None:
    bag = a_first_round()
    now = bag.room.clock()
    bag.room.service.clock = lambda: now
    for _ in range(MAX_ANSWERS):
        bag.write(0, "HAND")
    bag.write(0, f"{Order('PLAY', card=bag.game.seats[0].hand[0])} please")
    bag.work()
    assert bag.look(lambda reader: reader.questions(bag.game_id, 0)) == []


def test_the_last_answer_before_the_silence_says_so() -> None:
    bag = a_table()
    answers = [bag.send(0, "hello") for _ in range(MAX_SAME_ANSWERS)]
    told = ["won't answer it again" in answer.lines[-1].why for answer in answers]
    assert told == [False] * (MAX_SAME_ANSWERS - 1) + [True]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["PASS", "HAND", "DECLINE", "YES", "thanks"])
def test_a_machine_that_says_an_order_again_and_again_gets_so_many_answers(text: str) -> None:
    bag = a_first_round()
    now = bag.room.clock()
    bag.room.service.clock = lambda: now
    most = MAX_ANSWERS if text == "HAND" else MAX_SAME_ANSWERS
    for _ in range(most + 5):
        bag.write(0, text)
    bag.work()
    assert len(bag.owed(0, "answer")) == most
