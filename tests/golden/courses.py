"""What happens around the moves: how the golden games go in which people come late, leave, or do not come.

A course is played by hand as far as people are concerned; the moves are the computer players'. Each takes a
room and a game that was just opened, and leaves a game that is over.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Final

from felix_async.game import commands as c
from felix_async.game.state import Game
from games import Room, joining
from golden.timed import deserted, disputed, do_all, hurried, outvoted, voted
from table import ANNA, BEN, CARA, DAN, EVE

Course = Callable[[Room, str], None]


def saying(seat: int, words: str) -> c.Say:
    """Something said to the table."""
    return c.Say(seat=seat, text_hash=sha256(words.encode()).hexdigest())


def until_bidding_in(number: int) -> Callable[[Game], bool]:
    """The auction of that round has begun."""
    return lambda game: game.round == number and game.phase == "bidding"


def life(room: Room, game_id: str) -> None:
    """Five are invited and three play, one after some doubt; hosting wanders.

    People talk, leave for a while, come back, and resign.
    """
    do_all(
        room,
        game_id,
        joining(ANNA),
        saying(BEN, "Who is in?"),
        c.Decline(seat=EVE),
        c.Uninvite(seat=ANNA, whom=DAN),
        joining(EVE),
        c.Leave(seat=EVE, for_good=True),
        joining(EVE),
        joining(CARA),
        c.NameHost(seat=ANNA, to=CARA),
        c.Expire(seat=BEN),
        c.Start(seat=CARA),
    )
    room.play(game_id, seed="life/1", until=until_bidding_in(2))
    do_all(room, game_id, saying(CARA, "Here we go."), c.Leave(seat=EVE, for_good=False))
    room.play(game_id, seed="life/2", until=until_bidding_in(4))
    do_all(room, game_id, c.Return(seat=EVE))
    room.play(game_id, seed="life/3", until=lambda game: game.round == 5)
    do_all(room, game_id, c.Leave(seat=CARA, for_good=False))
    room.play(game_id, seed="life/4", until=until_bidding_in(6))
    do_all(room, game_id, c.Leave(seat=CARA, for_good=True), saying(EVE, "A pity."))
    room.play(game_id, seed="life/5", until=until_bidding_in(7))
    do_all(room, game_id, c.Leave(seat=ANNA, for_good=False), c.Leave(seat=EVE, for_good=False))
    do_all(room, game_id, c.Return(seat=ANNA))
    room.play(game_id, seed="life/6")


def late(room: Room, game_id: str) -> None:
    """Two of five have not answered when the host starts; one of those who play resigns at once."""
    do_all(room, game_id, joining(BEN), joining(DAN), joining(ANNA), c.Start(seat=ANNA))
    do_all(room, game_id, c.Leave(seat=BEN, for_good=True))
    room.play(game_id, seed="late")


def cancelled(room: Room, game_id: str) -> None:
    """The host calls the game off."""
    do_all(room, game_id, joining(ANNA), joining(BEN), c.Cancel(seat=ANNA))


def hostless(room: Room, game_id: str) -> None:
    """The host leaves before anybody could host instead."""
    do_all(room, game_id, saying(CARA, "Hello?"), c.Leave(seat=ANNA, for_good=False))


def expired(room: Room, game_id: str) -> None:
    """Too many do not answer; first the host, who is followed by somebody else."""
    do_all(room, game_id, joining(CARA), c.Expire(seat=ANNA), c.Expire(seat=BEN))


def closed(room: Room, game_id: str) -> None:
    """Nobody starts the game."""
    do_all(room, game_id, joining(ANNA), joining(BEN), joining(CARA), c.Close())


def left(room: Room, game_id: str) -> None:
    """All resign after the server was set back, one after the other, the host last."""
    room.join_all(game_id)
    room.play(game_id, seed="left", until=until_bidding_in(1))
    seat = room.game(game_id).to_move
    assert seat is not None
    do_all(room, game_id, c.Pass(seat=seat), c.Restore())
    do_all(room, game_id, *[c.Leave(seat=seat, for_good=True) for seat in (BEN, CARA, ANNA)])


def taken(room: Room, game_id: str) -> None:
    """One leaves and another one resigns; for each of them somebody plays on, and hosts at last."""
    room.join_all(game_id)
    room.play(game_id, seed="taken/1", until=until_bidding_in(2))
    do_all(room, game_id, c.Leave(seat=BEN, for_good=False))
    room.play(game_id, seed="taken/2", until=until_bidding_in(3))
    do_all(room, game_id, c.Substitute(seat=BEN, player_id="dora"))
    room.play(game_id, seed="taken/3", until=until_bidding_in(5))
    do_all(room, game_id, c.Leave(seat=CARA, for_good=True))
    do_all(room, game_id, *[c.Leave(seat=seat, for_good=False) for seat in (ANNA, BEN)])
    do_all(room, game_id, c.Substitute(seat=CARA, player_id="emil"))
    room.play(game_id, seed="taken/4")


COURSES: Final[dict[str, Course]] = {
    course.__name__: course
    for course in (
        life,
        late,
        cancelled,
        hostless,
        expired,
        closed,
        left,
        taken,
        hurried,
        disputed,
        outvoted,
        voted,
        deserted,
    )
}
