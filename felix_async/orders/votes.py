"""PAUSE, RESUME, ABANDON and HAND OVER: what the players of a table decide, once all but one are for it.

A vote can be taken back with RESUME until there are enough, so no YES is asked for. Everybody gets a message
about a vote, so the votes of a seat within a day are limited.
"""

from __future__ import annotations

from felix_async.game.commands import Resume, Vote
from felix_async.game.rules import Refusal, why_not
from felix_async.game.state import Game
from felix_async.game.votes import OVER, about, at_table, needed, voters
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.dispute import disputed_seat
from felix_async.orders.hosting import names_at
from felix_async.orders.quotas import A_DAY, is_used_up, times_of
from felix_async.time.times import until
from felix_events.model import Ballot


def vote_command(ctx: OrderContext, order: Order) -> Vote | Resume:
    """The command of PAUSE, RESUME or ABANDON."""
    if order.word == "RESUME":
        return Resume(seat=ctx.seat)
    return Vote(seat=ctx.seat, on="pause" if order.word == "PAUSE" else "abandon")


def vote(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Vote, and say how many are for it and how many are needed."""
    before, whom = ctx.game, None
    if received.order.word == "HANDOVER":
        whom = disputed_seat(ctx, received, lambda seat: Vote(seat=ctx.seat, on=OVER[seat]))
    if isinstance(whom, Reply):
        return whom
    wanted = vote_command(ctx, received.order) if whom is None else Vote(seat=ctx.seat, on=OVER[whom])
    if isinstance(wanted, Vote) and why_not(wanted, before) is None and _is_enough(ctx, wanted):
        return refused(received, Refusal("vote/too_often", {"most": A_DAY["votes"]}))
    # The log keeps no name, so that somebody can be forgotten: the seat says who is meant.
    kept = "" if whom is None else str(Order(received.order.word, text=str(whom)))
    outcome = ctx.command(wanted, received, order=kept)
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    is_new = outcome.events > 0
    if isinstance(wanted, Vote):
        told = _told(ctx, before, wanted.on, is_new=is_new)
        if ctx.game.paused_until and ctx.standing.given:
            told = f"{told} {phrase('people.ahead.stays')}"
    else:
        told = phrase("people.vote.resumed") if before.paused_until else phrase("people.vote.taken_back")
    return done(received, told, changed=is_new)


def _is_enough(ctx: OrderContext, wanted: Vote) -> bool:
    """Return True if this vote, which everybody would be told of, is one too many by the log."""
    if (wanted.on, wanted.seat) in ctx.game.votes:
        return False
    return is_used_up("votes", times_of(ctx.tx, ctx.game_id, ctx.seat, "vote_cast"), ctx.now)


def _told(ctx: OrderContext, before: Game, on: Ballot, *, is_new: bool) -> str:
    """Tell the count as the table was before: a vote that was enough is gone afterwards."""
    after = ctx.game
    count = {"votes": len({*voters(before, on), ctx.seat}), "players": len(at_table(before))}
    if on == "abandon" and after.is_over:
        return phrase("people.vote.abandoned", **count)
    if on == "pause" and after.paused_until:
        return phrase("people.vote.paused", **count, at=until(after.paused_until, ctx.zone))
    what, whom = about(on)
    who = "" if whom is None else names_at(ctx)[whom]
    if whom is not None and all(one.seat != whom for one in after.disputes):
        told = phrase("people.vote.handed_over", **count, who=who)
        if after.is_over:
            return f"{told} {phrase('people.vote.ended')}"
        is_host = before.host != after.host == ctx.seat
        return f"{told} {phrase('mails.absent.new_host')}" if is_host else told
    key = what if is_new else f"{what}_again"
    return phrase(f"people.vote.{key}", **count, needed=needed(before), who=who)
