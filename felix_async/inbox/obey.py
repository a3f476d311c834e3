"""A mail's lines, done one by one: the orders among them, the questions, and the answers to ours.

Each order is done in a part of the transaction of its own: one refused line undoes nothing else. What was
not understood is never done; where just one order may have been meant, it is asked about. What an order
does is in `orders/`.
"""

from __future__ import annotations

from typing import Final

from felix_async.answer import Answer, AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.inbox.dialogue import question_named
from felix_async.inbox.orders.asides import folded, in_phase
from felix_async.inbox.orders.desk import Desk, Given, Obeyed, asked, done, refused, turn_answered
from felix_async.inbox.orders.moves import obey_move
from felix_async.inbox.orders.people import obey_person
from felix_async.inbox.orders.presence import STAYS_AWAY, come_back
from felix_async.inbox.orders.questions import SECTIONS
from felix_async.inbox.orders.replies import ask_again, obey_reply
from felix_async.inbox.reading.reader import Letter
from felix_async.inbox.reading.understand import Understood, understand, weighed
from felix_async.inbox.sender import Writer
from felix_async.service import Service
from felix_async.text import plain
from felix_async.words import ABOUT_MAIL, MISUNDERSTOOD, MORE_LINES, QUESTIONS, REPLIES, TALK
from felix_events.store.base import Tx
from felix_events.store.rows import Mail

MAX_TOLD: Final = 60
"""Lines of a mail that its answer repeats."""


def obey_lines(
    tx: Tx,
    service: Service,
    mail: Mail,
    letter: Letter,
    writer: Writer,
    key: str,
    *,
    may_ask: bool,
    mailbox: str = "",
) -> Obeyed:
    """Do what the lines of a mail order. `key` names the mail: with the line's number it names a command.

    `may_ask` is False where nobody would be told the question.
    """
    turn = service.load(tx, writer.seat.game_id).seats[writer.seat.seat].turn
    desk = Desk(tx, service, mail, letter, writer, turn, mailbox)
    obeyed = desk.obeyed
    for number, line in enumerate(weighed([in_phase(desk.game, line) for line in understand(letter)])):
        if line.verdict == "asked" and may_ask:
            assert line.order is not None, "the verdict says that there is one"
            obeyed.lines.append(asked(desk, line.text, line.order, line.why))
        elif line.verdict == "order":
            # What an order does may come with a line of its own before it.
            answered = _obeyed(desk, _given(line, f"{key}/{number}"))
            obeyed.lines.append(answered)
            if obeyed.forgets:
                return obeyed
        elif line.is_told:
            obeyed.lines.append(AnsweredLine(text=plain(line.text), verdict=line.verdict, why=line.why))
    obeyed.lines[:] = folded(obeyed.lines)
    if not obeyed.asks:
        ask_again(desk)
    more = len(obeyed.lines) - MAX_TOLD
    if more > 0:
        why = MORE_LINES.format(count=more)
        obeyed.lines[MAX_TOLD:] = [AnsweredLine(text="", verdict="ignored", why=why)]
    if not obeyed.lines:
        code = "mail/no_text" if letter.lines is None else "mail/no_order"
        obeyed.lines.append(AnsweredLine(text="", verdict="not understood", why=MISUNDERSTOOD[code]))
    return obeyed


def answer_to(letter: Letter, obeyed: Obeyed) -> Answer:
    """The answer that says so, in the thread of the mail."""
    return Answer(
        lines=obeyed.lines,
        show=list(dict.fromkeys(obeyed.show)),
        in_reply_to=plain(letter.message_id),
        subject=plain(letter.headers.get("subject", "")),
        asks=obeyed.asks,
        asks_text=obeyed.asks_text,
        changed=obeyed.changed,
    )


def _given(line: Understood, command_id: str) -> Given:
    assert line.order is not None, "the verdict says that there is one"
    return Given(line.order, plain(line.text), command_id)


def _obeyed(desk: Desk, given: Given, confirmed: int | None = None) -> AnsweredLine:
    """What came of one order; `confirmed` is the turn of a question that was answered with YES."""
    word = given.order.word
    named = question_named(desk.tx, desk.writer)
    if named is not None and named.kind == "address" and word not in REPLIES:
        # Whoever reads mail there is not the player yet.
        return refused(given, Refusal("question/yes_or_no"))
    if word not in STAYS_AWAY:
        come_back(desk, given)
    if word in QUESTIONS:
        desk.obeyed.show.append(SECTIONS[word])
        return done(given)
    if word in REPLIES:
        return obey_reply(desk, given, _obeyed)
    if word in ABOUT_MAIL or word in TALK:
        return obey_person(desk, given, confirmed)
    turn = turn_answered(desk) if confirmed is None else confirmed
    if turn is None:
        return refused(given, Refusal("question/yes_or_no"))
    return obey_move(desk, given, turn)
