"""PAUSE, RESUME and ABANDON: what the players of a table decide together, once all but one are for it.

A vote is a plain one: it can be taken back with RESUME until there are enough, so no YES is asked for.
"""

from __future__ import annotations

from felix_async.answer import AnsweredLine
from felix_async.game.commands import Resume, Vote
from felix_async.game.state import Game
from felix_async.game.votes import needed, voters
from felix_async.grammar import Order
from felix_async.inbox.orders.desk import Desk, Given, done, refused
from felix_async.times import moment
from felix_async.words.phrases import phrase
from felix_async.zones import zone_for
from felix_events.model import Ballot


def vote_of(order: Order, seat: int) -> Vote | Resume:
    """What PAUSE, RESUME or ABANDON asks for."""
    if order.word == "RESUME":
        return Resume(seat=seat)
    return Vote(seat=seat, on="pause" if order.word == "PAUSE" else "abandon")


def obey_vote(desk: Desk, given: Given) -> AnsweredLine:
    """Vote, and say how many are for it and how many are needed."""
    before = desk.game
    outcome = desk.command(vote_of(given.order, desk.seat), given)
    if outcome.refusal is not None:
        return refused(given, outcome.refusal)
    if given.order.word == "RESUME":
        told = phrase("people.vote.resumed") if before.paused_until else phrase("people.vote.taken_back")
    elif given.order.word == "PAUSE":
        told = _pause_told(desk, before, desk.game, is_new=outcome.events > 0)
    else:
        told = _abandon_told(desk, before, desk.game, is_new=outcome.events > 0)
    return done(given, told)


def _pause_told(desk: Desk, before: Game, after: Game, *, is_new: bool) -> str:
    votes, players, least = _counted(desk, before, "pause")
    if after.paused_until:
        zone = zone_for(desk.tx.choice(desk.writer.seat.player_id), desk.service.hours.zone)
        at = moment(after.paused_until, zone)
        return phrase("people.vote.paused", votes=votes, players=players, at=at)
    if is_new:
        return phrase("people.vote.pause", votes=votes, players=players, needed=least)
    return phrase("people.vote.pause_again", votes=votes, players=players, needed=least)


def _abandon_told(desk: Desk, before: Game, after: Game, *, is_new: bool) -> str:
    votes, players, least = _counted(desk, before, "abandon")
    if after.is_over:
        return phrase("people.vote.abandoned", votes=votes, players=players)
    if is_new:
        return phrase("people.vote.abandon", votes=votes, players=players, needed=least)
    return phrase("people.vote.abandon_again", votes=votes, players=players, needed=least)


def _counted(desk: Desk, before: Game, on: Ballot) -> tuple[int, int, int]:
    """How many are for it with the writer's vote, of how many, and how many are needed.

    Counted as the table was before: a vote that was enough is gone from it afterwards.
    """
    return len({*voters(before, on), desk.seat}), len(before.humans), needed(before)
