"""Votes: a pause, an end without a result, or the computer for a disputed seat, if all but one are for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game import disputes, presence
from felix_async.game.lobby import abandon
from felix_async.game.state import Game, SeatTime
from felix_async.game.table import Refusal, Table
from felix_events import model as m

LONGEST_PAUSE: Final = 30 * 24 * 3600
"""Seconds until a pause ends by itself."""
BALLOTS: Final[tuple[m.Ballot, ...]] = get_args(m.Ballot)
"""All that may be voted on."""
OVER: Final = BALLOTS[2:]
"""The ballots on handing a seat over, by seat."""


def about(on: str) -> tuple[str, int | None]:
    """Return what a ballot is about in a word, and the seat if it is about one.

    >>> about("pause"), about("seat 2")
    (('pause', None), ('seat', 2))
    """
    what, _, seat = on.partition(" ")
    return what, int(seat) if seat else None


# ---- refusals ---------------------------------------------------------------------------------------


def refuse_vote(command: c.Vote | c.Resume, game: Game) -> Refusal | None:
    """Return why this seat cannot vote on that now, None if it can."""
    if game.phase == "inviting":
        return Refusal("game/not_started")
    if command.seat not in game.players:
        return Refusal("seat/not_playing")
    if game.seats[command.seat].gone:
        return Refusal("seat/gone")
    if game.seats[command.seat].computer:
        return Refusal("vote/away")
    if isinstance(command, c.Resume):
        return None if game.paused_until or _has_voted(game, command.seat) else Refusal("vote/none")
    if command.on == "pause":
        if game.clock is None:
            return Refusal("vote/no_clock")
        if game.paused_until:
            return Refusal("vote/paused")
    if command.on in OVER and disputes.open_dispute(game, OVER.index(command.on)) is None:
        return Refusal("dispute/none")
    return None


def _has_voted(game: Game, seat: int) -> bool:
    return any(voter == seat for _, voter in game.votes)


# ---- consequences -----------------------------------------------------------------------------------


def vote(table: Table, command: c.Vote) -> Iterator[m.Event]:
    """A vote, unless it was cast before."""
    if (command.on, command.seat) not in table.game.votes:
        yield table.do(m.VoteCast(seat=command.seat, on=command.on))


def resume(table: Table, command: c.Resume) -> Iterator[m.Event]:
    """End the pause, for which one player is enough; if there is none, take the player's votes back."""
    if table.game.paused_until:
        yield table.do(m.GameResumed(seat=command.seat))
    else:
        yield table.do(m.VotesWithdrawn(seat=command.seat))


def count(table: Table) -> Iterator[m.Event]:
    """Do what enough players are for: after a vote, and after somebody has left who was not for it."""
    game = table.game
    lost = next((one.seat for one in game.disputes if _is_carried(game, OVER[one.seat])), None)
    if _is_carried(game, "abandon"):
        yield from abandon(table, m.GameAbandoned(reason="voted"))
    elif lost is not None:
        yield from presence.leave(table, c.Leave(seat=lost, for_good=True))
        if not game.is_over:
            yield from disputes.close(table, lost, "handed_over")
            # One less is at the table, so less votes are needed for the rest.
            yield from count(table)
    elif _is_carried(game, "pause"):
        yield table.do(m.GamePaused(until=later(table.now, LONGEST_PAUSE)))


def _is_carried(game: Game, on: m.Ballot) -> bool:
    return not game.is_over and len(voters(game, on)) >= max(needed(game), 1)


# ---- what is wanted ---------------------------------------------------------------------------------


def voters(game: Game, on: m.Ballot) -> list[int]:
    """The seats at the table that are for it."""
    return sorted(seat for what, seat in game.votes if what == on and seat in game.humans)


def at_table(game: Game) -> list[int]:
    """The seats whose word counts: those that play for themselves, and those that will after an absence."""
    absent = [seat for seat in game.players if _is_absent(game.seats[seat].time)]
    return sorted({*game.humans, *absent})


def needed(game: Game) -> int:
    """Return the number of votes that it takes: all but one of those at the table, or all of one or two."""
    players = len(at_table(game))
    return players if players < 3 else players - 1


def _is_absent(time: SeatTime) -> bool:
    return time.absence is not None and time.absence.covering
