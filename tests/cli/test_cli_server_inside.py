"""The server as an object: what it finds at its start, what it leaves at its end, and what it survives."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.terminal import Terminal
from cli.village import HOST, MAILBOX, Village
from felix_async.address import Token, address_of, encode_token
from felix_async.service import Origin, Player
from felix_async.settings import Listen, Send, Settings
from felix_cli.server import Server
from felix_events.store.base import StoreError
from felix_events.store.rows import Letter, Mail
from felix_events.store.sqlite import SqliteStore
from games import NAMES, SeededEntropy

ANNA = "anna@players.test"


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as opened:
        yield opened


def settings(send_port: int, listen_port: int = 0) -> Settings:
    return Settings(
        database=Path("felix.db"),
        mailbox=MAILBOX,
        listen=Listen(port=listen_port),
        send=Send(port=send_port, timeout_seconds=5),
    )


def a_server(send_port: int) -> Server:
    return Server(settings(send_port), entropy=SeededEntropy("server"))


def open_table(server: Server) -> str:
    """Three people are invited, and the post is told."""
    people = [Player(f"p-{name.lower()}", name, f"{name.lower()}@players.test") for name in NAMES[:3]]
    game_id, _ = server.writer.do(
        lambda tx: server.service.open_table(
            tx, people, origin=Origin("new", "host", "desk"), table_name="", ruleset="felicity-2017"
        )
    )
    server.wake_post()
    return game_id


def keep_join(game_id: str) -> None:
    """Anna's JOIN lies in the inbox, as a server left it that was killed."""
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        token = encode_token(Token(game_id, 0, "move", 0), tx.seats(game_id)[0].secret)
        raw = f"From: {ANNA}\r\nMessage-ID: <1@players.test>\r\n\r\nJOIN\r\n".encode()
        tx.keep_mail("2026-01-01T00:00:00.000000Z", address_of(MAILBOX, token), ANNA, raw)
    store.close()


def kept() -> tuple[list[Mail], list[Letter]]:
    """The inbox and the letters."""
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        found = reader.mails(), reader.letters()
    store.close()
    return found


def test_what_is_owed_goes_out_as_soon_as_the_server_is_told(desk: Terminal, village: Village) -> None:
    with a_server(village.port) as server:
        open_table(server)
        recipients = {village.next().recipient for _ in range(3)}
    assert recipients == {f"{name.lower()}@players.test" for name in NAMES[:3]}


def test_mail_that_waited_for_the_start_is_dealt_with_and_answered(desk: Terminal, village: Village) -> None:
    with a_server(village.port) as server:
        game_id = open_table(server)
        for _ in range(3):
            village.next()
    keep_join(game_id)
    with a_server(village.port):
        answer = village.next()
    assert answer.recipient == ANNA
    assert "JOIN" in answer.text
    (mail,), _ = kept()
    assert (mail.state, mail.tries) == ("done", 0), "the last server stopped in an orderly way"


def test_a_mail_server_that_is_away_stops_nothing_and_the_letters_wait(desk: Terminal) -> None:
    with closing(socket.socket()) as nobody:
        nobody.bind((HOST, 0))
        with a_server(nobody.getsockname()[1]) as server:
            open_table(server)
        _, letters = kept()
    assert [(letter.state, letter.tries) for letter in letters] == [("ready", 1), ("ready", 0), ("ready", 0)]
    assert "refused" in letters[0].note
    assert letters[0].next_at > letters[0].created_at


def test_there_is_one_server_for_a_database(desk: Terminal, village: Village) -> None:
    with a_server(village.port):
        with pytest.raises(StoreError, match="Another felix server works on"):
            a_server(village.port)
        assert desk.json("games") == []
    with a_server(village.port) as server:
        assert server.listener.port


def test_a_server_that_cannot_listen_lets_go_of_everything(desk: Terminal, village: Village) -> None:
    taken = Server(settings(village.port, listen_port=village.port))
    with pytest.raises(OSError, match="in use"), taken:
        pass
    taken.listener.loop.close()
    with a_server(village.port) as server:
        assert server.listener.port


def test_a_server_needs_its_database(terminal: Terminal) -> None:
    with pytest.raises(StoreError, match="There is no database"):
        a_server(25)


SIGNALS = """
import random, signal, sys
from felix_cli.serving import told_to_stop

sys.setswitchinterval(1e-6)
chance = random.Random(1)
for number in range(1000):
    with told_to_stop() as is_told:
        signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGTERM))
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + chance.random() * 4e-5)
        assert is_told(10), number
"""


def test_a_signal_is_heard_at_whatever_step_of_waiting_for_it() -> None:
    """A server that has just come up may be told to stop while it begins to wait for that."""
    subprocess.run([sys.executable, "-c", SIGNALS], check=True, timeout=60)
