"""A server that strangers send the costliest mails known: a player behind them is answered soon."""

from __future__ import annotations

import smtplib
from base64 import encodebytes
from collections.abc import Iterator
from time import process_time
from typing import Final

import pytest

from cli.terminal import Terminal
from cli.test_cli_server_inside import a_server, kept, open_table
from cli.village import HOST, MAILBOX, Village
from felix_async.address import Token, address_of, encode_token
from inbox import hostile

MAILS: Final = 20
ONCE: Final = 4.5
"""Seconds of processor time that the costliest of them took before their cost was bounded."""
MOST: Final = 0.5
"""Seconds that any of them may take."""
COSTLY: Final = [
    hostile.PAGES["a grey line"],
    hostile.PAGES["many attributes"],
    hostile.TEXTS["ok"],
    hostile.TEXTS["one character for eighteen"],
    hostile.PARTS["multiparts"],
    hostile.HEADERS["headers in 8 bits, and parts"],
]


def sendable(raw: bytes) -> bytes:
    """The same mail from a stranger, in lines as short as a mail server takes."""
    raw = raw.replace(b"anna@players", b"eve@else")
    head, _, body = raw.partition(b"\n\n")
    if max(map(len, raw.split(b"\n"))) > 900:
        raw = head + b"\nContent-Transfer-Encoding: base64\n\n" + encodebytes(body)
    return raw.replace(b"\n", b"\r\n")


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as opened:
        yield opened


@pytest.mark.slow
def test_a_player_is_answered_behind_twenty_hostile_mails(desk: Terminal, village: Village) -> None:
    with a_server(village.port) as server:
        game_id = open_table(server)
        for _ in range(3):
            village.next()
        with server.store.read() as reader:
            secret = reader.seats(game_id)[0].secret
        anna = address_of(MAILBOX, encode_token(Token(game_id, 0, "move", 0), secret))
        start = process_time()
        with smtplib.SMTP(HOST, server.listener.port, timeout=60) as client:
            for number in range(MAILS):
                raw = sendable(COSTLY[number % len(COSTLY)](150_000))
                client.sendmail("eve@else.test", [MAILBOX], b"Message-ID: <%d@else.test>\n" % number + raw)
            join = b"From: anna@players.test\r\nMessage-ID: <join@players.test>\r\n\r\nJOIN\r\n"
            client.sendmail("anna@players.test", [anna], join)
        answer = village.next()
        took = process_time() - start
    assert answer.recipient == "anna@players.test"
    assert "JOIN" in answer.text
    mails, _ = kept()
    assert [mail.state for mail in mails] == ["quarantined"] * MAILS + ["done"]
    assert took < MAILS * MOST < (MAILS - 1) * ONCE
