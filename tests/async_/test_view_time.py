"""What is public about time goes through the view, and is the same for everybody."""

from __future__ import annotations

from felix_async.clock import later, text_of
from felix_async.game.commands import Absent, Play, Vote
from felix_async.game.state import Absence
from felix_async.game.views import OpenVote, view
from felix_events.model import Terms
from games import Room, a_room
from table import ANNA, BEN, CARA, DAN

DAY = 24 * 3600
TERMS = Terms(move=3 * DAY, reserve=DAY)


def a_game_by_the_clock() -> tuple[Room, str]:
    room = a_room()
    game_id = room.open(4, start=ANNA, clock=TERMS)
    room.join_all(game_id)
    return room, game_id


def test_everybody_sees_the_terms_and_each_deadline() -> None:
    room, game_id = a_game_by_the_clock()
    room.do(game_id, Play(seat=BEN, card=room.game(game_id).seats[BEN].hand[0]))
    game = room.game(game_id)
    seen = [view(game, viewer) for viewer in (ANNA, BEN, "spectator")]
    assert {table.clock for table in seen} == {TERMS}
    assert [seat.time for seat in seen[0].seats] == [state.time for state in game.seats]
    assert seen[0].seats[BEN].time.deadline is None
    assert seen[0].seats[CARA].time.deadline is not None
    assert seen[0].seats == seen[1].seats == seen[2].seats


def test_everybody_sees_who_is_away_until_when() -> None:
    room, game_id = a_game_by_the_clock()
    start = text_of(room.clock.now)
    room.do(game_id, Absent(seat=DAN, start=later(start, DAY), back=later(start, 3 * DAY), computer=True))
    for viewer in (ANNA, DAN, "spectator"):
        assert view(room.game(game_id), viewer).seats[DAN].time.absence == Absence(
            later(start, DAY), later(start, 3 * DAY), computer=True
        )


def test_everybody_sees_the_open_votes_until_they_are_over() -> None:
    room, game_id = a_game_by_the_clock()
    room.do(game_id, Vote(seat=BEN, on="pause"))
    room.do(game_id, Vote(seat=CARA, on="pause"))
    room.do(game_id, Vote(seat=CARA, on="abandon"))
    votes = view(room.game(game_id), "spectator").votes
    assert list(votes) == [OpenVote("pause", [BEN, CARA], 3), OpenVote("abandon", [CARA], 3)]
    room.do(game_id, Vote(seat=DAN, on="pause"))
    paused = view(room.game(game_id), "spectator")
    assert (list(paused.votes), paused.paused_until) == ([], room.game(game_id).paused_until)
    assert paused.paused_until


def test_a_game_that_is_over_has_no_open_votes() -> None:
    room, game_id = a_game_by_the_clock()
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, Vote(seat=seat, on="abandon"))
    assert view(room.game(game_id), "all").votes == []


def test_a_game_without_a_clock_has_no_terms() -> None:
    room = a_room()
    table = view(room.game(room.open(4)), "spectator")
    assert (table.clock, table.paused_until, list(table.votes)) == (None, "", [])
