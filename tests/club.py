"""People who play by mail on a server in one process, with all that honest people write."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cache, partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final

from by_mail import Taken
from felix_async.address import Token, decode_token, token_in
from felix_async.clock import text_of
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.inbox.process import Processor
from felix_async.inbox.waiting import Readings
from felix_async.people import Named, name_of
from felix_async.schedule.tick import tick
from felix_async.service import Origin, Service
from felix_async.settings import Settings
from felix_cli.erasure import Forgetter
from felix_cli.mail_robots import MailPlayers
from felix_cli.simulate import SeededEntropy
from felix_events.model import Options
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.content.offers import decisions_in
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox

MAILBOX: Final = "felix@felix.test"
Reply = Callable[[Token, list[str], str], str]
"""Says what a player answers who was asked, was offered these orders, and would have chosen this one."""


def as_chosen(_token: Token, _offers: list[str], order: str) -> str:
    """Answer so."""
    return order


@dataclass
class Club:
    """A server with a clock of its own; `answered` are its letters so far that somebody has read."""

    path: Path
    now: datetime = datetime(2026, 11, 20, 9, tzinfo=UTC)
    seed: str = "club"
    server: Taken = field(default_factory=Taken)
    mails: int = 0
    answered: int = 0

    def __post_init__(self) -> None:
        self.store = SqliteStore.create(self.path)
        self.service = Service(lambda: self.now, SeededEntropy(self.seed), is_open=True)
        self.outbox = Outbox(lambda: self.now, Letters(MAILBOX, b"the server's own secret"))
        self.processor = Processor(self.service, MAILBOX)
        self.readings = Readings(MAILBOX)
        self.robots = MailPlayers(self.seed, 1)

    def close(self) -> None:
        self.store.close()
        self.robots._listener.loop.close()

    def do(self, work: Callable[[Any], Any]) -> Any:
        with self.store.write() as tx:
            return work(tx)

    def look(self, work: Callable[[Any], Any]) -> Any:
        with self.store.read() as reader:
            return work(reader)

    def deal(self) -> None:
        """Deal with all mail, and send all letters."""
        while self.readings.begin(self.look):
            self.do(partial(self.processor.process_some, readings=self.readings))
        while send_due(self.do, self.outbox, self.server):
            continue

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)
        tick(self.do, self.service)
        self.deal()

    def open(self, table: str, *names: str) -> str:
        """A table of the operator's, with a clock."""

        def work(tx: Any) -> Any:
            people = [Named(name_of(name), f"{name.lower()}@players.test") for name in names]
            origin = Origin(f"new/{table}", "host", "desk", order="NEW")
            return self.service.open_table(
                tx,
                self.service.identified(tx, people),
                origin=origin,
                table_name=table,
                ruleset=DEFAULT_RULESET,
                options=Options(),
                clock=Settings().time.terms,
            )

        game_id, outcome = self.do(work)
        assert not outcome.refusal
        self.deal()
        return str(game_id)

    def mail(
        self, name: str, to: str, text: str, *, message_id: str = "", answers: str = "", address: str = ""
    ) -> int:
        """A mail of somebody, dealt with; its id."""
        self.mails += 1
        sender = address or f"{name}@players.test"
        head = [
            f"From: {sender}",
            f"To: {to}",
            "Subject: Re: felix",
            f"Message-ID: <{message_id or f'{self.mails}.{self.seed}'}@players.test>",
            *([f"In-Reply-To: {answers}"] if answers else []),
            "Content-Type: text/plain; charset=utf-8",
        ]
        raw = "\r\n".join([*head, "", *text.split("\n"), ""]).encode()
        self.now += timedelta(minutes=7)
        mail_id = self.do(lambda tx: tx.keep_mail(text_of(self.now), to, sender, raw))
        self.deal()
        return int(mail_id)

    def letter(self, name: str, game_id: str, purpose: str = "move") -> EmailMessage:
        """The newest letter to somebody that can be answered for this game."""
        for letter in reversed(self.server.letters):
            message = message_from_bytes(letter.raw, policy=policy.default)
            token = token_of(message)
            place = None if token is None else (token.game_id, token.purpose)
            if letter.recipient.startswith(f"{name}@") and place == (game_id, purpose):
                return message
        raise AssertionError(f"no letter to {name}")

    def write(self, name: str, game_id: str, text: str, purpose: str = "move", **more: str) -> int:
        """An answer to it."""
        return self.mail(name, reply_to(self.letter(name, game_id, purpose)), text, **more)

    def confirm(self, name: str, game_id: str, text: str) -> None:
        """An order that felix asks about, and YES."""
        self.write(name, game_id, text)
        self.write(name, game_id, "YES", "question")

    def play(self, *games: str, until: int = 10_000, reply: Reply = as_chosen) -> None:
        """Answer letters in order until these games are over, or have so many events."""
        while self.answered < len(self.server.letters):
            if min(self.size(game_id) for game_id in games) >= until:
                return
            letter = self.server.letters[self.answered]
            self.answered += 1
            message = message_from_bytes(letter.raw, policy=policy.default)
            token, offers = token_of(message), decisions_in(message)
            if token is None or token.game_id not in games or not offers or {"YES", "NO"} & set(offers):
                continue
            to = reply_to(message)
            simple = [one for one in offers if not one.startswith(("NEXT", "UP TO"))]
            chosen = self.robots._choose(simple or offers, to, letter.recipient)
            if chosen:
                quoted = "\n".join(f"> {line}" for line in str(message.get_body(("plain",))).split("\n"))
                text = f"{reply(token, offers, chosen)}\n\nfelix wrote:\n{quoted}"
                self.mail(letter.recipient.partition("@")[0], to, text, answers=str(message["Message-ID"]))

    def size(self, game_id: str) -> int:
        """The version of a game."""
        return int(self.look(lambda reader: reader.game(game_id).size))

    def forget(self, player: str) -> None:
        """What FORGET ME leads to."""
        player_id = self.look(lambda reader: reader.player_at(f"{player}@players.test"))
        self.do(lambda tx: tx.begin_to_forget(player_id))
        Forgetter(self.store, self.do).look()
        self.deal()


def reply_to(message: EmailMessage) -> str:
    return parseaddr(str(message["Reply-To"] or ""))[1]


def token_of(message: EmailMessage) -> Token | None:
    address = reply_to(message)
    return decode_token(token_in(address, MAILBOX) or "") if address else None


def talkative(token: Token, offers: list[str], order: str) -> str:
    """Now and then say something, or give an order in advance."""
    if (token.turn * 3 + token.seat) % 5 == 0 and any(one.startswith("BID") for one in offers):
        return f"UP TO {4 + token.turn % 6}"
    if (token.turn + token.seat) % 9 == 0 and token.turn > 2:
        return f"{order}\nSAY This is how I play, {order.lower()}"
    return f"JOIN lucky words {token.seat}" if order == "JOIN" else order


@dataclass(frozen=True)
class Year:
    """A database, the game in it that is over, and the one that goes on."""

    path: Path
    over: str
    on: str


@cache
def an_honest_year() -> Year:
    """A database with these two and more tables, played once in each process of the tests: change copies."""
    folder = mkdtemp(prefix="felix-year-")
    atexit.register(rmtree, folder, ignore_errors=True)
    club = Club(Path(folder) / "felix.db")
    over, on = club.open("Alpha", "Anna", "Ben", "Cara", "Dora"), club.open("Beta", "Ben", "Emil", "Anna")
    club.play(over, until=60, reply=talkative)
    club.confirm("dora", over, "RESIGN")
    club.write("anna", over, "SUBSTITUTE Dora: Hanna hanna@players.test")
    club.write("hanna", over, "JOIN", "question")
    for _ in range(2):
        club.write("anna", over, "STATUS", message_id="twice")
    club.play(over, reply=talkative)
    assert club.look(lambda reader: reader.game(over)).is_over
    club.answered = 0
    club.play(on, until=70, reply=talkative)
    honest_trouble(club, on)
    club.write("ben", over, "REMATCH")
    club.write("cara", over, "REMATCH")
    club.write("ben", on, "NEW\nCara cara@players.test\nZoe zoe@players.test")
    club.write("cara", over, "SAY That was fun")
    club.write("emil", on, "DISPUTE")
    assert club.look(lambda reader: club.service.load(reader, on)).disputes
    club.close()
    return Year(club.path, over, on)


def honest_trouble(club: Club, game_id: str) -> None:
    """Words, mails without a token, mistakes that are asked about, another address, and STOP."""
    names = ("ben", "emil", "anna")
    for _ in range(3):
        game = club.look(lambda reader: club.service.load(reader, game_id))
        seat = game.asked[0]
        name = names[seat]
        if game.phase == "placing":
            card = next(card for card in game.seats[seat].hand if isinstance(card, int))
            words = f"I put down the {card}.\nGreetings from here!\nYes, the {card}"
            club.mail(name, MAILBOX, words, answers=str(club.letter(name, game_id)["Message-ID"]))
            club.wait(minutes=30)
        else:
            club.confirm(name, game_id, f"BIDD {game.high_bid + 1}")
        club.answered = len(club.server.letters) - 8
        club.play(game_id, until=game.version + 6)
    club.write("anna", game_id, "STATUS", address="anna@else.test")
    club.write("emil", game_id, "STOP")
    club.write("ben", game_id, "UP TO 9, NEXT 11")
    club.write("ben", game_id, "SAY I wait for you, Anna")
