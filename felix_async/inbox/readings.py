"""What the mails that wait say, read before the transaction in which they are dealt with.

Reading a mail takes far longer than what the database does for it, and a stranger's may be made to take as
long as it can. So no transaction is open meanwhile; inside of it, nothing of a mail is parsed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from operator import methodcaller
from time import thread_time
from typing import Any, Final

from felix_async.address import decode_token, token_in
from felix_async.inbox.returns import Report, read_report
from felix_async.reading.authentication import results_of
from felix_async.reading.budget import BUDGET, PATIENCE, RETRIED, TooCostly, limited
from felix_async.reading.reader import Letter, answering, read_mail, too_costly
from felix_async.reading.sender import letter_answered
from felix_events.store.base import Damaged, Reader
from felix_events.store.rows import Mail

log = logging.getLogger(__name__)

MAX_TOGETHER: Final = 8
"""Mails of one transaction, so that many share one wait for the disk."""
_LONGEST: Final = 0.05
"""Seconds of processor time in which mails are read before the first of them is dealt with."""


class Unread(Exception):
    """A mail that was dealt with before must be read again, to be compared."""

    def __init__(self, mail_id: int) -> None:
        super().__init__(f"mail {mail_id} was not read")
        self.mail_id = mail_id


_EMPTY: Final = sha256(b"").hexdigest()


class DamagedMail(Exception):
    """The database has lost what a mail said."""


@dataclass(frozen=True, slots=True)
class Read:
    """A mail, read as far as it is needed: one to an address for bounces as a report, too.

    `letter` is None where the envelope has no sender. `trouble` is what the reading stumbled over; `left` are
    the seconds of processor time in which the mail may be dealt with.
    """

    letter: Letter | None = None
    report: Report | None = None
    trouble: Exception | None = None
    left: float = BUDGET


@dataclass(slots=True)
class Readings:
    """The oldest new mails, read, by their ids; `missing` are older ones to compare them with."""

    mailbox: str
    authserv_id: str = ""
    read: Mapping[int, Read] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)

    def begin(self, do: Callable[[Callable[[Reader], Any]], Any], most: int = MAX_TOGETHER) -> bool:
        """Read the oldest new mails in place of those before; False where there is none.

        `do` shows the database to what it is given, and no transaction is open when it is back.
        """
        read: dict[int, Read] = {}
        started = thread_time()
        last = 0
        while len(read) < most and thread_time() - started < _LONGEST:
            mail: Mail | None = do(methodcaller("next_mail", last))
            if mail is None:
                break
            last = mail.mail_id
            read[last] = self._answering(do, mail, read_one(mail, self.mailbox, self.authserv_id))
        for mail_id in self.missing if read else ():
            mail = do(methodcaller("mail", mail_id))
            if mail is not None:
                read[mail_id] = read_one(mail, self.mailbox, self.authserv_id)
        self.missing.clear()
        self.read = read
        return bool(read)

    def _answering(self, do: Callable[[Callable[[Reader], Any]], Any], mail: Mail, read: Read) -> Read:
        """The same, with the lines of the letter that the mail answers told apart, if there may be some."""
        letter = read.letter
        if letter is None or not letter.may_quote:
            return read
        try:
            answered: bytes = do(lambda reader: letter_answered(reader, self.mailbox, mail, letter))
        except Damaged:
            # The signs in the mail must do; whatever else is on that page is told where it is needed.
            return read
        return reread(read, letter, answered) if answered else read

    def content_of(self, mail: Mail) -> str:
        """The content hash of a mail dealt with before; raises Unread where that is not known yet."""
        read = self.read.get(mail.mail_id)
        if read is None:
            raise Unread(mail.mail_id)
        return "" if read.letter is None else read.letter.content_sha256


def read_one(mail: Mail, mailbox: str, authserv_id: str = "") -> Read:
    """What a mail says, as far as its budget goes; one that the operator has put back has more of it.

    Whatever is in it, the others are read, too; the caller counts the failure.
    """
    seconds = BUDGET * (PATIENCE if mail.note == RETRIED else 1)
    started = thread_time()
    with limited(seconds):
        read = _read(mail, mailbox, authserv_id)
    return replace(read, left=max(0.0, seconds - (thread_time() - started)))


def _read(mail: Mail, mailbox: str, authserv_id: str) -> Read:
    if not mail.raw and mail.sha256 != _EMPTY:
        return Read(trouble=DamagedMail(f"mail {mail.mail_id} is damaged"))
    token = decode_token(token_in(mail.recipient, mailbox) or "")
    is_report = token is not None and token.purpose == "bounce"
    from_nobody = mail.sender in ("", "<>")
    try:
        letter = None if from_nobody else read_mail(mail.raw)
        if authserv_id and letter is not None:
            # It is remembered until the mail is dealt with.
            results_of(letter.authentication, authserv_id)
        return Read(
            letter,
            read_report(mail.raw, from_nobody=from_nobody) if is_report else None,
        )
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - told where it is counted
        return Read(trouble=error)


def reread(read: Read, letter: Letter, answered: bytes) -> Read:
    """What a mail says as the answer to this letter of ours, as far as what is left of its budget goes."""
    started = thread_time()
    try:
        with limited(read.left):
            letter = answering(letter, answered)
    except TooCostly:
        letter = too_costly(letter)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - told where it is counted
        return Read(trouble=error)
    return replace(read, letter=letter, left=max(0.0, read.left - (thread_time() - started)))
