"""Courses by the clock: people are late, too late, and away in every way there is; and how they vote.

As in `golden.courses`, each takes a room and a game that was just opened, and leaves a game that is over.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from felix_async.clock import later, text_of, time_of
from felix_async.game import commands as c
from felix_async.game.state import Game
from felix_async.game.timing import running
from felix_events.model import Terms
from games import Room, joining
from table import ANNA, BEN, CARA, DAN

HOUR: Final = 3600
DAY: Final = 24 * HOUR
HURRY: Final = Terms(move=12 * HOUR, reserve=6 * HOUR, weekends=False, zone="Europe/Berlin")
"""The terms of these games."""


def do_all(room: Room, game_id: str, *commands: c.Command) -> None:
    """One after the other; each of them does something."""
    for command in commands:
        assert room.do(game_id, command).events, command


def until(room: Room, at: str) -> None:
    """Nobody does anything until then."""
    room.clock.now = max(room.clock.now, time_of(at))


def wait(room: Room, seconds: float) -> None:
    """Nobody does anything for so long."""
    room.clock.now += timedelta(seconds=seconds)


def time_out(room: Room, game_id: str, seat: int) -> None:
    """This seat's player lets the time run out."""
    deadline = dict(running(room.game(game_id)))[seat]
    until(room, deadline.at)
    do_all(room, game_id, c.TimeOut(seat=seat, turn=deadline.turn))


def away(room: Room, seat: int, start: float, back: float, *, computer: bool = False) -> c.Absent:
    """Away from so many seconds after now until so many."""
    now = text_of(room.clock.now)
    return c.Absent(seat=seat, start=later(now, start), back=later(now, back), computer=computer)


def come_back(room: Room, game_id: str, seat: int) -> None:
    """An absence is over by the calendar."""
    absence = room.game(game_id).seats[seat].time.absence
    assert absence is not None
    until(room, absence.back)
    do_all(room, game_id, c.EndAbsence(seat=seat))


def hand(room: Room, game_id: str, seat: int, place: int) -> c.Play:
    """A card of the seat's hand."""
    return c.Play(seat=seat, card=room.game(game_id).seats[seat].hand[place])


def placing_in(number: int) -> Callable[[Game], bool]:
    """Cards are placed in that round, and none is yet."""
    return lambda game: game.round == number and game.phase == "placing"


def hurried(room: Room, game_id: str) -> None:
    """To the end, by the clock."""
    do_all(room, game_id, joining(DAN), away(room, DAN, 0, 3 * DAY, computer=True))
    room.join_all(game_id)
    # Cara's card is placed for her, and she thinks better of it. Ben is late, and has an outage to thank.
    time_out(room, game_id, CARA)
    do_all(room, game_id, hand(room, game_id, CARA, 0), c.Extend(seat=BEN, turn=1, seconds=2 * HOUR))
    do_all(room, game_id, hand(room, game_id, BEN, 3))
    time_out(room, game_id, ANNA)
    come_back(room, game_id, DAN)
    room.play(game_id, seed="hurried/1", until=placing_in(2))
    # Twice in a row, and the computer goes on until Cara is back.
    time_out(room, game_id, CARA)
    room.play(game_id, seed="hurried/2", until=lambda game: game.to_move == CARA)
    time_out(room, game_id, CARA)
    room.play(game_id, seed="hurried/3", until=placing_in(3))
    do_all(room, game_id, c.Return(seat=CARA))
    # The clock waits for Ben, who is back early; the next time as planned.
    do_all(room, game_id, away(room, BEN, 0, 2 * DAY), c.Recall(seat=BEN), away(room, BEN, HOUR, DAY))
    come_back(room, game_id, BEN)
    # The computer plays for Anna, who hosts, until she writes.
    do_all(room, game_id, away(room, ANNA, HOUR, DAY, computer=True))
    wait(room, HOUR)
    do_all(room, game_id, c.BeginAbsence(seat=ANNA))
    wait(room, HOUR)
    do_all(room, game_id, c.Return(seat=ANNA))
    # A pause that somebody ends, and one that ends by itself; an end that too few want.
    pause = [c.Vote(seat=seat, on="pause") for seat in (ANNA, BEN, DAN)]
    do_all(room, game_id, *pause)
    wait(room, DAY)
    do_all(room, game_id, c.Resume(seat=CARA), *pause)
    until(room, room.game(game_id).paused_until)
    do_all(room, game_id, c.EndPause(), c.Vote(seat=BEN, on="abandon"), c.Resume(seat=BEN))
    room.play(game_id, seed="hurried/4", until=lambda game: game.phase == "bidding")
    seat = room.game(game_id).to_move
    assert seat is not None
    time_out(room, game_id, seat)
    room.play(game_id, seed="hurried/5")


def denied(room: Room, game_id: str, seat: int) -> c.Dispute:
    """The last move of this seat is denied."""
    turn, what = list(room.game(game_id).seats[seat].moves.items())[-1]
    return c.Dispute(seat=seat, turn=turn, what=what)


def disputed(room: Room, game_id: str) -> None:
    """Moves are denied: two at once, one of them the host's; and until time no longer stands still for it."""
    room.join_all(game_id)
    room.play(game_id, seed="disputed/1", until=lambda game: game.phase == "bidding")
    do_all(room, game_id, denied(room, game_id, BEN))
    wait(room, 20 * HOUR)
    do_all(room, game_id, denied(room, game_id, ANNA), away(room, CARA, HOUR, 3 * DAY))
    wait(room, HOUR)
    do_all(room, game_id, c.Stand(seat=ANNA, whom=BEN), c.Recall(seat=CARA))
    room.play(game_id, seed="disputed/2", until=placing_in(2))
    do_all(room, game_id, c.Withdraw(seat=ANNA))
    room.play(game_id, seed="disputed/3", until=lambda game: game.round == 2 and game.high_bid > 0)
    do_all(room, game_id, denied(room, game_id, CARA))
    wait(room, 30 * HOUR)
    seat = room.game(game_id).to_move
    assert seat is not None
    do_all(room, game_id, c.Extend(seat=seat, turn=room.game(game_id).seats[seat].turn, seconds=7 * DAY))
    until(room, room.game(game_id).disputes[0].lapses)
    do_all(room, game_id, c.Lapse(seat=CARA))
    room.play(game_id, seed="disputed/4", until=placing_in(3))
    # The time for it is used up: it runs on.
    do_all(room, game_id, denied(room, game_id, BEN))
    room.play(game_id, seed="disputed/5")


def outvoted(room: Room, game_id: str) -> None:
    """Two deny moves, and the others hand their seats over, each the host's; a third one takes it back."""
    room.join_all(game_id)
    room.play(game_id, seed="outvoted/1", until=lambda game: game.phase == "bidding")
    do_all(room, game_id, denied(room, game_id, ANNA))
    wait(room, 5 * HOUR)
    do_all(room, game_id, c.Vote(seat=BEN, on="seat 0"), c.Vote(seat=CARA, on="seat 0"))
    do_all(room, game_id, c.Resume(seat=CARA), c.Vote(seat=DAN, on="abandon"), c.Vote(seat=DAN, on="seat 0"))
    do_all(room, game_id, c.Vote(seat=CARA, on="seat 0"), c.Resume(seat=DAN), denied(room, game_id, BEN))
    do_all(room, game_id, c.Vote(seat=CARA, on="seat 1"), c.Vote(seat=BEN, on="seat 1"))
    room.play(game_id, seed="outvoted/2", until=placing_in(3))
    do_all(room, game_id, denied(room, game_id, CARA), c.Vote(seat=CARA, on="seat 2"))
    wait(room, HOUR)
    do_all(room, game_id, c.Withdraw(seat=CARA))
    room.play(game_id, seed="outvoted/3")


def voted(room: Room, game_id: str) -> None:
    """Two of three want to end it, one of them a pause first; between, the server is set back to a backup."""
    room.join_all(game_id)
    do_all(room, game_id, c.Vote(seat=BEN, on="abandon"), c.Vote(seat=ANNA, on="pause"))
    do_all(room, game_id, c.Restore(), c.Vote(seat=ANNA, on="abandon"))


def deserted(room: Room, game_id: str) -> None:
    """Everybody is too late twice, and nobody comes back."""
    room.join_all(game_id)
    while room.game(game_id).humans:
        seat, _ = min(running(room.game(game_id)), key=lambda one: one[1].at)
        time_out(room, game_id, seat)
    wait(room, 14 * DAY)
    do_all(room, game_id, c.Close())
