"""Do the lines of a message in order, and ask about those in doubt.

Each order is done in a savepoint of its own: one refused line undoes nothing else. A line that was not
understood is never done; if just one order may have been meant, it is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from felix_async.follow_up.answer import AnsweredLine, Verdict
from felix_async.game.moment import coming
from felix_async.inbox.arrival import Arrival
from felix_async.inbox.decide import weigh
from felix_async.inbox.likely import likely
from felix_async.inbox.meant import auction, do_meant, situation
from felix_async.inbox.receipts import is_more_written
from felix_async.language.grammar import Order, clean, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import MISUNDERSTOOD, MOVES, REPLIES, WHICH_GAME
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation
from felix_async.orders.again import last_move
from felix_async.orders.ahead import still_offered
from felix_async.orders.away import spelled_out
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, Source
from felix_async.orders.execute import ask, ask_again, execute, refused_in
from felix_async.orders.inferred import undo
from felix_async.orders.invitees import instead_of
from felix_async.orders.leaving import still_stopped
from felix_async.orders.listed import gathered
from felix_async.orders.questions import question_named, row_asked, waiting_order
from felix_async.orders.registry import ORDERS
from felix_async.reading.budget import go_on
from felix_async.reading.reader import Reading
from felix_async.reading.sender import Writer
from felix_async.reading.signs import is_farewell, is_greeting
from felix_async.reading.understand import is_unclear
from felix_async.reading.verdicts import Understood, settled
from felix_async.text import Harmless, plain
from felix_events.envelope import MOST_OF_ID

_WAITS: Final = ("STOP", "CANCEL")
"""Orders that mean `wait` to who has just read what a mail of theirs was taken as."""
_THANKS_WORDS: Final = 3
"""Words of a line that begins with thanks and says nothing else."""
MAX_TOLD: Final = 60
"""Lines of a mail that its answer repeats."""


def context_of(arrival: Arrival, writer: Writer) -> OrderContext:
    """The context of the orders of a mail."""
    is_alone = writer.token.purpose != "question" or not any(map(is_unclear, arrival.reading.said))
    source = replace(source_of(arrival), is_alone=is_alone)
    turn = coming(arrival.service.load(arrival.tx, writer.seat.game_id), writer.seat.seat)
    question = question_named(arrival.tx, writer)
    asked_at = writer.token.row if question is None else row_asked(question)
    return OrderContext(arrival.tx, arrival.service, writer, source, turn, arrival.mailbox, asked_at=asked_at)


def source_of(arrival: Arrival) -> Source:
    """The source of the orders of a mail."""
    mail, reading, headers = arrival.mail, arrival.reading, arrival.reading.headers
    return Source(
        "mail",
        reading.message_id[:MOST_OF_ID],
        mail.mail_id,
        mail.sha256,
        reading.content_sha256,
        reading.sender,
        to=headers.get("to", ""),
        cc=headers.get("cc", ""),
        subject=headers.get("subject", ""),
    )


def do_lines(ctx: OrderContext, reading: Reading, key: str, *, may_ask: Callable[[], bool]) -> Reply:
    """Do what a mail orders, line by line, and then what its writer's words mean as a whole.

    `key` names the mail: with the line's number it names a command. `may_ask` says whether a question would
    reach its writer.
    """
    turn, reply = _turn_answered(ctx), Reply()
    holds_back = waiting_order(ctx.tx, ctx.game_id, ctx.seat) is not None
    numbered = gathered(ctx, reading.said)
    meant = None
    if turn is not None:
        now = situation(ctx)
        said = [line for _, line in numbered]
        name = ctx.row.name
        meant = weigh(said, now, auction(ctx, now), last=last_move(ctx), is_asked=_is_asked(ctx), name=name)
        if meant.step == "do" and _may_say_more(reading, now):
            meant = replace(meant, step="take")
        numbered = [(number, line) for number, line in numbered if not meant.covers(line)]
    lines = settled([line for _, line in numbered])
    for (number, _), line in zip(numbered, lines, strict=True):
        go_on()
        if not line.is_told:
            continue
        ctx = replace(ctx, earlier=reply)
        if holds_back and line.verdict == "order" and line.order is not None and line.order.word in _WAITS:
            reply += _held_back(ctx, line.order, plain(line.text))
            continue
        reply += _do_line(ctx, line, f"{key}/{number}", turn, may_ask)
        if "forgets" in reply.effects:
            return reply
    if meant is not None and turn is not None and (meant.step in ("do", "take", "reply") or may_ask()):
        # A move or a reply is always answered; the bounds on answers silence questions alone.
        reply += do_meant(replace(ctx, earlier=reply), meant, key, turn)
    if any(line.order is not None and line.order.word == "DROP" for line in lines):
        reply = replace(reply, offers=still_offered(reply.offers, ctx.standing))
    if any(_is_no_order(line) and not _is_courtesy(ctx, line.text) for line in reply.lines):
        # Whatever else was wanted, its writer sees that only this was done.
        reply = replace(reply, effects=reply.effects - {"plain"})
    reply = replace(reply, lines=folded(reply, is_asked=ctx.seat in ctx.game.asked))
    if not reply.offers and [line.verdict for line in reply.lines] == ["not understood"]:
        seen = situation(ctx)
        reply += Reply(offers=likely(seen) if seen.is_early and ctx.standing.auction is None else ())
    if not reply.asks:
        reply += ask_again(ctx)
    if len(reply.lines) > MAX_TOLD:
        why = phrase("people.rest", count=len(reply.lines) - MAX_TOLD)
        rest = AnsweredLine(text="", verdict="ignored", why=why)
        reply = replace(reply, lines=(*reply.lines[:MAX_TOLD], rest))
    if not reply.lines:
        code = "mail/no_text" if reading.lines is None else "mail/no_order"
        reply += Reply((AnsweredLine(text="", verdict="not understood", why=MISUNDERSTOOD[code]),))
    return reply + still_stopped(ctx, reply)


def _may_say_more(reading: Reading, now: Situation) -> bool:
    """Return True if a message may say something of this decision elsewhere than in its lines."""
    subject = meaning_of([reading.own_subject], now)
    return is_more_written(reading) or bool(subject.do or subject.doubt or subject.ask or subject.reply)


def _held_back(ctx: OrderContext, order: Order, text: Harmless) -> Reply:
    """Take back what waits instead of doing an order that may mean just that, and say how to leave."""
    reply = undo(ctx)
    if order.word != "STOP":
        return reply
    return reply + Reply((AnsweredLine(text=text, verdict="asked", why=phrase("people.stopped.or_wait")),))


def _do_line(
    ctx: OrderContext, line: Understood, command_id: str, turn: int | None, may_ask: Callable[[], bool]
) -> Reply:
    order, text, verdict, why = line.order, plain(line.text), line.verdict, line.why
    if order is not None and ORDERS[order.word].needs_token and not ctx.writer.token_text:
        return Reply((AnsweredLine(text=text, verdict="ignored", why=WHICH_GAME),))
    if verdict == "order":
        received = received_in(line, command_id, turn)
        reply = execute(ctx, received)
        is_refused = received.order.word in (*MOVES, *REPLIES) and refused_in(reply) is not None
        return reply + Reply(offers=likely(situation(ctx), order)) if is_refused else reply
    if verdict == "asked" and order is not None and order.word == "NEW":
        # A YES would not say who is invited: the list below the line was not read as one.
        received = received_in(line, command_id, turn)
        why, instead = MISUNDERSTOOD["order/new_alone"], instead_of(ctx, received)
        return Reply((AnsweredLine(text=received.text, verdict="ambiguous", why=why, instead=instead),))
    if line.apart:
        asked = AnsweredLine(text=text, verdict="asked", why="")
        return Reply((asked,), offers=tuple(map(str, line.choices)), doubt="several")
    if verdict == "ambiguous" and line.choices and not _may_be_done(ctx, line.choices):
        return ask(ctx, ReceivedOrder(line.choices[0], text, command_id))
    if verdict == "asked" and may_ask():
        assert order is not None, "the verdict says that there is one"
        return ask(ctx, ReceivedOrder(spelled_out(ctx, order), text, command_id), why)
    if verdict == "asked":
        verdict, why = "not understood", MISUNDERSTOOD["order/unknown"]
    return Reply((AnsweredLine(text=text, verdict=verdict, why=why),))


def _may_be_done(ctx: OrderContext, choices: Sequence[Order]) -> bool:
    """Return False if each of these orders would be refused, as a card is in an auction."""
    decision = situation(ctx).decision
    return bool(decision) and (decision != "bidding" or any(one.word != "PLAY" for one in choices))


def received_in(line: Understood, command_id: str, turn: int | None = None) -> ReceivedOrder:
    """The order on a line, and the id of its command."""
    assert line.order is not None, "the verdict says that there is one"
    return ReceivedOrder(line.order, plain(line.whole), command_id, turn, line.below)


def orders_for_a_table(reading: Reading) -> list[Understood]:
    """The lines of a mail with an order that needs no game to be about."""
    return [
        line
        for line in settled(reading.said)
        if line.verdict == "order" and line.order is not None and not ORDERS[line.order.word].needs_token
    ]


def _turn_answered(ctx: OrderContext) -> int | None:
    """The decision that a move in this mail answers, by the address it was sent to; None: none at all."""
    if ctx.writer.token.purpose != "question":
        return ctx.writer.token.turn
    question = question_named(ctx.tx, ctx.writer)
    return question.turn if question is not None and question.kind == "order" else None


def _is_asked(ctx: OrderContext) -> bool:
    """Return True if a NO may answer something that felix asked, or took, at this decision."""
    asked = ctx.tx.questions(ctx.game_id, ctx.seat)
    is_named = ctx.writer.token.purpose == "question"
    return is_named or any(
        one.state == "open" or (one.kind, one.turn) == ("order", ctx.turn) for one in asked
    )


# ---- what is around the orders ----------------------------------------------------------------------


def folded(reply: Reply, *, is_asked: bool) -> tuple[AnsweredLine, ...]:
    """The lines as the answer tells them: what was no order is not told if anything came of the mail.

    If nothing did, it is told once, all of it; from a seat that `is_asked` talk is not enough. Words below a
    SAY that were not passed on are told of.
    """
    others = [line for line in reply.lines if _is_no_order(line)]
    kept = tuple(line for line in reply.lines if line not in others)
    if any(line.verdict in ("done", "taken") for line in kept):
        kept = tuple(map(_unclear, kept))
    unsaid = sum(not is_greeting(clean(line.text)) for line in others)
    if unsaid and not reply.offers and any(map(_has_said, kept)):
        why = phrase("people.rest_of_saying", count=unsaid)
        return (*kept, AnsweredLine(text="", verdict="ignored", why=why))
    if kept or not others:
        return kept
    text = plain("; ".join(line.text for line in others))
    verdict: Verdict = "asked" if reply.offers and not is_asked else "not understood"
    return (AnsweredLine(text=text, verdict=verdict, why=""),)


def _unclear(line: AnsweredLine) -> AnsweredLine:
    """The same line; beside what was done, nothing is called not understood."""
    return line.model_copy(update={"verdict": "ambiguous"}) if line.verdict == "not understood" else line


def _has_said(line: AnsweredLine) -> bool:
    """Return True if the words of a line were passed on."""
    read = read_line(line.text) if line.verdict == "done" else None
    return isinstance(read, Order) and read.word == "SAY"


def _is_courtesy(ctx: OrderContext, text: str) -> bool:
    """Return True if a line that is no order only greets, thanks or signs."""
    line = clean(text)
    words = line.replace(",", " ").split()
    is_thanks = len(words) <= _THANKS_WORDS and is_farewell(f"{words[0].rstrip('!.')}," if words else "")
    is_name = line.strip(" .!").casefold() == ctx.row.name.casefold()
    return is_name or is_greeting(line) or is_farewell(line) or is_thanks


def _is_no_order(line: AnsweredLine) -> bool:
    return line.verdict == "not understood" and line.why == MISUNDERSTOOD["order/unknown"] and bool(line.text)
