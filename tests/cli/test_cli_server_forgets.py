"""FORGET ME beside a game that goes on, in a server with 200 MB of mail: nobody waits for it."""

from __future__ import annotations

import queue
import random
import smtplib
import threading
import time
from base64 import encodebytes
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import pytest

from cli.terminal import Terminal
from cli.village import HOST, MAILBOX, Delivered, Players, Village, some_offer
from felix_async.address import Token, address_of, encode_token
from felix_async.inbox.process import Processor
from felix_async.service import Origin, Player
from felix_async.settings import Listen, Send, Settings
from felix_cli import erasure
from felix_cli.server import Server
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore
from games import SeededEntropy, joining

NAME, ANNA = "Annegret Quittenbaum", "annegret@quitten.example"
SAID: Final = "Quince jelly for all."
BYTES: Final = 200_000_000
SIZE: Final = 40_000
"""Of a mail: a reply above a picture."""
AT: Final = "2026-01-01T00:00:00.000000Z"
PATIENCE: Final = 300.0


@dataclass
class Holds:
    """How much processor time each kind of work has had the writer, or the file, for."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _kind: threading.local = field(default_factory=threading.local)

    def named(self, kind: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, which says what kind of work the transaction around it is."""

        def do(*args: Any, **named: Any) -> Any:
            self._kind.name = kind
            return work(*args, **named)

        return do

    def timed(self, kind: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, timed."""

        def do(*args: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return work(*args, **named)
            finally:
                self.seconds[kind].append(time.thread_time() - began)

        return do

    def write(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`SqliteStore.write`, timed from the lock to its end."""

        @contextmanager
        def write(store: SqliteStore) -> Iterator[Tx]:
            self._kind.name = "other"
            began = time.thread_time()
            with original(store) as tx:
                yield tx
            self.seconds[self._kind.name].append(time.thread_time() - began)

        return write


def fill(path: Path) -> None:
    """A mailbox as after years, of which a twentieth is hers or names her."""
    chance = random.Random(1)
    picture = encodebytes(chance.randbytes(1_000_000))
    store = SqliteStore.open_to_write(path)
    with store.write() as tx:
        tx.add_player("p-anna", ANNA)
        for number in range(BYTES // SIZE):
            at = chance.randrange(len(picture) - SIZE)
            text = f"{NAME} wrote: {SAID} {ANNA}\r\n".encode() if number % 20 == 0 else b"Hello.\r\n"
            raw = b"Subject: Re: felix\r\n\r\n" + text + picture[at : at + SIZE]
            mail_id = tx.keep_mail(AT, MAILBOX, ANNA if number % 40 == 0 else "ben@players.test", raw)
            tx.settle_mail(mail_id, "done", key=f"{number}")
            tx.attribute_mail(mail_id, "p-anna" if number % 40 == 0 else "p-ben")
    store.close()


def open_tables(server: Server) -> str:
    """One of Annegret, Ben and Cara, who have joined; its id. And one of Ben, Cara and Dan."""
    people = {
        name: Player(f"p-{name.lower()}", name, f"{name.lower()}@players.test")
        for name in ("Ben", "Cara", "Dan")
    }
    anna = Player("p-anna", NAME, ANNA)

    def work(tx: Tx) -> str:
        service = server.service
        tables = []
        for number, seats in enumerate(([anna, people["Ben"], people["Cara"]], list(people.values()))):
            origin = Origin(f"new {number}", "host", "desk")
            game_id, _ = service.open_table(tx, seats, origin=origin, table_name="", ruleset="felicity-2017")
            tables.append(game_id)
        for seat in range(3):
            service.handle(tx, tables[0], joining(seat), Origin(f"join {seat}", "host", "desk"))
        return tables[0]

    return server.writer.do(work)


@dataclass
class Correspondence:
    """What the players write to a server, and what they get."""

    server: Server
    village: Village
    mails: int = 0

    def send(self, recipient: str, sender: str, text: str) -> None:
        self.mails += 1
        raw = f"From: {sender}\r\nMessage-ID: <{self.mails}@x.test>\r\nSubject: Re: felix\r\n\r\n{text}\r\n"
        with smtplib.SMTP(HOST, self.server.listener.port, "players.test", 30) as client:
            client.sendmail(sender, [recipient], raw)

    def yes(self, mail: Delivered) -> bool:
        """Say YES to this letter, if it asks; whether it did."""
        if "YES" not in mail.text:
            return False
        self.send(mail.reply_to, mail.recipient, "YES")
        return True


def answer(mail: Delivered, players: Players, post: Correspondence) -> None:
    """Everybody but Annegret plays on."""
    order = None if mail.recipient == ANNA else players.answer(mail)
    if order is not None:
        post.send(mail.reply_to, mail.recipient, order)


def play_on(
    village: Village,
    play: Callable[[Delivered], None],
    most: int,
    until: Callable[[Delivered], bool] = lambda _: False,
) -> int:
    """Let everybody answer their letters, so many of them, or until it is so; how many there were."""
    for count in range(most):
        try:
            mail = village.next()
        except queue.Empty:
            return count
        if until(mail):
            return count
        play(mail)
    return most


def address(server: Server, game_id: str, seat: int, turn: int = 0) -> str:
    with server.store.read() as reader:
        secret = reader.seats(game_id)[seat].secret
    return address_of(MAILBOX, encode_token(Token(game_id, seat, "move", turn), secret))


def is_forgotten(server: Server) -> bool:
    with server.store.read() as reader:
        return not reader.forgettings() and reader.player_at(ANNA) is None


def words_in(folder: Path) -> list[str]:
    found = b"".join(
        file.read_bytes() for file in folder.iterdir() if file.name.startswith("felix.db")
    ).lower()
    return [word for word in (NAME, ANNA, SAID) if word.lower().encode() in found]


@pytest.mark.slow
def test_a_game_goes_on_while_somebody_is_forgotten_among_200_mb_of_mail(
    desk: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds = Holds()
    monkeypatch.setattr(SqliteStore, "write", holds.write(SqliteStore.write))
    monkeypatch.setattr(erasure, "_do_step", holds.named("step", erasure._do_step))
    monkeypatch.setattr(Processor, "process_some", holds.named("mail", Processor.process_some))
    for name in ("give_back", "scrub"):
        monkeypatch.setattr(SqliteStore, name, holds.timed(name, getattr(SqliteStore, name)))
    fill(Path("felix.db"))
    settings = Settings(database=Path("felix.db"), mailbox=MAILBOX, listen=Listen(port=0), send=Send(port=0))
    with Village() as village:
        settings = settings.model_copy(update={"send": Send(port=village.port, timeout_seconds=5)})
        with Server(settings, entropy=SeededEntropy("server")) as server:
            post = Correspondence(server, village)
            hers = open_tables(server)
            server.wake_post()
            first = [village.next() for _ in range(6)]
            play = partial(answer, players=Players(some_offer), post=post)
            for mail in first:
                play(mail)
            play_on(village, play, 12)
            holds.seconds.clear()
            post.send(address(server, hers, 0, 1), ANNA, "FORGET ME")
            play_on(village, play, 100, until=lambda mail: mail.recipient == ANNA and post.yes(mail))
            meanwhile = play_on(village, play, 10_000, until=lambda _: is_forgotten(server))
            until = time.monotonic() + PATIENCE
            while not is_forgotten(server):
                assert time.monotonic() < until
                time.sleep(0.1)
        assert set(holds.seconds) == {"mail", "other", "step", "give_back", "scrub"}
        move = holds.seconds["mail"]
        for kind in ("step", "give_back", "scrub"):
            took = holds.seconds[kind]
            assert median(took) <= median(move), kind
            assert quantiles(took, n=20)[-1] <= max(move), kind
        assert meanwhile > 10, "letters that others got and answered"
        assert words_in(desk.folder) == []
