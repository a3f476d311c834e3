"""What a command owes, and that all of it happens or nothing: notices, due rows, and the service's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from felix_async import known
from felix_async.audit.audit import audit
from felix_async.clock import later
from felix_async.follow_up.notices import Hours
from felix_async.game.commands import Bid, Command
from felix_async.game.state import Game
from felix_async.service import Origin
from felix_events.store.base import Store
from felix_events.store.rows import Due, NoticeRow
from felix_events.store.sqlite import SqliteStore
from fresh import a_database
from games import Room, a_room, a_started_room, joining, place_all
from table import ANNA, BEN, CARA


class Stop(Exception):
    """Something went wrong after the command."""


def handle_and_stop(room: Room, game_id: str, command: Command, origin: Origin) -> None:
    with room.store.write() as tx:
        assert room.service.handle(tx, game_id, command, origin).events
        raise Stop


@pytest.fixture
def store() -> Iterator[Store]:
    store = SqliteStore.in_memory()
    yield store
    store.close()


# ---- one transaction --------------------------------------------------------------------------------
def two_rooms(path: Path) -> tuple[Room, Room]:
    """Two services with a store each on the same file, as two processes have; they share the time."""
    first = a_room("first", a_database(path))
    second = a_room("second", SqliteStore.open_to_write(path))
    second.service.clock = first.clock
    return first, second


def beyond(version: int) -> Callable[[Game], bool]:
    """One move on."""
    return lambda game: game.version > version


@pytest.mark.slow
def test_two_services_on_one_file_take_turns(tmp_path: Path) -> None:
    """Each one's memory of the game is out of date whenever it is asked."""
    rooms = two_rooms(tmp_path / "felix.db")
    game_id = rooms[0].open(3, start=ANNA)
    for seat in (ANNA, BEN, CARA):
        rooms[seat % 2].do(game_id, joining(seat), Origin(f"join{seat}", "host", "desk"))
    version = 0
    while not rooms[0].game(game_id).is_over:
        version = rooms[0].game(game_id).version
        mover, other = rooms[version % 2], rooms[1 - version % 2]
        mover.play(game_id, seed=f"{version}", until=beyond(version))
        other.commands = mover.commands
    assert rooms[0].evidence(game_id) == rooms[1].evidence(game_id)
    assert audit(rooms[0].evidence(game_id)).sound
    for room in rooms:
        room.store.close()


def test_a_game_that_fell_out_of_memory_is_read_from_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_CACHED_GAMES", 2)
    room = a_room()
    games = [room.open(command_id=f"create-{number}") for number in range(4)]
    for game_id in (*games, *games):
        state = room.game(game_id)
        with room.store.read() as reader:
            assert room.service.load(reader, game_id) == state
    assert len(room.service._games._known) == 2


# ---- notices ----------------------------------------------------------------------------------------
def notices_of(room: Room, game_id: str) -> list[NoticeRow]:
    with room.store.read() as reader:
        return reader.notices(game_id)


def owed(
    room: Room, game_id: str, command: Command, origin: Origin | None = None
) -> list[tuple[int, str, int]]:
    """What a command makes felix owe: seat, kind of notice, and the decision that it asks for."""
    before = len(notices_of(room, game_id))
    assert room.do(game_id, command).refusal is None
    after = notices_of(room, game_id)[before:]
    assert {notice.version for notice in after} <= {room.game(game_id).version}
    return [(notice.seat, notice.kind, notice.turn) for notice in after]


# ---- due rows ---------------------------------------------------------------------------------------
def due_of(room: Room, game_id: str) -> list[Due]:
    with room.store.read() as reader:
        return [row for row in reader.due_of(game_id) if row.kind != "silence"]


def waited_for(room: Room, game_id: str, kind: str = "reminder") -> list[tuple[int, int]]:
    """The seats and turns that felix will look at again, to remind them unless it is asked for others."""
    return [(row.seat, row.turn) for row in due_of(room, game_id) if row.kind == kind]


def test_whoever_is_waited_for_is_looked_at_again_and_nobody_else() -> None:
    """From the invitation to the end, after every command."""
    room = a_room()
    game_id = room.open(3)
    room.join_all(game_id)

    def as_asked(_: object = None) -> bool:
        game = room.game(game_id)
        assert waited_for(room, game_id) == [(seat, game.seats[seat].turn) for seat in game.asked]
        return game.is_over

    room.play(game_id, until=as_asked)
    assert due_of(room, game_id) == []


def test_a_seat_is_looked_at_a_day_after_it_was_asked() -> None:
    room, game_id = a_started_room()
    asked_at = notices_of(room, game_id)[-1].due_at
    assert {row.due_at for row in due_of(room, game_id)} == {later(asked_at, 24 * 3600)}


def test_the_operator_says_after_how_long() -> None:
    room = a_room()
    room.service.hours = Hours(remind_after=90, expire_after=500)
    game_id = room.open()
    invited_at = notices_of(room, game_id)[-1].due_at
    assert {(row.kind, row.due_at) for row in due_of(room, game_id)} == {
        ("reminder", later(invited_at, 90)),
        ("expiry", later(invited_at, 500)),
        ("closing", later(invited_at, 1000)),
    }


def test_a_service_whose_command_was_undone_sees_what_another_did_instead(tmp_path: Path) -> None:
    """The version is the one that it remembers, the state is not."""
    first, second = two_rooms(tmp_path / "felix.db")
    game_id = first.open(start=ANNA)
    first.join_all(game_id)
    place_all(first, game_id)
    with pytest.raises(Stop):
        handle_and_stop(first, game_id, Bid(seat=ANNA, amount=9), Origin("undone", "seat", "mail"))
    second.do(game_id, Bid(seat=ANNA, amount=2), Origin("other", "seat", "mail"))
    with first.store.read() as reader:
        assert first.service.load(reader, game_id).high_bid == 2
    for room in (first, second):
        room.store.close()
