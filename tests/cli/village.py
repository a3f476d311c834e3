"""A mail server for a few players, felix as a process of its own, and players who read and answer."""

from __future__ import annotations

import queue
import re
import signal
import smtplib
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from cli.terminal import FELIX, Terminal, environment
from felix_async.inbox.receive import Listener
from felix_notifiers.content.offers import decisions_in

HOST: Final = "127.0.0.1"
MAILBOX: Final = "felix@felix.test"
PATIENCE: Final = 30.0
"""Seconds until a test gives up waiting for something that should come at once."""
PRINTED: Final = "printed.txt"
"""Where a server's standard output goes."""
_IS_UP: Final = re.compile(r"felix (?:takes [LS]MTP on [0-9.]+:([0-9]+) for|reads|waits for) ")


@dataclass(frozen=True)
class Delivered:
    """A mail as it arrived in the village."""

    sender: str
    recipient: str
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        """The mail, parsed."""
        return message_from_bytes(self.raw, policy=policy.default)

    @property
    def reply_to(self) -> str:
        """Where the answer goes."""
        return parseaddr(str(self.message["Reply-To"]))[1]

    @property
    def text(self) -> str:
        """The text part."""
        part = self.message.get_body(("plain",))
        return "" if part is None else str(part.get_content())


@dataclass
class Village:
    """The players' mail server. Use it as a context manager."""

    delivered: list[Delivered] = field(default_factory=list)
    _new: queue.SimpleQueue[Delivered] = field(default_factory=queue.SimpleQueue)

    def __enter__(self) -> Village:
        self._listener = Listener(self, host=HOST, port=0, max_bytes=1_000_000)
        self._listener.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.stop()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._listener.port

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a mail for a player."""
        assert isinstance(envelope.content, bytes)
        mail = Delivered(envelope.mail_from or "", envelope.rcpt_tos[0], envelope.content)
        self.delivered.append(mail)
        self._new.put(mail)
        return "250 OK"

    def next(self) -> Delivered:
        """The next mail, as soon as it is there."""
        return self._new.get(timeout=PATIENCE)


@dataclass
class Served:
    """A running `felix serve`."""

    process: subprocess.Popen[str]
    port: int
    said: list[str]

    def send(self, recipient: str, text: str, sender: str, message_id: str, envelope: str = "") -> int:
        """A mail to felix, its envelope from the sender or somebody else; the status of its last step."""
        raw = f"From: {sender}\r\nMessage-ID: <{message_id}>\r\nSubject: Re: felix\r\n\r\n{text}\r\n"
        with smtplib.SMTP(HOST, self.port, "players.test", PATIENCE) as client:
            client.ehlo()
            client.mail(envelope or sender)
            status = client.rcpt(recipient)[0]
            return client.data(raw)[0] if status == 250 else status

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """End the process; its exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(terminal: Terminal, *words: str) -> Iterator[Served]:
    """`felix serve` in the terminal's folder, at work; its port is 0 where it does not listen."""
    with (terminal.folder / PRINTED).open("wb") as printed:
        process = subprocess.Popen(
            [*FELIX, "serve", *words],
            cwd=terminal.folder,
            env=environment(),
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
        )
    said: list[str] = []
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    listening = threading.Thread(target=_listen, args=(process, said, lines))
    listening.start()
    try:
        is_up = None
        while is_up is None:
            line = lines.get(timeout=PATIENCE)
            assert line, said
            is_up = _IS_UP.search(line)
        yield Served(process, int(is_up[1] or 0), said)
    finally:
        process.kill()
        process.wait()
        listening.join()


def _listen(process: subprocess.Popen[str], said: list[str], lines: queue.SimpleQueue[str]) -> None:
    """Everything that the process says on stderr, and an empty line once it is gone."""
    assert process.stderr is not None
    with process.stderr:
        for line in process.stderr:
            said.append(line)
            lines.put(line)
    lines.put("")


def settle_in(terminal: Terminal, village: Village, protocol: str = "smtp") -> None:
    """Settings and a database for a felix that serves this village."""
    (terminal.folder / "felix.toml").write_text(
        f'mailbox = "{MAILBOX}"\n'
        f'[listen]\nprotocol = "{protocol}"\nport = 0\n'
        f"[send]\nport = {village.port}\n",
        encoding="utf-8",
    )
    terminal.run("init")


@dataclass
class Players:
    """People who answer each decision once, with something that the mail offers."""

    choose: Callable[[list[str], int], str]
    answered: dict[str, str] = field(default_factory=dict)

    def answer(self, mail: Delivered) -> str | None:
        """What to write back; None where nothing new is asked."""
        offers = decisions_in(mail.message)
        if not offers or mail.reply_to in self.answered:
            return None
        self.answered[mail.reply_to] = self.choose(offers, len(self.answered))
        return self.answered[mail.reply_to]


def is_result(mail: Delivered) -> bool:
    """Return True if the mail tells that the game is over."""
    subject = str(mail.message["Subject"])
    return subject.partition(" · ")[0].endswith((" wins", "You win", "Game over"))


def some_offer(offers: list[str], count: int) -> str:
    """JOIN, or another one of the offers each time; PASS is likely, and NO to whether somebody else is me."""
    if {"YES", "NO"} & set(offers):
        return "NO"
    if "JOIN" in offers:
        return "JOIN"
    if "PASS" in offers and count % 2:
        return "PASS"
    # An order in advance is no answer to what is asked now.
    offers = [offer for offer in offers if not offer.startswith(("NEXT", "UP TO"))] or offers
    return offers[count * 7 % len(offers)]
