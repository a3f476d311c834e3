"""Whom the clock owes what: who was timed out, the host, and who hosts only since then."""

from __future__ import annotations

from async_.owing import notices
from felix_async.game.commands import TimeOut
from felix_events.model import Terms
from games import Room, a_room
from table import ANNA, BEN, CARA

DAY = 24 * 3600


def a_game_by_the_clock(host: int | None = ANNA) -> tuple[Room, str]:
    room = a_room()
    game_id = room.open(4, start=ANNA, host=host, clock=Terms(move=DAY))
    room.join_all(game_id)
    return room, game_id


def owed(room: Room, game_id: str, *kinds: str) -> list[tuple[str, int]]:
    return [(one.kind, one.seat) for one in notices(room, game_id) if one.kind in kinds]


def time_out(room: Room, game_id: str, seat: int) -> None:
    room.clock.now = room.clock.now.replace(month=room.clock.now.month + 1)
    turn = room.game(game_id).seats[seat].turn
    assert room.do(game_id, TimeOut(seat=seat, turn=turn)).refusal is None


def twice(room: Room, game_id: str, seat: int) -> None:
    """Its card is placed for it, then those of the others; it is the first to bid, and passes."""
    for other in (seat, *(one for one in range(4) if one != seat)):
        time_out(room, game_id, other)
    if room.game(game_id).to_move == seat:
        time_out(room, game_id, seat)


def test_who_is_timed_out_is_told_and_nobody_else() -> None:
    room, game_id = a_game_by_the_clock()
    time_out(room, game_id, BEN)
    assert owed(room, game_id, "timed_out", "absent") == [("timed_out", BEN)]


def test_the_host_is_told_of_another_one_once() -> None:
    room, game_id = a_game_by_the_clock(host=CARA)
    twice(room, game_id, ANNA)
    assert owed(room, game_id, "absent") == [("absent", CARA)]
