"""Whom the clock owes what: who was timed out, the host, and who hosts only since then."""

from __future__ import annotations

from async_.owing import notices
from felix_async.game.commands import Bid, Pass, Play, TimeOut
from felix_events.model import Terms
from games import Room, a_room
from table import ANNA, BEN, CARA, DAN

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


def test_who_is_timed_out_is_told_although_the_computer_has_moved_on_for_them_at_once() -> None:
    """Ben buys the sack, and the computer places Anna's next card: then she has missed nothing any more."""
    room = a_room()
    game_id = room.open(4, start=BEN, host=CARA, clock=Terms(move=DAY))
    room.join_all(game_id)
    time_out(room, game_id, ANNA)
    for seat in room.game(game_id).asked:
        room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0]))
    for command in (Bid(seat=BEN, amount=1), Pass(seat=CARA), Pass(seat=DAN)):
        assert room.do(game_id, command).refusal is None
    before = len(notices(room, game_id))
    time_out(room, game_id, ANNA)
    game = room.game(game_id)
    assert (game.round, game.seats[ANNA].time.missed, game.seats[ANNA].has_placed) == (2, 0, True)
    found = {(one.kind, one.seat) for one in notices(room, game_id)[before:]}
    assert {("timed_out", ANNA), ("absent", CARA)} <= found
