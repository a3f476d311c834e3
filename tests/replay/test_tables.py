"""The table of a replay, at a version."""

from __future__ import annotations

import pytest

from felix_async.clock import DAY
from felix_async.game.views import View, Viewer, view
from felix_async.replay.tables import table_at
from felix_events.envelope import check_envelopes
from felix_events.model import Terms
from games import Played, a_game_played, a_room, a_running_game, place_all


def table(played: Played, version: int, viewer: Viewer, *, is_over: bool = True) -> View:
    return table_at(played.envelopes, version, viewer, is_over=is_over)


def test_it_is_what_a_seat_saw_then() -> None:
    played = a_game_played()
    wrong = [
        version
        for version in range(1, played.size + 1)
        if played.game(version).phase != "between"
        and table(played, version, 2) != view(played.game(version), 2)
    ]
    assert wrong == []


def test_all_hands_of_a_game_that_is_over_can_be_looked_at() -> None:
    played = a_game_played()
    placing = played.versions("cards_turned")[0] - 1
    assert {seat: own.placed for seat, own in table(played, placing, "all").own.items()} == {
        seat: state.placed for seat, state in enumerate(played.game(placing).seats)
    }


def test_the_end_is_seen_by_all() -> None:
    played = a_game_played()
    assert table(played, played.size, "all") == view(played.game(), "all")


def test_all_hands_of_a_running_game_cannot_be_looked_at() -> None:
    with pytest.raises(ValueError, match="hidden cards"):
        table(a_running_game(), 20, "all", is_over=False)


def test_a_sack_that_was_sold_still_lies_there() -> None:
    played = a_game_played()
    sold = played.versions("sack_sold")[0]
    before = view(played.game(sold - 1), "spectator").row
    assert table(played, sold, "spectator").row == before


def test_a_table_before_the_first_round_has_no_row() -> None:
    played = a_game_played()
    assert table(played, played.versions("game_started")[0], "spectator").row == []


def test_an_earlier_table_of_a_running_game_has_no_deadlines() -> None:
    room = a_room()
    game_id = room.open(start=0, clock=Terms(move=DAY, reserve=0))
    room.join_all(game_id)
    place_all(room, game_id)
    with room.store.read() as reader:
        envelopes = check_envelopes(reader.bodies(game_id))
    deadlines = {
        version: [seat.time.deadline for seat in seats if seat.time.deadline]
        for version in range(1, len(envelopes) + 1)
        if (seats := table_at(envelopes, version, "spectator", is_over=False).seats)
    }
    assert [version for version, found in deadlines.items() if found] == [len(envelopes)]
