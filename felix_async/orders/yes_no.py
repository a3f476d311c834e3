"""YES and NO: the answers to what felix asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import (
    ALREADY_DONE,
    DOUBTED_AGAIN,
    NOT_YOURS,
    NOTHING_MEANT,
    OWN_NOW,
    OWN_YES,
    YOURS_NOW,
)
from felix_async.orders.again import last_move
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.questions import (
    ABOUT_ADDRESS,
    Answered,
    answer_question,
    is_for_newcomer,
    question_named,
    row_asked,
    words_taken,
)
from felix_async.text import plain
from felix_events.store.rows import Question


def answer(ctx: OrderContext, received: ReceivedOrder, *, is_for_good: Callable[[Order], bool]) -> Reply:
    """Take YES or NO as the answer to the question that it is for; an order that was meant follows."""
    is_yes = received.order.word == "YES"
    named = question_named(ctx.tx, ctx.writer)
    if named is not None and named.kind in ABOUT_ADDRESS and not is_for_newcomer(named, ctx.source.sender):
        return refused(received, Refusal("address/from_there", {"address": plain(named.text)}))
    was_own = named is not None and named.text in ctx.row.addresses
    answered = answer_question(
        ctx.tx,
        ctx.service,
        ctx.writer,
        ctx.source.mail_id,
        is_yes,
        ctx.turn,
        ctx.now,
        is_alone=ctx.source.is_alone,
        is_for_good=is_for_good,
    )
    if answered.question is None and _is_invited(ctx):
        # A NO may be meant otherwise: it is asked about.
        meant = replace(received, order=Order("JOIN" if is_yes else "DECLINE"), turn=ctx.turn)
        return Reply(follow=_confirmed(meant) if is_yes else meant)
    asked = answered.question
    if asked is None and answered.refusal is not None and ctx.seat in ctx.game.asked:
        return refused(received, Refusal("question/of_move"))
    if (
        answered.refusal is not None
        and asked is not None
        and is_yes
        and asked.due_at
        and asked.state == "yes"
    ):
        return done(received, ALREADY_DONE)
    last = last_move(ctx) if asked is None and is_yes and ctx.seat not in ctx.game.asked else None
    if last is not None:
        return done(received, phrase("people.stands.still", order=str(last)))
    if answered.refusal is not None:
        return refused(received, answered.refusal)
    if answered.asked_again:
        line = AnsweredLine(text=received.text, verdict="asked", why=answered.asked_again)
        return Reply((line,))
    question = answered.question
    assert question is not None, "what was not refused is about a question"
    if answered.order is not None:
        words = words_taken(ctx.tx, question) if question.due_at else ""
        meant = replace(
            received, order=answered.order, turn=question.turn, words=words, lies=row_asked(question)
        )
        return Reply(effects=frozenset({"changed"}), follow=_confirmed(meant))
    if question.kind in ABOUT_ADDRESS and is_yes:
        told = phrase("people.address.moved", address=plain(question.text))
        return replace(done(received, told, changed=True, effects=["plays_on"]), show=("resend",))
    if question.kind == "sender" and is_yes and was_own:
        return _own_confirmed(ctx, received, answered, question)
    return done(received, _told(question, is_yes=is_yes), changed=True)


def _confirmed(meant: ReceivedOrder) -> ReceivedOrder:
    return replace(meant, text=f"{meant.text} ({meant.order})", is_confirmed=True)


def _told(question: Question, *, is_yes: bool) -> str:
    if question.kind != "sender":
        return NOTHING_MEANT
    address = plain(question.text)
    if question.state == "yes":
        return DOUBTED_AGAIN.format(address=address)
    return YOURS_NOW.format(address=address) if is_yes else NOT_YOURS


def _own_confirmed(
    ctx: OrderContext, received: ReceivedOrder, answered: Answered, question: Question
) -> Reply:
    """Tell the player that a message from their own address was theirs, and that others like it will be."""
    held = ctx.tx.held(question.mail_id)
    is_believed = held is not None and any(
        (one.address, one.provider) == (held.sender, held.provider) for one in ctx.tx.beliefs(ctx.player_id)
    )
    told = OWN_NOW.format(address=plain(question.text)) if is_believed else OWN_YES
    # A message without a token is about no game of theirs: its own answer says that it was confirmed, too.
    requeued = [ctx.tx.held(mail_id) for mail_id in answered.requeued]
    is_elsewhere = bool(requeued) and all(one is not None and one.keyless for one in requeued)
    return done(received, told, changed=True, effects=["told_elsewhere"] if is_elsewhere else [])


def _is_invited(ctx: OrderContext) -> bool:
    """Return True if an invitation is what this seat was asked last: YES and NO are clear enough then."""
    return ctx.game.phase == "inviting" and ctx.seat in ctx.game.asked
