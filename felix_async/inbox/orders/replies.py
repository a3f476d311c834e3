"""YES and NO: the answers to what felix asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from felix_async.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.grammar import Order, read_line
from felix_async.inbox.dialogue import (
    ABOUT_ADDRESS,
    answer_question,
    asked_unkeyed,
    is_for_newcomer,
    open_question,
    question_named,
)
from felix_async.inbox.orders.desk import Desk, Given, asked, asking, done, refused
from felix_async.text import plain
from felix_async.words import NOT_YOURS, NOTHING_MEANT, OWN_YES, STILL_OPEN, YOURS_NOW
from felix_async.words.phrases import phrase

Obey = Callable[[Desk, Given, int | None], AnsweredLine]
"""Does an order that answers this turn (None: none at all), and that its player has said YES to."""


def obey_reply(desk: Desk, given: Given, obey: Obey) -> AnsweredLine:
    """Take YES or NO as the answer to the question that it is for; an order that was meant is then done."""
    is_yes = given.order.word == "YES"
    named = question_named(desk.tx, desk.writer)
    if named is not None and named.kind in ABOUT_ADDRESS and not is_for_newcomer(named, desk.letter.sender):
        return refused(given, Refusal("address/from_there", {"address": plain(named.text)}))
    was_own = named is not None and named.text in desk.writer.seat.addresses
    answered = answer_question(desk.tx, desk.service, desk.writer, desk.mail, is_yes, desk.turn, desk.now)
    if answered.question is None and _is_invited(desk):
        if is_yes:
            joined = replace(given, order=Order("JOIN"), text=f"{given.text} ({Order('JOIN')})")
            return obey(desk, joined, desk.turn)
        return asked(desk, given.text, Order("DECLINE"))
    if answered.refusal is not None:
        return refused(given, answered.refusal)
    if answered.is_elsewhere:
        return AnsweredLine(text=given.text, verdict="asked", why=phrase("people.sure.elsewhere"))
    question = answered.question
    assert question is not None, "what was not refused is about a question"
    desk.obeyed.changed = True
    if answered.order is not None:
        meant = replace(given, order=answered.order, text=f"{given.text} ({answered.order})")
        return obey(desk, meant, question.turn)
    if question.kind in ABOUT_ADDRESS and is_yes:
        desk.obeyed.gave_orders = True
        desk.obeyed.show.append("resend")
        return done(given, phrase("people.address.moved", address=plain(question.text)))
    if question.kind == "sender" and is_yes and was_own:
        # A mail without a token is about no game of theirs: its own answer says that it was confirmed, too.
        desk.obeyed.told_elsewhere = bool(answered.requeued) and all(
            desk.tx.outcome(asked_unkeyed(mail_id)) is not None for mail_id in answered.requeued
        )
        return done(given, OWN_YES)
    if question.kind == "sender":
        return done(given, YOURS_NOW.format(address=plain(question.text)) if is_yes else NOT_YOURS)
    return done(given, NOTHING_MEANT)


def ask_again(desk: Desk) -> None:
    """Let the answer speak of the question that is still open.

    One about an order is put again. One about an address is answered where it was asked and nowhere else.
    """
    question = open_question(desk.tx, desk.writer, desk.turn)
    if question is not None and question.kind == "order":
        desk.obeyed.asks = question.number
        order = read_line(question.text)
        assert isinstance(order, Order), "an order is kept as felix itself writes it"
        desk.obeyed.asks_text = asking(order)
    elif question is not None and question.kind == "sender":
        why = STILL_OPEN.format(address=plain(question.text))
        desk.obeyed.lines.append(AnsweredLine(text="", verdict="asked", why=why))


def _is_invited(desk: Desk) -> bool:
    """Whether an invitation is what this seat was asked last: YES and NO are clear enough then."""
    return desk.game.phase == "inviting" and desk.seat in desk.game.asked
