"""Programs that play by mail: a mail server for them, and the answers to their turns.

Everything goes over SMTP on loopback. A message is answered once for each decision (the address to answer to
changes with it), with one of the orders that it offers, or with what somebody advises.
"""

from __future__ import annotations

import hmac
import queue
import smtplib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from types import TracebackType
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from felix_async.draw import Stream
from felix_async.inbox.receive import Listener
from felix_async.language.words import WORD_OF
from felix_cli.output import Problem
from felix_notifiers.content.offers import decisions_in

_LOCALHOST: Final = "127.0.0.1"
_MAX_MAILS: Final = 5000
Advise = Callable[[str], str | None]
"""The address of a player -> the order to answer with; '' to say nothing, None for any that is offered."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message to a player, and its answer, None if it asked for nothing new."""

    message: EmailMessage
    answer: EmailMessage | None

    @property
    def order(self) -> str:
        """The order in the answer, '' if there is none."""
        return "" if self.answer is None else _text(self.answer).partition("\n")[0]

    @property
    def offers(self) -> list[str]:
        """The orders that the message offers."""
        return decisions_in(self.message)

    @property
    def text(self) -> str:
        """The text part of the message."""
        return _text(self.message)


class MailPlayers:
    """The players' mail server and the players. Use it as a context manager."""

    def __init__(self, seed: str, patience: float) -> None:
        self.advise: Advise = lambda *_: None
        self.received = 0
        self.sent = 0
        self._key = hmac.digest(seed.encode(), b"mail players", "sha256")
        self._patience = patience
        self._mails: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._answered: set[str] = set()
        self._listener = Listener(self, host=_LOCALHOST, port=0, max_bytes=1_000_000)

    def __enter__(self) -> MailPlayers:
        self._listener.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.stop()

    @property
    def port(self) -> int:
        """The host and port of the players' mail server."""
        return self._listener.port

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a message for a player."""
        assert isinstance(envelope.content, bytes), "the listener does not decode"
        self._mails.put(envelope.content)
        return "250 OK"

    def play(self, mailbox: str, port: int, players: int) -> Iterator[Exchange]:
        """Answer turn messages until every player has been told the result; a step for each message."""
        results = 0
        with smtplib.SMTP(_LOCALHOST, port, timeout=self._patience) as server:
            while results < players:
                message = self._next_mail()
                # Only the result brings the game as a file.
                results += any(True for _ in message.iter_attachments())
                answer = self._answer(message)
                if answer is not None:
                    server.send_message(answer)
                    self.sent += 1
                yield Exchange(message, answer)

    def _next_mail(self) -> EmailMessage:
        try:
            raw = self._mails.get(timeout=self._patience)
        except queue.Empty:
            raise Problem(
                f"No message came for {self._patience:.0f} seconds; the demo has stopped."
            ) from None
        self.received += 1
        if self.received > _MAX_MAILS:
            raise Problem(f"More than {_MAX_MAILS} messages for one game; the demo has stopped.")
        return message_from_bytes(raw, policy=policy.default)

    def _answer(self, turn_mail: EmailMessage) -> EmailMessage | None:
        """The reply with one of the offered orders; None if nothing new is asked."""
        reply_to = parseaddr(str(turn_mail["Reply-To"] or ""))[1]
        offers = decisions_in(turn_mail)
        if not offers or reply_to in self._answered:
            return None
        order = self._choose(offers, reply_to, parseaddr(str(turn_mail["To"]))[1])
        if not order:
            return None
        self._answered.add(reply_to)
        reply = EmailMessage()
        reply["From"] = str(turn_mail["To"])
        reply["To"] = reply_to
        reply["Subject"] = f"Re: {turn_mail['Subject']}"
        reply["In-Reply-To"] = str(turn_mail["Message-ID"])
        reply["Message-ID"] = (
            f"<{hmac.digest(self._key, reply_to.encode(), 'sha256').hex()[:32]}@players.test>"
        )
        quoted = "".join(f"> {line}\n" for line in _text(turn_mail).splitlines())
        reply.set_content(f"{order}\n\nfelix wrote:\n{quoted}")
        return reply

    def _choose(self, offers: list[str], reply_to: str, address: str) -> str:
        """Join; then as advised, or place any card; pass half of the time, and else raise by a little."""
        numbers = Stream(self._key, reply_to)
        if WORD_OF["JOIN"] in offers:
            return WORD_OF["JOIN"]
        advised = self.advise(address)
        if advised is not None:
            return advised
        bids = [offer for offer in offers if offer.startswith(f"{WORD_OF['BID']} ")]
        if WORD_OF["PASS"] in offers and (not bids or numbers.below(2)):
            return WORD_OF["PASS"]
        choices = bids or offers
        return choices[numbers.below(len(choices))]


def _text(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    return "" if part is None else str(part.get_content())
