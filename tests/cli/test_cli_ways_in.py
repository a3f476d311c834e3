"""serve without a listener: mail comes out of a mailbox, or out of a pipe."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from cli.terminal import Terminal, assert_harmless
from cli.village import MAILBOX, PATIENCE, Delivered, Village, serving
from inbox.imap_server import PASSWORD, USER, ImapServer

PEOPLE = [f"{name.title()} <{name}@players.test>" for name in ("anna", "ben", "cara")]


@pytest.fixture
def village(terminal: Terminal) -> Village:
    return Village()


def settle_in(terminal: Terminal, village: Village, imap: ImapServer | None = None) -> None:
    """Settings without a listener, and with a mailbox where there is one."""
    settings = f'mailbox = "{MAILBOX}"\n[listen]\nprotocol = "off"\n[send]\nport = {village.port}\n'
    if imap is not None:
        Path("imap-password").write_text(PASSWORD + "\n", encoding="utf-8")
        settings += (
            f'[fetch]\nhost = "127.0.0.1"\nport = {imap.port}\nsecurity = "none"\nuser = "{USER}"\n'
            'password_file = "imap-password"\npoll_seconds = 1\n'
        )
    Path("felix.toml").write_text(settings, encoding="utf-8")
    terminal.run("init")


def answer(mail: Delivered, text: str) -> bytes:
    head = f"From: {mail.recipient}\r\nTo: {mail.reply_to}\r\nMessage-ID: <{text}.{mail.recipient}>"
    return f"{head}\r\nSubject: Re: felix\r\n\r\n{text}\r\n".encode()


@pytest.mark.slow
def test_players_write_to_a_mailbox_that_felix_reads(terminal: Terminal, village: Village) -> None:
    with village, ImapServer() as imap:
        settle_in(terminal, village, imap)
        terminal.new(*PEOPLE)
        with serving(terminal) as felix:
            invitations = [village.next() for _ in PEOPLE]
            imap.deliver(*[answer(mail, "JOIN") for mail in invitations])
            while "Round 1" not in (subject := str(village.next().message["Subject"])):
                assert subject
            assert felix.stop() == 0
        assert any("felix reads INBOX at 127.0.0.1 as " in line for line in felix.said)
        assert felix.port == 0
        assert all("\\Seen" in mail.flags for mail in imap.mails.values())
    (game,) = terminal.json("games")
    assert game["state"] == "running"
    text = "".join(felix.said)
    assert PASSWORD not in text
    assert "felix+" not in text
    assert_harmless(text)


@pytest.mark.slow
def test_a_mailbox_that_is_away_keeps_no_server_from_starting_and_stopping(
    terminal: Terminal, village: Village
) -> None:
    with village, ImapServer() as imap:
        settle_in(terminal, village, imap)
    with serving(terminal) as felix:
        assert felix.stop() == 0
    assert any("felix reads INBOX at 127.0.0.1 as " in line for line in felix.said)
    assert any(line.endswith("Z INFO felix_cli.serving: felix stops\n") for line in felix.said)


@pytest.mark.slow
def test_a_server_without_any_other_way_in_waits_for_the_pipe(terminal: Terminal, village: Village) -> None:
    with village:
        settle_in(terminal, village)
        with serving(terminal) as felix:
            assert felix.stop() == 0
    assert any("INFO felix_cli.serving: felix waits for what `felix mail" in line for line in felix.said)


@pytest.mark.slow
def test_a_listener_and_a_mailbox_go_together(terminal: Terminal, village: Village) -> None:
    with village, ImapServer() as imap:
        settle_in(terminal, village, imap)
        settings = Path("felix.toml").read_text(encoding="utf-8")
        Path("felix.toml").write_text(settings.replace('protocol = "off"', "port = 0"), encoding="utf-8")
        with serving(terminal) as felix:
            with socket.create_connection(("127.0.0.1", felix.port), PATIENCE) as client:
                assert client.recv(3) == b"220"
            imap.wait_until(lambda: imap.count("IDLE begun") > 0)
            assert felix.stop() == 0
    told = [
        line.split("serving: felix ")[1].split()[0]
        for line in felix.said
        if "INFO felix_cli.serving: felix " in line
    ]
    assert told[:2] == ["takes", "reads"]
