"""What is said in advance, on one line or on two: read exactly, or asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.game.ahead import given_by
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Give
from felix_async.game.state import Game
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.language.order import joined, order_of
from felix_async.reading.line import Line
from felix_async.reading.understand import understand

LINES = {
    "UP TO 7": "UP TO 7",
    "up to 7.": "UP TO 7",
    "Up to: 7": "UP TO 7",
    "*up to 7*": "UP TO 7",
    "up to seven mice": "UP TO 7",
    "please up to 7": "UP TO 7",
    "up to 7, thanks": "UP TO 7",
    "Up to 7, hello from the train": "UP TO 7",
    "UP TO 7 THEN PASS": "UP TO 7",
    "UP TO 7 THEN ASK": "UP TO 7 THEN ASK",
    "up to 7, then ask me again": "UP TO 7 THEN ASK",
    "BID 5, UP TO 9": "BID 5, UP TO 9",
    "bid 5 up to 9": "BID 5, UP TO 9",
    "Bid 5. Up to 9.": "BID 5, UP TO 9",
    "bid 5 and up to 9 then ask": "BID 5, UP TO 9 THEN ASK",
    "I bid 5, up to 9": "BID 5, UP TO 9",
    "UP TO 9, BID 5": "BID 5, UP TO 9",
    "NEXT 11": "NEXT 11",
    "next: 11": "NEXT 11",
    "next the rabbit": "NEXT RABBIT",
    "next minus five, please": "NEXT -5",
    "PASS, NEXT 11": "PASS, NEXT 11",
    "pass; next 11": "PASS, NEXT 11",
    "pass and then next 11": "PASS, NEXT 11",
    "I pass, next large dog": "PASS, NEXT LARGE DOG",
    "NEXT 11, PASS": "PASS, NEXT 11",
    "BID 5, NEXT 11": "BID 5, NEXT 11",
    "up to 7 next small dog": "UP TO 7, NEXT SMALL DOG",
    "play the 3, next 11": "PLAY 3, NEXT 11",
    "bid 5, up to 9 then ask, next 11": "BID 5, UP TO 9 THEN ASK, NEXT 11",
    "ORDERS": "ORDERS",
    "orders?": "ORDERS",
    "drop": "DROP",
    "DROP UP TO 7": "DROP UP TO 7",
    "please drop: up to seven mice then ask": "DROP UP TO 7 THEN ASK",
    "drop next the rabbit, thanks": "DROP NEXT RABBIT",
    "drop pass": "DROP PASS",
    "drop bid 5, up to 9, next 11": "DROP BID 5, UP TO 9, NEXT 11",
    "drop up to 7, up to 9": "DROP UP TO 7",
    "Notify my turn": "NOTIFY MY TURN",
    "notify: my turns": "NOTIFY MY TURN",
    "notify turn": "NOTIFY TURNS",
    # One letter off, or in words of one's own: asked about.
    "upto 7": "? UP TO 7",
    "up too 7": "? UP TO 7",
    "bid up to 7": "? UP TO 7",
    "max 7": "? UP TO 7",
    "at most seven, please": "? UP TO 7",
    "max 7 then ask": "? UP TO 7 THEN ASK",
    "next round 8": "? NEXT 8",
    "my next card is the rabbit": "? NEXT RABBIT",
    "ok, up to 7": "? UP TO 7",
    "BID 5, UP TO 9 if Dan passes": "? BID 5, UP TO 9",
    "my orders": "? ORDERS",
    # Two answers at once.
    "UP TO 7, UP TO 9": "?",
    "PASS, UP TO 7": "?",
    "NEXT 11, NEXT 8": "?",
    "up to 7 or pass": "?",
    "next 8 or 11": "?",
    # Not what the words say elsewhere.
    "up to you": "-",
    "next week I am away": "-",
    "next please": "-",
    "orders received": "-",
    "drop it": "-",
    "up to 7 mice if Dan passes": "-",
}


def as_read(line: str) -> str:
    read = read_line(line)
    if isinstance(read, Order):
        return str(read)
    if read.meant is not None:
        return f"? {read.meant}"
    return "?" if read.kind == "ambiguous" else "-"


@each(("line", "reading"), LINES.items())
def test_a_line_as_people_write_it(line: str, reading: str) -> None:
    assert as_read(line) == reading
    if reading[0] not in "?-":
        assert as_read(line.upper()) == reading


MICE = st.integers(1, 108)
CARDS = st.sampled_from(PET_CARDS)
MOVES = st.one_of(
    st.builds(lambda card: Order("PLAY", card=card), CARDS),
    st.builds(lambda amount: Order("BID", amount=amount), MICE),
    st.just(Order("PASS")),
)
LIMITS = st.builds(lambda limit, asks: Order("UPTO", limit=limit, asks=asks), MICE, st.booleans())
CARD = st.builds(lambda card: Order("NEXT", next=card), CARDS)


@given(st.tuples(st.none() | MOVES, st.none() | LIMITS, st.none() | CARD))
def test_felix_reads_its_own_words_back(parts: tuple[Order | None, Order | None, Order | None]) -> None:
    order = joined(part for part in parts if part is not None) if any(parts) else None
    if order is not None:
        assert read_line(str(order)) == order


@given(st.permutations([Order("BID", amount=5), Order("UPTO", limit=9, asks=True), Order("NEXT", next=0)]))
def test_parts_say_the_same_in_any_order(parts: list[Order]) -> None:
    whole = Order("BID", amount=5, limit=9, asks=True, next=0)
    assert joined(parts) == whole
    assert read_line(", ".join(map(str, parts))) == whole


@pytest.mark.parametrize(("give", "order"), [
    (Give(seat=0, kind="pass"), "PASS"),
    (Give(seat=0, kind="next", card="large_dog"), "NEXT LARGE DOG"),
    (Give(seat=0, kind="bid", limit=7), "UP TO 7"),
    (Give(seat=0, kind="bid", limit=7, then="ask"), "UP TO 7 THEN ASK"),
    (Give(seat=0, kind="bid", first=5, limit=9), "BID 5, UP TO 9"),
    (Give(seat=0, kind="bid", first=5, limit=9, then="ask"), "BID 5, UP TO 9 THEN ASK"),
    (Give(seat=0, kind="bid", first=5, then="ask"), "BID 5"),
])  # fmt: skip
def test_an_order_in_the_log_is_told_as_it_was_given(give: Give, order: str) -> None:
    assert str(order_of(given_by(give, Game(version=9, round=2, turned=[3])))) == order


@each(("line", "code"), [
    ("UP TO", "order/no_limit"), ("UP TO 99999999999", "order/no_limit"),
    ("NEXT", "order/no_next"), ("NEXT 12", "order/no_card_like_that"), ("next: 7", "order/no_card_like_that"),
])  # fmt: skip
def test_what_is_missing_is_said(line: str, code: str) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert read.code == code


# ---- on several lines of one mail -------------------------------------------------------------------


def acted_on(text: str) -> list[str]:
    return [
        str(line.order)
        for line in understand([Line(line) for line in text.split("\n")])
        if line.verdict == "order"
    ]


@each(("text", "done"), [
    ("BID 5\nUP TO 9", ["BID 5, UP TO 9"]),
    ("UP TO 9\nBID 5", ["BID 5, UP TO 9"]),
    ("PASS\n\nNEXT 11", ["PASS, NEXT 11"]),
    ("PLAY 3\nNEXT 11", ["PLAY 3, NEXT 11"]),
    ("UP TO 7\nthen ask me", ["UP TO 7 THEN ASK"]),
    ("UP TO 7\nNEXT 11\nSTATUS", ["UP TO 7, NEXT 11", "STATUS"]),
    ("UP TO 7\nup to 7", ["UP TO 7"]),
    # A card now and a bid are for two decisions.
    ("PLAY 3\nUP TO 7", ["PLAY 3", "UP TO 7"]),
    ("UP TO 7\nUP TO 9", []),
    ("UP TO 7\nUP TO 7 THEN ASK", []),
    ("PASS\nUP TO 7", []),
    ("NEXT 11\nNEXT 8", []),
    ("BID 5, NEXT 11\nNEXT 8", []),
    ("UP TO 7\nsorry, not 7 but 8", []),
    ("NEXT 11\nno, the rabbit", []),
    ("UP TO 7\n\nscratch that", []),
])  # fmt: skip
def test_lines_that_go_together_are_one_order(text: str, done: list[str]) -> None:
    assert acted_on(text) == done


def test_the_lines_of_one_order_are_told_together() -> None:
    (line,) = understand([Line("PASS"), Line("NEXT 11")])
    assert [line.text, *(below.text for below in line.below)] == ["PASS", "NEXT 11"]


@each(("text", "either"), [
    ("UP TO 7\nUP TO 9", ["UP TO 7", "UP TO 9"]),
    ("PASS\nUP TO 7", ["PASS", "UP TO 7"]),
    ("UP TO 7\nsorry, not 7 but 8", ["UP TO 7", "UP TO 8"]),
])  # fmt: skip
def test_of_orders_that_contradict_each_other_each_is_known(text: str, either: list[str]) -> None:
    lines = understand([Line(line) for line in text.split("\n")])
    assert [str(one) for line in lines for one in line.choices] == either


@given(st.text("UPTNEX 0123456789,.;BIDPASK-", max_size=300))
def test_no_line_breaks_the_reading(text: str) -> None:
    assert read_line(text) is not None
