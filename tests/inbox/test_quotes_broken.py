"""A quote whose lines a mail program broke again: its ends stand there without a sign, and order nothing.

What somebody says can be laid out for that: the last word on felix's line is an order, and the reader's
program breaks the line before it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from each import one_in
from felix_notifiers.content.history import Speech, Talk
from inbox.quoting import broken
from inbox.reading import asked_of, orders_of, orders_of_mail

WIDTHS = range(40, 81)
"""Columns at which mail programs break what they quote."""
ORDERS = (
    "PASS", "STOP", "ABANDON", "PAUSE", "RESUME", "JOIN", "DECLINE", "RESIGN", "START", "CANCEL", "REMATCH",
    "YES", "NO", "BACK", "BID 5", "PLAY 8", "PLAY dog", "FORGET ME", "AWAY 3 days", "NOTIFY DAILY", "SAY OFF",
    "HOST Ben", "UNINVITE Ben", "QUIET 22-8", "ADDRESS a@b.test", "NEW", "bid: five", "SAY hello",
)  # fmt: skip


def letter(said: str) -> str:
    """What a letter of felix shows of what somebody said."""
    lines = [
        Talk([Speech("Ben said:", said)]).text(),
        "",
        "Your hand: 3, 5, 8",
        "",
        "Answer RULES for the rules.",
    ]
    return "\n".join(lines)


def sayings(order: str, columns: int, filling: str) -> Iterator[str]:
    """Sayings of which a program that breaks lines there leaves the order alone, if it is on one line."""
    size_of_one = len(filling.encode())
    for space in (1, len(order) // 2 + 1, len(order) + 1):
        room = (columns - len(">   | ") - len(order) - 1 + space) // size_of_one
        yield f"{filling * room} {order} {'y' * 60}"
        yield f"{filling * room} {order}"


def test_the_sayings_tried_leave_orders_alone() -> None:
    tried = [broken(letter(said), 64).splitlines() for said in sayings("PASS", 64, "x")]
    assert sum("PASS" in lines for lines in tried) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("order", one_in(4, ORDERS))
def test_no_saying_is_an_order_of_who_quotes_it(order: str) -> None:
    for columns in WIDTHS:
        for said in sayings(order, columns, "x"):
            quote = broken(letter(said), columns)
            assert orders_of(f"{quote}\n\nnice one") == [], (columns, said)


@pytest.mark.parametrize("filling", ["ж", "猫", "🐈"])
def test_a_program_that_counts_bytes_makes_no_order_either(filling: str) -> None:
    for columns in WIDTHS:
        for said in sayings("PASS", columns, filling):
            quote = broken(letter(said), columns, counted="bytes")
            assert orders_of(f"{quote}\n\nnice one") == [], (columns, said)


def test_no_sign_at_blank_lines_makes_no_order_either() -> None:
    for columns in WIDTHS:
        for said in sayings("ABANDON", columns, "x"):
            quote = broken(letter(said), columns, blank="")
            assert orders_of(f"{quote}\n\nnice one") == [], (columns, said)


@pytest.mark.parametrize("blank", [">", ""])
def test_a_bid_in_the_row_is_nobody_elses(blank: str) -> None:
    """It stands far to the right of a short name, behind blanks that a program drops."""
    row = f"  1.  11  Anna{'bid 5':>36}\n  2.  face down  {'x' * 20}\n"
    for columns in WIDTHS:
        assert orders_of(f"{broken(row, columns, blank=blank)}\n>\n> Bye\n\nnice one") == []


def test_a_number_that_was_broken_off_is_not_taken_for_a_bid() -> None:
    for columns in WIDTHS:
        quote = broken(f"{'x' * (columns - 3)} 6.\n\nBye.", columns)
        assert quote.splitlines()[1] == "6."
        assert (orders_of(f"{quote}\n\nnice one"), asked_of(f"{quote}\n\nnice one")) == ([], [])


# ---- what the writer wrote between quoted lines ---------------------------------------------------------
@pytest.mark.parametrize("order", ["BID 5", "PASS", "AWAY 3 days"])
def test_an_answer_between_blank_lines_is_the_writers(order: str) -> None:
    assert orders_of(f"> It is your turn, and the row shows a dog and a cat.\n\n{order}\n\n> Bye\n") == [
        order.upper()
    ]


def test_an_answer_right_below_a_short_line_is_the_writers() -> None:
    assert orders_of("> What do you bid?\nBID 5\n\n> And what do you hold?\nHAND\n\n> Bye\n") == [
        "BID 5",
        "HAND",
    ]


def test_an_answer_right_below_the_last_quoted_line_is_the_writers() -> None:
    assert orders_of("> It is your turn, and this line is longer than forty columns.\nBID 5\n") == ["BID 5"]


def test_an_order_in_the_middle_of_a_quote_is_asked_about() -> None:
    text = "> What do you bid?\nBID 5\n> And what do you hold?\n"
    assert (orders_of(text), asked_of(text)) == ([], ["BID 5"])


def test_an_order_in_two_lines_in_the_middle_of_a_quote_is_not_obeyed() -> None:
    assert orders_of("> What do you bid?\nBID\n5\n> And what do you hold?\n") == []


def test_a_question_in_the_middle_of_a_quote_is_answered() -> None:
    assert orders_of("> What do you bid?\nHAND\n> And what do you hold?\n") == ["HAND"]


def test_an_answer_between_quotes_of_html_is_the_writers() -> None:
    """There the elements tell what is quoted, and no line is broken."""
    quote = "<blockquote>It is your turn, and this line is longer than forty columns.</blockquote>"
    text = f"{quote}<div>BID 5</div>{quote}"
    raw = f"From: a@b.test\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{text}".encode()
    assert orders_of_mail(raw) == ["BID 5"]
