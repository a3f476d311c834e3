"""The orders of a message done, and the one answer that tells of them; two if it has opened a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.clock import later
from felix_async.follow_up.answer import Answer, AnsweredLine, Section
from felix_async.game.moment import coming, row_of
from felix_async.inbox.arrival import Arrival, Handled, Told
from felix_async.inbox.lines import context_of, do_lines
from felix_async.inbox.patience import Patience, is_missed, words_of
from felix_async.inbox.receipts import is_clean, is_more_written, wants_receipt
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import KEY_CHANGED, NO_MORE_ANSWERS
from felix_async.orders.context import CHANGED, OrderContext, Reply
from felix_async.orders.leaving import erase
from felix_async.orders.preferences import ask_zone_once, note_offset
from felix_async.orders.questions import is_saying
from felix_async.reading.reader import Reading
from felix_async.reading.sender import Writer
from felix_async.text import plain
from felix_async.time.times import until
from felix_async.time.zones import zone_for
from felix_events.store.rows import Question

_LATE: Final = 3600
"""Seconds after which whoever wrote is told that it was done."""
_AT_A_TABLE: Final[list[Section]] = ["status"]
AT_A_NEW_TABLE: Final[list[Section]] = ["status", "forward"]


def answer_orders(arrival: Arrival, writer: Writer, said: Sequence[AnsweredLine] = ()) -> Handled:
    """Do what the mail asks for, and answer; `said` are lines above its own in the answer."""
    tx, service, reading, seat = arrival.tx, arrival.service, arrival.reading, writer.seat
    # Whoever answers for an address that the player has named may be somebody else, and elsewhere.
    if reading.sender in seat.addresses:
        note_offset(tx, seat.player_id, reading.headers.get("date", ""))
    patience = Patience(tx, seat, arrival.now, words_of(reading))
    ctx = context_of(arrival, writer)
    before = ctx.game.version
    reply = do_lines(ctx, reading, arrival.key, may_ask=lambda: not patience.is_over())
    if "forgets" in reply.effects:
        erase(ctx)
        return Handled("done", "its writer was forgotten")
    if "told_elsewhere" in reply.effects and len(reply.lines) == 1:
        return Handled("done", "the answer to the mail that was asked about tells of it")
    answer = answer_to(reading, reply)
    tries = patience.tries() + 1 if is_missed(answer) else 0
    if not answer.changed:
        if patience.is_over():
            return Handled("ignored", "too many mails that change nothing")
        last = patience.silent_until()
        if last is not None:
            at, bound = last
            zone = zone_for(tx.choice(seat.player_id), service.hours.zone)
            why = NO_MORE_ANSWERS[bound].format(time=until(at, zone))
            reply += Reply((AnsweredLine(text="", verdict="ignored", why=why),))
    first, *others = _told(arrival, writer, reply if tries > 1 else _asked_to_say(ctx, reply))
    show: list[Section] = ["zone"] if ask_zone_once(tx, seat.player_id, reply) else []
    if any(map(is_saying, reply.offers)) and not patience.has_offered_to_say():
        show.append("say")
    more: dict[str, object] = {"lines": [*said, *first.answer.lines], "show": [*first.answer.show, *show]}
    more |= {"tries": tries, "words": patience.words}
    answer = first.answer.model_copy(update=more)
    is_plain = is_clean(answer, reply.effects) and not is_more_written(reading)
    if is_plain and not _is_late(arrival) and not wants_receipt(tx, seat, before):
        answer = answer.model_copy(update={"quiet": True})
    told = [replace(first, answer=answer), *others]
    # If a mail server vouches for senders, nobody else can use what they read there.
    if "shows_key" in reply.effects and not reading.vouching.server:
        told.append(_change_key(arrival, writer))
    return Handled("done", told=tuple(told))


def _asked_to_say(ctx: OrderContext, reply: Reply) -> Reply:
    """Keep the one offer to say something as a question: a YES to this answer says it, as a tap does."""
    order = read_line(reply.offers[0]) if len(reply.offers) == 1 and not reply.asks else None
    is_all = all(line.verdict in ("asked", "not understood") for line in reply.lines)
    if not isinstance(order, Order) or not is_saying(str(order)) or not is_all:
        return reply
    turn, lies = coming(ctx.game, ctx.seat), row_of(ctx.game)
    question = Question(
        ctx.game_id, ctx.seat, "order", turn, ctx.source.mail_id, str(order), ctx.now,
        round=lies.round, turned=lies.turned,
    )  # fmt: skip
    return replace(reply, asks=ctx.tx.ask(question))


def _is_late(arrival: Arrival) -> bool:
    """Return True if the mail was held back: its writer may wonder whether it was done at all."""
    mail = arrival.mail
    return (
        mail.retried or arrival.tx.is_confirmed(mail.mail_id) or mail.received_at < later(arrival.now, -_LATE)
    )


def answer_to(reading: Reading, reply: Reply) -> Answer:
    """The answer that tells of a reply, in the thread of the mail."""
    return Answer(
        lines=list(reply.lines),
        show=list(dict.fromkeys(reply.show)),
        in_reply_to=plain(reading.message_id),
        subject=plain(reading.headers.get("subject", "")),
        asks=reply.asks,
        asks_text=reply.asks_text,
        changed="changed" in reply.effects,
        offers=list(reply.offers),
        doubt=reply.doubt,
        mails=list(reply.mails),
    )


def _told(arrival: Arrival, writer: Writer, reply: Reply) -> list[Told]:
    """The answers to a mail: what opened a table is told at that table.

    If that was all that the mail did, its other lines are told there, too.
    """
    answer = answer_to(arrival.reading, reply)
    at_tables = []
    for opened in reply.opened:
        changes = {
            "lines": [opened.line],
            "show": AT_A_NEW_TABLE if opened.invites else _AT_A_TABLE,
            "asks": 0,
            "asks_text": "",
            "offers": [],
            "changed": True,
        }
        at_tables.append(Told(opened.seat, answer.model_copy(update=changes)))
    lines = [line for line in answer.lines if all(line is not opened.line for opened in reply.opened)]
    is_more = any(line.verdict in ("done", "taken", "refused", "asked") for line in lines) or answer.show
    if is_more or not at_tables:
        return [*at_tables, Told(writer.seat, answer.model_copy(update={"lines": lines}))]
    first = at_tables[0].answer
    lines = [*first.lines, *lines]
    return [replace(at_tables[0], answer=first.model_copy(update={"lines": lines})), *at_tables[1:]]


def _change_key(arrival: Arrival, writer: Writer) -> Told:
    """Make the address void that guests could read, and write to the player from a new one.

    What the seat has said in advance is forgotten, as one of them may have said it.
    """
    seat = writer.seat
    arrival.tx.rotate_secret(seat.game_id, seat.seat, arrival.service.entropy(32))
    dropped = arrival.service.drop_orders(arrival.tx, seat.game_id, seat.seat, "rekeyed")
    why = f"{KEY_CHANGED} {phrase('people.ahead.forgotten')}" if dropped else KEY_CHANGED
    line = AnsweredLine(text="", verdict="done", why=why)
    answer = answer_to(arrival.reading, Reply((line,), show=("resend",)) + CHANGED)
    return Told(seat, answer, "a new key")
