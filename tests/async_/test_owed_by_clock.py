"""Whom the clock owes what: who was timed out, the host, and who hosts only since then."""

from __future__ import annotations

from async_.owing import notices
from felix_async.clock import later, text_of
from felix_async.game.commands import Absent, Leave, NameHost, Return, TimeOut, Vote
from felix_events.model import Terms
from felix_events.store.rows import NoticeKind
from games import Room, a_room
from table import ANNA, BEN, CARA, DAN

DAY = 24 * 3600


def a_game_by_the_clock(host: int | None = ANNA) -> tuple[Room, str]:
    room = a_room()
    game_id = room.open(4, start=ANNA, host=host, clock=Terms(move=DAY))
    room.join_all(game_id)
    return room, game_id


def owed(room: Room, game_id: str, *kinds: NoticeKind) -> list[tuple[NoticeKind, int]]:
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


def test_a_host_whose_time_was_up_twice_is_told_and_the_new_host_too() -> None:
    room, game_id = a_game_by_the_clock()
    twice(room, game_id, ANNA)
    assert room.game(game_id).host == BEN
    assert owed(room, game_id, "absent") == [("absent", BEN)]
    assert owed(room, game_id, "timed_out").count(("timed_out", ANNA)) == 2


def test_the_host_is_told_of_another_one_once() -> None:
    room, game_id = a_game_by_the_clock(host=CARA)
    twice(room, game_id, ANNA)
    assert owed(room, game_id, "absent") == [("absent", CARA)]


def test_without_a_host_there_is_nobody_to_tell() -> None:
    room, game_id = a_game_by_the_clock(host=None)
    twice(room, game_id, ANNA)
    assert owed(room, game_id, "absent") == []


def test_a_new_host_is_told_when_the_old_one_leaves() -> None:
    room, game_id = a_game_by_the_clock()
    room.do(game_id, Leave(seat=ANNA, for_good=False))
    assert owed(room, game_id, "absent") == [("absent", BEN)]


def test_who_is_named_host_in_a_running_game_is_told() -> None:
    room, game_id = a_game_by_the_clock()
    room.do(game_id, NameHost(seat=ANNA, to=DAN))
    assert owed(room, game_id, "absent") == [("absent", DAN)]


def test_who_comes_back_and_hosts_by_that_needs_no_letter() -> None:
    room, game_id = a_game_by_the_clock()
    for seat in range(4):
        room.do(game_id, Leave(seat=seat, for_good=False))
    before = owed(room, game_id, "absent")
    room.do(game_id, Return(seat=CARA))
    assert room.game(game_id).host == CARA
    assert owed(room, game_id, "absent") == before


def test_the_host_needs_no_letter_about_who_left_by_their_own_will() -> None:
    room, game_id = a_game_by_the_clock()
    room.do(game_id, Leave(seat=DAN, for_good=False))
    now = text_of(room.clock.now)
    room.do(game_id, Absent(seat=CARA, start=now, back=later(now, 3 * DAY), computer=True))
    assert owed(room, game_id, "absent") == []


def test_a_vote_is_owed_to_those_who_have_not_voted() -> None:
    room, game_id = a_game_by_the_clock()
    room.do(game_id, Vote(seat=BEN, on="abandon"))
    assert owed(room, game_id, "vote") == [("vote", ANNA), ("vote", CARA), ("vote", DAN)]
