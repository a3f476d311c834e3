"""Other people's mail servers, as a test needs them: they send mail away first, refuse it, or answer it.

Each listens on loopback, and Postfix is told the way to it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from felix_async.inbox.receive import Listener
from real.daemons import HOST

GREYLISTED: Final = "451 4.7.1 try again later"
NOBODY: Final = "550 5.1.1 nobody of that name lives here"


@dataclass(frozen=True, slots=True)
class Taken:
    """A mail that a far server has taken."""

    sender: str
    recipient: str
    raw: bytes


@dataclass(slots=True)
class FarServer:
    """What a server says to a recipient, what it does with a mail, and what it has seen."""

    greylists: bool = False
    strangers: frozenset[str] = frozenset()
    """Who does not live there: refused for good."""
    react: Callable[[Taken], object] | None = None
    """Called with each mail before it is acknowledged."""
    tries: Counter[str] = field(default_factory=Counter)
    taken: list[Taken] = field(default_factory=list)
    port: int = 0

    @property
    def route(self) -> str:
        """The way to it, for Postfix."""
        return f"smtp:[{HOST}]:{self.port}"

    @contextmanager
    def listening(self) -> Iterator[FarServer]:
        """Up; after that it is away, and may come back on the same port."""
        listener = Listener(self, host=HOST, port=self.port, max_bytes=1_000_000)
        listener.start()
        self.port = listener.port
        try:
            yield self
        finally:
            listener.stop()

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """451 at the first try where it greylists, 550 for a stranger."""
        self.tries[address] += 1
        if address in self.strangers:
            return NOBODY
        if self.greylists and self.tries[address] == 1:
            return GREYLISTED
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take the mail, for each recipient."""
        assert isinstance(envelope.content, bytes)
        for recipient in envelope.rcpt_tos:
            mail = Taken(envelope.mail_from or "", recipient, envelope.content)
            self.taken.append(mail)
            if self.react is not None:
                await asyncio.to_thread(self.react, mail)
        return "250 OK"
