"""Do orders: one dispatcher for messages, the host's desk, and whatever else takes orders."""

from __future__ import annotations

from dataclasses import replace

from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.kinds import enqueue
from felix_async.game.commands import Pass
from felix_async.game.moment import NOT_SAID, Row, What, coming, lateness, row_of
from felix_async.game.rules import Refusal, why_not
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.language.words import AHEAD, ANSWERS, ASKED, MOVES, REPLIES, STILL_OPEN
from felix_async.orders.again import done_before
from felix_async.orders.ahead import Said, told_at_desk
from felix_async.orders.context import (
    Handler,
    OrderContext,
    ReceivedOrder,
    Reply,
    done,
    instead_of_taken,
    question_text,
    refused,
)
from felix_async.orders.leaving import come_back
from felix_async.orders.questions import (
    ABOUT_ADDRESS,
    ask_about_order,
    forget_orders,
    is_saying,
    open_question,
    question_named,
    row_asked,
)
from felix_async.orders.registry import ORDERS, OrderType, is_for_good
from felix_async.service import Outcome
from felix_async.text import plain
from felix_events.store.rows import Question


class _PutBack(Exception):
    """The end of a savepoint that must not be kept."""


def execute(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Do an order, and what follows from it; the reply says what it came to, also if it was refused."""
    kind = ORDERS[received.order.word]
    if ctx.source.channel == "desk":
        return _command(ctx, kind, received)
    question = question_named(ctx.tx, ctx.writer)
    if question is not None and question.kind in ABOUT_ADDRESS and received.order.word not in REPLIES:
        # Whoever reads mail there is not the player yet.
        return refused(received, Refusal("question/yes_or_no"))
    back = Reply()
    if kind.back != "from nothing":
        back = come_back(ctx, received, ends_absence=kind.back == "from AWAY")
    if kind.needs_turn and received.turn is None:
        return back + refused(received, Refusal("question/yes_or_no"))
    if again := done_before(ctx, received):
        return back + again
    asked_at = received.lies if received.is_confirmed else ctx.asked_at
    is_tried = received.is_confirmed and asked_at == NOT_SAID
    if not is_tried and (answered := late(ctx, received, received.turn, asked_at)):
        return back + answered
    reply = kind.handler(replace(ctx, earlier=ctx.earlier + back), received)
    for notice in reply.notices:
        enqueue(ctx.tx, notice)
    reply = back + reply
    if reply.follow is None:
        return reply
    follow = execute if reply.follow.is_confirmed else ask
    return reply + follow(replace(ctx, earlier=ctx.earlier + reply), reply.follow)


def said_in(order: Order) -> What:
    """Return what an order says: a move, what to do in the auction, or a card for the next round."""
    return "next" if order.word == "NEXT" else "move" if order.word == "PLAY" else "ahead"


def late(ctx: OrderContext, received: ReceivedOrder, turn: int | None, row: Row) -> Reply | None:
    """Answer an order that was given at another decision or row; None if it is for now, or was done before.

    It is not done. If only a card has turned since, the same is offered once more, for the row as it is now;
    of a card for a round that has begun, to place it.
    """
    order = received.order
    if not ORDERS[order.word].needs_turn or order.word in ANSWERS:
        return None
    why = lateness(ctx.game, ctx.seat, turn, row, said_in(order))
    if not why or ctx.tx.outcome(received.command_id) is not None:
        return None
    if why == "decision":
        return refused(received, Refusal("turn/stale"), _placed_instead(ctx, order, row))
    refusal = refused_in(tried(ctx, order, coming(ctx.game, ctx.seat)))
    turned = refused(received, Refusal("turn/card_turned"), "" if refusal else str(order))
    if refusal is None:
        return turned
    (line,) = turned.lines
    return Reply((line.model_copy(update={"why": f"{line.why} {refusal.why}"}),))


def _placed_instead(ctx: OrderContext, order: Order, row: Row) -> str:
    """Return the order to place a card that was given for the round that has begun since, '' for none."""
    play = Order("PLAY", card=order.next)
    if order.word != "NEXT" or row.round + 1 != ctx.game.round:
        return ""
    return "" if refused_in(tried(ctx, play, ctx.turn)) else str(play)


def _command(ctx: OrderContext, kind: OrderType, received: ReceivedOrder) -> Reply:
    """Do for a seat what the host's desk asks, in the name of the host."""
    assert kind.command is not None, "the desk takes no other orders"
    if kind.command == "handler":
        return _said_of(ctx, kind.handler, received)
    command = kind.command(ctx, received.order)
    if isinstance(command, Refusal):
        return replace(refused(received, command), outcome=Outcome(ctx.game.version, refusal=command))
    order, before = str(received.order) if kind.logs_words else received.order.word, ctx.game.version
    if isinstance(command, Said):
        outcome = ctx.instruct(command.gives, command.move, received, actor="host")
        version = ctx.game.version
        outcome = replace(outcome, version=version, events=version - before)
    else:
        outcome = ctx.command(command, received, order=order, actor="host")
    if outcome.refusal is None and received.order.word in (*MOVES, *AHEAD, *ANSWERS):
        forget_orders(ctx.tx, ctx.row)
    if outcome.refusal is not None:
        return replace(refused(received, outcome.refusal), outcome=outcome)
    told = told_at_desk(ctx, before) if isinstance(command, Said) else ""
    return replace(done(received, told), outcome=outcome)


def _said_of(ctx: OrderContext, handler: Handler, received: ReceivedOrder) -> Reply:
    """Show or drop at the desk what a seat has said in advance; nobody has said anything at no seat."""
    game = ctx.game
    no_seat = why_not(Pass(seat=ctx.seat), game) if ctx.seat not in range(len(game.seats)) else None
    reply = handler(ctx, received) if no_seat is None else refused(received, no_seat)
    return reply if refused_in(reply) else replace(reply, outcome=Outcome(game.version))


def ask(ctx: OrderContext, meant: ReceivedOrder, why: str = "") -> Reply:
    """Ask whether an order was meant; if a YES would be refused, say why instead, and ask nothing.

    The answer to a message asks about one order: of another one it only says that it was not done.
    """
    refusal = refused_in(tried(ctx, meant.order, ctx.turn))
    if refusal is not None:
        return Reply((refusal.model_copy(update={"text": meant.text}),))
    why = instead_of_taken(ctx, why or ASKED["meant"].format(order=meant.order))
    reply = Reply((AnsweredLine(text=meant.text, verdict="asked", why=why),))
    return reply if ctx.earlier.asks else reply + _put(ctx, meant.order)


def ask_again(ctx: OrderContext) -> Reply:
    """Let the answer speak of the question that is still open.

    One about an order is put again, if a YES would do it, and for the turn that is now: answers to this mail
    go to the address of the question. One about an address is answered to the message that asked it. An order
    that was taken still waits.
    """
    question = open_question(ctx.tx, ctx.writer, ctx.turn)
    if question is not None and question.kind == "sender":
        why = STILL_OPEN.format(address=plain(question.text))
        return Reply((AnsweredLine(text="", verdict="asked", why=why),))
    if question is None or question.kind != "order":
        return Reply()
    if is_saying(question.text):
        return Reply()
    order = read_line(question.text)
    if isinstance(order, Misread) or refused_in(tried(ctx, order, question.turn)) is not None:
        if not question.due_at:
            ctx.tx.settle_question(question, "dropped")
        # Of one that was taken its writer is told as it falls due.
        return Reply()
    if question.due_at:
        return taken("", question.text, question.due_at, question.number)
    return _put(ctx, order, question)


def taken(text: str, order: str, due_at: str, number: int) -> Reply:
    """This order was taken, and is done then; answers go to the address of its question."""
    line = AnsweredLine(text=text, verdict="taken", why="", order=order, due_at=due_at)
    return Reply((line,), asks=number)


def _put(ctx: OrderContext, order: Order, earlier: Question | None = None) -> Reply:
    """Ask whether this order was meant; an earlier question about this turn and row stays the one."""
    turn = coming(ctx.game, ctx.seat)
    if earlier is not None and (earlier.turn, row_asked(earlier)) == (turn, row_of(ctx.game)):
        number = earlier.number
    else:
        lies = row_of(ctx.game)
        number = ask_about_order(ctx.tx, ctx.row, ctx.source.mail_id, order, turn, lies, ctx.now)
    return Reply(asks=number, asks_text=question_text(order, is_for_good=is_for_good(order)))


def tried(ctx: OrderContext, order: Order, turn: int) -> Reply:
    """Return the reply that a YES to this order would get: it is done, and everything put back as it was."""
    meant = ReceivedOrder(order, "", f"tried/{ctx.source.mail_id}", turn, is_confirmed=True)
    replies: list[Reply] = []
    try:
        with ctx.tx.savepoint():
            replies.append(execute(replace(ctx, earlier=Reply()), meant))
            raise _PutBack
    except _PutBack:
        return replies[0]


def refused_in(reply: Reply) -> AnsweredLine | None:
    """The line of a reply that refuses something; None if nothing was refused."""
    return next((line for line in reply.lines if line.verdict == "refused"), None)
