"""The meaning of a mail as a whole: its writer's own words at the decision before them, and what follows.

What the exact orders say by themselves is known before. Here the words are read in the situation of the seat,
weighed against those orders (`decide`), and taken, asked about, answered, or offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.follow_up.answer import AnsweredLine, Later
from felix_async.game.commands import Pass
from felix_async.game.rules import why_not
from felix_async.game.views import view
from felix_async.inbox.decide import Step, step_of
from felix_async.inbox.likely import likely, offered
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.meaning.meaning import Meaning, meaning_of
from felix_async.meaning.situation import Situation, situation_of
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, refused
from felix_async.orders.execute import ask, execute
from felix_async.orders.hosting import names_at
from felix_async.orders.inferred import take, undo
from felix_async.orders.questions import forget_orders, open_question
from felix_async.orders.registry import answer_topics, is_for_good
from felix_async.orders.say import sayable
from felix_async.reading.own import OwnWords, decides, is_own, own_words
from felix_async.reading.verdicts import Understood
from felix_async.text import Harmless, plain
from felix_events.store.rows import Question

_SAY: Final = "SAY"


@dataclass(frozen=True, slots=True)
class Meant:
    """The meaning of the writer's own words in their situation, and the step that it calls for.

    `open` is the question about an order that waits for an answer. `doubted` are orders on lines that may be
    somebody else's.
    """

    own: OwnWords
    situation: Situation
    meaning: Meaning
    step: Step
    open: Question | None
    doubted: tuple[Order, ...]
    is_sure: bool

    @property
    def text(self) -> Harmless:
        """The lines that say so, as an answer repeats them."""
        words = [word for word in self.meaning.words if word]
        lines = [line.text.strip() for line in self.own.lines]
        saying = [line for line in lines if any(word in line for word in words)]
        return plain("; ".join(saying or lines))

    def covers(self, line: Understood) -> bool:
        """Return True if the meaning of the whole says all that there is to say about this line."""
        if not is_own(line):
            return False
        if self.step != "lines":
            return True
        meaning = self.meaning
        is_more = meaning.say or meaning.info or meaning.limit is not None or meaning.next is not None
        return bool(is_more) and line.verdict != "order"


def meant_in(ctx: OrderContext, lines: Sequence[Understood]) -> Meant | None:
    """Return the meaning of the writer's own words among these lines; None if there are none."""
    own = own_words(lines)
    if not own.lines:
        return None
    question = open_question(ctx.tx, ctx.writer, ctx.turn)
    now = situation(ctx, question)
    meaning = meaning_of([line.text for line in own.lines], now)
    doubted = tuple(
        line.order
        for line in lines
        if line.place == "doubtful" and line.order is not None and decides(line.order)
    )
    is_sure = not own.is_cut and not any(order != meaning.do for order in doubted)
    is_sure &= not any(map(_stands_against, lines))
    if is_sure and len(own.firm) < len(own.lines):
        # A mail program may have broken a quoted line: what is surely the writer's has to say so, too.
        firm = meaning_of([line.text for line in own.firm], now) if own.firm else Meaning()
        is_sure = (firm.do, firm.reply) == (meaning.do, meaning.reply)
    step = step_of(own.exact, meaning, now.waiting, is_sure=is_sure)
    return Meant(own, now, meaning, step, question, doubted, is_sure)


def situation(ctx: OrderContext, question: Question | None = None) -> Situation:
    """Return the situation of the writer, in which this question is open."""
    waiting = read_line(question.text) if question is not None and question.kind == "order" else None
    waiting = waiting if isinstance(waiting, Order) else None
    return situation_of(view(ctx.game, ctx.seat), tuple(names_at(ctx)), waiting)


def _stands_against(line: Understood) -> bool:
    """Return True if an exact order beside a move asks for more than to be shown or told something."""
    is_order = line.verdict == "order" and not line.only_asks
    return is_order and line.order is not None and line.order.word != _SAY and not decides(line.order)


# ---- what is done with it ---------------------------------------------------------------------------


def do_meant(ctx: OrderContext, meant: Meant, key: str, turn: int) -> Reply:
    """Do what the words mean beside the exact orders.

    `key` names the mail, `turn` is the decision that it answers.
    """
    match meant.step:
        case "take":
            reply = _take(ctx, meant, key, turn)
        case "ask":
            reply = _ask(ctx, meant, key)
        case "reply":
            reply = _answer(ctx, meant, key, turn)
        case _:
            reply = Reply()
    return reply + _beside(ctx, meant, key)


def _take(ctx: OrderContext, meant: Meant, key: str, turn: int) -> Reply:
    order = meant.meaning.do
    assert order is not None, "the step says so"
    reply = take(ctx, ReceivedOrder(order, meant.text, f"{key}/meant", turn))
    if any(line.verdict == "refused" for line in reply.lines):
        return reply + Reply(offers=likely(meant.situation, order))
    return reply


def _ask(ctx: OrderContext, meant: Meant, key: str) -> Reply:
    """Ask which of the possible answers is meant; if there is none now, say why."""
    meaning = meant.meaning
    orders = meaning.ask or tuple(
        dict.fromkeys(order for order in (meaning.do, *meant.doubted) if order is not None)
    )
    refusal = None if meant.situation.decision else why_not(Pass(seat=ctx.seat), ctx.game)
    if refusal is not None:
        return refused(ReceivedOrder(Order("PASS"), meant.text, key), refusal)
    if len(orders) == 1:
        return ask(ctx, ReceivedOrder(orders[0], meant.text, f"{key}/meant"))
    # The answer asks for something else now: nothing that was taken or asked about is done meanwhile.
    dropped = undo(ctx)
    forget_orders(ctx.tx, ctx.row)
    line = AnsweredLine(text=meant.text, verdict="asked", why="")
    offers = offered(orders) or likely(meant.situation)
    return dropped + Reply((line,), offers=offers, doubt=meaning.doubt or "unclear")


def _answer(ctx: OrderContext, meant: Meant, key: str, turn: int) -> Reply:
    """Take the words as the answer to the question that is open."""
    word, question = meant.meaning.reply, meant.open
    received = ReceivedOrder(Order("YES" if word == "YES" else "NO"), meant.text, f"{key}/meant", turn)
    if word == "UNDO" and (question is None or question.due_at):
        return undo(ctx) if question is not None else answer_topics(ctx, meant.text, ("undo",))
    waiting = meant.situation.waiting
    if word == "YES" and waiting is not None and is_for_good(waiting):
        line = AnsweredLine(text=meant.text, verdict="asked", why=phrase("people.sure.word"))
        return Reply((line,))
    if not meant.is_sure and question is not None:
        return Reply((AnsweredLine(text=meant.text, verdict="asked", why=""),))
    return execute(ctx, received)


def _beside(ctx: OrderContext, meant: Meant, key: str) -> Reply:
    """Say what is to be said, answer what is asked, and tell or offer the rest."""
    meaning, reply = meant.meaning, Reply()
    for number, words in enumerate(meaning.say):
        order = Order(_SAY, text=words)
        if meant.is_sure:
            reply += execute(ctx, ReceivedOrder(order, plain(words), f"{key}/said/{number}"))
        elif sayable(words):
            reply += Reply(offers=(str(order),))
    if meaning.info:
        reply += answer_topics(ctx, meant.text, meaning.info)
    later: list[Later] = ["limit"] if meaning.limit is not None else []
    later += ["next"] if meaning.next is not None else []
    if later and not (meaning.do or meaning.ask or meant.own.exact):
        line = AnsweredLine(text=meant.text, verdict="asked", why="")
        reply += Reply((line,), offers=likely(meant.situation))
    reply += Reply(later=tuple(later))
    talk = sayable(meaning.talk)
    return reply + Reply(offers=(f"{_SAY} {talk}",) if talk else ())
