"""PAUSE, RESUME and ABANDON: what the players of a table decide together, once all but one are for it.

A vote is a plain one: it can be taken back with RESUME until there are enough, so no YES is asked for.
Everybody gets a mail about a vote, so nobody votes without end.
"""

from __future__ import annotations

from typing import Final

import orjson

from felix_async.clock import later
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.commands import Resume, Vote
from felix_async.game.rules import Refusal, why_not
from felix_async.game.state import Game
from felix_async.game.votes import at_table, needed, voters
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.orders.context import OrderContext, ReceivedOrder, done, refused
from felix_async.orders.questions import DAY
from felix_async.time.times import moment
from felix_async.time.zones import zone_for
from felix_events.model import Ballot

MAX_A_DAY: Final = 6
"""Votes of one seat within a day."""


def vote_of(order: Order, seat: int) -> Vote | Resume:
    """What PAUSE, RESUME or ABANDON asks for."""
    if order.word == "RESUME":
        return Resume(seat=seat)
    return Vote(seat=seat, on="pause" if order.word == "PAUSE" else "abandon")


def obey_vote(ctx: OrderContext, received: ReceivedOrder) -> AnsweredLine:
    """Vote, and say how many are for it and how many are needed."""
    before, wanted = ctx.game, vote_of(received.order, ctx.seat)
    if isinstance(wanted, Vote) and why_not(wanted, before) is None and _is_enough(ctx, wanted):
        return refused(received, Refusal("vote/too_often", {"most": MAX_A_DAY}))
    outcome = ctx.command(wanted, received)
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    if received.order.word == "RESUME":
        told = phrase("people.vote.resumed") if before.paused_until else phrase("people.vote.taken_back")
    elif received.order.word == "PAUSE":
        told = _pause_told(ctx, before, ctx.game, is_new=outcome.events > 0)
    else:
        told = _abandon_told(ctx, before, ctx.game, is_new=outcome.events > 0)
    return done(received, told)


def _is_enough(ctx: OrderContext, wanted: Vote) -> bool:
    """Whether this would be one vote too many, as the log has it: told to everybody, once more."""
    if (wanted.on, wanted.seat) in ctx.game.votes:
        return False
    envelopes = (orjson.loads(body) for body in ctx.tx.bodies(ctx.game_id))
    cast: list[str] = [
        one["at"] for one in envelopes if one["type"] == "vote_cast" and one["data"]["seat"] == wanted.seat
    ]
    return len(cast) >= MAX_A_DAY and cast[-MAX_A_DAY] > later(ctx.now, -DAY)


def _pause_told(ctx: OrderContext, before: Game, after: Game, *, is_new: bool) -> str:
    votes, players, least = _counted(ctx, before, "pause")
    if after.paused_until:
        zone = zone_for(ctx.tx.choice(ctx.writer.seat.player_id), ctx.service.hours.zone)
        at = moment(after.paused_until, zone)
        return phrase("people.vote.paused", votes=votes, players=players, at=at)
    if is_new:
        return phrase("people.vote.pause", votes=votes, players=players, needed=least)
    return phrase("people.vote.pause_again", votes=votes, players=players, needed=least)


def _abandon_told(ctx: OrderContext, before: Game, after: Game, *, is_new: bool) -> str:
    votes, players, least = _counted(ctx, before, "abandon")
    if after.is_over:
        return phrase("people.vote.abandoned", votes=votes, players=players)
    if is_new:
        return phrase("people.vote.abandon", votes=votes, players=players, needed=least)
    return phrase("people.vote.abandon_again", votes=votes, players=players, needed=least)


def _counted(ctx: OrderContext, before: Game, on: Ballot) -> tuple[int, int, int]:
    """How many are for it with the writer's vote, of how many, and how many are needed.

    Counted as the table was before: a vote that was enough is gone from it afterwards.
    """
    return len({*voters(before, on), ctx.seat}), len(at_table(before)), needed(before)
