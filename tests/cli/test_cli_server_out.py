"""A running server's ways out: TLS and a password, bounces and the host, notices by other ways."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path

import pytest
from pydantic import SecretStr

from cli.terminal import Terminal
from cli.village import MAILBOX
from felix_async.address import decode_token, token_in
from felix_async.service import Origin, Player
from felix_async.settings import Bounces, Listen, Send, Settings
from felix_cli.server import Server
from felix_events.store.sqlite import SqliteStore
from games import NAMES, SeededEntropy
from notifiers.peer import PASSWORD, USER, Mailroom, a_server, make_certificate

ALERTS = '[alerts]\n"anna@players.test" = ["json://u:s3cret@127.0.0.1:9/"]\n'
HOST = "host@desk.test"


def open_table(server: Server) -> None:
    """Three people are invited, and the post is told."""
    people = [Player(f"p-{name.lower()}", name, f"{name.lower()}@players.test") for name in NAMES[:3]]
    server.writer.do(
        lambda tx: server.service.open_table(
            tx, people, origin=Origin("new", "host", "desk"), table_name="Club", ruleset="felicity-2017"
        )
    )
    server.wake_post()


def wait_for(condition: Callable[[], bool]) -> None:
    """Until something that should come at once has come."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def test_invitations_go_out_by_starttls_with_a_password_and_come_back_to_their_seats(
    desk: Terminal, tmp_path: Path
) -> None:
    certificate = make_certificate(tmp_path)
    mailroom = Mailroom()
    with a_server(
        mailroom,
        tls_context=certificate.server_context(),
        require_starttls=True,
        auth_required=True,
        authenticator=mailroom.authenticate,
    ) as port:
        send = Send(
            port=port,
            security="starttls",
            user=USER,
            password=SecretStr(PASSWORD),
            ca_file=certificate.cert,
            timeout_seconds=10,
        )
        settings = Settings(database=Path("felix.db"), mailbox=MAILBOX, listen=Listen(port=0), send=send)
        with Server(settings, entropy=SeededEntropy("out")) as server:
            open_table(server)
            wait_for(lambda: len(mailroom.taken) == 3)
    tokens = [decode_token(token_in(sender, MAILBOX) or "") for sender, _, _ in mailroom.taken]
    assert [(token.seat, token.purpose) for token in tokens if token] == [(n, "bounce") for n in range(3)]
    assert mailroom.logins == [("PLAIN", True)]


def test_the_host_is_told_of_a_player_whose_address_does_not_exist(desk: Terminal) -> None:
    mailroom = Mailroom()
    mailroom.at_rcpt["ben@players.test"] = "550 5.1.1 no such user"
    with a_server(mailroom) as port:
        settings = Settings(
            database=Path("felix.db"),
            mailbox=MAILBOX,
            operator=HOST,
            listen=Listen(port=0),
            send=Send(port=port, timeout_seconds=10),
            bounces=Bounces(threshold=2),
        )
        with Server(settings, entropy=SeededEntropy("out")) as server:
            open_table(server)
            wait_for(lambda: len(mailroom.taken) == 3)
    sender, recipients, raw = mailroom.taken[-1]
    assert (sender, recipients) == ("<>", [HOST])
    assert str(message_from_bytes(raw)["Subject"]).endswith("A player no longer gets mail")
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        stopped = [row.address for row in reader.addresses() if row.stopped == "bounces"]
    store.close()
    assert stopped == ["ben@players.test"]


def test_serve_says_what_to_install_where_notices_need_it(
    desk: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("felix.toml").write_text(ALERTS)
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "apprise" else find(name))
    assert desk.refused("serve") == (
        'Short notices ([alerts]) need apprise: install "felix-async[channels]", or take [alerts] out.'
    )


def test_serve_names_a_service_that_apprise_does_not_know(desk: Terminal) -> None:
    Path("felix.toml").write_text(ALERTS.replace("json:", "nonsense:"))
    sentence = desk.refused("serve")
    assert sentence == 'alerts."anna@players.test", entry 1, is no address that apprise knows; correct it.'
