"""Mails through the whole way in: from the first byte of SMTP to the committed event, server and all.

A real `felix serve`, and beside it a listener that does nothing but append the raw mail to SQLite, each in a
process of its own; the same senders bring the same mails to both.
"""

from __future__ import annotations

import os
import re
import smtplib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from bench.measure import Round, Rounds, time_of_process
from felix_async.address import Token, address_of, encode_token
from felix_async.clock import system_clock
from felix_async.game.commands import Join
from felix_async.language.grammar import Order
from felix_async.service import Origin, Player, Service
from felix_events.store.rows import Choice
from felix_events.store.sqlite import SqliteStore

MAILBOX: Final = "felix@felix.test"
TABLES: Final = 40
"""Tables of a round; each gets a mail from each of its three seats, and every mail is a move."""
SEATS: Final = 3
SENDERS: Final = 4
"""Connections at the same time, as a mail server keeps them open."""
_HOST: Final = "127.0.0.1"
_PATIENCE: Final = 120.0
_PORT: Final = re.compile(r"on [0-9.]+:([0-9]+)")


@dataclass(frozen=True, slots=True)
class Post:
    """A mail to be sent: who to, and all of it."""

    recipient: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Server:
    """The address and the process of a running server."""

    port: int
    process_id: int


def mail_rounds(folder: Path) -> Rounds:
    """Rounds of the row: seconds of processor time for one mail on each side."""
    database = folder / "mails.db"
    SqliteStore.create(database).close()
    with serving_felix(folder, database) as felix, serving_bare(folder / "bare.db") as bare:
        for number in count():
            mails = seated(database, f"{number}")
            _wait_for(database, "SELECT count(*) FROM notices WHERE settled = 0", 0)
            done = (number + 1) * len(mails)
            sides = [
                (felix, database, "SELECT count(*) FROM inbox WHERE state = 'done'"),
                (bare, folder / "bare.db", "SELECT count(*) FROM mails"),
            ]
            seconds = {
                server: _bring(server, mails, path, query, done)
                for server, path, query in (sides if number % 2 else reversed(sides))
            }
            yield Round(seconds[felix] / len(mails), seconds[bare] / len(mails))


def seated(database: Path, name: str) -> list[Post]:
    """New tables where everybody is asked for a card; a PLAY for each seat, table after table."""
    service = Service(system_clock, os.urandom)
    mails = []
    with closing(SqliteStore.open_to_write(database)) as store:
        for table in range(TABLES):
            who = [f"p{seat}-{table}-{name}" for seat in range(SEATS)]
            players = [Player(f"p-{player}", player, f"{player}@players.test") for player in who]
            with store.write() as tx:
                for player in players:
                    # At any hour: a letter that waits for the morning would be waited for.
                    tx.choose(Choice(player.player_id, quiet=""))
                origin = Origin(f"{name}/{table}", "host", "desk")
                game_id, _ = service.open_table(
                    tx, players, origin=origin, table_name="Bench", ruleset="felicity-2017"
                )
                for seat in range(SEATS):
                    join = Join(seat=seat, contribution="0" * 64)
                    service.handle(tx, game_id, join, Origin(f"{name}/{table}/{seat}", "seat", "mail"))
                game, rows = service.load(tx, game_id), tx.seats(game_id)
            for seat in game.asked:
                token = encode_token(Token(game_id, seat, "move", game.seats[seat].turn), rows[seat].secret)
                order = str(Order("PLAY", card=game.seats[seat].hand[0]))
                mails.append(Post(address_of(MAILBOX, token), _reply(who[seat], order)))
    return mails


@contextmanager
def serving_felix(folder: Path, database: Path) -> Iterator[Server]:
    """A felix server; the letters that it writes are printed to nowhere."""
    config = folder / "felix.toml"
    config.write_text(
        f'database = "{database.name}"\nmailbox = "{MAILBOX}"\n'
        '[listen]\nport = 0\n[send]\nchannel = "console"\n',
        encoding="utf-8",
    )
    felix = str(Path(sys.executable).with_name("felix"))
    with _running([felix, "serve", "--config", str(config)], reads="stderr") as server:
        yield server


@contextmanager
def serving_bare(database: Path) -> Iterator[Server]:
    """The yardstick."""
    with _running([sys.executable, "-m", "bench.bare", str(database)], reads="stdout") as server:
        yield server


@contextmanager
def _running(command: Sequence[str], *, reads: str) -> Iterator[Server]:
    """A process that says on which port it listens; it is stopped at the end."""
    pipes = {reads: subprocess.PIPE, ("stdout" if reads == "stderr" else "stderr"): subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            stream = process.stderr if reads == "stderr" else process.stdout
            found = None
            while found is None:
                line = stream.readline()
                if not line:
                    raise RuntimeError(f"{command[0]} ended before it listened")
                found = _PORT.search(line)
            # Its later output is read and forgotten, so that it never waits for a reader.
            with ThreadPoolExecutor(1) as reader:
                reader.submit(stream.read)
                try:
                    yield Server(int(found[1]), process.pid)
                finally:
                    process.terminate()
        finally:
            process.kill()


def _bring(server: Server, mails: Sequence[Post], database: Path, query: str, wanted: int) -> float:
    """The processor time of a server from the first connection until the last mail has come to its end."""
    start = time_of_process(server.process_id)
    with ThreadPoolExecutor(SENDERS) as senders:
        for sent in [senders.submit(_send, server.port, mails[number::SENDERS]) for number in range(SENDERS)]:
            sent.result()
    _wait_for(database, query, wanted)
    return time_of_process(server.process_id) - start


def _send(port: int, mails: Sequence[Post]) -> None:
    with smtplib.SMTP(_HOST, port, "bench.test", _PATIENCE) as server:
        for mail in mails:
            server.sendmail("sender@players.test", [mail.recipient], mail.raw)


def _wait_for(database: Path, query: str, wanted: int) -> None:
    end = time.monotonic() + _PATIENCE
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        while connection.execute(query).fetchone()[0] != wanted:
            if time.monotonic() > end:
                raise RuntimeError(f"{database.name} did not come to {wanted} in time")
            time.sleep(0.005)


def _reply(player: str, order: str) -> bytes:
    """An answer as people send it: the order, and the turn mail quoted below."""
    quoted = "".join(
        f"> line {number} of the turn mail, as long as such lines are\r\n" for number in range(30)
    )
    return (
        f"From: {player}@players.test\r\nTo: {MAILBOX}\r\nSubject: Re: [Bench] Your turn: round 1\r\n"
        f"Message-ID: <{player}@players.test>\r\nDate: Sat, 21 Nov 2026 12:00:00 +0000\r\n"
        f"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        f"{order}\r\n\r\nOn Sat, 21 Nov 2026, felix wrote:\r\n{quoted}"
    ).encode()
