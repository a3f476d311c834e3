"""What can be stepped through of a game: its beats and versions, and while it runs only some of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import pytest

from felix_async.game.beats import Beat, beats
from felix_async.game.commands import Play, Say
from felix_async.game.folding import fold
from felix_async.game.names import Names
from felix_async.game.views import Viewer
from felix_async.replay.places import Course, course_of, first_place, press
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from games import NAMES, Room, a_game_played, a_running_game, a_started_room, place_all
from table import ANNA, BEN, DAN

VIEWERS: Final[tuple[Viewer, ...]] = ("spectator", 0, 1, 2, 3)


def told(envelopes: list[Envelope], viewer: Viewer = "spectator") -> list[Beat]:
    return beats(envelopes, viewer, Names(NAMES), {})


def course(envelopes: list[Envelope]) -> Course:
    return course_of(told(envelopes), envelopes, VIEWERS)


def course_in(room: Room, game_id: str) -> Course:
    with room.store.read() as reader:
        return course(check_envelopes(reader.bodies(game_id)))


def placed_by(room: Room, game_id: str, *seats: int) -> None:
    """These seats place the first card of their hands."""
    for seat in seats:
        room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0]))


# A game that is over


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_beat_ends_with_the_last_of_its_records(seats: int) -> None:
    envelopes = a_game_played(seats).envelopes
    ends = [stop.version for stop in course(envelopes).stops]
    assert ends == [beat.last for beat in told(envelopes)]


def test_one_may_stand_at_every_version() -> None:
    played = a_game_played()
    assert course(played.envelopes).versions == list(range(1, played.size + 1))


def test_it_opens_at_the_deal() -> None:
    envelopes = a_game_played().envelopes
    at = first_place(course(envelopes), "all")
    assert told(envelopes)[at.beat].kind == "deal"


def test_the_seat_to_move_is_the_one_that_bids_or_passes_next() -> None:
    envelopes = a_game_played().envelopes
    acting = course(envelopes).acting
    wrong = [
        one.version
        for one in envelopes
        if isinstance(one.data, BidPlaced | PlayerPassed) and acting[one.version - 1] != one.data.seat
    ]
    assert wrong == []


def test_cards_are_placed_by_whoever_starts_first() -> None:
    envelopes = a_game_played().envelopes
    began = next(one.version for one in envelopes if one.type == "round_started")
    assert course(envelopes).acting[began] == fold(one.data for one in envelopes[:began]).start_seat


def test_nobody_acts_when_the_game_is_over() -> None:
    played = a_game_played()
    assert played.size not in course(played.envelopes).acting


def test_it_has_as_many_rounds_as_were_played() -> None:
    assert (course(a_game_played().envelopes).rounds, course(a_running_game().envelopes).rounds) == (9, 3)


# A game that runs


def test_nobody_stands_between_two_cards_of_a_running_game() -> None:
    played = a_running_game()
    placed = {one.version for one in played.envelopes if isinstance(one.data, CardPlaced)}
    assert placed.isdisjoint(course(played.envelopes).versions)


def test_the_last_beat_of_a_running_game_is_now() -> None:
    room, game_id = a_started_room()
    placed_by(room, game_id, ANNA, DAN)
    at_end = course_in(room, game_id)
    assert at_end.stops[-1].version == room.game(game_id).version


def test_talk_between_two_cards_does_not_tell_whose_is_there() -> None:
    """Two games that differ in who placed a card before the talk can be stepped through alike."""
    found = []
    for first, rest in ((BEN, (ANNA, 2, DAN)), (DAN, (ANNA, BEN, 2))):
        room, game_id = a_started_room()
        placed_by(room, game_id, first)
        room.do(game_id, Say(seat=ANNA, text_hash="0" * 64))
        placed_by(room, game_id, *rest)
        found.append(course_in(room, game_id))
    assert found[0] == found[1]


def test_steps_of_a_running_game_go_forward() -> None:
    room, game_id = a_started_room()
    placed_by(room, game_id, ANNA)
    room.do(game_id, Say(seat=ANNA, text_hash="0" * 64))
    placed_by(room, game_id, BEN, 2, DAN)
    stops = course_in(room, game_id).stops
    assert all(one.version <= other.version for one, other in pairwise(stops))


def test_every_beat_of_a_running_game_can_be_stepped_to() -> None:
    played = a_running_game()
    steps = course(played.envelopes)
    place, seen = first_place(steps, "spectator", 1), [0]
    while place.beat < len(steps.stops) - 1:
        place = press(steps, place, "right")
        seen.append(place.beat)
    assert seen == list(range(len(steps.stops)))


def test_a_game_with_one_card_placed_after_another_is_followed() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    assert course_in(room, game_id).stops[-1].round == 1
