"""A table with a clock at which orders are taken from plain words, and done when their time has come."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from felix_async.address import Token
from felix_async.clock import text_of
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.game.moment import coming, row_of
from felix_async.language.grammar import Order, read_line
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, Source
from felix_async.orders.execute import execute
from felix_async.orders.inferred import take, undo
from felix_async.reading.sender import Writer
from felix_async.schedule.tick import keep_time
from felix_async.service import Service
from felix_events.store.base import Tx
from felix_events.store.rows import Question
from inbox.postbag import MAILBOX, Postbag

PAUSE = 120


def an_order(text: str) -> Order:
    """The order that felix writes so."""
    order = read_line(text)
    assert isinstance(order, Order)
    return order


def context(tx: Tx, service: Service, game_id: str, seat: int, text: str, name: str) -> OrderContext:
    """The context of a mail of this seat that says this, kept and dealt with; `name` is its Message-ID."""
    row = tx.seats(game_id)[seat]
    mail_id = tx.keep_mail(text_of(service.clock()), MAILBOX, row.name, text.encode())
    tx.settle_mail(mail_id, "done")
    mail = tx.mail(mail_id)
    assert mail is not None
    game = service.load(tx, game_id)
    turn, lies = coming(game, seat), row_of(game)
    writer = Writer(row, Token(game_id, seat, "move", turn, lies), "token")
    source = Source("mail", name, mail_id, mail.sha256)
    return OrderContext(tx, service, writer, source, turn, MAILBOX, asked_at=lies)


def in_bag(bag: Postbag, tx: Tx, seat: int, text: str) -> OrderContext:
    """The context of a new mail of this seat."""
    bag.mails += 1
    return context(tx, bag.room.service, bag.game_id, seat, text, f"{bag.mails}@players.test")


def taken(bag: Postbag, seat: int, order: str, turn: int | None = None) -> Reply:
    """The reply to a mail out of which this order is taken; its answer is owed."""

    def work(tx: Tx) -> Reply:
        ctx = in_bag(bag, tx, seat, order)
        turn_ = ctx.turn if turn is None else turn
        reply = take(ctx, ReceivedOrder(an_order(order), f"I mean {order}", f"mail/{bag.mails}/0", turn_))
        answer = Answer(lines=list(reply.lines), in_reply_to=ctx.source.message_id, asks=reply.asks)
        owed = kinds.Answer(
            game_id=bag.game_id,
            version=ctx.game.version,
            seat=seat,
            due_at=ctx.now,
            turn=ctx.turn,
            mail_id=ctx.source.mail_id,
            answer=answer,
        )
        kinds.enqueue(tx, owed)
        return reply

    return bag.do(work)


def undone(bag: Postbag, seat: int) -> Reply:
    """The reply to a mail that takes it back."""
    return bag.do(lambda tx: undo(in_bag(bag, tx, seat, "undo")))


def at_the_desk(bag: Postbag, seat: int, order: str) -> None:
    """The host does this for the seat."""
    bag.mails += 1

    def work(tx: Tx) -> Reply:
        turn = bag.room.service.load(tx, bag.game_id).seats[seat].turn
        writer = Writer(bag.seat(seat), Token(bag.game_id, seat, "move", turn), "")
        ctx = OrderContext(tx, bag.room.service, writer, Source("desk", ""), turn)
        return execute(ctx, ReceivedOrder(an_order(order), order, f"desk/{bag.mails}"))

    assert [line.verdict for line in bag.do(work).lines] == ["done"]


def wait(bag: Postbag, seconds: float = PAUSE, **more: Any) -> int:
    """So many seconds later a server looks at what is due; how much there was."""
    bag.room.clock.now += timedelta(seconds=seconds)
    return keep_time(bag.do, bag.room.service, **more)


def waiting(bag: Postbag, seat: int) -> list[Question]:
    """The orders out of this seat's mails that are not done yet."""
    return [replace(one, mail_id=0) for one in bag.asked(seat, "order") if one.state == "open" and one.due_at]


def states(bag: Postbag, seat: int) -> list[tuple[str, str]]:
    """Each order that was taken from this seat's mails, and what became of it."""
    return [(one.text, one.state) for one in bag.asked(seat, "order")]


def told_later(bag: Postbag, seat: int) -> list[AnsweredLine]:
    """The lines in which this seat was told that an order was not done when its time had come."""
    rows = [row for row in bag.owed(seat, "answer") if row.about.endswith(", taken")]
    answers = [Answer.model_validate_json(row.payload) for row in rows]
    return [line for answer in answers for line in answer.lines]
