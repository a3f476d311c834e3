"""A message that is dealt with, and what is done with it: the values that the rooms of the inbox pass on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from felix_async.clock import text_of
from felix_async.follow_up.answer import Answer
from felix_async.follow_up.kinds import Reason
from felix_async.reading.reader import Reading
from felix_async.service import Service
from felix_events.store.base import Tx
from felix_events.store.rows import Letter, Mail, MailState, SeatRow


class Greeter(Protocol):
    """Writes to somebody who plays nowhere here."""

    def digest(self, *what: object) -> bytes:
        """Return bytes that are always the same for this, and that nobody else can know."""

    def to_stranger(self, address: str, why: str, mail_id: int, in_reply_to: str, now: str) -> Letter:
        """Return the one letter: what felix is, how to open a table, and `why` none was opened ('')."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A mail, what it says, and the transaction in which it is dealt with.

    `mailbox` is felix's own address. `key` is what the mail is known by, '' until that is clear. `greeter`
    writes to strangers; None: nobody does.
    """

    tx: Tx
    service: Service
    mail: Mail
    reading: Reading
    mailbox: str
    key: str = ""
    greeter: Greeter | None = None

    @property
    def now(self) -> str:
        """The time now, as felix stores it."""
        return text_of(self.service.clock())


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, the seat that it goes to, and why there is one, if not for what came of the mail's lines."""

    seat: SeatRow
    answer: Answer
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class Handled:
    """The result of a mail: its state, a note for the operator, and the answers to it.

    A mail that comes again with the same `key` is a repeated one.
    """

    state: MailState
    note: str = ""
    told: tuple[Told, ...] = ()
    key: str | None = None
