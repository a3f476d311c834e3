"""Another game with the same players: one for each game, whoever asks, with those who can be asked."""

from __future__ import annotations

import pytest

from felix_async.draw import contribution
from felix_async.game.commands import Decline, Expire, Start, Uninvite
from felix_async.game.rules import Refusal
from felix_async.orders.rematch import Rematch, rematch
from felix_async.service import Origin
from felix_events.model import DEFAULT_PACE, Pace
from games import Room, a_room, joining
from table import ANNA, BEN, CARA, DAN


def ask(room: Room, game_id: str, seat: int, command_id: str = "") -> Rematch:
    """The player of this seat writes REMATCH."""
    origin = Origin(command_id or f"mail-{game_id}-{seat}", "seat", "mail", order="REMATCH", turn=3)
    words = contribution(f"<{seat}@players.test>", "")
    with room.store.write() as tx:
        return rematch(tx, room.service, game_id, seat, contribution=words, origin=origin)


def over(seats: int = 4, start: int | None = None, pace: Pace = DEFAULT_PACE) -> tuple[Room, str]:
    """A game that has ended."""
    room = a_room()
    game_id = room.open(seats, start=start, pace=pace)
    room.join_all(game_id)
    room.play(game_id)
    return room, game_id


def test_an_abandoned_game_counts_as_over() -> None:
    room = a_room()
    game_id = room.open(5)
    room.do(game_id, joining(ANNA))
    room.do(game_id, Decline(seat=BEN))
    result = ask(room, game_id, ANNA)
    assert result.opened
    assert result.invited == ["Cara", "Dan", "Eve"]
    assert result.left_out == {"declined": ["Ben"]}


def played_without_dan() -> tuple[Room, str]:
    """A whole game of the three others, at a table to which Dan was invited at first."""
    room = a_room()
    game_id = room.open(4, host=ANNA)
    room.do(game_id, Uninvite(seat=ANNA, whom=DAN))
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, joining(seat))
    room.do(game_id, Start(seat=ANNA))
    room.play(game_id)
    return room, game_id


def test_who_had_no_part_in_the_game_opens_no_other() -> None:
    room, game_id = played_without_dan()
    result = ask(room, game_id, DAN)
    assert (result.game_id, str(result.outcome.refusal)) == ("", str(Refusal("seat/not_playing")))
    assert ask(room, game_id, ANNA).opened


@pytest.mark.parametrize("how", ["uninvited", "declined", "silent"])
def test_who_was_not_at_the_table_opens_no_rematch_of_it(how: str) -> None:
    """An old invitation must not make its reader the host of people who played without them."""
    room = a_room()
    game_id = room.open(4, host=ANNA)
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, joining(seat))
    if how != "silent":
        room.do(game_id, Uninvite(seat=ANNA, whom=DAN) if how == "uninvited" else Decline(seat=DAN))
    room.do(game_id, Start(seat=ANNA))
    room.play(game_id)
    refusal = ask(room, game_id, DAN).outcome.refusal
    assert refusal is not None
    assert refusal.code == "seat/not_playing"
    with room.store.read() as reader:
        assert len(reader.games()) == 1


def test_who_was_forgotten_is_left_out_without_a_name() -> None:
    room, old = over()
    with room.store.write() as tx:
        tx.forget("dan-1")
    assert ask(room, old, ANNA).left_out == {"left": [""]}


def test_whose_seat_was_empty_all_along_is_not_told_as_left_out() -> None:
    """They are none of the players of that game."""
    room, game_id = played_without_dan()
    result = ask(room, game_id, ANNA)
    assert (result.invited, result.left_out) == (["Ben", "Cara"], {})


def test_of_rematches_there_is_one_at_a_time() -> None:
    room, old = over(3)
    first = ask(room, old, ANNA).game_id
    room.do(first, Decline(seat=BEN))
    second = ask(room, first, ANNA, "a second mail").game_id
    third = ask(room, old, CARA, "a third mail")
    assert (third.game_id, third.opened) == (second, False)
    room.do(second, Decline(seat=BEN))
    assert ask(room, old, CARA, "a fourth mail").opened
    with room.store.read() as reader:
        assert len(reader.games()) == 4


def test_whose_invitation_to_a_table_that_never_began_expired_is_asked_again() -> None:
    room = a_room()
    game_id = room.open(3)
    room.do(game_id, Expire(seat=BEN), Origin("x", "clock", "clock"))
    assert ask(room, game_id, ANNA).invited == ["Ben", "Cara"]


def test_rematch_at_the_first_of_two_games_is_for_the_third() -> None:
    room, old = over(3, start=0)
    new = ask(room, old, ANNA).game_id
    room.join_all(new)
    room.play(new)
    third = ask(room, old, BEN, "another mail")
    assert third.opened
    assert ask(room, new, CARA, "a third mail").game_id == third.game_id
    assert room.game(third.game_id).options.start_seat == 2


def test_the_same_players_are_invited_to_the_same_seats() -> None:
    room, old = over()
    result = ask(room, old, BEN)
    assert (result.opened, result.outcome.refusal) == (True, None)
    assert result.invited == ["Anna", "Cara", "Dan"]
    assert result.left_out == {}
    with room.store.read() as reader:
        before, after = reader.seats(old), reader.seats(result.game_id)
        row, first = reader.game(result.game_id), reader.game(old)
    assert [seat.player_id for seat in after] == [seat.player_id for seat in before]
    assert [seat.address for seat in after] == [seat.address for seat in before]
    assert row is not None
    assert first is not None
    assert row.table_name == first.table_name


@pytest.mark.parametrize("pace", ["together", "in turn"])
def test_the_pace_stays(pace: Pace) -> None:
    room, game_id = over(pace=pace)
    assert room.game(ask(room, game_id, BEN).game_id).options.pace == pace
