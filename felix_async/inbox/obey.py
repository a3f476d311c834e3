"""A mail's lines, done one by one: the orders among them, the questions, and the answers to ours.

Each order is done in a part of the transaction of its own: one refused line undoes nothing else. What was
not understood is never done; where just one order may have been meant, it is asked about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from felix_async.answer import Answer, AnsweredLine, Section
from felix_async.clock import text_of
from felix_async.draw import contribution
from felix_async.game.commands import Decline, Join, SeatCommand
from felix_async.game.rules import Refusal
from felix_async.grammar import Order
from felix_async.inbox.dialogue import (
    answer_question,
    ask_about_order,
    forget_orders,
    open_question,
    question_named,
    stop_mail,
)
from felix_async.inbox.reading.reader import Letter
from felix_async.inbox.reading.understand import Understood, understand, weighed
from felix_async.inbox.sender import Writer
from felix_async.service import Origin, Outcome, Service
from felix_async.text import plain
from felix_async.words import (
    ABOUT_MAIL,
    ALREADY_DONE,
    ASKED,
    CONTRIBUTED,
    DONE,
    MISUNDERSTOOD,
    MORE_LINES,
    NOT_YOURS,
    NOTHING_MEANT,
    QUESTIONS,
    REPLIES,
    STILL_OPEN,
    YOURS_NOW,
)
from felix_events.store.base import Tx
from felix_events.store.rows import Mail

MAX_TOLD: Final = 60
"""Lines of a mail that its answer repeats."""
_SECTIONS: Final[dict[str, Section]] = {"HAND": "hand", "STATUS": "status", "HELP": "help"}


@dataclass(slots=True)
class Obeyed:
    """What came of the lines; `asks` is the number of the question that the answer puts (0: none)."""

    lines: list[AnsweredLine] = field(default_factory=list)
    show: list[Section] = field(default_factory=list)
    asks: int = 0
    asks_text: str = ""
    changed: bool = False
    gave_orders: bool = False
    """Whether the player wants to play on: an order or a question, but not STOP."""


@dataclass(frozen=True, slots=True)
class _Desk:
    """All that it takes to do one order of a mail."""

    tx: Tx
    service: Service
    mail: Mail
    letter: Letter
    writer: Writer
    turn: int
    """The decision that is before the seat as the mail is read."""


def obey_lines(
    tx: Tx, service: Service, mail: Mail, letter: Letter, writer: Writer, key: str, *, may_ask: bool
) -> Obeyed:
    """Do what the lines of a mail order. `key` names the mail: with the line's number it names a command.

    `may_ask` is False where nobody would be told the question.
    """
    turn = service.load(tx, writer.seat.game_id).seats[writer.seat.seat].turn
    desk = _Desk(tx, service, mail, letter, writer, turn)
    obeyed = Obeyed()
    for number, line in enumerate(weighed(understand(letter))):
        if line.verdict == "asked" and may_ask:
            obeyed.lines.append(_asked(desk, line, obeyed))
        elif line.verdict == "order":
            obeyed.lines.append(_done(desk, line, f"{key}/{number}", obeyed))
        elif line.is_told:
            obeyed.lines.append(AnsweredLine(text=plain(line.text), verdict=line.verdict, why=line.why))
    if not obeyed.asks:
        _ask_again(desk, obeyed)
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


def command_of(order: Order, seat: int, message_id: str) -> SeatCommand:
    """The command of an order that asks for something; a JOIN's own words go into the draw.

    Raises ValueError for an order that is no command of a seat.
    """
    if order.word == "JOIN":
        return Join(seat=seat, contribution=contribution(message_id, order.text))
    move = Decline(seat=seat) if order.word == "DECLINE" else order.move(seat)
    if move is None:
        raise ValueError(f"{order.word} is no command of a seat")
    return move


def _asked(desk: _Desk, line: Understood, obeyed: Obeyed) -> AnsweredLine:
    """A line with the one order that may be meant: the answer asks whether it is."""
    assert line.order is not None, "the verdict says that there is one"
    if not obeyed.asks:
        now = text_of(desk.service.clock())
        obeyed.asks = ask_about_order(desk.tx, desk.writer, desk.mail, line.order, desk.turn, now)
        obeyed.asks_text = MISUNDERSTOOD["order/did_you_mean"].format(order=line.order)
    return AnsweredLine(text=plain(line.text), verdict="asked", why=line.why)


def _ask_again(desk: _Desk, obeyed: Obeyed) -> None:
    """Let the answer speak of the question that is still open.

    One about an order is put again. One about an address is answered where it was asked and nowhere else.
    """
    question = open_question(desk.tx, desk.writer, desk.turn)
    if question is not None and question.kind == "order":
        obeyed.asks = question.number
        obeyed.asks_text = MISUNDERSTOOD["order/did_you_mean"].format(order=question.text)
    elif question is not None:
        why = STILL_OPEN.format(address=plain(question.text))
        obeyed.lines.append(AnsweredLine(text="", verdict="asked", why=why))


def _done(desk: _Desk, line: Understood, command_id: str, obeyed: Obeyed) -> AnsweredLine:
    text, order = plain(line.text), line.order
    assert order is not None, "the verdict says that there is one"
    if order.word in ABOUT_MAIL:
        stop_mail(desk.tx, desk.writer)
        obeyed.changed = True
        return AnsweredLine(text=text, verdict="done", why=DONE[order.word])
    obeyed.gave_orders = True
    if order.word in QUESTIONS:
        obeyed.show.append(_SECTIONS[order.word])
        return AnsweredLine(text=text, verdict="done", why=DONE[order.word])
    if order.word in REPLIES:
        return _answered(desk, text, order, command_id, obeyed)
    turn = _answers_what(desk)
    if turn is None:
        return AnsweredLine(text=text, verdict="refused", why=str(Refusal("question/yes_or_no")))
    return _obeyed(desk, text, order, command_id, turn, obeyed)


def _answered(desk: _Desk, text: str, order: Order, command_id: str, obeyed: Obeyed) -> AnsweredLine:
    """YES or NO to a question of ours."""
    answered = answer_question(desk.tx, desk.writer, order.word == "YES", desk.turn)
    if answered.question is None and _is_invited(desk):
        if order.word == "YES":
            return _obeyed(desk, f"{text} ({Order('JOIN')})", Order("JOIN"), command_id, desk.turn, obeyed)
        decline = Order("DECLINE")
        return _asked(desk, Understood(text, "asked", ASKED["meant"].format(order=decline), decline), obeyed)
    if answered.refusal is not None:
        return AnsweredLine(text=text, verdict="refused", why=str(answered.refusal))
    question = answered.question
    assert question is not None, "what was not refused is about a question"
    obeyed.changed = True
    if answered.order is not None:
        told = f"{text} ({answered.order})"
        return _obeyed(desk, told, answered.order, command_id, question.turn, obeyed)
    if question.kind == "sender":
        why = YOURS_NOW.format(address=plain(question.text)) if order.word == "YES" else NOT_YOURS
        return AnsweredLine(text=text, verdict="done", why=why)
    return AnsweredLine(text=text, verdict="done", why=NOTHING_MEANT)


def _is_invited(desk: _Desk) -> bool:
    """Whether an invitation is what this seat was asked last: YES and NO are clear enough then."""
    game = desk.service.load(desk.tx, desk.writer.seat.game_id)
    return game.phase == "inviting" and desk.writer.seat.seat in game.asked


def _answers_what(desk: _Desk) -> int | None:
    """The decision that an order in this mail answers, by the address it was sent to; None: none at all."""
    if desk.writer.token.purpose != "question":
        return desk.writer.token.turn
    question = question_named(desk.tx, desk.writer)
    return question.turn if question is not None and question.kind == "order" else None


def _obeyed(desk: _Desk, text: str, order: Order, command_id: str, turn: int, obeyed: Obeyed) -> AnsweredLine:
    origin = Origin(
        command_id,
        actor="seat",
        channel="mail",
        mail_sha256=desk.mail.sha256,
        order=str(order),
        turn=turn,
    )
    command = command_of(order, desk.writer.seat.seat, desk.letter.message_id)
    with desk.tx.savepoint():
        outcome = desk.service.handle(desk.tx, desk.writer.seat.game_id, command, origin)
    if outcome.events:
        obeyed.changed = True
        forget_orders(desk.tx, desk.writer)
    return _told(text, order, outcome, desk.letter.message_id)


def _told(text: str, order: Order, outcome: Outcome, message_id: str) -> AnsweredLine:
    if outcome.refusal is not None:
        return AnsweredLine(text=text, verdict="refused", why=str(outcome.refusal))
    why = DONE[order.word] if outcome.events else ALREADY_DONE
    if order.word == "JOIN" and outcome.events:
        why = f"{why} {CONTRIBUTED.format(hash=contribution(message_id, order.text))}"
    return AnsweredLine(text=text, verdict="done", why=why)
