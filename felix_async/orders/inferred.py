"""Orders that were inferred from what somebody wrote in plain words: taken, and done after a short pause.

An exact order acts at once. One that was inferred is a question that answers itself: it is kept with a time,
told to its writer alone, and done then as if YES had come, in one transaction with whatever follows from it.
Until then a newer order takes its place, NO or `undo` drops it, YES does it at once. If it cannot be done any
more when its time has come, it is dropped, and its writer is told why.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.address import Token
from felix_async.clock import later
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import CARD_TURNED, STALE, Answer, AnsweredLine
from felix_async.follow_up.kinds import enqueue
from felix_async.game.moment import coming, row_of, waits_in_auction
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import AHEAD, ANSWERS, MOVES
from felix_async.orders.again import done_before
from felix_async.orders.context import CHANGED, OrderContext, ReceivedOrder, Reply, Source
from felix_async.orders.execute import ask, execute, late, refused_in, taken, tried
from felix_async.orders.questions import (
    answer_that_took,
    ask_about_order,
    row_asked,
    take_back,
    waiting_order,
    waiting_orders,
    words_taken,
)
from felix_async.origin import taken_cause
from felix_async.reading.reader import open_bytes
from felix_async.reading.sender import Writer
from felix_async.service import Service
from felix_events.envelope import MOST_OF_ID, decode_events
from felix_events.model import BidPlaced, CardsTurned
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Due, Question

INFERRED: Final = (*MOVES, *AHEAD, *ANSWERS)
"""Orders that are taken from plain words: answers to a decision, now or to come. All others want the word, or
a YES.
"""
_ENDS: Final = ("deadline", "silence", "away", "expiry", "closing")
"""Due rows before which what was taken is done: after them it may be too late."""
_OF_ALL: Final = ("expiry", "closing")
"""Those of a whole table: all invitations that are due expire together."""
_WAITING: Final = (*_ENDS, "reminder", "last_call")
"""Due rows that wait: these, and what nobody needs to be reminded of meanwhile."""
MOST_TAKEN: Final = 20
"""How often an order is taken for one decision; then only a YES or an exact order counts: whoever changes
their mind so often is a machine that answers itself.
"""


def take(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Take what a message means as an order: done after the pause, or at once without one.

    If a YES to it would be refused, the reply says why, and nothing is taken; nor if a card has turned since
    it was asked for. What is no answer to the decision that is before the seat is asked about.
    """
    waiting = waiting_order(ctx.tx, ctx.game_id, ctx.seat)
    order = _beside(received.order, waiting)
    received = replace(received, order=order, words=received.text)
    if order.word not in INFERRED or received.turn is None:
        return ask(ctx, received)
    if again := done_before(ctx, received):
        return again
    answered = late(ctx, received, received.turn, ctx.asked_at)
    if answered is not None:
        is_turned = any(line.code == CARD_TURNED for line in answered.lines)
        return answered if is_turned else ask(ctx, received)
    if (order.word in ANSWERS and received.turn != ctx.turn) or _may_take_back(ctx, order):
        return ask(ctx, received)
    if not ctx.service.pause or ctx.source.channel == "desk":
        return _at_once(execute(ctx, received), received)
    reply = tried(ctx, order, ctx.turn)
    refusal = refused_in(reply)
    if refusal is not None:
        return Reply((refusal.model_copy(update={"text": received.text}),), offers=reply.offers)
    if "changed" not in reply.effects:
        return _at_once(execute(ctx, received), received)
    lies = row_of(ctx.game)
    same = (str(order), ctx.turn, lies)
    if waiting is not None and (waiting.text, waiting.turn, row_asked(waiting)) == same:
        # Nothing has changed: a machine that says the same again and again must not keep it waiting.
        return taken(received.text, waiting.text, waiting.due_at, waiting.number)
    if _times_taken(ctx) >= MOST_TAKEN:
        return ask(ctx, received)
    due_at = _due_at(ctx)
    number = ask_about_order(ctx.tx, ctx.row, ctx.source.mail_id, order, ctx.turn, lies, ctx.now, due_at)
    return taken(received.text, str(order), due_at, number) + CHANGED


def _may_take_back(ctx: OrderContext, order: Order) -> bool:
    """Return True if a bid or a pass may be meant instead of the bid that the writer leads with.

    Once a card has turned, it is about that one.
    """
    leads = waits_in_auction(ctx.game, ctx.seat) and ctx.game.seats[ctx.seat].bid == ctx.game.high_bid > 0
    if not leads or order.word not in ("BID", "PASS") or order.limit is not None:
        return False
    events = reversed(decode_events(ctx.tx.bodies(ctx.game_id)))
    return isinstance(next(one for one in events if isinstance(one, BidPlaced | CardsTurned)), BidPlaced)


def _beside(order: Order, waiting: Question | None) -> Order:
    """Return an order with what waits beside it: a move and a card for the next round go together."""
    read = None if waiting is None else read_line(waiting.text)
    if not isinstance(read, Order) or not {read.word, order.word} <= {*MOVES, *AHEAD}:
        return order
    if order.word == "NEXT":
        return replace(read, next=order.next)
    return order if order.next is not None else replace(order, next=read.next)


def undo(ctx: OrderContext) -> Reply:
    """Drop what was taken and is not done yet; an empty reply if there is nothing."""
    order = take_back(ctx.tx, ctx.row)
    return (
        Reply((AnsweredLine(text="", verdict="done", why="", order=order),)) + CHANGED if order else Reply()
    )


def fall_due(tx: Tx, service: Service, question: Question) -> None:
    """Do an order that was taken, as if YES had come; its writer is told only what they cannot know.

    That is that it was not done, that they are back, and their part in the draw.
    """
    row = next(row for row in tx.seats(question.game_id) if row.seat == question.seat)
    game, lies = service.load(tx, question.game_id), row_asked(question)
    mail = tx.mail(question.mail_id)
    told = answer_that_took(tx, question)
    # The answer keeps the Message-ID as a letter may have it; the record, as the message does.
    its = "" if mail is None else open_bytes(mail.raw).reading.message_id[:MOST_OF_ID]
    sha256 = None if mail is None else mail.sha256
    source = Source("mail", its or told.in_reply_to, question.mail_id, sha256)
    writer = Writer(row, Token(question.game_id, question.seat, "move", question.turn, lies), "")
    ctx = OrderContext(tx, service, writer, source, coming(game, question.seat))
    order = read_line(question.text)
    if not isinstance(order, Order) or game.seats[question.seat].computer:
        tx.settle_question(question, "dropped")
        _tell(ctx, told, Reply((_dropped(question, ""),)))
        return
    tx.settle_question(question, "yes")
    command_id = f"{taken_cause(question.game_id, question.seat)}{question.number}"
    words = words_taken(tx, question)
    received = ReceivedOrder(order, "", command_id, question.turn, (), True, lies, words)
    reply = execute(ctx, received)
    refusal = refused_in(reply)
    if refusal is not None:
        tx.settle_question(question, "dropped")
        why = "" if refusal.code == STALE else refusal.why
        offers = (refusal.instead,) if refusal.instead else ()
        reply = replace(reply, lines=(_dropped(question, why),), offers=offers)
    if refusal is not None or "came_back" in reply.effects or any(line.small for line in reply.lines):
        _tell(ctx, told, reply)


def is_waited_for(reader: Reader, row: Due) -> bool:
    """Return True if what is due waits for an order that was taken and is not done yet."""
    seats = {one.seat for one in waiting_orders(reader, row.game_id)} if row.kind in _WAITING else set()
    return row.seat in seats or (row.kind in _OF_ALL and bool(seats))


def _due_at(ctx: OrderContext) -> str:
    """When an order that is taken now is done: before it may be too late."""
    rows = [row for row in ctx.tx.due_of(ctx.game_id) if row.kind in _ENDS]
    ends = [row.due_at for row in rows if row.seat == ctx.seat or row.kind == "closing"]
    return min([later(ctx.now, ctx.service.pause), *ends])


def _times_taken(ctx: OrderContext) -> int:
    """Return how often an order was taken for the decision that is before the seat."""
    asked = ctx.tx.questions(ctx.game_id, ctx.seat)
    return sum(1 for question in asked if question.due_at and question.turn == ctx.turn)


def _at_once(reply: Reply, received: ReceivedOrder) -> Reply:
    """Say of an order that was done without a pause as what the message was taken."""
    taken_as = {"verdict": "taken", "order": str(received.order)}
    lines = [
        line.model_copy(update=taken_as) if (line.text, line.verdict) == (received.text, "done") else line
        for line in reply.lines
    ]
    return replace(reply, lines=tuple(lines))


def _dropped(question: Question, why: str) -> AnsweredLine:
    """The line that says that an order was not done after all."""
    return AnsweredLine(text="", verdict="refused", why=why, code=STALE, order=question.text)


def _tell(ctx: OrderContext, told: Answer, reply: Reply) -> None:
    """Owe the writer a second answer to their mail."""
    answer = Answer(
        lines=list(reply.lines),
        show=list(reply.show),
        in_reply_to=told.in_reply_to,
        subject=told.subject,
        changed=True,
        offers=list(reply.offers),
    )
    notice = kinds.Answer(
        game_id=ctx.game_id,
        version=ctx.game.version,
        seat=ctx.seat,
        due_at=ctx.now,
        turn=ctx.game.seats[ctx.seat].turn,
        mail_id=ctx.source.mail_id,
        reason="taken",
        answer=answer,
    )
    enqueue(ctx.tx, notice)
