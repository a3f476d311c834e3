"""What felix asks back about an order, and YES and NO, the answers to that.

Only what a YES would do is asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import (
    ASKED,
    DOUBTED_AGAIN,
    NOT_YOURS,
    NOTHING_MEANT,
    OWN_NOW,
    OWN_YES,
    STILL_OPEN,
    YOURS_NOW,
)
from felix_async.orders.context import Obeyed, OrderContext, ReceivedOrder, asking, done, refused
from felix_async.orders.questions import (
    ABOUT_ADDRESS,
    answer_question,
    ask_about_order,
    asked_unkeyed,
    is_for_newcomer,
    open_question,
    question_named,
)
from felix_async.reading.understand import is_unclear
from felix_async.text import plain
from felix_events.store.rows import Held, Question

Obey = Callable[[OrderContext, ReceivedOrder, int | None], AnsweredLine]
"""Does an order that answers this turn (None: none at all), and that its player has said YES to."""


class _PutBack(Exception):
    """The end of a part of a transaction that must not be kept."""


def asked(ctx: OrderContext, text: str, order: Order, obey: Obey, why: str = "") -> AnsweredLine:
    """A line with the one order that may be meant: the answer asks whether it is.

    Where a YES would be refused, the answer says why, and asks nothing.
    """
    came = _tried(ctx, order, ctx.turn, obey)
    if came.verdict == "refused":
        return came.model_copy(update={"text": plain(text)})
    if not ctx.obeyed.asks:
        _put(ctx, order)
    return AnsweredLine(text=plain(text), verdict="asked", why=why or ASKED["meant"].format(order=order))


def _put(ctx: OrderContext, order: Order, earlier: Question | None = None) -> None:
    """Ask whether this order was meant; an earlier question stays the one, if it is about this turn."""
    turn = ctx.game.seats[ctx.seat].turn
    if earlier is not None and earlier.turn == turn:
        ctx.obeyed.asks = earlier.number
    else:
        ctx.obeyed.asks = ask_about_order(ctx.tx, ctx.writer, ctx.mail, order, turn, ctx.now)
    ctx.obeyed.asks_text = asking(order)


def _tried(ctx: OrderContext, order: Order, turn: int, obey: Obey) -> AnsweredLine:
    """What would come of a YES to this order: it is done, and everything is put back as it was."""
    received = ReceivedOrder(order, "", f"tried/{ctx.mail.mail_id}")
    came: list[AnsweredLine] = []
    try:
        with ctx.tx.savepoint():
            came.append(obey(replace(ctx, obeyed=Obeyed()), received, turn))
            raise _PutBack
    except _PutBack:
        return came[0]


def obey_reply(ctx: OrderContext, received: ReceivedOrder, obey: Obey) -> AnsweredLine:
    """Take YES or NO as the answer to the question that it is for; an order that was meant is then done."""
    is_yes = received.order.word == "YES"
    named = question_named(ctx.tx, ctx.writer)
    if named is not None and named.kind in ABOUT_ADDRESS and not is_for_newcomer(named, ctx.letter.sender):
        return refused(received, Refusal("address/from_there", {"address": plain(named.text)}))
    was_own = named is not None and named.text in ctx.writer.seat.addresses
    answered = answer_question(
        ctx.tx,
        ctx.service,
        ctx.writer,
        ctx.mail,
        is_yes,
        ctx.turn,
        ctx.now,
        is_alone=not any(map(is_unclear, ctx.letter.said)),
    )
    if answered.question is None and _is_invited(ctx):
        if is_yes:
            joined = replace(received, order=Order("JOIN"), text=f"{received.text} ({Order('JOIN')})")
            return obey(ctx, joined, ctx.turn)
        return asked(ctx, received.text, Order("DECLINE"), obey)
    if answered.refusal is not None:
        return refused(received, answered.refusal)
    if answered.asked_again:
        return AnsweredLine(text=received.text, verdict="asked", why=answered.asked_again)
    question = answered.question
    assert question is not None, "what was not refused is about a question"
    ctx.obeyed.changed = True
    if answered.order is not None:
        meant = replace(received, order=answered.order, text=f"{received.text} ({answered.order})")
        return obey(ctx, meant, question.turn)
    if question.kind in ABOUT_ADDRESS and is_yes:
        ctx.obeyed.gave_orders = True
        ctx.obeyed.show.append("resend")
        return done(received, phrase("people.address.moved", address=plain(question.text)))
    if question.kind == "sender" and question.state == "yes":
        return done(received, DOUBTED_AGAIN.format(address=plain(question.text)))
    if question.kind == "sender" and is_yes and was_own:
        # A mail without a token is about no game of theirs: its own answer says that it was confirmed, too.
        ctx.obeyed.told_elsewhere = bool(answered.requeued) and all(
            ctx.tx.outcome(asked_unkeyed(mail_id)) is not None for mail_id in answered.requeued
        )
        held = ctx.tx.held(question.mail_id)
        is_believed = held is not None and _is_believed(ctx, held)
        return done(received, OWN_NOW.format(address=plain(question.text)) if is_believed else OWN_YES)
    if question.kind == "sender":
        return done(received, YOURS_NOW.format(address=plain(question.text)) if is_yes else NOT_YOURS)
    return done(received, NOTHING_MEANT)


def _is_believed(ctx: OrderContext, held: Held) -> bool:
    """Whether what comes from where a mail came is the writer's from now on."""
    beliefs = ctx.tx.beliefs(ctx.writer.seat.player_id)
    return any((one.address, one.provider) == (held.sender, held.provider) for one in beliefs)


def ask_again(ctx: OrderContext, obey: Obey) -> None:
    """Let the answer speak of the question that is still open.

    One about an order is put again, as long as a YES would do it, and for the turn that is now: answers to
    this mail go to the address of the question. One about an address is answered where it was asked alone.
    """
    question = open_question(ctx.tx, ctx.writer, ctx.turn)
    if question is not None and question.kind == "order":
        order = read_line(question.text)
        if isinstance(order, Misread) or _tried(ctx, order, question.turn, obey).verdict == "refused":
            ctx.tx.settle_question(question, "dropped")
            return
        _put(ctx, order, question)
    elif question is not None and question.kind == "sender":
        why = STILL_OPEN.format(address=plain(question.text))
        ctx.obeyed.lines.append(AnsweredLine(text="", verdict="asked", why=why))


def _is_invited(ctx: OrderContext) -> bool:
    """Whether an invitation is what this seat was asked last: YES and NO are clear enough then."""
    return ctx.game.phase == "inviting" and ctx.seat in ctx.game.asked
