"""The SMTP channel against a real server on loopback, and against servers that misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from felix_async.settings import Send
from felix_events.store.base import Letter
from felix_notifiers.channel import Refused, Sent, TryAgain
from felix_notifiers.send import send_due
from felix_notifiers.smtp import SmtpChannel
from notifiers.office import Post
from notifiers.sheets import MAILBOX

LOCALHOST = "127.0.0.1"
PATIENCE = 10.0
BOUNCES = "felix+aeaqcaaak5dw2mtqsu5ivlzn7vvcn6cl@play.test"
OK = Sent("250 OK")


class Mailroom:
    """A mail server's mind: what it answers to which address, and what it has taken."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, list[str], bytes]] = []
        self.sessions: set[Session] = set()
        self.greeting: str = ""
        self.at_mail = "250 OK"
        self.at_rcpt: dict[str, str] = {}
        self.at_data = "250 OK"

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = self.greeting = name
        return responses

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.sessions.add(session)
        if self.at_mail.startswith("250"):
            envelope.mail_from = address
        return self.at_mail

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = self.at_rcpt.get(address, "250 OK")
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.at_data.startswith("250"):
            assert isinstance(envelope.content, bytes)
            self.taken.append((envelope.mail_from or "", envelope.rcpt_tos, envelope.content))
        return self.at_data


class Server(Controller):
    """A real SMTP server on a free port of this machine."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@pytest.fixture
def mailroom() -> Mailroom:
    """What the server thinks."""
    return Mailroom()


@pytest.fixture
def channel(mailroom: Mailroom) -> Iterator[SmtpChannel]:
    """A channel to a server with this mind."""
    server = Server(mailroom, hostname=LOCALHOST, port=0)
    server.start()
    channel = a_channel(server.port)
    try:
        yield channel
    finally:
        channel.close()
        server.stop()


def a_channel(port: int, timeout: float = PATIENCE, **settings: Any) -> SmtpChannel:
    """A channel to this machine."""
    return SmtpChannel(Send(host=LOCALHOST, port=port, timeout_seconds=timeout, **settings), MAILBOX)


def a_letter(recipient: str = "ben@players.test", sender: str = BOUNCES, text: str = "Hello") -> Letter:
    """A letter as `claim` freezes them, only shorter."""
    raw = f"Subject: x\r\n\r\n{text}\r\n".encode()
    return Letter("k7m2p", 1, recipient, "<m@play.test>", raw, "", "", sender=sender)


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


@pytest.mark.parametrize("code", [450, 451, 452])
def test_a_recipient_who_is_busy_is_tried_again(channel: SmtpChannel, mailroom: Mailroom, code: int) -> None:
    mailroom.at_rcpt["ben@players.test"] = f"{code} come back later"
    assert channel.send(a_letter()) == TryAgain(f"{code} come back later", "provider")


@pytest.mark.parametrize("code", [550, 553])
def test_a_recipient_who_does_not_exist_is_given_up(
    channel: SmtpChannel, mailroom: Mailroom, code: int
) -> None:
    mailroom.at_rcpt["ben@players.test"] = f"{code} no such user"
    assert channel.send(a_letter()) == Refused(f"{code} no such user", "lasting")


def test_a_letter_that_is_put_off_is_tried_again(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_data = "451 greylisted"
    assert channel.send(a_letter()) == TryAgain("451 greylisted", "provider")
    mailroom.at_data = "250 OK"
    assert channel.send(a_letter()) == OK


def test_a_letter_that_is_refused_is_given_up(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_data = "554 looks like spam"
    assert channel.send(a_letter()) == Refused("554 looks like spam")


def test_a_server_that_does_not_want_our_mailbox_says_nothing_about_the_player(
    channel: SmtpChannel, mailroom: Mailroom
) -> None:
    mailroom.at_mail = "530 authentication required"
    assert channel.send(a_letter()) == TryAgain("530 authentication required", "server")


def test_one_refused_recipient_does_not_spoil_the_next(channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_rcpt["ben@players.test"] = "550 no"
    assert channel.send(a_letter()) == Refused("550 no", "lasting")
    assert channel.send(a_letter("cara@players.test")) == OK


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


@contextmanager
def a_socket() -> Iterator[socket.socket]:
    """A port that is ours; nobody listens there before `listen`."""
    with socket.socket() as ours:
        ours.bind((LOCALHOST, 0))
        ours.settimeout(PATIENCE)
        yield ours


@contextmanager
def answering(*lines: bytes) -> Iterator[tuple[int, list[int]]]:
    """A server that says one of these lines at each turn and then hangs up; its port, and who has called."""
    calls: list[int] = []
    with a_socket() as listening:
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            calls.append(1)
            with connection, connection.makefile("rb") as reader:
                connection.sendall(lines[0])
                for line in lines[1:]:
                    reader.readline()
                    connection.sendall(line)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1], calls
        finally:
            thread.join()


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


# ---- all of it --------------------------------------------------------------------------------------


def test_invitations_arrive_by_smtp(post: Post, channel: SmtpChannel, mailroom: Mailroom) -> None:
    mailroom.at_rcpt["ben@players.test"] = "550 no such user"
    mailroom.at_rcpt["cara@players.test"] = "450 busy"
    post.open()
    send_due(post.do, post.sender, channel)
    assert [letter.state for letter in post.letters()] == ["sent", "failed", "ready", "sent"]
    assert [raw for _, _, raw in mailroom.taken] == [
        letter.raw for letter in post.letters() if letter.state == "sent"
    ]
