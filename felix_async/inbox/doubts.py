"""Whether a mail for a seat is its player's, and what is said and asked if that is in doubt.

What speaks for a mail is its address of ours, which the player was told, its From, and our own mail server's
word for that. A mail that nobody vouches for is believed all the same if it comes by a provider for which the
player has said so: that is kept as a `Belief`, until they take it back. Nothing is said to anybody but the
player, at an address that is known as theirs, and only so often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from felix_async.address import token_in
from felix_async.clock import later, text_of
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.inbox.lines import answer_to
from felix_async.inbox.patience import answers_since
from felix_async.language.phrases import phrase
from felix_async.orders.context import DAY, Reply
from felix_async.orders.questions import (
    ask_about_sender,
    is_for_newcomer,
    question_about,
    question_named,
)
from felix_async.reading.authentication import UNKNOWN
from felix_async.reading.reader import Reading
from felix_async.reading.sender import InDoubt, Writer, check_sender, has_left
from felix_async.service import Service
from felix_async.text import plain
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Mail

MAX_NOTES: Final = 3
"""What a seat is told within a day about mails in doubt, beside the questions."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is done about a mail in doubt: the number of the question that its player is asked, if any, and
    what they are told of it, if anything.
    """

    question: int | None = None
    told: Answer | None = None

    @property
    def note(self) -> str:
        """The same, for the operator."""
        if self.question is not None:
            return f"; the player was asked, question {self.question}"
        return "; the player was not asked" + ("" if self.told is None else ", and told so")


def check_writer(tx: Reader, writer: Writer, letter: Reading) -> None:
    """Raises InDoubt if the mail may not be the player's.

    Whether an unconfirmed mail was the player's cannot depend on another one being confirmed: the address of
    a question, which was told to one mailbox alone, is enough. A YES for a new address comes from one that
    the player has had before, but for that of an ADDRESS, which was told there.
    """
    question = question_named(tx, writer)
    if is_for_newcomer(question, letter.sender):
        return
    is_about_own = (
        question is not None and question.kind == "sender" and question.text in writer.seat.addresses
    )
    check_sender(writer, letter, is_believed=is_about_own or _is_believed(tx, writer, letter))
    if has_left(tx, writer.seat.player_id, letter.sender):
        raise InDoubt("the mail of this player goes to another address now")


def _is_believed(tx: Reader, writer: Writer, letter: Reading) -> bool:
    if not letter.vouching.server or letter.sender not in writer.seat.addresses:
        return False
    beliefs = tx.beliefs(writer.seat.player_id)
    believed = {one.provider for one in beliefs if one.address == letter.sender}
    return not believed.isdisjoint(letter.vouching.providers)


def doubted(tx: Tx, service: Service, mail: Mail, letter: Reading, writer: Writer, mailbox: str) -> Doubt:
    """Hold a mail in doubt, and ask the player whether it is theirs; else tell them why they are not asked.

    A mail from another player's address, or from ours, is not theirs. With tricks in its From it is nobody's.
    """
    sender, seat, now = letter.sender, writer.seat, text_of(service.clock())
    owner = tx.player_at(sender) if sender else None
    if not sender or token_in(sender, mailbox) is not None or owner not in (None, seat.player_id):
        return Doubt()
    question = question_named(tx, writer)
    is_answer = question is not None and question.kind != "order"
    if is_answer and sender not in seat.addresses:
        return _told(tx, letter, writer, now, "elsewhere")
    provider = next(iter(letter.vouching.providers), "")
    tx.hold(mail.mail_id, seat.player_id, sender, provider)
    turn = service.load(tx, seat.game_id).seats[seat.seat].turn
    number = ask_about_sender(tx, writer, mail, letter, turn, now, provider)
    if number is not None:
        return Doubt(number)
    waiting = question_about(tx, writer, sender, provider)
    if waiting is None:
        # The last question said from when on there are more; of a stranger turned down nothing is told.
        return Doubt()
    held = tx.held(waiting.mail_id)
    is_covered = held is not None and held.provider == provider != UNKNOWN
    return _told(tx, letter, writer, now, "with_the_first" if is_covered else "after_the_first")


def _told(tx: Tx, letter: Reading, writer: Writer, now: str, why: str) -> Doubt:
    """What the player is told, once more today, or nothing if that was often enough."""
    seat = writer.seat
    told = sum(one.reason == "in doubt" for one in answers_since(tx, seat, later(now, -DAY)))
    if told >= MAX_NOTES:
        return Doubt()
    said = [phrase(f"people.doubt.{why}", address=plain(letter.sender))]
    if told == MAX_NOTES - 1:
        said.append(phrase("people.doubt.last"))
    lines = (AnsweredLine(text="", verdict="asked", why=" ".join(said)),)
    return Doubt(told=answer_to(letter, Reply(lines)))
