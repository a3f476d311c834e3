"""A server that lets strangers in, and what its operator is told of those whom it does not answer."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator

import pytest

from cli.terminal import Terminal
from cli.test_cli_server_inside import settings as served
from cli.village import HOST, MAILBOX, Village
from felix_async.settings import Invitations, Receive
from felix_cli.server import Server
from games import SeededEntropy
from inbox.doorstep import HELLO, NEW, OURS, ZOE, vouched
from inbox.postbag import a_mail


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as opened:
        yield opened


def test_a_stranger_is_answered_and_opens_a_table(desk: Terminal, village: Village) -> None:
    open_to_all = served(village.port).model_copy(
        update={"receive": Receive(authserv_id=OURS), "invitations": Invitations(open=True)}
    )
    with Server(open_to_all, entropy=SeededEntropy("open")) as server:
        send(server, HELLO, "<1@friends.example>")
        answer = village.next()
        assert (answer.recipient, answer.sender) == (ZOE, "<>")
        send(server, NEW, "<2@friends.example>")
        reached = {village.next().recipient for _ in range(3)}
    assert reached == {ZOE, "ben@home.example", "cara@home.example"}
    (line,) = desk.json("games")
    assert line["players"] == ["Zoe", "Ben", "Cara"]


def send(server: Server, text: str, message_id: str) -> None:
    headers = [f"To: {MAILBOX}", vouched()]
    raw = a_mail(text, sender=f"Zoe <{ZOE}>", headers=headers, message_id=message_id, subject="Cats")
    with smtplib.SMTP(HOST, server.listener.port, timeout=30) as client:
        client.sendmail(ZOE, [MAILBOX], raw)
