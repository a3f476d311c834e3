"""A server on a database in which a page of one game's log is damaged: the other games do not notice."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.surgery import checks
from cli.terminal import Terminal
from cli.village import HOST, MAILBOX, Village
from damage import damage_page
from felix_async.address import Token, address_of, encode_token
from felix_async.service import Origin, Player
from felix_async.settings import Listen, Send, Settings
from felix_cli.server import Server
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore
from games import NAMES, SeededEntropy, joining

ANNA = "anna@players.test"


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as opened:
        yield opened


def a_server(send_port: int) -> Server:
    settings = Settings(
        database=Path("felix.db"),
        mailbox=MAILBOX,
        listen=Listen(port=0),
        send=Send(port=send_port, timeout_seconds=5),
    )
    return Server(settings, entropy=SeededEntropy("server"))


def open_tables(server: Server) -> tuple[str, str]:
    """Two tables of the same people: one in its first round, whose log fills a page, and one that invites."""
    people = [Player(f"p-{name.lower()}", name, f"{name.lower()}@players.test") for name in NAMES[:3]]
    service = server.service

    def work(tx: Tx) -> tuple[str, str]:
        origins = [Origin(f"new {number}", "host", "desk") for number in range(2)]
        first, _ = service.open_table(tx, people, origin=origins[0], table_name="", ruleset="felicity-2017")
        for seat in range(3):
            service.handle(tx, first, joining(seat), Origin(f"join {seat}", "host", "desk"))
        last, _ = service.open_table(tx, people, origin=origins[1], table_name="", ruleset="felicity-2017")
        return first, last

    return server.writer.do(work)


def address(game_id: str) -> str:
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        secret = reader.seats(game_id)[0].secret
    store.close()
    return address_of(MAILBOX, encode_token(Token(game_id, 0, "move", 0), secret))


def join(server: Server, recipient: str, number: int) -> None:
    raw = f"From: {ANNA}\r\nMessage-ID: <{number}@players.test>\r\nSubject: Re: felix\r\n\r\nJOIN\r\n"
    with smtplib.SMTP(HOST, server.listener.port, "players.test", 30) as client:
        client.sendmail(ANNA, [recipient], raw)


def test_a_served_game_goes_on_beside_one_whose_log_has_a_damaged_page(
    desk: Terminal, village: Village
) -> None:
    """The very first page of the log, and a mail for that game that is first in the inbox."""
    with a_server(village.port) as server:
        first, last = open_tables(server)
        server.wake_post()
        for _ in range(6):
            village.next()
    damage_page(Path("felix.db"), first, 1)
    lost, good = address(first), address(last)
    with a_server(village.port) as server:
        join(server, lost, 1)
        join(server, good, 2)
        letters = [village.next() for _ in range(5)]
        with server.store.read() as reader:
            states = [(mail.state, mail.note) for mail in reader.mails()]
            size, _ = reader.head(last)
    told = [letter for letter in letters if "stands still for now" in str(letter.message["Subject"])]
    assert sorted(letter.recipient for letter in told) == [
        ANNA,
        ANNA,
        "ben@players.test",
        "cara@players.test",
    ]
    assert [letter.recipient for letter in letters if letter not in told] == [ANNA]
    assert states == [("quarantined", f"waits until game {first} can be read again"), ("done", "")]
    assert size == 5


def test_the_doctor_says_which_game_cannot_be_read(desk: Terminal, village: Village) -> None:
    with a_server(village.port) as server:
        first, _ = open_tables(server)
    damage_page(Path("felix.db"), first, 1)
    lost = address(first)
    with a_server(village.port) as server:
        join(server, lost, 1)
        for _ in range(3 + 4):
            village.next()
    found = checks(desk, "--no-send", code=1)[f"game {first}"]
    assert not found["well"]
    assert (
        f"The log of game {first} is damaged; `felix doctor` and docs/operating.md say what to do before a"
        " backup is restored. 1 mail for it waits in quarantine" in found["found"]
    )
    assert "docs/operating.md" in found["advice"]


@pytest.mark.parametrize("command", ["show", "replay", "export"])
def test_a_command_about_that_game_says_to_look_first(desk: Terminal, command: str) -> None:
    """A backup takes all other games back, too."""
    game_id = desk.new("Anna <anna@players.test>", "Ben <ben@players.test>", "Cara <cara@players.test>")
    damage_page(Path("felix.db"), game_id, 1)
    said = desk.refused(command, game_id)
    assert said.startswith(f"The log of game {game_id} is damaged; `felix doctor` and docs/operating.md say")
