"""The SMTP channel against a real server on loopback, and against servers that misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from felix_notifiers.outbox.channel import Refused, Result, TryAgain
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.smtp import SmtpChannel
from notifiers.office import Post
from notifiers.peer import (
    BOUNCES,
    LOCALHOST,
    OK,
    Mailroom,
    a_channel,
    a_letter,
    a_server,
    a_socket,
    answering,
)


@pytest.fixture
def mailroom() -> Mailroom:
    """What the server thinks."""
    return Mailroom()


@pytest.fixture
def channel(mailroom: Mailroom) -> Iterator[SmtpChannel]:
    """A channel to a server with this mind."""
    with a_server(mailroom) as port:
        channel = a_channel(port)
        try:
            yield channel
        finally:
            channel.close()


# ---- what a server may answer -----------------------------------------------------------------------
def test_the_server_gets_the_frozen_bytes(channel: SmtpChannel, mailroom: Mailroom) -> None:
    letter = a_letter(text=".leading dot\r\n\r\n..two")
    assert channel.send(letter) == OK
    assert mailroom.taken == [(BOUNCES, ["ben@players.test"], letter.raw)]


def test_the_answer_to_a_mail_has_an_empty_return_path(channel: SmtpChannel, mailroom: Mailroom) -> None:
    channel.send(a_letter(sender=""))
    assert [sender for sender, _, _ in mailroom.taken] == ["<>"]


def test_the_greeting_is_our_own_host(channel: SmtpChannel, mailroom: Mailroom) -> None:
    channel.send(a_letter())
    assert mailroom.greeting == "play.test"


AT_MAIL = [
    ("421 closing", TryAgain("421 closing", "server")),
    ("450 not you", TryAgain("450 not you", "server")),
    ("451 trouble here", TryAgain("451 trouble here", "server")),
    ("452 4.3.1 disk full", TryAgain("452 4.3.1 disk full", "server")),
    ("530 authentication required", TryAgain("530 authentication required", "server")),
    ("550 not you", TryAgain("550 not you", "server")),
    ("552 5.3.4 too large", Refused("552 5.3.4 too large")),
    ("553 5.7.1 not your address", TryAgain("553 5.7.1 not your address", "server")),
    ("554 5.7.1 go away", TryAgain("554 5.7.1 go away", "server")),
]
AT_RCPT = [
    ("421 closing", TryAgain("421 closing", "silence")),
    ("450 4.2.1 mailbox busy", TryAgain("450 4.2.1 mailbox busy", "mailbox")),
    ("450 come back later", TryAgain("450 come back later", "provider")),
    ("451 4.7.1 greylisted", TryAgain("451 4.7.1 greylisted", "provider")),
    ("452 4.2.2 mailbox full", TryAgain("452 4.2.2 mailbox full", "mailbox")),
    ("452 too many", TryAgain("452 too many", "provider")),
    ("530 who are you", TryAgain("530 who are you", "server")),
    ("550 no such user", Refused("550 no such user", "lasting")),
    ("550 5.1.1 no such user", Refused("550 5.1.1 no such user", "lasting")),
    ("550 5.7.1 relaying denied", TryAgain("550 5.7.1 relaying denied", "provider")),
    ("551 moved away", Refused("551 moved away", "lasting")),
    ("552 full", Refused("552 full", "passing")),
    ("552 5.2.2 full", Refused("552 5.2.2 full", "passing")),
    ("553 no such name", Refused("553 no such name", "lasting")),
    ("554 no", Refused("554 no", "lasting")),
]
AT_DATA = [
    ("421 closing", TryAgain("421 closing", "silence")),
    ("450 later", TryAgain("450 later", "provider")),
    ("451 4.7.1 greylisted", TryAgain("451 4.7.1 greylisted", "provider")),
    ("452 4.3.1 disk full", TryAgain("452 4.3.1 disk full", "provider")),
    ("550 5.1.1 no such user after all", Refused("550 5.1.1 no such user after all", "lasting")),
    ("550 no", Refused("550 no")),
    ("552 too large", Refused("552 too large")),
    ("554 5.7.1 looks like spam", Refused("554 5.7.1 looks like spam")),
    ("554 looks like spam", Refused("554 looks like spam")),
]


@pytest.mark.parametrize(("reply", "result"), AT_MAIL)
def test_a_reply_to_mail_is_about_ourselves(
    channel: SmtpChannel, mailroom: Mailroom, reply: str, result: Result
) -> None:
    mailroom.at_mail = reply
    assert channel.send(a_letter()) == result
    mailroom.at_mail = "250 OK"
    assert channel.send(a_letter()) == OK


@pytest.mark.parametrize(("reply", "result"), AT_RCPT)
def test_a_reply_to_rcpt_is_about_the_address(
    channel: SmtpChannel, mailroom: Mailroom, reply: str, result: Result
) -> None:
    mailroom.at_rcpt["ben@players.test"] = reply
    assert channel.send(a_letter()) == result
    assert channel.send(a_letter("cara@players.test")) == OK


@pytest.mark.parametrize(("reply", "result"), AT_DATA)
def test_a_reply_to_data_is_about_the_letter_unless_it_says_otherwise(
    channel: SmtpChannel, mailroom: Mailroom, reply: str, result: Result
) -> None:
    mailroom.at_data = reply
    assert channel.send(a_letter()) == result
    mailroom.at_data = "250 OK"
    assert channel.send(a_letter()) == OK


def test_a_letter_that_is_larger_than_the_server_takes_is_given_up(mailroom: Mailroom) -> None:
    with a_server(mailroom, data_size_limit=1000) as port:
        channel = a_channel(port)
        result = channel.send(a_letter(text="x" * 2000))
        channel.close()
    assert isinstance(result, Refused)
    assert (result.text[:3], result.failure) == ("552", None)
    assert mailroom.taken == []


def test_a_token_in_a_reply_is_not_repeated(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_mail = f"550 <{BOUNCES}> is unknown here"
    assert channel.send(a_letter()) == TryAgain("550 <felix+…@play.test> is unknown here", "server")


def test_a_letter_that_is_put_off_is_tried_again(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_data = "451 greylisted"
    assert channel.send(a_letter()) == TryAgain("451 greylisted", "provider")
    mailroom.at_data = "250 OK"
    assert channel.send(a_letter()) == OK


def test_a_server_that_says_goodbye_gets_a_new_connection(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_data = "421 closing"
    assert channel.send(a_letter()) == TryAgain("421 closing", "silence")
    mailroom.at_data = "250 OK"
    assert channel.send(a_letter()) == OK
    assert len(mailroom.sessions) == 2


def test_what_the_server_says_is_made_harmless(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_rcpt["ben@players.test"] = "550 \x1b[31mno\x1b[0m"
    assert channel.send(a_letter()) == Refused("550 [31mno[0m", "lasting")


@pytest.mark.parametrize("address", ["zoë@players.test", "a@b.test\r\nRCPT TO:<x@y.test>"])
def test_an_address_that_smtp_cannot_carry_is_given_up(
    channel: SmtpChannel, mailroom: Mailroom, address: str
) -> None:
    assert channel.send(a_letter(address)) == Refused(
        "The address has letters that SMTP cannot carry.", "lasting"
    )
    assert channel.send(a_letter()) == OK
    assert [recipients for _, recipients, _ in mailroom.taken] == [["ben@players.test"]]


# ---- connections ------------------------------------------------------------------------------------
def test_a_burst_uses_one_connection(channel: SmtpChannel, mailroom: Mailroom) -> None:
    for _ in range(3):
        channel.send(a_letter())
    assert len(mailroom.sessions) == 1


def test_the_next_burst_uses_another_connection(channel: SmtpChannel, mailroom: Mailroom) -> None:
    channel.send(a_letter())
    channel.close()
    channel.send(a_letter())
    assert len(mailroom.sessions) == 2


def test_closing_twice_does_no_harm(channel: SmtpChannel) -> None:
    channel.send(a_letter())
    channel.close()
    channel.close()
    assert channel.send(a_letter()) == OK


def test_a_server_that_is_not_there_is_no_fault_of_the_player() -> None:
    with a_socket() as ours:
        result = a_channel(ours.getsockname()[1]).send(a_letter())
    assert isinstance(result, TryAgain)
    assert "refused" in result.text
    assert result.about == "server"


def test_a_server_that_lets_nobody_in_is_no_fault_of_the_player() -> None:
    with answering(b"554 go away\r\n") as (port, _):
        channel = a_channel(port)
        assert channel.send(a_letter()) == TryAgain(f"{LOCALHOST}:{port}: 554 go away", "server")


def test_a_server_that_hangs_up_in_the_middle_is_tried_again() -> None:
    with answering(b"220 hello\r\n", b"250 hello\r\n", b"250 OK\r\n") as (port, _):
        channel = a_channel(port)
        result = channel.send(a_letter())
        channel.close()
    assert isinstance(result, TryAgain)
    assert result.text


def test_a_server_that_says_nothing_is_left_after_the_timeout() -> None:
    with a_socket() as ours:
        ours.listen()
        channel = a_channel(ours.getsockname()[1], timeout=0.05)
        result = channel.send(a_letter())
        assert isinstance(result, TryAgain)
        assert "timed out" in result.text
        channel.close()


def test_a_goodbye_to_a_server_that_is_gone_does_no_harm() -> None:
    with answering(b"220 hello\r\n", b"250 hello\r\n", b"250 OK\r\n", b"450 busy\r\n", b"250 OK\r\n") as (
        port,
        _,
    ):
        channel = a_channel(port)
        assert channel.send(a_letter()) == TryAgain("450 busy", "provider")
    channel.close()


def test_a_connection_that_the_server_ended_between_two_letters_is_made_anew() -> None:
    with a_socket() as ours:
        ours.listen()
        ours.settimeout(10)
        accepted: list[int] = []
        thread = threading.Thread(target=_take_one_letter_each, args=(ours, accepted))
        thread.start()
        channel = a_channel(ours.getsockname()[1])
        assert [channel.send(a_letter()) for _ in range(3)] == [OK] * 3
        channel.close()
        thread.join()
    assert len(accepted) == 3


def _take_one_letter_each(listening: socket.socket, accepted: list[int]) -> None:
    """A server that has enough after each letter."""
    for number in range(3):
        connection, _ = listening.accept()
        accepted.append(number)
        with connection, connection.makefile("rb") as reader:
            for reply in (b"220 hi\r\n", b"250 hi\r\n", b"250 OK\r\n", b"250 OK\r\n", b"354 go on\r\n"):
                connection.sendall(reply)
                reader.readline()
            while reader.readline() != b".\r\n":
                pass
            connection.sendall(b"250 OK\r\n")


@pytest.mark.parametrize("replies", [3, 4, 5])
def test_a_server_that_hangs_up_on_a_letter_may_be_somebody_elses_trouble(replies: int) -> None:
    lines = (b"220 hello\r\n", b"250 hello\r\n", b"250 OK\r\n", b"250 OK\r\n", b"354 go on\r\n")
    with answering(*lines[:replies]) as (port, _):
        channel = a_channel(port)
        result = channel.send(a_letter())
        channel.close()
    assert isinstance(result, TryAgain)
    assert result.about == "silence"


def test_data_may_be_refused_before_the_letter_is_told() -> None:
    ok = b"250 OK\r\n"
    with answering(b"220 hi\r\n", ok, ok, ok, b"554 5.5.1 no valid recipients\r\n") as (port, _):
        channel = a_channel(port)
        assert channel.send(a_letter()) == Refused("554 5.5.1 no valid recipients")
        channel.close()


# ---- all of it --------------------------------------------------------------------------------------
def test_invitations_arrive_by_smtp(post: Post, channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_rcpt["ben@players.test"] = "550 no such user"
    mailroom.at_rcpt["cara@players.test"] = "450 busy"
    post.open()
    send_due(post.do, post.outbox, channel)
    assert [letter.state for letter in post.letters()] == ["sent", "failed", "ready", "sent"]
    assert [raw for _, _, raw in mailroom.taken] == [
        letter.raw for letter in post.letters() if letter.state == "sent"
    ]
