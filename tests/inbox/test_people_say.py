"""SAY: a line for the table, kept outside the log, and nothing but a line."""

from __future__ import annotations

import textwrap
from datetime import timedelta

import pytest

from felix_async.audit.audit import audit
from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from felix_events.envelope import MAX_SAYING
from felix_events.store.rows import Saying
from inbox.postbag import Postbag, a_first_round, an_auction, verdicts

ANNA, BEN, CARA = range(3)


def sayings(bag: Postbag) -> list[Saying]:
    return bag.look(lambda reader: reader.sayings(bag.game_id))


def refusal(bag: Postbag, text: str) -> str:
    """Why this mail was refused, having changed nothing."""
    size = bag.size
    (line,) = bag.send(ANNA, text).lines
    assert (line.verdict, bag.size, sayings(bag)) == ("refused", size, [])
    return line.why


def test_the_text_is_neither_in_the_log_nor_in_an_export() -> None:
    bag = a_first_round()
    bag.send(ANNA, "SAY parsnips for everybody")
    evidence = bag.room.evidence(bag.game_id)
    kept = b"".join([*evidence.bodies, *evidence.private_records.values()])
    assert b"parsnips" not in kept
    assert b'"order":"SAY"' in kept
    assert audit(evidence).findings == []


def test_nobody_is_told_who_does_not_hear() -> None:
    """At a table of three the number alone would tell it."""
    bag = a_first_round(3)
    bag.send(BEN, "SAY OFF")
    (line,) = bag.send(ANNA, "SAY hello").lines
    assert line.why == phrase("people.said.to", count=2)


def test_a_line_that_nobody_is_there_to_hear_says_so() -> None:
    bag = a_first_round(3)
    for seat in (BEN, CARA):
        bag.room.do(bag.game_id, Leave(seat=seat, for_good=False))
    assert bag.send(ANNA, "SAY hello").lines[0].why == phrase("people.said.to_nobody")


# ---- refused: a sentence, and nothing changed -----------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "x" * (MAX_SAYING + 1),
        "word " * 20_000,
        "w" * 100_000,
        textwrap.fill("all these words " * 6000, 72),
    ],
)
def test_what_is_too_long_is_said_to_nobody(text: str) -> None:
    assert refusal(a_first_round(), f"SAY {text}") == REFUSALS["say/too_long"].format(most=MAX_SAYING)


def test_three_hundred_characters_are_not_too_long() -> None:
    bag = a_first_round()
    bag.send(ANNA, f"SAY {'x' * MAX_SAYING}")
    assert len(sayings(bag)[0].text) == MAX_SAYING


@pytest.mark.parametrize("text", [
    "<b>hello</b>", "look <a href='https://evil.test'>here</a>", "<script>alert(1)</script>",
    "< img src=x onerror=y >", "<!-- hidden -->", "<!DOCTYPE html>", "&lt;script&gt;", "&#60;b&#62;",
    "<img src=x onerror=y",
])  # fmt: skip
def test_the_code_of_a_page_is_said_to_nobody(text: str) -> None:
    assert refusal(a_first_round(), f"SAY {text}") == REFUSALS["say/plain_text_only"]


@pytest.mark.parametrize("text", [
    "I <3 this", "5 > 3 and 2 < 3", "AT&T & friends", "a < b", "a < b and c > d", "x<y", "<grin>",
    "me < you > us",
])  # fmt: skip
def test_signs_that_make_no_page_are_said(text: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, f"SAY {text}")
    assert [saying.text for saying in sayings(bag)] == [text]


def test_so_many_lines_a_day_and_no_more() -> None:
    bag = a_first_round()
    for number in range(A_DAY["sayings"]):
        assert bag.send(ANNA, f"SAY hello number {number}").lines[0].verdict == "done"
    (line,) = bag.send(ANNA, "SAY one more").lines
    assert line.why == REFUSALS["say/too_often"].format(most=A_DAY["sayings"])
    assert len(sayings(bag)) == A_DAY["sayings"]
    assert bag.send(BEN, "SAY I have said nothing yet").lines[0].verdict == "done"
    bag.room.clock.now += timedelta(days=1)
    assert bag.send(ANNA, "SAY one more").lines[0].verdict == "done"


def test_the_same_mail_again_says_nothing_again() -> None:
    bag = a_first_round()
    mail_id = bag.write(ANNA, "SAY hello")
    bag.work()
    bag.do(lambda tx: tx.settle_mail(mail_id, "new", key=None))
    bag.work()
    assert len(sayings(bag)) == 1


# ---- broken lines ---------------------------------------------------------------------------------------
def test_an_order_that_may_be_the_end_of_a_broken_saying_is_not_done() -> None:
    """`... and then I shall` / `PASS`: nobody knows whether that was said or ordered."""
    bag = an_auction()
    seat = bag.to_move
    answer = bag.send(seat, "SAY if nobody wants this sack I am going to look at my cards and shall\nPASS")
    assert not bag.game.seats[seat].passed
    assert verdicts(answer) == ["done", "asked"]


def test_who_says_several_lines_is_offered_to_say_the_others_too() -> None:
    bag = a_first_round()
    answer = bag.send(ANNA, "SAY well played\nthat was a fine row\nsee you on Sunday\n")
    assert [saying.text for saying in sayings(bag)] == ["well played"]
    assert answer.offers == ["SAY that was a fine row see you on Sunday"]
