"""The messages that wait: read before the transaction in which each is dealt with, or put aside.

Reading a mail takes far longer than what the database does for it, and a stranger's may be made to take as
long as it can. So no transaction is open meanwhile; inside of it, nothing of a mail is parsed. A mail whose
game cannot be read waits for that game, and its writer is told.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import methodcaller
from time import thread_time
from typing import Any, Final

from felix_async.reading.reader import Reading, open_mail, read
from felix_async.reading.sender import letter_answered, seat_of
from felix_async.trouble import is_new_trouble, tell, tell_all, waiting_for
from felix_events.store.base import Damaged, Reader, Tx
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
        """Read the oldest new mails in place of those before; False if there is none.

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
        """Read a mail, with the letter that it answers if lines of that may be in it."""
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


class Stuck(Damaged):
    """Something that a mail needs cannot be read: nothing of it was done, `put_by` lets the others go on.

    `quietly` says that nobody can be told either.
    """

    def __init__(self, mail_id: int, trouble: Damaged, *, quietly: bool = False) -> None:
        super().__init__(str(trouble), trouble.game_id)
        self.mail_id = mail_id
        self.quietly = quietly


def put_by(tx: Tx, stuck: Stuck, mailbox: str, now: str) -> bool:
    """Let a mail wait in quarantine until its game can be read; always True: there may be more mail.

    The seat that it is for, or its writer's if it is for none, is told, if the mail came from one of its
    player's addresses, and if that player sits in the game that cannot be read. Raises Stuck if what is
    needed for that cannot be read either; to be called with that one then.
    """
    mail = tx.mail(stuck.mail_id)
    if mail is None:
        return True
    if stuck.quietly:
        tx.settle_mail(mail.mail_id, "quarantined", note=_waiting(stuck.game_id))
        return True
    try:
        with tx.savepoint():
            addressed = seat_of(tx, mail.recipient, mailbox)
            home = "" if addressed is None else addressed.seat.game_id
            game_id = stuck.game_id or home
            if game_id and is_new_trouble(tx, game_id, now, str(stuck)):
                tell_all(tx, game_id, now)
                if game_id != home:
                    # Now that it is known, the mail may do without that game.
                    return True
            tx.settle_mail(mail.mail_id, "quarantined", note=_waiting(game_id))
            # The name of that table is for those alone who sit there.
            there, sender = tx.seats(game_id), mail.sender.lower()
            seats = there if addressed is None else [addressed.seat]
            seat = next((row for row in seats if sender in row.addresses), None)
            if seat is not None and seat.player_id in {row.player_id for row in there}:
                tell(tx, game_id, seat, now, str(mail.mail_id))
    except Damaged as trouble:
        raise Stuck(mail.mail_id, trouble, quietly=True) from trouble
    log.warning("mail %d: quarantined, %s", mail.mail_id, _waiting(game_id))
    return True


def put_aside(do: Callable[[Callable[[Tx], bool]], bool], stuck: Stuck, mailbox: str, now: str) -> bool:
    """`put_by`, in transactions that `do` opens."""
    try:
        return do(partial(put_by, stuck=stuck, mailbox=mailbox, now=now))
    except Stuck as quietly:
        return do(partial(put_by, stuck=quietly, mailbox=mailbox, now=now))


def _waiting(game_id: str) -> str:
    return waiting_for(game_id) if game_id else "waits: what it needs of the database is damaged"
