"""Does what a message means as a whole: a move is taken, a doubt asked, a question answered, talk offered."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.commands import Pass
from felix_async.game.rules import why_not
from felix_async.game.views import view
from felix_async.inbox.decide import LEFT_TO_THE_RULES, Weighed
from felix_async.inbox.likely import instead_of, likely, offered
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import WAIT
from felix_async.meaning.cues import is_of_machine
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation, situation_of
from felix_async.meaning.talk import is_of_hand, open_talk
from felix_async.meaning.text import text_of
from felix_async.orders.again import last_move
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, refused
from felix_async.orders.dispute import ask_to_deny
from felix_async.orders.execute import ask, execute, late, refused_in, tried
from felix_async.orders.hosting import names_at
from felix_async.orders.inferred import take, undo
from felix_async.orders.leaving import come_back
from felix_async.orders.questions import forget_orders, open_question, waiting_order
from felix_async.orders.registry import ORDERS, answer_topics, is_for_good
from felix_async.orders.say import sayable
from felix_async.reading.own import decides
from felix_async.text import plain

_SAY: Final = "SAY"


def situation(ctx: OrderContext) -> Situation:
    """Return the situation of the writer as it is now."""
    question = open_question(ctx.tx, ctx.writer, ctx.turn)
    if question is None:
        # Also at the address of an older question.
        question = waiting_order(ctx.tx, ctx.game_id, ctx.seat)
    waiting = read_line(question.text) if question is not None and question.kind == "order" else None
    waiting = waiting if isinstance(waiting, Order) else None
    return situation_of(view(ctx.game, ctx.seat), tuple(names_at(ctx)), waiting)


def auction(ctx: OrderContext, now: Situation) -> Situation | None:
    """Return the situation of the writer as if it were their turn to bid, with their last move to undo.

    None if they are asked for something that words could answer, or there is no round.
    """
    game = ctx.game
    if now.waiting is not None or now.decision == "bidding" or game.phase not in ("placing", "bidding"):
        return None
    least = now.high + 1
    most = max(now.mice, least)
    return replace(
        now, decision="bidding", plays=(), placed=None, least=least, most=most, waiting=last_move(ctx)
    )


def do_meant(ctx: OrderContext, meant: Weighed, key: str, turn: int) -> Reply:
    """Do what the words mean beside the exact orders.

    `key` names the mail, `turn` is the decision that it answers.
    """
    back = _back(ctx, meant, key)
    ctx = replace(ctx, earlier=ctx.earlier + back)
    match meant.step:
        case "do" | "take":
            reply = _take(ctx, meant, key, turn)
        case "ask" if ctx.earlier.asks:
            # A bare YES has to answer one question only, and that one may be for good.
            why = phrase("people.one_question")
            reply = Reply((AnsweredLine(text=meant.text, verdict="ignored", why=why),))
        case "ask":
            reply = _ask(ctx, meant, key)
        case "reply":
            reply = _answer(ctx, meant, key, turn)
        case _:
            reply = Reply()
    return back + reply + _beside(ctx, meant, key, is_told=bool(reply.lines))


def _back(ctx: OrderContext, meant: Weighed, key: str) -> Reply:
    """Let the writer play on for themselves, as an exact order that says the same would.

    A move ends an absence, too; a question, or a move that the rules refuse, may be written from a holiday.
    """
    meaning = meant.meaning
    order = meaning.do if meant.step in ("do", "take") else None
    is_asking = meant.is_sure and bool(meaning.info or meaning.doubt in LEFT_TO_THE_RULES)
    if order is None and (not is_asking or is_of_machine(text_of([line.text for line in meant.own.lines]))):
        return Reply()
    order = order or Order("STATUS")
    received = ReceivedOrder(order, meant.text, f"{key}/meant")
    return come_back(ctx, received, ends_absence=ORDERS[order.word].back == "from AWAY")


def _take(ctx: OrderContext, meant: Weighed, key: str, turn: int) -> Reply:
    order = meant.meaning.do
    assert order is not None, "the step says so"
    received = ReceivedOrder(order, meant.text, f"{key}/meant", turn)
    if meant.step == "do" and late(ctx, received, turn, ctx.asked_at) is None:
        return execute(ctx, received)
    reply = take(ctx, received)
    if refused_in(reply) is not None:
        now = replace(order, next=None)
        if order.next is not None and meant.situation.allows(now):
            return Reply(offers=(str(now),)) + reply
        return reply + Reply(offers=likely(meant.situation, order))
    if any(line.due_at for line in reply.lines):
        return reply + Reply(offers=(*instead_of(meant.situation, order), WAIT))
    return reply


def _ask(ctx: OrderContext, meant: Weighed, key: str) -> Reply:
    """Ask which of the possible answers is meant; if there is none now, say why."""
    meaning = meant.meaning
    orders = meaning.ask or tuple(
        dict.fromkeys(order for order in (meaning.do, *meant.doubted) if order is not None)
    )
    is_of_decision = all(map(decides, orders)) and meaning.doubt != "denied"
    if not is_of_decision:
        orders = tuple(one for one in orders if decides(one) or not refused_in(tried(ctx, one, ctx.turn)))
    is_refused = is_of_decision and not meant.situation.decision
    refusal = why_not(Pass(seat=ctx.seat), ctx.game) if is_refused else None
    if refusal is not None:
        return refused(ReceivedOrder(Order("PASS"), meant.text, key), refusal)
    if len(orders) == 1:
        return ask(ctx, ReceivedOrder(orders[0], meant.text, f"{key}/meant"))
    # The answer asks for something else now: nothing that was taken or asked about is done meanwhile.
    dropped = undo(ctx)
    forget_orders(ctx.tx, ctx.row)
    line = AnsweredLine(text=meant.text, verdict="asked", why="")
    offers = _for_later(meant) or offered(orders)
    asked = dropped + Reply((line,), offers=offers, doubt=meaning.doubt or "unclear")
    if not offers and meaning.doubt == "denied":
        return asked + ask_to_deny(ctx, " ".join(line.text for line in meant.own.lines))
    return asked if offers else asked + Reply(offers=likely(meant.situation))


def _for_later(meant: Weighed) -> tuple[str, ...]:
    """Return what to offer whoever names a card while others bid: that card for the next round, first of all.

    Whoever leads is offered no bid above their own.
    """
    now = meant.situation
    if meant.meaning.doubt != "other decision" or not now.is_early:
        return ()
    placing = replace(now, decision="placing", plays=now.nexts, nexts=(), is_early=False)
    meaning = meaning_of([line.text for line in meant.own.lines], placing)
    if meaning.do is None or meaning.do.card is None:
        return ()
    kept = Order("NEXT", next=meaning.do.card)
    return offered((kept,) if now.leads else (kept, *meant.meaning.ask))


def _answer(ctx: OrderContext, meant: Weighed, key: str, turn: int) -> Reply:
    """Take the words as the answer to the question that is open."""
    word, question = meant.meaning.reply, open_question(ctx.tx, ctx.writer, ctx.turn)
    received = ReceivedOrder(Order("YES" if word == "YES" else "NO"), meant.text, f"{key}/meant", turn)
    waiting = meant.situation.waiting
    if word != "YES" and waiting_order(ctx.tx, ctx.game_id, ctx.seat) is not None:
        return undo(ctx) + Reply(offers=likely(meant.situation))
    if word == "UNDO" and question is None:
        return _stands(ctx, meant)
    if word == "YES" and waiting is not None and is_for_good(waiting):
        line = AnsweredLine(text=meant.text, verdict="asked", why=phrase("people.sure.word"))
        return Reply((line,))
    if not meant.is_sure and question is not None:
        return Reply((AnsweredLine(text=meant.text, verdict="asked", why=""),))
    return execute(ctx, received)


def _stands(ctx: OrderContext, meant: Weighed) -> Reply:
    """Tell whoever takes something back that nothing waits, and of what they have done if that can be."""
    if ctx.standing.given:
        return ask(ctx, ReceivedOrder(Order("DROP"), meant.text, f"{ctx.source.mail_id}/meant"))
    last = last_move(ctx)
    offers = () if meant.situation.is_early else likely(meant.situation)
    if last is None or (last.word == "PLAY" and meant.situation.decision == "bidding"):
        why = phrase("people.stands.nothing")
    elif last.word == "PLAY":
        is_open = ctx.game.phase == "placing"
        why = phrase("people.stands.card" if is_open else "people.stands.open_card", order=str(last))
    else:
        why = phrase("people.stands.bid" if last.word == "BID" else "people.stands.passed", order=str(last))
    line = AnsweredLine(text=meant.text, verdict="refused", why=why)
    return Reply((line,), show=() if last is None else ("undo",), offers=offers)


def _beside(ctx: OrderContext, meant: Weighed, key: str, *, is_told: bool) -> Reply:
    """Say what is to be said, answer what is asked, and tell or offer the rest.

    If the words are told already, they are not told again.
    """
    meaning, reply = meant.meaning, Reply()
    for number, words in enumerate(meaning.say):
        order = Order(_SAY, text=words)
        if meant.is_sure:
            reply += execute(ctx, ReceivedOrder(order, plain(words), f"{key}/said/{number}"))
        elif sayable(ctx, words):
            reply += Reply(offers=(str(order),))
    if "replay" in meaning.info:
        reply += execute(ctx, ReceivedOrder(Order("REPLAY"), meant.text, f"{key}/replay"))
    if topics := [topic for topic in meaning.info if topic != "replay"]:
        answered = answer_topics(ctx, meant.text, topics)
        # Beside a move the answer below speaks for itself.
        reply += replace(answered, lines=()) if is_told or meant.own.exact else answered
    talk = "" if ctx.earlier.asks or not meaning.talk else open_talk(sayable(ctx, meaning.talk))
    refusal = None if meant.situation.decision else why_not(Pass(seat=ctx.seat), ctx.game)
    is_told |= any(line.verdict != "not understood" for line in (*ctx.earlier.lines, *reply.lines))
    if refusal is not None and not is_told and is_of_hand(meaning.talk) and not talk:
        # The talk may tell a hand or a bid, so it is not passed on; say that it is not the time for it.
        reply += refused(ReceivedOrder(Order("PASS"), meant.text, key), refusal)
    return reply + Reply(offers=(f"{_SAY} {talk}",) if talk else ())
