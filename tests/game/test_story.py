"""Since when the table waits for whom."""

from __future__ import annotations

from felix_async.game.commands import Bid, Leave, Return
from felix_async.game.story import Story
from felix_events.envelope import check_envelopes
from games import Room, a_room, a_started_room, joining, place_all
from table import ANNA, BEN, CARA, DAN


def since(room: Room, game_id: str) -> dict[int, str]:
    """Since when whom, to the minute."""
    with room.store.read() as reader:
        asked = Story.of(check_envelopes(reader.bodies(game_id))).asked_since
    return {seat: at[11:16] for seat, at in asked.items()}


def minute(room: Room) -> str:
    """The time of the last command."""
    return room.clock.now.strftime("%H:%M")


def test_an_invitation_waits_since_it_was_sent() -> None:
    room = a_room()
    game_id = room.open()
    opened = since(room, game_id)
    assert set(opened) == {ANNA, BEN, CARA, DAN}
    room.do(game_id, joining(BEN))
    assert since(room, game_id) == {seat: at for seat, at in opened.items() if seat != BEN}


def test_a_turn_waits_since_the_move_before_it() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    ((seat, at),) = since(room, game_id).items()
    assert seat == BEN
    with room.store.read() as reader:
        assert at == check_envelopes(reader.bodies(game_id))[-1].at[11:16]


def test_whoever_comes_back_is_waited_for_from_then_on() -> None:
    room, game_id = a_started_room()
    before = since(room, game_id)
    room.do(game_id, Leave(seat=BEN, for_good=False))
    assert BEN not in since(room, game_id)
    place = room.game(game_id)
    assert place.seats[BEN].has_placed, "the computer has placed a card"
    room.do(game_id, Return(seat=BEN))
    assert since(room, game_id) == {seat: at for seat, at in before.items() if seat != BEN}


def test_a_game_that_is_over_waits_for_nobody() -> None:
    room, game_id = a_started_room()
    room.play(game_id)
    assert since(room, game_id) == {}
