"""What the host of a table hears before it begins: that it waits for nobody else, and what can be done."""

from __future__ import annotations

import pytest

from notifiers.friends import ANNA, BEN, CARA, DAN, Friends, who_meet

THREE = ("Ben", "Cara", "Dan")


def all_answered() -> Friends:
    """Ben and Cara are in, Dan is not; the table waits for Anna."""
    circle = who_meet(*THREE, joining=[BEN, CARA])
    circle.tap(DAN, "DECLINE")
    return circle


def test_a_host_who_does_not_begin_is_reminded_as_such() -> None:
    circle = all_answered()
    circle.wait(days=1, minutes=1)
    subject = str(circle.newest(ANNA, "Friday cats")["Subject"])
    assert subject == "Friday cats: who is in"
    text = circle.text(ANNA, "Friday cats")
    assert "Without a START by Thu 15 Jan, 12:" in text


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("HOST Ben", "Anna has made you the host of this table."),
        ("STOP", "Anna has given up the seat, so you host this table now."),
    ],
)
def test_a_new_host_is_told_why(order: str, why: str) -> None:
    circle = who_meet(*THREE, joining=[BEN])
    circle.write(ANNA, order)
    assert why in circle.text(BEN, "Friday cats")


def test_the_next_mail_to_a_new_host_does_not_say_so_again() -> None:
    circle = who_meet(*THREE, joining=[BEN])
    circle.write(ANNA, "HOST Ben")
    circle.tap(DAN, "DECLINE")
    assert "made you the host" not in circle.text(BEN)


def test_a_host_who_asks_for_the_mail_again_gets_the_orders_and_the_text_to_send_on() -> None:
    circle = who_meet(*THREE, joining=[BEN])
    circle.write(ANNA, "RESEND")
    assert circle.offers(ANNA)[1:] == ["UNINVITE Cara", "UNINVITE Dan", "CANCEL"]
    text = circle.text(ANNA)
    assert "It takes 3 to play, and 2 are in." in text
    assert "I have invited you to a game of Felix" in text
    assert "The cards are dealt" not in text


def test_a_guest_who_asks_for_the_mail_again_is_told_who_is_in() -> None:
    circle = who_meet(*THREE, joining=[BEN])
    circle.write(BEN, "RESEND")
    text = circle.text(BEN)
    assert "No answer yet: Cara and Dan." in text
    assert "The cards are dealt" not in text
    assert "I have invited you" not in text
