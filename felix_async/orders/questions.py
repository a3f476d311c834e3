"""Questions to players (is this address yours, did you mean this order), and the answers to them.

A question about an address goes to the player in a mail of its own, and only the address of that mail can
answer it: its reader is the player. A question about an order is put in the answer to the message in doubt,
is the only open one of its seat, and is about the decision that was before the seat then. If the order was
taken (`felix_async.orders.inferred`), the question answers itself after a pause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from felix_async.clock import DAY, later
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer
from felix_async.follow_up.kinds import enqueue, load_all
from felix_async.game.moment import Row
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import RENEWED, WORD_OF
from felix_async.orders.rekeying import rekey
from felix_async.reading.authentication import UNKNOWN
from felix_async.reading.sender import Writer, has_left
from felix_async.service import Service
from felix_async.text import plain
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import AddressRow, Belief, Question, QuestionKind, SeatRow

UNKEYED: Final = "unkeyed"
"""Instead of a provider: the message had no token, so that anybody could write it."""
ABOUT_ADDRESS: Final = ("address", "moved")
"""Questions to an address of which nobody knows yet, or no more, that its reader is the player."""
QUESTION_TTL: Final = 7 * DAY
"""Seconds for which such a question can be answered."""
_AROUND: Final = 60.0
"""Seconds: the answer to a message is owed in the transaction in which an order was taken from it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question just answered. With a `refusal` nothing follows from it; `order` is to be done now.

    `asked_again` says why the question is still open; `requeued` are the messages that are dealt with anew
    because of it.
    """

    question: Question | None = None
    refusal: Refusal | None = None
    order: Order | None = None
    asked_again: str = ""
    requeued: Sequence[int] = ()


def is_known(provider: str) -> bool:
    """Return True if messages by this provider can be told from others."""
    return provider not in ("", UNKNOWN, UNKEYED)


def provider_of(tx: Reader, question: Question) -> str:
    """By whom the message came that a question is about."""
    held = tx.held(question.mail_id)
    return "" if held is None else held.provider


def ask_about_order(
    tx: Tx, row: SeatRow, mail_id: int, order: Order, turn: int, lies: Row, now: str, due_at: str = ""
) -> int:
    """Keep the question whether this order was meant; it takes the place of an older one. Its number.

    It is about the decision `turn`, and the row as it `lies`. At `due_at` it answers itself with YES.
    """
    forget_orders(tx, row)
    question = Question(row.game_id, row.seat, "order", turn, mail_id, str(order), now, due_at=due_at)
    return tx.ask(replace(question, round=lies.round, turned=lies.turned))


def row_asked(question: Question) -> Row:
    """The row as it lay when a question was asked."""
    return Row(question.round, question.turned)


def answer_that_took(reader: Reader, question: Question) -> Answer:
    """The answer in which an order was taken, for the thread; an empty one if it is not kept any more."""
    since = later(question.asked_at, -_AROUND)
    notices = load_all(one for one in reader.notices(question.game_id, since) if one.seat == question.seat)
    answers = (one for one in notices if isinstance(one, kinds.Answer) and one.mail_id == question.mail_id)
    return next((one.answer for one in answers), Answer(lines=[]))


def words_taken(reader: Reader, question: Question) -> str:
    """The words that an order was taken from; the order itself if they are not kept any more."""
    lines = answer_that_took(reader, question).lines
    return next((line.text for line in lines if line.order == question.text and line.text), question.text)


def waiting_order(reader: Reader, game_id: str, seat: int) -> Question | None:
    """The order of a seat that was taken from a message and is not done yet."""
    asked = reader.questions(game_id, seat)
    return next((one for one in asked if one.state == "open" and one.due_at), None)


def waiting_orders(reader: Reader, game_id: str) -> list[Question]:
    """The same, of all seats of a table."""
    found = (waiting_order(reader, game_id, row.seat) for row in reader.seats(game_id))
    return [one for one in found if one is not None]


def take_back(tx: Tx, row: SeatRow) -> str:
    """Drop the order of a seat that was taken and is not done yet; return its text, '' if there is none."""
    question = waiting_order(tx, row.game_id, row.seat)
    if question is None:
        return ""
    tx.settle_question(question, "no")
    return question.text


def forget_orders(tx: Tx, row: SeatRow) -> None:
    """Drop the question about an order of this seat: another one was given, or is asked about."""
    _drop(tx, row.game_id, row.seat, "order")


def withdraw_offers(tx: Tx, game_id: str, seat: int) -> None:
    """Drop the question whether somebody plays on in this seat: it is no longer to be had."""
    _drop(tx, game_id, seat, "substitute")


def is_saying(order: str) -> bool:
    """Return True if an order says something to the others."""
    return order.startswith(f"{WORD_OF['SAY']} ")


def _drop(tx: Tx, game_id: str, seat: int, kind: QuestionKind) -> None:
    for question in tx.questions(game_id, seat):
        if (question.kind, question.state) == (kind, "open") and not is_saying(question.text):
            tx.settle_question(question, "dropped")


def answer_question(
    tx: Tx,
    service: Service,
    writer: Writer,
    mail_id: int,
    yes: bool,
    turn: int,
    now: str,
    *,
    is_alone: bool,
    is_for_good: Callable[[Order], bool],
) -> Answered:
    """Take YES or NO as the answer to the question that it is for.

    YES to an address makes it one of the player's and has the message in question dealt with anew, or has all
    letters go there; YES to an order is for the caller to do. A YES in the message that is asked about
    answers nothing: it was written before anybody asked. For good, only a YES counts that `is_alone`: a
    machine repeats what it answers below words of its own.
    """
    question = _question_for(tx, writer, turn)
    if not yes and (question is None or (question.kind == "order" and question.state != "open")):
        # To wait does no harm: a NO to an older question drops what was taken since.
        question = waiting_order(tx, writer.seat.game_id, writer.seat.seat) or question
    if question is None:
        return Answered(refusal=Refusal("question/none"))
    if question.kind == "order" and question.mail_id == mail_id:
        return Answered(question, Refusal("question/too_soon"))
    if question.kind == "sender" and question.state == "yes" and not yes:
        player, provider = writer.seat.player_id, provider_of(tx, question)
        if provider and tx.doubt(player, question.text, provider):
            return Answered(question)
    if not is_answerable(question, now):
        return Answered(question, Refusal("question/closed"))
    order = read_line(question.text) if question.kind == "order" else None
    if yes and isinstance(order, Order) and is_for_good(order):
        if writer.token.purpose != "question":
            return Answered(question, asked_again=phrase("people.sure.elsewhere"))
        if not is_alone:
            return Answered(question, asked_again=phrase("people.sure.alone"))
    if not yes:
        tx.settle_question(question, "no")
        if question.kind == "sender":
            is_own = question.text in writer.seat.addresses
            by = provider_of(tx, question) if is_own else None
            tx.release_held(writer.seat.player_id, question.text, by)
        return Answered(question)
    if question.kind in ABOUT_ADDRESS:
        return _move(tx, service, writer, question, now)
    if question.kind == "sender":
        return _adopt(tx, writer, question, now)
    tx.settle_question(question, "yes")
    if not isinstance(order, Order):
        # It was kept as felix wrote it then, which was in another language.
        return Answered(question, Refusal("question/closed"))
    return Answered(question, order=order)


def stop_mail(tx: Tx, player_id: str) -> None:
    """No more mail to any address of this player; one that bounces stays known as such."""
    _note_all(tx, player_id, lambda row: replace(row, stopped=row.stopped or "asked"))


def welcome_back(tx: Tx, player_id: str) -> None:
    """The player has given an order: mail that they had stopped goes again."""
    _note_all(tx, player_id, lambda row: replace(row, stopped="") if row.stopped == "asked" else row)


def _note_all(tx: Tx, player_id: str, change: Callable[[AddressRow], AddressRow]) -> None:
    for row in tx.addresses(player_id):
        changed = change(row)
        if changed != row:
            tx.note_address(changed)


def question_named(tx: Reader, writer: Writer) -> Question | None:
    """The question that the address of a message belongs to; None for the address of a turn."""
    if writer.token.purpose != "question":
        return None
    asked = tx.questions(writer.seat.game_id, writer.seat.seat)
    return next((one for one in asked if one.number == writer.token.turn), None)


def open_question(tx: Tx, writer: Writer, turn: int) -> Question | None:
    """The question that a message to this address could still answer with YES."""
    question = _question_for(tx, writer, turn)
    return question if question is not None and question.state == "open" else None


def _question_for(tx: Tx, writer: Writer, turn: int) -> Question | None:
    """The question that the address of a message names, else the open one about an order of this turn."""
    if writer.token.purpose == "question":
        return question_named(tx, writer)
    asked = tx.questions(writer.seat.game_id, writer.seat.seat)
    about_now = (one for one in asked if (one.kind, one.state, one.turn) == ("order", "open", turn))
    # Only the answer that offers to say something asks about that.
    return next((one for one in about_now if not is_saying(one.text)), None)


def is_for_newcomer(question: Question | None, sender: str) -> bool:
    """Return True if a question asks about a new address for letters, and this message comes from there.

    That such a message is for the player cannot be seen by its sender: that the question was told to that
    address alone is what shows it.
    """
    return question is not None and question.kind in ABOUT_ADDRESS and question.text == sender


def _move(tx: Tx, service: Service, writer: Writer, question: Question, now: str) -> Answered:
    """Letters go to that address from now on, and the old one is told, and asked whether that is right.

    All addresses of ours that the player's messages carried so far are void: they lie in the old mailbox.
    """
    player = writer.seat.player_id
    if tx.player_at(question.text) not in (None, player):
        return Answered(question, Refusal("address/taken", {"address": plain(question.text)}))
    seats = tx.seats(question.game_id)
    before = next((row.address for row in seats if row.seat == question.seat), None)
    tx.settle_question(question, "yes")
    tx.move_mail(player, question.text)
    for row in tx.seats_of(player):
        if not service.load(tx, row.game_id).is_over:
            is_here = row.game_id == question.game_id
            rekey(tx, service, row, "" if is_here else RENEWED)
    if before is not None and before != question.text and question.kind == "address":
        tx.ask(replace(question, kind="moved", text=before, asked_at=now, state="open"))
    elif before is not None and before != question.text:
        # A player who has just taken it back is right: nobody else is asked in turn.
        _tell_old(tx, question, before, 0, now)
    for row in tx.seats_of(player):
        for one in tx.questions(row.game_id, row.seat):
            if question.kind == one.kind == "moved" and one.asked_at >= question.asked_at:
                tx.settle_question(one, "dropped" if one.state == "open" else one.state)
            elif one.kind == "moved" and is_answerable(one, now):
                # With the seat's secret the address of an earlier letter went, too.
                _tell_old(tx, replace(one, text=question.text), one.text, one.number, now)
    return Answered(question)


def is_answerable(question: Question, now: str) -> bool:
    """Return True if YES to this question can still do something."""
    is_over = question.kind in ABOUT_ADDRESS and question.asked_at <= later(now, -QUESTION_TTL)
    return question.state == "open" and not is_over


def _tell_old(tx: Tx, question: Question, before: str, number: int, now: str) -> None:
    """Tell the address that letters went to where they go now; with the number of a question its reader may
    take that back.
    """
    notice = kinds.Moved(
        game_id=question.game_id,
        version=tx.head(question.game_id)[0],
        seat=question.seat,
        due_at=now,
        turn=question.turn,
        to=before,
        question=question.number,
        address=question.text,
        number=number,
    )
    enqueue(tx, notice)


def _adopt(tx: Tx, writer: Writer, question: Question, now: str) -> Answered:
    """That address is the player's, too; and what comes from there by the same provider is believed from now
    on, if it can be told from others. Mail that came by others was not asked about.
    """
    player, sender = writer.seat.player_id, question.text
    owner = tx.player_at(sender)
    if owner not in (None, player):
        return Answered(question, Refusal("address/taken", {"address": plain(sender)}))
    if owner is None:
        tx.adopt(player, sender)
    elif has_left(tx, owner, sender):
        row = next(row for row in tx.addresses(owner) if row.address == sender)
        tx.note_address(replace(row, stopped=""))
    tx.settle_question(question, "yes")
    provider = provider_of(tx, question)
    if is_known(provider):
        tx.believe(Belief(player, sender, provider, now))
    # Of messages without a token, the question has told what this one says, and no other.
    held = tx.held(question.mail_id)
    is_alone = provider == UNKNOWN or (held is not None and held.keyless)
    only = question.mail_id if is_alone else None
    requeued = tx.confirm_held(player, sender, only, provider)
    for mail_id in requeued:
        tx.requeue_mail(mail_id, "its sender was confirmed by the player")
    # The same question may stand open in the player's other games.
    for seat in tx.seats_of(player):
        for other in tx.questions(seat.game_id, seat.seat):
            is_same = (other.kind, other.state, other.text) == ("sender", "open", sender)
            if is_same and provider != UNKNOWN and provider_of(tx, other) == provider:
                tx.settle_question(other, "dropped")
    return Answered(question, requeued=requeued)
