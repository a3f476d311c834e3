"""What the mails that wait say, read before the transaction in which they are dealt with.

Reading a mail takes far longer than what the database does for it, and a stranger's may be made to take as
long as it can. So no transaction is open meanwhile; inside of it, nothing of a mail is parsed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import methodcaller
from time import thread_time
from typing import Any, Final

from felix_async.reading.reader import Reading, open_mail, read
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


@dataclass(slots=True)
class Readings:
    """The oldest new mails, read, by their ids; `missing` are older ones to compare them with."""

    mailbox: str
    authserv_id: str = ""
    read: Mapping[int, Reading] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)

    def begin(self, do: Callable[[Callable[[Reader], Any]], Any], most: int = MAX_TOGETHER) -> bool:
        """Read the oldest new mails in place of those before; False where there is none.

        `do` shows the database to what it is given, and no transaction is open when it is back.
        """
        found: dict[int, Reading] = {}
        started = thread_time()
        last = 0
        while len(found) < most and thread_time() - started < _LONGEST:
            mail: Mail | None = do(methodcaller("next_mail", last))
            if mail is None:
                break
            last = mail.mail_id
            found[last] = self._read(do, mail)
        for mail_id in self.missing if found else ():
            mail = do(methodcaller("mail", mail_id))
            if mail is not None:
                # Its lines ask for nothing any more.
                found[mail_id] = open_mail(mail, self.mailbox, self.authserv_id).reading
        self.missing.clear()
        self.read = found
        return bool(found)

    def _read(self, do: Callable[[Callable[[Reader], Any]], Any], mail: Mail) -> Reading:
        """What a mail says, the lines of the letter that it answers told apart, if there may be some."""
        opened = open_mail(mail, self.mailbox, self.authserv_id)
        answered = b""
        if opened.may_quote:
            try:
                answered = do(lambda reader: letter_answered(reader, self.mailbox, mail, opened.reading))
            except Damaged:
                # The signs in the mail must do; whatever else is on that page is told where it is needed.
                answered = b""
        return read(opened, answered)

    def content_of(self, mail: Mail) -> str:
        """The content hash of a mail dealt with before; raises Unread if that is not known yet."""
        reading = self.read.get(mail.mail_id)
        if reading is None:
            raise Unread(mail.mail_id)
        return reading.content_sha256
