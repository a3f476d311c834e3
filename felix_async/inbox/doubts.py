"""Doubts whether a message for a seat is its player's: when there are any, and what is said and asked then.

These speak for a mail: its address of ours, which the player was told, its From, and our own mail server's
word for that. A mail that nobody vouches for is believed all the same if it comes by a provider for which the
player has said so: that is kept as a `Belief`, until they take it back. Nothing is said to anybody but the
player, at an address that is known as theirs, and only so often.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from felix_async.address import token_in
from felix_async.clock import DAY, later
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.kinds import enqueue
from felix_async.inbox.answers import answer_to
from felix_async.inbox.arrival import Arrival, Handled, Told
from felix_async.inbox.patience import answers_since
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_async.orders.context import Reply
from felix_async.orders.questions import UNKEYED, is_for_newcomer, is_known, provider_of, question_named
from felix_async.reading.authentication import UNKNOWN, provider_text
from felix_async.reading.reader import Reading
from felix_async.reading.sender import InDoubt, Writer, check_sender, has_left
from felix_async.text import plain
from felix_events.store.base import Reader
from felix_events.store.rows import Question

MAX_SENDER_QUESTIONS: Final = 3
"""Questions without a YES, within a day and to one seat, about mails from addresses that are not its own,
one for each; and about mails from its player's own by one provider.
"""
MAX_OWN_QUESTIONS: Final = 6
"""The same about mails from the player's own addresses by any provider."""
MAX_NOTES: Final = 3
"""Answers to a seat within a day about mails in doubt, beside the questions."""


def check_writer(tx: Reader, writer: Writer, reading: Reading) -> None:
    """Raise InDoubt if the mail may not be the player's.

    The answer about an unconfirmed mail cannot depend on another one being confirmed: the address of
    a question, which was told to one mailbox alone, is enough. A YES for a new address comes from one that
    the player has had before, but for that of an ADDRESS, which was told there.
    """
    question = question_named(tx, writer)
    if is_for_newcomer(question, reading.sender):
        return
    is_about_own = (
        question is not None and question.kind == "sender" and question.text in writer.seat.addresses
    )
    check_sender(writer, reading, is_believed=is_about_own or _is_believed(tx, writer, reading))
    if has_left(tx, writer.seat.player_id, reading.sender):
        raise InDoubt("the mail of this player goes to another address now")


def _is_believed(tx: Reader, writer: Writer, reading: Reading) -> bool:
    if not reading.vouching.server or reading.sender not in writer.seat.addresses:
        return False
    beliefs = tx.beliefs(writer.seat.player_id)
    believed = {one.provider for one in beliefs if one.address == reading.sender}
    return not believed.isdisjoint(reading.vouching.providers)


def in_doubt(arrival: Arrival, writer: Writer, reason: str) -> Handled:
    """Hold a mail in doubt, and ask the player whether it is theirs; else tell them why they are not asked.

    A mail from another player's address, or from ours, is not theirs. With tricks in its From it is nobody's.
    """
    tx, sender, seat = arrival.tx, arrival.reading.sender, writer.seat
    not_asked = Handled("quarantined", f"{reason}; the player was not asked")
    owner = tx.player_at(sender) if sender else None
    if not sender or token_in(sender, arrival.mailbox) is not None or owner not in (None, seat.player_id):
        return not_asked
    question = question_named(tx, writer)
    is_answer = question is not None and question.kind != "order"
    if is_answer and sender not in seat.addresses:
        return _told(arrival, writer, "elsewhere", not_asked)
    provider = next(iter(arrival.reading.vouching.providers), "")
    tx.hold(arrival.mail.mail_id, seat.player_id, sender, provider)
    turn = arrival.service.load(tx, seat.game_id).seats[seat.seat].turn
    number = ask_about_sender(arrival, writer, turn, provider)
    if number is not None:
        return Handled("quarantined", f"{reason}; the player was asked, question {number}")
    waiting = _question_about(tx, writer, sender, provider)
    if waiting is None:
        # The last question said from when on there are more; of a stranger turned down nothing is told.
        return not_asked
    held = tx.held(waiting.mail_id)
    is_covered = held is not None and held.provider == provider != UNKNOWN
    return _told(arrival, writer, "with_the_first" if is_covered else "after_the_first", not_asked)


def _told(arrival: Arrival, writer: Writer, why: str, otherwise: Handled) -> Handled:
    """Tell the player of it, once more today; `otherwise` if that was often enough."""
    seat = writer.seat
    lately = answers_since(arrival.tx, seat, later(arrival.now, -DAY))
    told = sum(one.reason == "in doubt" for one in lately)
    if told >= MAX_NOTES:
        return otherwise
    said = [phrase(f"people.doubt.{why}", address=plain(arrival.reading.sender))]
    if told == MAX_NOTES - 1:
        said.append(phrase("people.doubt.last"))
    line = AnsweredLine(text="", verdict="asked", why=" ".join(said))
    answer = Told(seat, answer_to(arrival.reading, Reply((line,))), "in doubt")
    return Handled("quarantined", f"{otherwise.note}, and told so", (answer,))


def ask_about_sender(
    arrival: Arrival,
    writer: Writer,
    turn: int,
    provider: str = "",
    more: Mapping[str, object] | None = None,
) -> int | None:
    """Ask the player, in a mail of its own, whether the mail is theirs; None if they were asked enough today.

    The number of the question is returned. It tells which orders the mail holds, so that nobody says YES to
    what they do not know: their words alone, since whoever reads it may be somebody else. `provider` is by
    whom a mail came that nobody vouches for: of the player's own address each is asked about for itself, so
    that no stranger uses up their questions. `more` is what else the question tells; the last one for a while
    says until when there are none.
    """
    tx, now, sender, seat = arrival.tx, arrival.now, arrival.reading.sender, writer.seat
    is_own = sender in seat.addresses
    # A player who says YES wants to be asked, and is not a stranger: that counts for nothing.
    since = later(now, -DAY)
    lately = [one for one in _about_senders(tx, writer) if one.asked_at > since and one.state != "yes"]
    alike = [one for one in lately if _is_alike(tx, one, sender, provider if is_own else None)]
    of_kind = [
        one
        for one in lately
        if (one.text in seat.addresses) == is_own
        and (provider_of(tx, one) == UNKEYED) == (provider == UNKEYED)
    ]
    # Whoever answered for a mail of their own may be asked about the next, but for a NO to its provider.
    said_no = is_known(provider) and any(one.state == "no" for one in alike)
    is_over = any(one.state == "open" for one in alike) or (said_no if is_own else bool(alike))
    limits = [(of_kind, MAX_OWN_QUESTIONS if is_own else MAX_SENDER_QUESTIONS), (alike, MAX_SENDER_QUESTIONS)]
    if is_over or any(len(asked) >= most for asked, most in limits):
        return None
    question = Question(seat.game_id, seat.seat, "sender", turn, arrival.mail.mail_id, sender, now)
    number = tx.ask(question)
    orders = [WORD_OF[line.order.word] for line in arrival.reading.said if line.order is not None]
    asked: dict[str, Any] = {"orders": tuple(dict.fromkeys(orders)), **(more or {})}
    if provider not in ("", UNKEYED):
        asked |= {"provider": provider_text(provider), "believed": provider != UNKNOWN}
    # If this was the last one, the oldest falls out of the day first.
    ends = [later(before[0].asked_at, DAY) for before, most in limits if len(before) == most - 1]
    if ends:
        asked["until"] = max(ends)
    if has_left(tx, seat.player_id, sender):
        asked["whose"] = "moved"
    notice = kinds.Question(
        game_id=seat.game_id,
        version=tx.head(seat.game_id)[0],
        seat=seat.seat,
        due_at=now,
        turn=turn,
        number=number,
        address=sender,
        **asked,
    )
    enqueue(tx, notice)
    return number


def _question_about(tx: Reader, writer: Writer, sender: str, provider: str) -> Question | None:
    """The question that is open whether mails like this one are the player's."""
    by = provider if sender in writer.seat.addresses else None
    asked = _about_senders(tx, writer)
    return next((one for one in asked if one.state == "open" and _is_alike(tx, one, sender, by)), None)


def _about_senders(tx: Reader, writer: Writer) -> list[Question]:
    asked = tx.questions(writer.seat.game_id, writer.seat.seat)
    return [question for question in asked if question.kind == "sender"]


def _is_alike(tx: Reader, question: Question, sender: str, provider: str | None) -> bool:
    """Return True if this was asked about a mail from there, by this provider or (None) by any."""
    return question.text == sender and provider in (None, provider_of(tx, question))
