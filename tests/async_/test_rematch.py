"""Another game with the same players: one for each game, whoever asks, with those who can be asked."""

from __future__ import annotations

import pytest

from felix_async.draw import contribution
from felix_async.game.commands import Cancel, Decline, Expire, Leave, Start, Uninvite
from felix_async.game.rules import Refusal
from felix_async.language.words import REFUSALS
from felix_async.rematch import Rematch, before, rematch
from felix_async.service import Origin
from felix_events.model import GameStarted
from felix_events.store.rows import AddressRow
from games import Played, Room, a_room, joining
from table import ANNA, BEN, CARA, DAN


def ask(room: Room, game_id: str, seat: int, command_id: str = "") -> Rematch:
    """The player of this seat writes REMATCH."""
    origin = Origin(command_id or f"mail-{game_id}-{seat}", "seat", "mail", order="REMATCH", turn=3)
    words = contribution(f"<{seat}@players.test>", "")
    with room.store.write() as tx:
        return rematch(tx, room.service, game_id, seat, contribution=words, origin=origin)


def over(seats: int = 4, start: int | None = None) -> tuple[Room, str]:
    """A game that has ended."""
    room = a_room()
    game_id = room.open(seats, start=start)
    room.join_all(game_id)
    room.play(game_id)
    return room, game_id


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


def test_who_asks_hosts_and_is_in() -> None:
    room, old = over()
    game = room.game(ask(room, old, BEN).game_id)
    assert game.host == BEN
    assert game.answered("joined") == [BEN]
    assert game.asked == [ANNA, CARA, DAN]


@pytest.mark.parametrize("start", [0, 3])
def test_the_next_seat_starts(start: int) -> None:
    room, old = over(start=start)
    new = ask(room, old, ANNA).game_id
    room.join_all(new)
    played = Played(new, room.evidence(new))
    assert [event.start_seat for event in played.events if isinstance(event, GameStarted)] == [
        (start + 1) % 4
    ]


def test_whoever_else_asks_joins_that_game() -> None:
    room, old = over()
    first = ask(room, old, BEN)
    second = ask(room, old, CARA)
    assert (second.game_id, second.opened, second.outcome.refusal) == (first.game_id, False, None)
    assert room.game(first.game_id).answered("joined") == [BEN, CARA]


def test_who_asks_twice_is_told_that_they_are_in() -> None:
    room, old = over()
    first = ask(room, old, BEN)
    again = ask(room, old, BEN, "another mail")
    assert again.game_id == first.game_id
    assert str(again.outcome.refusal) == REFUSALS["seat/already_joined"]


def test_the_same_mail_again_changes_nothing() -> None:
    room, old = over()
    first = ask(room, old, BEN)
    again = ask(room, old, BEN)
    assert again.game_id == first.game_id
    assert again.outcome.repeated
    with room.store.read() as reader:
        assert len(reader.games()) == 2


def test_a_game_that_runs_has_no_rematch() -> None:
    room = a_room()
    game_id = room.open()
    room.join_all(game_id)
    refusal = ask(room, game_id, ANNA).outcome.refusal
    assert refusal is not None
    assert refusal.code == "rematch/not_over"
    assert str(refusal) == "This game is not over yet. Write REMATCH when it is."


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


def test_who_has_resigned_is_left_out() -> None:
    room = a_room()
    game_id = room.open(4, start=BEN)
    room.join_all(game_id)
    room.do(game_id, Leave(seat=CARA, for_good=True))
    room.play(game_id)
    result = ask(room, game_id, ANNA)
    assert (result.invited, result.left_out) == (["Ben", "Dan"], {"left": ["Cara"]})
    game = room.game(result.game_id)
    assert [seat.player_id for seat in game.seats] == ["anna-1", "ben-1", "dan-1"]
    assert game.options.start_seat == 2, "Dan sits next after Ben, since Cara is not there"
    refusal = ask(room, game_id, CARA).outcome.refusal
    assert refusal is not None
    assert refusal.code == "rematch/left_out"


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


def test_who_wants_no_mail_is_left_out() -> None:
    room, old = over()
    with room.store.write() as tx:
        tx.note_address(AddressRow("dan@players.test", "dan-1", stopped="asked"))
    assert ask(room, old, ANNA).left_out == {"without_mail": ["Dan"]}


def test_who_was_forgotten_is_left_out_without_a_name() -> None:
    room, old = over()
    with room.store.write() as tx:
        tx.forget("dan-1")
    assert ask(room, old, ANNA).left_out == {"left": [""]}


def test_too_few_are_no_game() -> None:
    room, old = over(3)
    with room.store.write() as tx:
        tx.forget("cara-1")
    result = ask(room, old, ANNA)
    assert result.game_id == ""
    assert result.outcome.refusal is not None
    assert result.outcome.refusal.code == "rematch/too_few"
    with room.store.read() as reader:
        assert len(reader.games()) == 1


def test_whose_seat_was_empty_all_along_is_not_told_as_left_out() -> None:
    """They are none of the players of that game."""
    room, game_id = played_without_dan()
    result = ask(room, game_id, ANNA)
    assert (result.invited, result.left_out) == (["Ben", "Cara"], {})


@pytest.mark.parametrize("whose", [ANNA, BEN, CARA])
@pytest.mark.parametrize("at", ["the game", "its rematch"])
def test_after_a_rematch_that_came_to_nothing_another_may_be_opened(whose: int, at: str) -> None:
    """Whoever asks, who declined the first too, and at either table: it is for the players of the game."""
    room, old = over(3)
    new = ask(room, old, ANNA).game_id
    room.do(new, Decline(seat=BEN))
    result = ask(room, old if at == "the game" else new, whose, "another mail")
    assert (result.opened, result.outcome.refusal, result.left_out) == (True, None, {})
    assert result.game_id not in (old, new)
    game = room.game(result.game_id)
    assert (game.host, len(game.seats)) == (whose, 3)


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


def test_a_rematch_after_one_that_came_to_nothing_begins_with_the_same_seat() -> None:
    room, old = over(4, start=BEN)
    first = ask(room, old, ANNA).game_id
    room.do(first, Cancel(seat=ANNA))
    second = ask(room, first, ANNA, "a second mail").game_id
    assert room.game(second).options.start_seat == CARA


def test_whose_invitation_expired_is_asked_again() -> None:
    room, old = over(3)
    new = ask(room, old, ANNA).game_id
    room.do(new, Expire(seat=BEN), Origin("x", "clock", "clock"))
    assert room.game(new).is_over
    assert ask(room, new, CARA, "another mail").invited == ["Anna", "Ben"]


def test_whose_invitation_to_a_table_that_never_began_expired_is_asked_again() -> None:
    room = a_room()
    game_id = room.open(3)
    room.do(game_id, Expire(seat=BEN), Origin("x", "clock", "clock"))
    assert ask(room, game_id, ANNA).invited == ["Ben", "Cara"]


def test_a_rematch_knows_the_game_before_it_and_who_was_not_asked() -> None:
    room = a_room()
    game_id = room.open(4)
    room.join_all(game_id)
    room.do(game_id, Leave(seat=CARA, for_good=True))
    room.play(game_id)
    new = ask(room, game_id, ANNA).game_id
    with room.store.read() as reader:
        told, first = before(reader, new), before(reader, game_id)
    assert first is None
    assert told is not None
    assert (told.game_id, [row.name for row in told.not_asked]) == (game_id, ["Cara"])


def test_a_rematch_has_a_rematch() -> None:
    room, old = over(3, start=0)
    new = ask(room, old, ANNA).game_id
    room.join_all(new)
    room.play(new)
    again = ask(room, new, BEN)
    assert again.opened
    assert room.game(again.game_id).options.start_seat == 2


def test_rematch_at_the_first_of_two_games_is_for_the_third() -> None:
    room, old = over(3, start=0)
    new = ask(room, old, ANNA).game_id
    room.join_all(new)
    room.play(new)
    third = ask(room, old, BEN, "another mail")
    assert third.opened
    assert ask(room, new, CARA, "a third mail").game_id == third.game_id
    assert room.game(third.game_id).options.start_seat == 2
