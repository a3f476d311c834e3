"""Where the token is looked for: the envelope first, then headers, then the letter that a mail answers."""

from __future__ import annotations

import pytest

from felix_async.clock import text_of
from felix_async.reading.reader import read_mail
from felix_async.reading.sender import Writer, seat_in, seat_of
from felix_events.store.rows import Letter
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail


def found(bag: Postbag, recipient: str, *headers: str) -> Writer | None:
    letter = read_mail(a_mail("JOIN", headers=headers))
    with bag.room.store.read() as reader:
        return seat_of(reader, recipient, MAILBOX) or seat_in(reader, MAILBOX, letter)


def seat_found(bag: Postbag, recipient: str, *headers: str) -> int | None:
    writer = found(bag, recipient, *headers)
    return None if writer is None else writer.seat.seat


def a_letter_to(bag: Postbag, seat: int) -> str:
    """The Message-ID of a letter that was sent to a seat."""
    message_id = f"<letter-to-{seat}@felix.test>"
    name = "Felix =?utf-8?q?=C2=B7?= Friday cats"
    raw = f"From: {name} <{MAILBOX}>\r\nReply-To: {name}\r\n <{bag.address(seat)}>\r\n\r\nHello\r\n".encode()
    now = text_of(bag.room.clock())
    bag.do(lambda tx: tx.freeze(Letter(bag.game_id, seat, "x@players.test", message_id, raw, now, now)))
    return message_id


@pytest.mark.parametrize(("headers", "seat"), [
    (['To: "Ben, of the club" <ben@players.test>, {0}'], 2),
    (["To: <{1}>"], 2),
    (["To: Felix =?utf-8?q?=C2=B7?= Friday cats <{0}>"], 2),
    (['To: "Felix · x+y@felix.test" <{0}>'], 2),
    (["To: <{2}>"], 2),
    (["Cc: {0}", "X-Subject: {0}"], None),
    (["To: felix+nonsense@felix.test"], None),
    (["References: <a@b.test> <c@d.test>", "In-Reply-To: nonsense <"], None),
])  # fmt: skip
def test_a_token_is_looked_for_in_to_and_found_however_it_is_written(
    bag: Postbag, headers: list[str], seat: int | None
) -> None:
    token = bag.address(2)
    written = [one.format(token, token.upper(), token.replace("+", "%2B")) for one in headers]
    assert seat_found(bag, MAILBOX, *written) == seat


def test_the_last_of_our_letters_in_the_references_counts(bag: Postbag) -> None:
    one, two = a_letter_to(bag, 1), a_letter_to(bag, 2)
    assert seat_found(bag, MAILBOX, f"References: <root@felix.test> {one} <x@players.test> {two}") == 2


# ---- no token at all
def test_a_registered_player_without_a_token_is_helped() -> None:
    bag = a_first_round()
    mail = bag.take(a_mail("hello, can I play?"), MAILBOX)
    (notice,) = bag.owed(0, "answer")
    assert bag.mail(mail).state == "done"
    assert "reply to the latest message" in notice.payload
    assert '"help"' in notice.payload


def test_help_without_a_token_comes_once_a_day(bag: Postbag) -> None:
    for number in range(5):
        bag.take(a_mail("hello", message_id=f"<{number}@players.test>"), MAILBOX)
    assert len(bag.owed(0, "answer")) == 1


def test_an_order_without_a_token_is_not_obeyed(bag: Postbag) -> None:
    bag.take(a_mail("JOIN"), MAILBOX)
    assert bag.game.seats[0].answer == "invited"


def test_a_player_whose_games_are_over_gets_silence(bag: Postbag) -> None:
    bag.send(1, "DECLINE")
    before = bag.notices()
    bag.take(a_mail("hello"), MAILBOX)
    assert bag.notices() == before


def test_a_stranger_without_a_token_gets_silence(bag: Postbag) -> None:
    before = bag.notices()
    mail = bag.take(a_mail("HELP", sender="mallory@evil.test"), MAILBOX, "mallory@evil.test")
    assert (bag.mail(mail).state, bag.notices()) == ("quarantined", before)
