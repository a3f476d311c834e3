"""From an inbox row to the game: all that a message does in one transaction, each line in a savepoint.

A mail is read before (`waiting`), and dealt with once, in the order of receipt. Its effects, the answers to
it, and that it is done are committed together; a crash in between leaves the row as it was, and it is picked
up again. Under load a few mails share a transaction; each is whole in it, or not there. A mail that fails
three times goes to quarantine, so that no mail can stop the server.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from time import thread_time
from typing import Any, Final

from felix_async.address import token_in
from felix_async.clock import text_of
from felix_async.deliverability import mark_deliverable
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.kinds import enqueue
from felix_async.inbox.answers import answer_orders, answer_to
from felix_async.inbox.arrival import Arrival, Greeter, Handled, Told
from felix_async.inbox.bounces import handle_bounce
from felix_async.inbox.doubts import check_writer, in_doubt
from felix_async.inbox.no_token import help_guest, without_token
from felix_async.inbox.offers import answer_offer, offer_named
from felix_async.inbox.patience import Patience, words_of
from felix_async.inbox.waiting import Readings, Stuck, Unread, put_aside
from felix_async.language.words import MISUNDERSTOOD
from felix_async.orders.context import Reply
from felix_async.reading.budget import TooCostly, limited
from felix_async.reading.reader import Reading
from felix_async.reading.sender import InDoubt, Writer, attribute, key_of, seat_in, seat_of
from felix_async.service import Service
from felix_async.settings import Bounces
from felix_async.trouble import check_readable
from felix_events.store.base import Damaged, StoreError, Tx
from felix_events.store.rows import Mail

log = logging.getLogger(__name__)

MAX_TRIES: Final = 3
TOO_COSTLY: Final = "it takes too long to read; `felix mail quarantine retry` takes ten times as long"
"""The note of a mail that is over its budget."""
_LONGEST: Final = 0.1
"""Seconds of processor time in one transaction after which no further mail is begun in it."""


@dataclass(frozen=True, slots=True)
class Processor:
    """Deals with received mail, one or a few at a time, in transactions that the caller opens.

    With an `authserv_id`, the mail server of that name must vouch for a mail's sender; `limits` say how
    many bounces stop the mail to an address. The `greeter` writes to strangers.
    """

    service: Service
    mailbox: str
    authserv_id: str = ""
    limits: Bounces = field(default_factory=Bounces)
    greeter: Greeter | None = None

    def process_next(self, tx: Tx, readings: Readings) -> bool:
        """Deal with the oldest new mail; return False if there is none, or it is not among these readings.

        Trouble with the disk or the memory is raised: the mail is not to blame, and waits. Stuck is
        raised if what it needs cannot be read.
        """
        mail = tx.next_mail()
        # Another process may have put an older one before those that were read.
        read = None if mail is None else readings.read.get(mail.mail_id)
        if mail is None or read is None:
            return False
        try:
            try:
                with tx.savepoint(), limited(read.left):
                    self._process(tx, mail, read, readings)
            except TooCostly:
                with tx.savepoint():
                    self._process(tx, mail, read.given_up(), readings)
        except Unread as older:
            readings.missing.add(older.mail_id)
            return False
        except Damaged as trouble:
            raise Stuck(mail.mail_id, trouble) from trouble
        except (StoreError, sqlite3.Error, OSError, MemoryError):
            raise
        except Exception as error:
            # Whatever it was, the mail is kept, the others go on, and the operator is told.
            log.exception("mail %d could not be dealt with", mail.mail_id)
            self._count_failure(tx, mail, f"failed: {type(error).__name__}")
        return True

    def process_some(self, tx: Tx, readings: Readings) -> int:
        """Deal with the mails that were read in one transaction, none behind a costly one; how many."""
        until = thread_time() + _LONGEST
        for count in range(len(readings.read)):
            if (count and thread_time() > until) or not self.process_next(tx, readings):
                return count
        return len(readings.read)

    def recover(self, tx: Tx) -> None:
        """After a crash: the mail that was next may be what stopped the server."""
        mail = tx.next_mail()
        if mail is not None:
            self._count_failure(tx, mail, "the server crashed when it was next")

    def _count_failure(self, tx: Tx, mail: Mail, note: str) -> None:
        tx.try_mail(mail.mail_id, note)
        if mail.tries + 1 >= MAX_TRIES:
            _settle(tx, mail, Handled("quarantined", f"{note}, {MAX_TRIES} times"))

    def _process(self, tx: Tx, mail: Mail, reading: Reading, readings: Readings) -> None:
        """Deal with one mail, enqueue the answers to it, and say what became of it."""
        if reading.trouble is not None:
            raise reading.trouble
        arrival = Arrival(tx, self.service, mail, reading, self.mailbox, greeter=self.greeter)
        handled = self._handle(arrival, readings)
        for told in handled.told:
            _enqueue(arrival, told)
        _settle(tx, mail, handled)

    def _handle(self, arrival: Arrival, readings: Readings) -> Handled:
        """Find out whose mail it is, and leave aside what no player wrote, or what was dealt with before."""
        tx, mail, reading = arrival.tx, arrival.mail, arrival.reading
        writer = seat_of(tx, mail.recipient, self.mailbox)
        if writer is not None and (reading.from_nobody or writer.token.purpose == "bounce"):
            tx.attribute_mail(mail.mail_id, writer.seat.player_id)
        if writer is not None and writer.token.purpose == "bounce":
            assert reading.report is not None, "the address says that it is for bounces"
            return Handled(
                "ignored", handle_bounce(tx, reading.report, writer.seat, arrival.now, self.limits)
            )
        if reading.from_nobody:
            return Handled("ignored", "the envelope has no sender: a bounce, or an automatic answer")
        writer = writer or seat_in(tx, self.mailbox, reading)
        attribute(tx, mail, reading, writer)
        if reading.machine:
            return Handled("ignored", f"written by a machine ({reading.machine})")
        # A token that is void by now still tells that it is the same mail again.
        token = writer.token_text if writer is not None else token_in(mail.recipient, self.mailbox)
        key = key_of(token or "", reading)
        arrival = replace(arrival, key=key)
        return _repeated(arrival, readings) or replace(_answer(arrival, writer), key=key)


def _repeated(arrival: Arrival, readings: Readings) -> Handled | None:
    """Leave a mail aside that was dealt with before; None if it was not."""
    earlier = arrival.tx.mail_with(arrival.key)
    if earlier is None:
        return None
    # An earlier mail that was erased is empty, and cannot be compared.
    is_same = not earlier.raw or earlier.sha256 == arrival.mail.sha256
    if is_same or readings.content_of(earlier) == arrival.reading.content_sha256:
        return Handled("duplicate", f"the same as mail {earlier.mail_id}")
    return Handled("quarantined", f"has the Message-ID of mail {earlier.mail_id} and says something else")


def _answer(arrival: Arrival, writer: Writer | None) -> Handled:
    """Do what a mail asks for, if it is its player's, and answer it."""
    tx, reading = arrival.tx, arrival.reading
    offer = offer_named(tx, writer) if writer is not None else None
    if reading.is_too_costly and (writer is None or offer is not None):
        return Handled("quarantined", TOO_COSTLY)
    if writer is None:
        return without_token(arrival)
    check_readable(tx, writer.seat.game_id)
    if offer is not None:
        return answer_offer(arrival, offer)
    try:
        check_writer(tx, writer, reading)
    except InDoubt as reason:
        if not tx.is_confirmed(arrival.mail.mail_id):
            owner = tx.player_at(reading.sender)
            # To a host's NEW everybody in To and Cc may answer, also to the address that it was sent to.
            is_guest = owner not in (None, writer.seat.player_id)
            helped = help_guest(arrival, owner or "") if is_guest else None
            return helped or in_doubt(arrival, writer, str(reason))
    mark_deliverable(tx, reading.sender)
    if reading.is_too_costly:
        return _ask_for_less(arrival, writer)
    return answer_orders(arrival, writer)


def _ask_for_less(arrival: Arrival, writer: Writer) -> Handled:
    """Quarantine a mail that takes too long to read, and tell its writer to write a shorter one."""
    line = AnsweredLine(text="", verdict="not understood", why=MISUNDERSTOOD["mail/too_costly"])
    patience = Patience(arrival.tx, writer.seat, arrival.now, words_of(arrival.reading))
    answer = answer_to(arrival.reading, Reply((line,))).model_copy(update={"words": patience.words})
    told = Told(writer.seat, answer, "too costly")
    return Handled("quarantined", TOO_COSTLY, () if patience.is_over() else (told,))


def _enqueue(arrival: Arrival, told: Told) -> None:
    seat = told.seat
    game = arrival.service.load(arrival.tx, seat.game_id)
    notice = kinds.Answer(
        game_id=seat.game_id,
        version=game.version,
        seat=seat.seat,
        due_at=arrival.now,
        turn=game.seats[seat.seat].turn,
        mail_id=arrival.mail.mail_id,
        reason=told.reason,
        answer=told.answer,
    )
    enqueue(arrival.tx, notice)


def _settle(tx: Tx, mail: Mail, handled: Handled) -> None:
    """Say what became of a mail, to the operator too."""
    state, note = handled.state, handled.note
    tx.settle_mail(mail.mail_id, state, key=handled.key, note=note)
    level = logging.WARNING if state == "quarantined" else logging.INFO
    log.log(level, "mail %d: %s%s", mail.mail_id, state, f", {note}" if note else "")


def process_all(do: Callable[[Callable[[Tx], Any]], Any], processor: Processor) -> int:
    """Deal with everything that has come in, each mail in a transaction that `do` opens; return how many."""
    count = 0
    readings = Readings(processor.mailbox, processor.authserv_id)
    while readings.begin(do, 1):
        try:
            count += do(partial(processor.process_next, readings=readings))
        except Stuck as stuck:
            count += put_aside(do, stuck, processor.mailbox, text_of(processor.service.clock()))
    return count
