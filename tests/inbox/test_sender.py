"""Who wrote a mail: the token and the From must both be the seat's, and no machine may have written it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from each import each
from felix_async.address import Token, address_of, encode_token
from felix_async.reading.reader import read_mail
from felix_async.reading.sender import InDoubt, Writer, check_sender, seat_in, seat_of
from felix_events.store.rows import GameRow, SeatRow
from inbox.postbag import MAILBOX, Postbag, a_mail

ANNA = "anna@players.test"


PARSERS = (b"", b"Message-ID: <>\r\n")
"""Headers by which a mail is read by the newer parser of the standard library, or by the older one."""


def sender_in(header: bytes, parser: bytes = b"") -> str:
    """The address that these From lines give."""
    return read_mail(parser + header + b"\r\nSubject: x\r\n\r\nPASS").sender


def who(bag: Postbag, raw: bytes, recipient: str) -> Writer:
    """The player who wrote this, as `Processor` finds out. Raises InDoubt."""
    letter = read_mail(raw)
    if letter.machine:
        raise InDoubt(f"written by a machine ({letter.machine})")
    with bag.room.store.read() as reader:
        writer = seat_of(reader, recipient, MAILBOX) or seat_in(reader, MAILBOX, letter)
    if writer is None:
        raise InDoubt("the address holds no valid token")
    check_sender(writer, letter)
    return writer


def why_not(bag: Postbag, raw: bytes, recipient: str) -> str:
    with pytest.raises(InDoubt) as reason:
        who(bag, raw, recipient)
    return str(reason.value)


def found(bag: Postbag, recipient: str) -> Writer | None:
    with bag.room.store.read() as reader:
        return seat_of(reader, recipient, MAILBOX)


# ---- From -------------------------------------------------------------------------------------------
@each("value", [
    b"anna@players.test", b"<anna@players.test>", b"Anna <anna@players.test>",
    b'"Anna, of the club" <anna@players.test>', b"=?utf-8?q?Ann=C3=A4?= <anna@players.test>",
    b"anna@players.test (Anna)", b"Anna\r\n <anna@players.test>", b"ANNA@Players.Test",
    b"Anna <Anna@PLAYERS.test>",
    # Some mail programs write it so for people without a name in their settings.
    b'"anna@players.test" <anna@players.test>', b'"Anna@Players.test" <anna@players.test>',
    b"\"'anna@players.test'\" <anna@players.test>",
])  # fmt: skip
@each("parser", PARSERS)
def test_one_mailbox_is_the_sender(value: bytes, parser: bytes) -> None:
    assert sender_in(b"From: " + value, parser) == ANNA


@each("value", [
    b"anna@players.test<mallory@evil.test>", b"anna@players.test <mallory@evil.test>",
    b'"anna@players.test" <mallory@evil.test>', b"<anna@players.test> <mallory@evil.test>",
    b"<anna@players.test>mallory@evil.test", b"mallory@evil.test, anna@players.test",
    b"anna@players.test, mallory@evil.test", b"anna@players.test; mallory@evil.test",
    b"=?utf-8?q?anna=40players.test?= <mallory@evil.test>",
    b"=?utf-8?q?anna=40players.test=3C?= <mallory@evil.test>", b"=?utf-8?q?anna=40players.test?=",
    b"anna@players.test@evil.test", b"@evil.test:anna@players.test", b"<@evil.test:anna@players.test>",
    b'"Anna <anna@players.test>" <mallory@evil.test>', b"anna@players.test\0@evil.test",
    b"anna @players.test, x", b"anna@players.test<anna@players.test.evil.test>",
    b'anna@players.test<"x"@evil.test>', b"anna@players.test<@evil.test>",
    b"anna@players.test\r\n <mallory@evil.test>", b"", b"Anna", b"<>",
])  # fmt: skip
@each("parser", PARSERS)
def test_tricks_with_the_from_do_not_make_a_player_of_a_stranger(value: bytes, parser: bytes) -> None:
    assert sender_in(b"From: " + value, parser) in ("", "mallory@evil.test")


def test_the_spoof_that_parses_as_the_player_is_nobody() -> None:
    assert sender_in(b"From: anna@players.test<mallory@evil.test>") == ""


@pytest.mark.parametrize("second", [b"anna@players.test", b"mallory@evil.test", b""])
@pytest.mark.parametrize("parser", PARSERS)
def test_two_from_headers_are_nobody(second: bytes, parser: bytes) -> None:
    assert sender_in(b"From: anna@players.test\r\nFrom: " + second, parser) == ""


def test_a_mail_without_from_is_nobody() -> None:
    assert sender_in(b"Sender: anna@players.test\r\nReply-To: anna@players.test") == ""


# ---- token and From -------------------------------------------------------------------------------------
def test_the_players_mail_to_the_seats_address_is_the_players(bag: Postbag) -> None:
    writer = who(bag, a_mail("JOIN"), bag.address(0))
    assert writer.seat == bag.seat(0)
    assert writer.token == Token(bag.game_id, 0, "move", 0)


def test_an_address_in_capitals_is_the_same_address(bag: Postbag) -> None:
    writer = who(bag, a_mail("JOIN"), bag.address(0).upper())
    assert writer == who(bag, a_mail("JOIN"), bag.address(0))


def test_another_players_mail_to_the_seats_address_is_nobodys(bag: Postbag) -> None:
    ben = a_mail("JOIN", sender="ben@players.test")
    assert why_not(bag, ben, bag.address(0)) == "the sender is not the player of this seat"


def test_a_spoofed_mail_to_the_seats_address_is_nobodys(bag: Postbag) -> None:
    spoof = a_mail("JOIN", sender="anna@players.test<mallory@evil.test>")
    assert why_not(bag, spoof, bag.address(0)) == "the sender is not the player of this seat"


@pytest.mark.parametrize("address", [
    "felix@felix.test", "felix+@felix.test", "felix+nonsense@felix.test", "felix+aebagbaf@felix.test",
    "someone@felix.test", "anna@players.test", "", "@", "felix+\u0130@felix.test", "felix+\ud800@felix.test",
])  # fmt: skip
def test_an_address_without_a_good_token_is_nobodys(bag: Postbag, address: str) -> None:
    assert why_not(bag, a_mail("JOIN"), address) == "the address holds no valid token"


def test_a_token_that_was_made_for_something_else_is_worth_nothing(bag: Postbag) -> None:
    """For another host, with any letter changed, and with a secret of a seat of another table or number."""
    local, _, host = bag.address(0).partition("@")
    name, _, token = local.partition("+")
    assert found(bag, f"{local}@felix.example") is None
    for place in range(len(token)):
        other = "a" if token[place] != "a" else "b"
        assert found(bag, f"{name}+{token[:place]}{other}{token[place + 1 :]}@{host}") is None
    seats = [(bag.room.open(command_id="create-2"), 0), *((bag.game_id, seat) for seat in (1, 4, 255))]
    for game_id, seat in seats:
        made = encode_token(Token(game_id, seat, "move", 0), bag.seat(0).secret)
        assert found(bag, address_of(MAILBOX, made)) is None


def test_a_new_secret_revokes_the_seats_old_tokens(bag: Postbag) -> None:
    old = bag.address(0)
    bag.do(lambda tx: tx.rotate_secret(bag.game_id, 0, bytes(32)))
    assert why_not(bag, a_mail("JOIN"), old) == "the address holds no valid token"
    assert who(bag, a_mail("JOIN"), bag.address(0)).seat.seat == 0


def test_a_seat_without_an_address_has_no_writer(bag: Postbag) -> None:
    bag.do(lambda tx: tx.reseat(replace(bag.seat(0), player_id="p-desk"), 1))
    assert why_not(bag, a_mail("JOIN"), bag.address(0)) == "the sender is not the player of this seat"


def test_a_seat_without_a_secret_has_no_tokens(bag: Postbag) -> None:
    """Seats of imported games have none: with an empty one anybody could make tokens for them."""

    def take_in(game_id: str) -> None:
        with bag.room.store.write() as tx:
            tx.add_game(GameRow(game_id, "", "imported", "2026-01-01T00:00:00.000000Z", None))
            tx.add_seat(SeatRow(game_id, 0, "anna-1", "Anna", None, b""))

    take_in("abcde")
    assert found(bag, address_of(MAILBOX, encode_token(Token("abcde", 0, "move", 0), b""))) is None
