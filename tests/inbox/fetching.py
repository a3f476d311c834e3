"""A fetcher between an IMAP server and a store, for tests: everything in this process, pauses are short."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pydantic import SecretStr

from felix_async.clock import system_clock
from felix_async.inbox import imap
from felix_async.inbox.fetch import Fetcher
from felix_async.settings import Fetch
from felix_events.store.base import StoreError, Tx
from felix_events.store.rows import Mail
from felix_events.store.sqlite import SqliteStore
from felix_events.store.writer import Writer
from inbox.imap_server import PASSWORD, USER, ImapServer
from inbox.postbag import MAILBOX

MAX_BYTES: Final = 20_000
PATIENCE: Final = 10.0


class Sink(SqliteStore):
    """A store that tells when mails were kept, and fails to write while it is told to."""

    def __init__(self, *opened: Any) -> None:
        super().__init__(*opened)
        self.changed = threading.Condition()
        self.failing = 0
        self.transactions = 0

    @contextmanager
    def write(self) -> Iterator[Tx]:
        if self.failing:
            self.failing -= 1
            raise StoreError("The disk is full; make room and try again.")
        with super().write() as tx:
            yield tx
        with self.changed:
            self.transactions += 1
            self.changed.notify_all()


class Office:
    """A store, its writer, and the mails that a fetcher brings."""

    def __init__(self) -> None:
        self.sink = Sink.in_memory()
        self.writer = Writer(self.sink)
        self.pauses: list[tuple[int, bool]] = []
        self.told = 0

    @property
    def mails(self) -> list[Mail]:
        """What was kept."""
        with self.sink.read() as reader:
            return reader.mails()

    def wait_for(self, count: int) -> list[Mail]:
        """So many mails, as soon as they are there."""
        with self.sink.changed:
            assert self.sink.changed.wait_for(lambda: len(self.mails) >= count, PATIENCE), self.mails
        return self.mails

    def wait_for_pauses(self, count: int) -> None:
        """So many tries have failed."""
        deadline = time.monotonic() + PATIENCE
        while len(self.pauses) < count:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def pause(self, tries: int, *, refused: bool = False) -> float:
        """No time is lost between two tries."""
        self.pauses.append((tries, refused))
        return 0.01

    def _tell(self) -> None:
        self.told += 1

    def fetcher(self, port: int, *, pause: Callable[..., float] | None = None, **keys: Any) -> Fetcher:
        """A fetcher, not started."""
        usual: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": port,
            "security": "none",
            "user": USER,
            "password": SecretStr(PASSWORD),
            "timeout_seconds": 5,
            "poll_seconds": 60,
        }
        return Fetcher(
            Fetch(**(usual | keys)),
            MAILBOX,
            max_bytes=MAX_BYTES,
            writer=self.writer,
            clock=system_clock,
            kept=self._tell,
            pause=pause or self.pause,
        )

    @contextmanager
    def fetching(self, server: ImapServer | int, **keys: Any) -> Iterator[Fetcher]:
        """A running fetcher."""
        fetcher = self.fetcher(server if isinstance(server, int) else server.port, **keys)
        fetcher.start()
        try:
            yield fetcher
        finally:
            fetcher.stop()

    def fetch_all(self, server: ImapServer, *, mark: str = imap.KEYWORD, **keys: Any) -> None:
        """Fetch until every mail in the folder is marked."""
        with self.fetching(server, **keys):
            all_done(server, mark)


def all_done(server: ImapServer, mark: str = imap.KEYWORD) -> None:
    """Wait until every mail in the folder is marked."""
    server.wait_until(lambda: all(mark in mail.flags for mail in server.mails.values()))
