"""YES and NO: the answers to what felix asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from felix_async.answer import AnsweredLine
from felix_async.grammar import Order
from felix_async.inbox.dialogue import answer_question, open_question
from felix_async.inbox.orders.desk import Desk, Given, asked, done, refused
from felix_async.text import plain
from felix_async.words import MISUNDERSTOOD, NOT_YOURS, NOTHING_MEANT, STILL_OPEN, YOURS_NOW

Obey = Callable[[Desk, Given, int | None], AnsweredLine]
"""Does an order that answers this turn; None: none at all."""


def obey_reply(desk: Desk, given: Given, obey: Obey) -> AnsweredLine:
    """Take YES or NO as the answer to the question that it is for; an order that was meant is then done."""
    is_yes = given.order.word == "YES"
    answered = answer_question(desk.tx, desk.writer, is_yes, desk.turn)
    if answered.question is None and _is_invited(desk):
        if is_yes:
            joined = replace(given, order=Order("JOIN"), text=f"{given.text} ({Order('JOIN')})")
            return obey(desk, joined, desk.turn)
        return asked(desk, given.text, Order("DECLINE"))
    if answered.refusal is not None:
        return refused(given, answered.refusal)
    question = answered.question
    assert question is not None, "what was not refused is about a question"
    desk.obeyed.changed = True
    if answered.order is not None:
        meant = replace(given, order=answered.order, text=f"{given.text} ({answered.order})")
        return obey(desk, meant, question.turn)
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
        desk.obeyed.asks_text = MISUNDERSTOOD["order/did_you_mean"].format(order=question.text)
    elif question is not None:
        why = STILL_OPEN.format(address=plain(question.text))
        desk.obeyed.lines.append(AnsweredLine(text="", verdict="asked", why=why))


def _is_invited(desk: Desk) -> bool:
    """Whether an invitation is what this seat was asked last: YES and NO are clear enough then."""
    return desk.game.phase == "inviting" and desk.seat in desk.game.asked
