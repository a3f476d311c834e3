"""From an inbox row to the game: one transaction for a mail, a part of its own for each line.

A mail is dealt with once, in the order of receipt. What it did, the answer that is owed for it, and that
it is done are committed together; a crash in between leaves the row as it was, and it is picked up again.
A mail that fails three times goes to quarantine, so that no mail can stop the server.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from felix_async.answer import Answer, AnsweredLine, Section
from felix_async.clock import later, text_of
from felix_async.draw import contribution
from felix_async.game.commands import Decline, Join, SeatCommand
from felix_async.grammar import Order
from felix_async.inbox.reader import Letter, read_mail
from felix_async.inbox.sender import ByAMachine, NotAPlayer, Writer, player_of
from felix_async.inbox.understand import understand
from felix_async.service import Origin, Outcome, Service
from felix_async.text import plain
from felix_async.words import ALREADY_DONE, CONTRIBUTED, DONE, MISUNDERSTOOD, QUESTIONS
from felix_events.store.base import Mail, MailState, Notice, StoreError, Tx

log = logging.getLogger(__name__)

MAX_TRIES: Final = 3
MAX_IDLE_ANSWERS: Final = 20
"""Answers within an hour to mails of one seat in which nothing was done; after that there is silence."""
_SECTIONS: Final[dict[str, Section]] = {"HAND": "hand", "STATUS": "status", "HELP": "help"}


@dataclass(frozen=True, slots=True)
class Processor:
    """Deals with received mail, one `process_next` at a time, in transactions that the caller opens."""

    service: Service
    mailbox: str

    def process_next(self, tx: Tx) -> bool:
        """Deal with the oldest new mail; False where there is none.

        Trouble with the disk or the memory is raised: the mail is not to blame, and waits as it was.
        """
        mail = tx.next_mail()
        if mail is None:
            return False
        try:
            with tx.savepoint():
                self._process(tx, mail)
        except (StoreError, sqlite3.Error, OSError, MemoryError):
            raise
        except Exception as error:
            # Whatever it was, the mail is kept, the others go on, and the operator is told.
            log.exception("mail %d could not be dealt with", mail.mail_id)
            self._count_failure(tx, mail, f"failed: {type(error).__name__}")
        return True

    def recover(self, tx: Tx) -> None:
        """After a crash: the mail that was next may be what stopped the server."""
        mail = tx.next_mail()
        if mail is not None:
            self._count_failure(tx, mail, "the server crashed when it was next")

    def _count_failure(self, tx: Tx, mail: Mail, note: str) -> None:
        tx.try_mail(mail.mail_id, note)
        if mail.tries + 1 >= MAX_TRIES:
            tx.settle_mail(mail.mail_id, "quarantined", note=f"{note}, {MAX_TRIES} times")

    def _process(self, tx: Tx, mail: Mail) -> None:
        letter = read_mail(mail.raw)
        if mail.sender in ("", "<>"):
            tx.settle_mail(
                mail.mail_id, "ignored", note="the envelope has no sender: a bounce, or an automatic answer"
            )
            return
        try:
            writer = player_of(tx, mail.recipient, self.mailbox, letter)
        except NotAPlayer as reason:
            state: MailState = "ignored" if isinstance(reason, ByAMachine) else "quarantined"
            tx.settle_mail(mail.mail_id, state, note=str(reason))
            return
        key = sha256(
            f"{writer.token_text}\n{letter.message_id or letter.content_sha256}".encode()
        ).hexdigest()
        earlier = tx.mail_with(key)
        if earlier is not None:
            same = read_mail(earlier.raw).content_sha256 == letter.content_sha256
            if same:
                tx.settle_mail(mail.mail_id, "duplicate", note=f"the same as mail {earlier.mail_id}")
            else:
                note = f"has the Message-ID of mail {earlier.mail_id} and says something else"
                tx.settle_mail(mail.mail_id, "quarantined", note=note)
            return
        answer = self._answer(tx, mail, letter, writer, key)
        if answer.did_something or self._answers_lately(tx, writer) < MAX_IDLE_ANSWERS:
            self._owe(tx, mail, writer, answer)
            tx.settle_mail(mail.mail_id, "done", key=key)
        else:
            tx.settle_mail(mail.mail_id, "ignored", key=key, note="too many mails that ask for nothing")

    def _answers_lately(self, tx: Tx, writer: Writer) -> int:
        """How many answers this seat got within an hour to mails that did nothing: a machine's, perhaps."""
        since = later(text_of(self.service.clock()), -3600)
        return sum(
            notice.kind == "answer"
            and notice.seat == writer.seat.seat
            and notice.due_at > since
            and not Answer.from_json(notice.payload).did_something
            for notice in tx.notices(writer.seat.game_id)
        )

    def _answer(self, tx: Tx, mail: Mail, letter: Letter, writer: Writer, key: str) -> Answer:
        lines: list[AnsweredLine] = []
        show: list[Section] = []
        for number, line in enumerate(understand(letter)):
            text = plain(line.text)
            if line.verdict == "order" and line.order is not None:
                if line.order.word in QUESTIONS:
                    show.append(_SECTIONS[line.order.word])
                    lines.append(AnsweredLine(text=text, verdict="done", why=DONE[line.order.word]))
                else:
                    outcome = self._obey(tx, mail, letter, writer, line.order, f"{key}/{number}")
                    lines.append(_told(text, line.order, outcome, letter.message_id))
            elif line.verdict != "order" and line.is_told:
                lines.append(AnsweredLine(text=text, verdict=line.verdict, why=line.why))
        if not lines:
            code = "mail/no_text" if letter.lines is None else "mail/no_order"
            lines.append(AnsweredLine(text="", verdict="not understood", why=MISUNDERSTOOD[code]))
        return Answer(
            lines=lines,
            show=list(dict.fromkeys(show)),
            in_reply_to=plain(letter.message_id),
            subject=plain(letter.headers.get("subject", "")),
        )

    def _obey(
        self, tx: Tx, mail: Mail, letter: Letter, writer: Writer, order: Order, command_id: str
    ) -> Outcome:
        origin = Origin(
            command_id,
            actor="seat",
            channel="mail",
            mail_sha256=mail.sha256,
            order=str(order),
            turn=writer.token.turn,
        )
        command = command_of(order, writer.seat.seat, letter.message_id)
        with tx.savepoint():
            return self.service.handle(tx, writer.seat.game_id, command, origin)

    def _owe(self, tx: Tx, mail: Mail, writer: Writer, answer: Answer) -> None:
        game_id, seat = writer.seat.game_id, writer.seat.seat
        game = self.service.load(tx, game_id)
        tx.owe(
            Notice(
                game_id,
                game.version,
                seat,
                "answer",
                due_at=text_of(self.service.clock()),
                turn=game.seats[seat].turn,
                about=str(mail.mail_id),
                payload=answer.to_json(),
            )
        )


def command_of(order: Order, seat: int, message_id: str) -> SeatCommand:
    """The command of an order that asks for something; a JOIN's own words go into the draw."""
    if order.word == "JOIN":
        return Join(seat=seat, contribution=contribution(message_id, order.text))
    move = order.move(seat)
    return Decline(seat=seat) if move is None else move


def process_all(do: Callable[[Callable[[Tx], bool]], bool], processor: Processor) -> int:
    """Deal with everything that has come in, each mail in a transaction that `do` opens; how many."""
    count = 0
    while do(processor.process_next):
        count += 1
    return count


def _told(text: str, order: Order, outcome: Outcome, message_id: str) -> AnsweredLine:
    if outcome.refusal is not None:
        return AnsweredLine(text=text, verdict="refused", why=str(outcome.refusal))
    why = DONE[order.word] if outcome.events else ALREADY_DONE
    if order.word == "JOIN" and outcome.events:
        why = f"{why} {CONTRIBUTED.format(hash=contribution(message_id, order.text))}"
    return AnsweredLine(text=text, verdict="done", why=why)
