"""A listener in front of a table, for tests that speak to it over real sockets."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from felix_async.inbox.delivery import is_ours
from felix_async.inbox.receive import Listener, Receiver
from felix_events.store.base import StoreError, Tx
from felix_events.store.rows import Mail
from felix_events.store.sqlite import SqliteStore
from felix_events.store.writer import Writer
from inbox.postbag import MAILBOX, Postbag, a_table

MAX_BYTES = 20_000
ANNA = "anna@players.test"


class Diary(SqliteStore):
    """A store that notes each commit, and fails to write while it is told to."""

    def __init__(self, *opened: Any) -> None:
        super().__init__(*opened)
        self.notes: list[str] = []
        self.failing = False

    @contextmanager
    def write(self) -> Iterator[Tx]:
        if self.failing:
            raise StoreError("The disk is full.")
        with super().write() as tx:
            yield tx
        self.notes.append("committed")


class Door:
    """A listener in front of a table, and what it kept."""

    def __init__(self, protocol: Literal["smtp", "lmtp"], folder: Path) -> None:
        self.store = Diary.create(folder / "felix.db")
        self.bag: Postbag = a_table(store=self.store)
        self.blind = False
        self.writer = Writer(self.store)
        receiver = Receiver(
            self.writer, self.bag.room.clock, self._is_ours, lambda: self.store.notes.append("told")
        )
        self.listener = Listener(receiver, host="127.0.0.1", port=0, protocol=protocol, max_bytes=MAX_BYTES)
        self.listener.start()

    def close(self) -> None:
        """Stop what was started."""
        self.listener.stop()
        self.writer.close()
        self.store.close()

    def _is_ours(self, address: str) -> bool:
        if self.blind:
            raise StoreError("The database is away.")
        with self.store.read() as reader:
            return is_ours(reader, address, MAILBOX)

    @property
    def mails(self) -> list[Mail]:
        """What was kept."""
        with self.store.read() as reader:
            return reader.mails()

    def smtp(self) -> smtplib.SMTP:
        """A client that has said hello."""
        kind = smtplib.LMTP if self.listener._protocol == "lmtp" else smtplib.SMTP
        client = kind("127.0.0.1", self.listener.port)
        client.ehlo("localhost")
        return client


def deliver(client: smtplib.SMTP, recipients: list[str], raw: bytes, sender: str = ANNA) -> int:
    """Hand over a mail; the status of the last step."""
    assert client.mail(sender)[0] == 250
    for recipient in recipients:
        assert client.rcpt(recipient)[0] == 250
    return client.data(raw)[0]


def offer(client: smtplib.SMTP, recipients: list[str], raw: bytes, *, end: bytes = b".\r\n") -> None:
    """The same without waiting for what is said to the last dot."""
    client.mail(ANNA)
    for recipient in recipients:
        assert client.rcpt(recipient)[0] == 250
    client.putcmd("data")
    assert client.getreply()[0] == 354
    client.send(raw + end)
