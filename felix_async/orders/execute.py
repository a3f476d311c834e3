"""A mail's lines, done one by one: the orders among them, the questions, and the answers to ours.

Each order is done in a part of the transaction of its own: one refused line undoes nothing else. What was
not understood is never done; where just one order may have been meant, it is asked about. What an order
does is in `orders/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from felix_async.follow_up.answer import Answer, AnsweredLine, Section
from felix_async.game.rules import Refusal
from felix_async.language.phrases import phrase
from felix_async.language.words import (
    ABOUT_MAIL,
    DONE,
    HOSTING,
    MISUNDERSTOOD,
    OFFERS,
    ORDERS,
    QUESTIONS,
    REPLIES,
    TALK,
    VOTES,
    WHICH_GAME,
)
from felix_async.orders.address_change import beliefs_told
from felix_async.orders.away import spelled_out
from felix_async.orders.context import Obeyed, OrderContext, ReceivedOrder, done, refused, turn_answered
from felix_async.orders.hosting import obey_hosting, obey_new
from felix_async.orders.info import SECTIONS
from felix_async.orders.invitees import instead_of
from felix_async.orders.leaving import STAYS_AWAY, come_back, still_stopped
from felix_async.orders.line_folding import folded, in_phase
from felix_async.orders.listed import gathered
from felix_async.orders.moves import obey_move
from felix_async.orders.people import obey_person
from felix_async.orders.questions import ABOUT_ADDRESS, question_named
from felix_async.orders.rematch import obey_rematch
from felix_async.orders.substitute import offer_seat
from felix_async.orders.votes import obey_vote
from felix_async.orders.yes_no import ask_again, asked, obey_reply
from felix_async.reading.budget import go_on
from felix_async.reading.reader import Reading
from felix_async.reading.sender import Writer
from felix_async.reading.understand import weighed
from felix_async.reading.verdicts import Understood
from felix_async.service import Service
from felix_async.text import plain
from felix_events.store.base import Tx
from felix_events.store.rows import Mail, SeatRow

MAX_TOLD: Final = 60
"""Lines of a mail that its answer repeats."""
WITHOUT_TOKEN: Final = frozenset({"NEW"})
"""Orders that are about no game: a mail to felix's bare address may give them."""
_AT_A_TABLE: Final[list[Section]] = ["status"]
_AT_A_NEW_TABLE: Final[list[Section]] = ["status", "forward"]


def obey_lines(
    tx: Tx,
    service: Service,
    mail: Mail,
    letter: Reading,
    writer: Writer,
    key: str,
    *,
    may_ask: Callable[[], bool],
    mailbox: str = "",
    only: Collection[str] = ORDERS,
) -> Obeyed:
    """Do what the lines of a mail order. `key` names the mail: with the line's number it names a command.

    `may_ask` says whether anybody would be told a question, `only` says which orders may be done at all:
    a mail without a token is about no game.
    """
    game = service.load(tx, writer.seat.game_id)
    seat = writer.seat.seat
    ctx = OrderContext(tx, service, mail, letter, writer, game.seats[seat].turn, mailbox)
    obeyed = ctx.obeyed
    lines = weighed([in_phase(game, seat, line) for line in letter.said])
    for number, line in gathered(ctx, lines):
        go_on()
        if line.order is not None and line.order.word not in only:
            obeyed.lines.append(AnsweredLine(text=plain(line.text), verdict="ignored", why=WHICH_GAME))
        elif line.verdict == "asked" and line.order is not None and line.order.word == "NEW":
            # A YES would not say who is invited: the list below the line was not read as one.
            obeyed.lines.append(_asked_for_table(ctx, given_in(line, f"{key}/{number}")))
        elif line.verdict == "asked" and may_ask():
            assert line.order is not None, "the verdict says that there is one"
            order = spelled_out(ctx, line.order)
            obeyed.lines.append(asked(ctx, line.text, order, _CONFIRMED, line.why))
        elif line.verdict == "asked":
            why = MISUNDERSTOOD["order/unknown"]
            obeyed.lines.append(AnsweredLine(text=plain(line.text), verdict="not understood", why=why))
        elif line.verdict == "order":
            # What an order does may come with a line of its own before it.
            answered = _obeyed(ctx, given_in(line, f"{key}/{number}"), turn_answered(ctx))
            obeyed.lines += [answered, *obeyed.below]
            obeyed.below.clear()
            if obeyed.forgets:
                return obeyed
        elif line.is_told:
            obeyed.lines.append(AnsweredLine(text=plain(line.text), verdict=line.verdict, why=line.why))
    obeyed.lines[:] = folded(obeyed.lines)
    if not obeyed.asks:
        ask_again(ctx, _CONFIRMED)
    more = len(obeyed.lines) - MAX_TOLD
    if more > 0:
        why = phrase("people.rest", count=more)
        obeyed.lines[MAX_TOLD:] = [AnsweredLine(text="", verdict="ignored", why=why)]
    if not obeyed.lines:
        code = "mail/no_text" if letter.lines is None else "mail/no_order"
        obeyed.lines.append(AnsweredLine(text="", verdict="not understood", why=MISUNDERSTOOD[code]))
    still_stopped(ctx)
    return obeyed


def orders_for_a_table(letter: Reading) -> list[Understood]:
    """The lines of a mail that say NEW, so that it needs no game to be about."""
    return [
        line
        for line in weighed(letter.said)
        if line.verdict == "order" and line.order is not None and line.order.word in WITHOUT_TOKEN
    ]


def answer_to(letter: Reading, obeyed: Obeyed) -> Answer:
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


def answers_to(letter: Reading, obeyed: Obeyed, seat: SeatRow) -> list[tuple[SeatRow, Answer]]:
    """The answers to a mail, each with the seat that it goes to: what opened a table is told at that table.

    Where that was all that the mail did, its other lines are told there, too.
    """
    answer = answer_to(letter, obeyed)
    if not obeyed.opened:
        return [(seat, answer)]
    at_tables: list[tuple[SeatRow, Answer]] = []
    for opened in obeyed.opened:
        changes = {
            "lines": [opened.line],
            "show": _AT_A_NEW_TABLE if opened.invites else _AT_A_TABLE,
            "asks": 0,
            "asks_text": "",
            "changed": True,
        }
        at_tables.append((opened.seat, answer.model_copy(update=changes)))
    lines = [line for line in answer.lines if all(line is not opened.line for opened in obeyed.opened)]
    if any(line.verdict in ("done", "refused", "asked") for line in lines) or answer.show:
        return [*at_tables, (seat, answer.model_copy(update={"lines": lines}))]
    at, first = at_tables[0]
    return [(at, first.model_copy(update={"lines": [*first.lines, *lines]})), *at_tables[1:]]


def given_in(line: Understood, command_id: str) -> ReceivedOrder:
    """The order on a line, and the id of its command."""
    assert line.order is not None, "the verdict says that there is one"
    told = "; ".join([line.text, *(one.text for one in line.below)])
    return ReceivedOrder(line.order, plain(told), command_id, line.below)


def _asked_for_table(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """What is nearly a NEW: the answer offers the mail that would be one."""
    why = MISUNDERSTOOD["order/new_alone"]
    return AnsweredLine(text=received.text, verdict="ambiguous", why=why, instead=instead_of(ctx, received))


def _obeyed(
    ctx: OrderContext, received: ReceivedOrder, turn: int | None, *, is_confirmed: bool = False
) -> AnsweredLine:
    """What came of one order, which answers this turn (None: none at all); `is_confirmed` by a YES."""
    word = received.order.word
    named = question_named(ctx.tx, ctx.writer)
    if named is not None and named.kind in ABOUT_ADDRESS and word not in REPLIES:
        # Whoever reads mail there is not the player yet.
        return refused(received, Refusal("question/yes_or_no"))
    if word not in STAYS_AWAY:
        come_back(ctx, received)
    if word in QUESTIONS:
        ctx.obeyed.show.append(SECTIONS[word])
        return done(
            received, " ".join(filter(None, (DONE[word], beliefs_told(ctx) if word == "STATUS" else "")))
        )
    if word in REPLIES:
        return obey_reply(ctx, received, _CONFIRMED)
    if word in ABOUT_MAIL or word in TALK:
        return obey_person(ctx, received, turn if is_confirmed else None)
    if turn is None:
        return refused(received, Refusal("question/yes_or_no"))
    if word == "NEW":
        return obey_new(ctx, received)
    if word == "REMATCH":
        return obey_rematch(ctx, received)
    if word in OFFERS:
        return offer_seat(ctx, received)
    if word in HOSTING:
        return obey_hosting(ctx, received)
    if word in VOTES:
        return obey_vote(ctx, received)
    return obey_move(ctx, received, turn)


_CONFIRMED: Final = partial(_obeyed, is_confirmed=True)
"""Does an order that its writer has said YES to."""
